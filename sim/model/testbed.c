/* See testbed.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "model/testbed.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const link_names[TESTBED_LINKS] = {"east", "west", "north", "south"};

struct parser {
    const char *path;
    FILE *file;
    int line;
    struct testbed *testbed;
    char *error;
    size_t error_size;
    bool failed;
};

static int fail(struct parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct parser *parser, const char *format, ...)
{
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (!parser->failed)
        snprintf(parser->error, parser->error_size, "%s:%d: %s", parser->path, parser->line, reason);
    parser->failed = true;
    return 0;
}

const char *testbed_link_name(unsigned link)
{
    return link_names[link];
}

bool testbed_end(const struct testbed *testbed, const char *text, struct testbed_end *out)
{
    const char *dot = strrchr(text, '.');
    for (unsigned board = 0; dot && board < testbed->board_count; board++)
        for (unsigned link = 0; link < TESTBED_LINKS; link++)
            if (strlen(testbed->boards[board].name) == (size_t)(dot - text) &&
                strncmp(testbed->boards[board].name, text, (size_t)(dot - text)) == 0 &&
                strcmp(dot + 1, link_names[link]) == 0) {
                *out = (struct testbed_end){board, link};
                return true;
            }
    return false;
}

static int set_number(struct parser *parser, const char *name, const char *value, double low, double high, double *out)
{
    char *end;
    *out = strtod(value, &end);
    if (end == value || *end || *out < low || *out > high)
        return fail(parser, "%s = %s: expected a number from %g to %g", name, value, low, high);
    return 1;
}

static int set_text(struct parser *parser, const char *name, const char *value, char *out, size_t size)
{
    if ((size_t)snprintf(out, size, "%s", value) >= size)
        return fail(parser, "%s: longer than %zu characters", name, size - 1);
    return 1;
}

static int set_testbed(struct parser *parser, const char *name, const char *value)
{
    struct testbed *testbed = parser->testbed;
    if (strcmp(name, "baud") == 0)
        return set_number(parser, name, value, 1200, 12e6, &testbed->baud);
    if (strcmp(name, "boot_ms") == 0)
        return set_number(parser, name, value, 0, 60e3, &testbed->boot_ms);
    if (strcmp(name, "bit_ns") == 0)
        return set_number(parser, name, value, 1, 1e6, &testbed->bit_ns);
    return fail(parser, "'%s': expected baud, boot_ms or bit_ns", name);
}

/* The board of a section [board NAME], added at its first key. */
static struct testbed_board *board_of(struct parser *parser, const char *name)
{
    struct testbed *testbed = parser->testbed;
    for (unsigned i = 0; i < testbed->board_count; i++)
        if (strcmp(testbed->boards[i].name, name) == 0)
            return &testbed->boards[i];
    if (testbed->board_count == TESTBED_BOARDS || strlen(name) >= TESTBED_NAME || !*name || strpbrk(name, ". ")) {
        fail(parser, "[board %s]: expected at most %d boards, names shorter than %d without dots and blanks", name,
             TESTBED_BOARDS, TESTBED_NAME);
        return NULL;
    }
    struct testbed_board *board = &testbed->boards[testbed->board_count++];
    *board = (struct testbed_board){.clock_hz = 12e6, .flash_offset = 0};
    snprintf(board->name, sizeof board->name, "%s", name);
    return board;
}

static int set_board(struct parser *parser, const char *board_name, const char *name, const char *value)
{
    struct testbed_board *board = board_of(parser, board_name);
    double number;
    if (!board)
        return 0;
    if (strcmp(name, "board") == 0)
        return set_text(parser, name, value, board->board, sizeof board->board);
    if (strcmp(name, "bitstream") == 0)
        return set_text(parser, name, value, board->bitstream, sizeof board->bitstream);
    if (strcmp(name, "flash") == 0)
        return set_text(parser, name, value, board->flash, sizeof board->flash);
    if (strcmp(name, "flash_offset") == 0) {
        int good = set_number(parser, name, value, 0, 16777216, &number);
        board->flash_offset = (uint32_t)number;
        return good;
    }
    if (strcmp(name, "clock_hz") == 0)
        return set_number(parser, name, value, 1e5, 1e9, &board->clock_hz);
    if (strcmp(name, "clock_ppm") == 0)
        return set_number(parser, name, value, -1e5, 1e5, &board->ppm);
    if (strcmp(name, "jitter_ps") == 0)
        return set_number(parser, name, value, 0, 1e4, &board->jitter_ps);
    return fail(parser, "'%s': expected board, bitstream, flash, flash_offset, clock_hz, clock_ppm or jitter_ps", name);
}

static int set_cable_option(struct parser *parser, struct testbed_cable *cable, char *word)
{
    char *value = strchr(word, '=');
    if (value)
        *value++ = 0;
    if (value && strcmp(word, "delay") == 0)
        return set_number(parser, word, value, 0, 1e6, &cable->delay_ns);
    if (value && strcmp(word, "skew") == 0)
        return set_number(parser, word, value, 0, 1e6, &cable->skew_ns);
    if (value && strcmp(word, "errors") == 0)
        return set_number(parser, word, value, 0, 1, &cable->errors);
    return fail(parser, "'%s': expected delay=NS, skew=NS or errors=SHARE", word);
}

static bool has_cable(const struct testbed *testbed, struct testbed_end end)
{
    for (unsigned i = 0; i < testbed->cable_count; i++)
        for (int k = 0; k < 2; k++)
            if (testbed->cables[i].ends[k].board == end.board && testbed->cables[i].ends[k].link == end.link)
                return true;
    return false;
}

/* a.east = b.west [delay=NS] [skew=NS] [errors=SHARE] */
static int set_cable(struct parser *parser, const char *name, const char *value)
{
    struct testbed *testbed = parser->testbed;
    struct testbed_cable cable = {.delay_ns = 10};
    char text[256], *rest, *word;
    if ((size_t)snprintf(text, sizeof text, "%s", value) >= sizeof text || testbed->cable_count == TESTBED_CABLES)
        return fail(parser, "%s: expected a shorter line, and at most %d cables", name, TESTBED_CABLES);
    word = strtok_r(text, " ", &rest);
    if (!testbed_end(testbed, name, &cable.ends[0]) || !word || !testbed_end(testbed, word, &cable.ends[1]))
        return fail(parser,
                    "%s = %s: expected BOARD.east, .west, .north or .south at both ends, boards of sections above",
                    name, value);
    if (has_cable(testbed, cable.ends[0]) || has_cable(testbed, cable.ends[1]) ||
        (cable.ends[0].board == cable.ends[1].board && cable.ends[0].link == cable.ends[1].link))
        return fail(parser, "%s = %s: one of these links has a cable already", name, value);
    while ((word = strtok_r(NULL, " ", &rest)))
        if (!set_cable_option(parser, &cable, word))
            return 0;
    testbed->cables[testbed->cable_count++] = cable;
    return 1;
}

static int handle(void *context, const char *section, const char *name, const char *value)
{
    static const char board[] = "board ";
    struct parser *parser = context;
    if (parser->failed)
        return 0;
    if (strcmp(section, "testbed") == 0)
        return set_testbed(parser, name, value);
    if (strncmp(section, board, strlen(board)) == 0)
        return set_board(parser, section + strlen(board), name, value);
    if (strcmp(section, "cables") == 0)
        return set_cable(parser, name, value);
    return fail(parser, "[%s]: expected [testbed], [board NAME] or [cables]", section);
}

/* Counts lines for the messages. */
static char *read_line(char *out, int size, void *context)
{
    struct parser *parser = context;
    parser->line++;
    return fgets(out, size, parser->file);
}

static void check_boards(struct parser *parser)
{
    const struct testbed *testbed = parser->testbed;
    if (!testbed->board_count)
        fail(parser, "no board, expected a section [board NAME]");
    for (unsigned i = 0; i < testbed->board_count; i++)
        if (!*testbed->boards[i].board || !*testbed->boards[i].bitstream)
            fail(parser, "[board %s]: expected the keys board and bitstream", testbed->boards[i].name);
}

int testbed_load(const char *path, struct testbed *out, char *error, size_t error_size)
{
    struct parser parser = {
        .path = path, .file = fopen(path, "re"), .testbed = out, .error = error, .error_size = error_size};
    *out = (struct testbed){.baud = 1e6, .boot_ms = 20, .bit_ns = 1e9 / 3e6};
    if (!parser.file) {
        snprintf(error, error_size, "%s: %s, expected a testbed file", path, strerror(errno));
        return -1;
    }
    out->boards = calloc(TESTBED_BOARDS, sizeof *out->boards);
    out->cables = calloc(TESTBED_CABLES, sizeof *out->cables);
    if (!out->boards || !out->cables)
        abort();
    if (ini_parse_stream(read_line, &parser, handle, &parser) != 0)
        fail(&parser, "expected [section], key = value or ; comment");
    fclose(parser.file);
    if (!parser.failed)
        check_boards(&parser);
    if (parser.failed)
        testbed_free(out);
    return parser.failed ? -1 : 0;
}

void testbed_free(struct testbed *testbed)
{
    free(testbed->boards);
    free(testbed->cables);
    testbed->boards = NULL;
    testbed->cables = NULL;
}
