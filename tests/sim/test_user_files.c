/* Files of a user: what is written appears whole, under no name that another has made, and never over what is read.
 * Text of others: what a terminal obeys does not pass, whatever is before it, and letters do.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "check.h"
#include "support/input_file.h"
#include "support/output_file.h"
#include "support/shown_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAME = 64, ERROR = 256, ROUNDS = 200000, LONGEST = 12 };

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool has(const char *path, const char *text)
{
    char bytes[NAME] = "";
    FILE *file = fopen(path, "r");
    bool good = file && fread(bytes, 1, sizeof bytes - 1, file) > 0 && strcmp(bytes, text) == 0;
    if (file)
        fclose(file);
    return good;
}

static void begin(struct output_file *output, const char *path)
{
    char error[ERROR] = "";
    check(output_file_open(output, path, error, sizeof error) == 0, "%s", error);
    fputs("new", output->file);
}

/* Others can guess the temporary name, and have made a link of it. */
static void links(void)
{
    struct output_file output;
    char name[NAME], error[ERROR];
    put("victim", "precious");
    snprintf(name, sizeof name, "result.%ld.new", (long)getpid());
    CHECK(symlink("victim", name) == 0);
    begin(&output, "result");
    CHECK(strcmp(output.temporary, name) != 0 && output_file_is_temporary(output.temporary, "result"));
    CHECK(output_file_close(&output, error, sizeof error) == 0);
    CHECK(has("victim", "precious") && has("result", "new"));
    CHECK(unlink(name) == 0);
}

static void names(void)
{
    static const char *const own[] = {"manifest.1.new", "manifest.123-4.new"};
    static const char *const others[] = {"manifest",        "manifest.new",     "manifest.txt",   "manifest.1.newer",
                                         "manifest.1-.new", "manifest.1-a.new", "xmanifest.1.new"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        check(output_file_is_temporary(own[i], "manifest"), "%s", own[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check(!output_file_is_temporary(others[i], "manifest"), "%s", others[i]);
}

/* A child that a signal ends has a copy of its parent's list. */
static void abandoned(void)
{
    struct output_file kept, gone;
    char error[ERROR];
    begin(&kept, "kept");
    pid_t child = fork();
    if (child == 0) {
        output_file_abandon_all();
        begin(&gone, "gone");
        output_file_abandon_all();
        _exit(access(gone.temporary, F_OK) == 0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(output_file_close(&kept, error, sizeof error) == 0 && has("kept", "new"));
    begin(&gone, "gone");
    output_file_abandon_all();
    CHECK(access(gone.temporary, F_OK) != 0 && access("kept", F_OK) == 0);
    output_file_abandon(&gone);
}

static void refused(const char *path)
{
    struct output_file output;
    char error[ERROR] = "";
    check(output_file_open(&output, path, error, sizeof error) != 0 && strstr(error, path), "%s: %s", path, error);
    check(!output_file_claim(path, error, sizeof error), "%s is claimed", path);
}

static void inputs(void)
{
    struct output_file output;
    char error[ERROR] = "";
    put("input", "read");
    put("later", "read");
    CHECK(link("input", "hard") == 0 && symlink("input", "soft") == 0 && mkdir("folder", 0700) == 0);
    FILE *file = input_file_open("input");
    CHECK(file && fclose(file) == 0);
    input_file_note("later");
    input_file_note("nothing");
    static const char *const paths[] = {"input", "hard", "soft", "./input", "folder/../input", "later"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        refused(paths[i]);
    CHECK(has("input", "read"));
    /* Its number may be given to this one. */
    CHECK(unlink("later") == 0);
    begin(&output, "after");
    CHECK(output_file_close(&output, error, sizeof error) == 0);
    begin(&output, "after");
    check(output_file_close(&output, error, sizeof error) == 0, "%s", error);
    CHECK(output_file_claim("one", error, sizeof error) && output_file_claim("folder/one", error, sizeof error));
    CHECK(!output_file_claim("./one", error, sizeof error) && strstr(error, "twice"));
    CHECK(!output_file_claim("folder/../folder/one", error, sizeof error));
    CHECK(output_file_claim("/dev/null", error, sizeof error) && output_file_claim("/dev/null", error, sizeof error));
}

/* Logs: a FIFO that nobody reads does not keep the program, and an input is not emptied. */
static void logs(void)
{
    FILE *log;
    CHECK(mkfifo("unread", 0600) == 0 && !output_file_log("unread", true) && !output_file_log("unread", false));
    CHECK(!output_file_log("input", true) && has("input", "read"));
    for (unsigned anew = 0; anew < 2; anew++)
        CHECK((log = output_file_log("log", anew)) && fputs("x", log) >= 0 && fclose(log) == 0);
    CHECK(has("log", "x"));
    CHECK((log = output_file_log("log", false)) && fputs("y", log) >= 0 && fclose(log) == 0 && has("log", "xy"));
}

/* What a terminal makes of the bytes: it decodes UTF-8 as the standard says, and takes a byte that fits nowhere for
 * what it would be alone. True: it would obey one of them. */
static bool obeyed(const unsigned char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned char lead = text[i];
        size_t size = lead >= 0xc2 && lead < 0xe0   ? 2
                      : lead >= 0xe0 && lead < 0xf0 ? 3
                      : lead >= 0xf0 && lead < 0xf5 ? 4
                                                    : 1;
        unsigned long value = size == 1 ? lead : lead & (0x7fu >> size);
        size_t more = 1;
        for (; more < size && i + more < length && (text[i + more] & 0xc0) == 0x80; more++)
            value = value << 6 | (text[i + more] & 0x3f);
        if (size > 1 && more == size && (value < 0x20 || (value >= 0x7f && value < 0xa0)))
            return true;
        if (size == 1 && (lead < 0x20 || (lead >= 0x7f && lead < 0xa0)))
            return true;
        i += more;
    }
    return false;
}

static void drawn_bytes(void)
{
    static const unsigned char likely[] = {0x1b, 0x9b, 0x7f, 0x80, 0x82, 0x9f, 0xa0, 0xc2, 0xc3, 0xe0,
                                           0xe1, 0xed, 0xf0, 0xf4, 0xff, 'a',  '\n', '\r', '\t', 0};
    uint64_t state = check_seed();
    for (unsigned long round = 0; round < check_rounds(ROUNDS); round++) {
        char text[LONGEST];
        size_t length = 1 + check_below(&state, LONGEST);
        for (size_t i = 0; i < length; i++)
            text[i] = (char)(check_below(&state, 2) ? likely[check_below(&state, sizeof likely)]
                                                    : check_random(&state));
        shown_text_bytes(text, length);
        check(!obeyed((const unsigned char *)text, length), "round %lu", round);
    }
}

static void letters(void)
{
    char text[] = "a\u00e9\u0107\u4e2d\U0001f642 ~", copy[sizeof text];
    memcpy(copy, text, sizeof text);
    shown_text_line(text);
    CHECK(strcmp(text, copy) == 0);
    char lines[] = "a\nb\tc\r";
    shown_text_line(lines);
    CHECK(strcmp(lines, "a?b?c?") == 0);
    struct shown_text state = {0};
    CHECK(shown_text_byte(&state, '\n') == '\n' && shown_text_byte(&state, '\t') == '\t' &&
          shown_text_byte(&state, '\r') == '?');
}

int main(void)
{
    char folder[PATH_MAX], command[PATH_MAX + NAME];
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/postroad-user-files.XXXXXX", temporary ? temporary : "/tmp");
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    RUN(links);
    RUN(names);
    RUN(abandoned);
    RUN(inputs);
    RUN(logs);
    RUN(drawn_bytes);
    RUN(letters);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) == 0 ? verdict("test_user_files") : 1;
}
