/* What a trap handler writes, as far as it comes through: whole, in the middle of other text, cut off, and what only
 * looks like it. Causes in words; an image that is not there.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "daemon/crash.h"

#include <stdio.h>
#include <string.h>

static bool note(struct crash *crash, const char *text)
{
    *crash = (struct crash){0};
    crash_note_text(crash, text, strlen(text));
    return crash->seen;
}

static void only_a_whole_line_is_noted(void)
{
    static const char line[] = "garbage\r\ntrap: mcause 0000000b mepc 800000fc ra 800028a8\r\n";
    struct crash crash = {0};
    CHECK(note(&crash, line));
    CHECK(crash.cause == 11 && crash.pc == 0x800000fc && crash.return_address == 0x800028a8);
    CHECK(!note(&crash, ""));
    CHECK(!note(&crash, "trap: mcause "));
    CHECK(!note(&crash, "trap: mcause 0000000b mepc 800000fc ra"));
    CHECK(!note(&crash, "trap: mcause zzzzzzzz mepc 800000fc ra 800028a8"));
    CHECK(!note(&crash, "a mousetrap"));
    for (size_t length = 0; length <= strlen("garbage\r\ntrap: mcause 0000000b mepc 800000fc ra "); length++) {
        crash_note_text(&crash, line, length);
        CHECK(!crash.seen);
    }
}

static void says(uint32_t cause, const char *words)
{
    const struct crash crash = {true, cause, 0x80000000, 0x80000004};
    char text[1000];
    crash_describe(&crash, "/none.elf", text, sizeof text);
    CHECK(strstr(text, words));
    CHECK(strstr(text, "at 0x80000000 in unknown: /none.elf cannot be read; ra 0x80000004"));
}

static void causes_are_words(void)
{
    says(0, "jump to a misaligned address (mcause 0)");
    says(2, "illegal instruction (mcause 2)");
    says(3, "breakpoint");
    says(5, "load access fault (nothing there)");
    says(7, "store access fault (nothing there)");
    says(11, "environment call");
    says(10, "unknown cause (mcause 10)");
    says(12, "unknown cause (mcause 12)");
    says(0x80000007, "interrupt");
}

static void what_does_not_fit_is_cut(void)
{
    const struct crash crash = {true, 2, 0x80000000, 0x80000004};
    char text[32];
    memset(text, 'x', sizeof text);
    crash_describe(&crash, "/none.elf", text, sizeof text - 1);
    CHECK(strlen(text) == sizeof text - 2 && text[sizeof text - 1] == 'x');
    crash_describe_hang(5, 0, 0x80000000, 0, "/none.elf", text, sizeof text - 1);
    CHECK(strncmp(text, "hangs: has worked for 5 s", 25) == 0 && text[sizeof text - 1] == 'x');
}

/* usage: test_crash_text symbol IMAGE: prints what is said of a crash in the image, for test_hostile_text.sh. */
int main(int argc, char **argv)
{
    if (argc == 3) {
        const struct crash crash = {true, 2, 0x80000000, 0};
        char text[1000];
        crash_describe(&crash, argv[2], text, sizeof text);
        puts(text);
        return 0;
    }
    only_a_whole_line_is_noted();
    causes_are_words();
    what_does_not_fit_is_cut();
    return 0;
}
