/* The readers of ECP5 bitstreams on garbage: random edits of what ecpunpack has printed, and of a pin list, built with
 * the sanitizers. Whatever comes in, there is an answer; a refusal names the file, and its line where it is about one.
 *
 * usage: ecp5_fuzz CONFIG DATABASE PACKAGE PINS
 * Environment: SEED, FUZZ_RUNS (default 200).
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/ecp5_config.h"
#include "bitstream/ecp5_netlist.h"
#include "bitstream/netlist.h"
#include "bitstream/pin_list.h"
#include "bitstream/trellis.h"
#include "check.h"

enum { EDITS = 3, SHORT = 3000, SHORT_RUNS_EACH = 20, ROOM = 4 << 20 };

static uint64_t state;

static size_t read_file(const char *path, char *text)
{
    FILE *in = fopen(path, "re");
    CHECK(in);
    size_t length = fread(text, 1, ROOM, in);
    fclose(in);
    return length;
}

/* The start of a line at random. */
static size_t line_at(const char *text, size_t length)
{
    size_t at = check_below(&state, (unsigned)length);
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_length(const char *text, size_t length, size_t at)
{
    const char *end = memchr(text + at, '\n', length - at);
    return end ? (size_t)(end - text) - at + 1 : length - at;
}

/* One edit: a character, a line that goes, or a line in place of another, whole or from its middle on. */
static size_t edit(char *text, size_t length)
{
    static const char interesting[] = ".:_0129 \t\nRCFEWNSX#\"[]\xff-";
    if (length < 2)
        return length;
    size_t at = line_at(text, length), from = line_at(text, length), count = line_length(text, length, at);
    size_t other = line_length(text, length, from);
    switch (check_below(&state, 4)) {
    case 0:
        text[check_below(&state, (unsigned)length)] = interesting[check_below(&state, sizeof interesting - 1)];
        return length;
    case 1:
        memmove(text + at, text + at + count, length - at - count);
        return length - count;
    case 2:
        memmove(text + at, text + from, other < length - at ? other : length - at);
        return length;
    default:
        count = count / 2;
        memmove(text + at + count, text + from, other < length - at - count ? other : length - at - count);
        return length;
    }
}

static void check_answer(bool good, const struct failure *failure, const char *start)
{
    if (good == failure->failed || (!good && strncmp(failure->text, start, strlen(start)) != 0)) {
        printf("FAIL ecp5_fuzz: good %d, reason: %s\n", good, failure->text);
        exit(1);
    }
}

static unsigned accepted;

/* Reads a damaged configuration, and, where it can be read, makes a netlist of it. */
static void run_config(const char *text, size_t length, struct trellis *trellis, const char *pins_path)
{
    struct failure failure = {0};
    struct ecp5_config config;
    struct pin_list pins = {0};
    bool good = ecp5_config_parse(&config, "fuzz.config", text, length, &failure);
    check_answer(good, &failure, "fuzz.config:");
    if (good && trellis) {
        CHECK(pin_list_read(&pins, pins_path, &failure));
        struct netlist *netlist = ecp5_netlist(&config, trellis, &pins, &failure);
        check_answer(netlist, &failure, failure.failed && strncmp(failure.text, "wire", 4) == 0 ? "wire" : "");
        accepted += netlist != NULL;
        if (netlist)
            netlist_free(netlist);
    }
    pin_list_free(&pins);
    ecp5_config_free(&config);
}

static void run_pins(const char *text, size_t length, const char *path)
{
    struct failure failure = {0};
    struct pin_list pins;
    FILE *out = fopen(path, "we");
    CHECK(out && fwrite(text, 1, length, out) == length && fclose(out) == 0);
    bool good = pin_list_read(&pins, path, &failure);
    check_answer(good, &failure, path);
    pin_list_free(&pins);
}

int main(int argc, char **argv)
{
    CHECK_EQUAL(argc, 5);
    struct trellis trellis;
    struct failure failure = {0};
    char *config = malloc(ROOM), *pins = malloc(ROOM), *text = malloc(ROOM), scratch[4096];
    size_t config_length = read_file(argv[1], config), pins_length = read_file(argv[4], pins);
    const char *runs_text = getenv("FUZZ_RUNS");
    int runs = runs_text ? atoi(runs_text) : 200;
    state = check_seed();
    CHECK(trellis_read(&trellis, argv[2], "LFE5U-25F", argv[3], &failure));
    snprintf(scratch, sizeof scratch, "%s.fuzz", argv[4]);
    for (int run = 0; run < runs; run++) {
        size_t length = config_length;
        memcpy(text, config, length);
        for (unsigned edits = check_below(&state, EDITS + 1); edits > 0; edits--)
            length = edit(text, length);
        run_config(text, length, &trellis, argv[4]);
        for (int i = 0; i < SHORT_RUNS_EACH; i++) {
            length = config_length < SHORT ? config_length : SHORT;
            memcpy(text, config + (run & 1 ? config_length - length : 0), length);
            for (unsigned edits = 1 + check_below(&state, EDITS); edits > 0; edits--)
                length = edit(text, length);
            run_config(text, length, NULL, NULL);
        }
        length = pins_length;
        memcpy(text, pins, length);
        for (unsigned edits = 1 + check_below(&state, EDITS); edits > 0; edits--)
            length = edit(text, length);
        run_pins(text, length, scratch);
    }
    printf("PASS ecp5_fuzz: %d runs, %u accepted\n", runs, accepted);
    trellis_free(&trellis);
    free(config);
    free(pins);
    free(text);
    return accepted == 0;
}
