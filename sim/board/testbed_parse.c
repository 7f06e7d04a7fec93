/* The lines of a testbed file, on inih, which is fed line by line because it passes no line number to its handler.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "board/testbed_private.h"
#include "support/or_abort.h"

#include <ctype.h>
#include <ini.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 190 /* inih's own limit is 200 */, KEYS_MAX = 32 };

enum key_kind { KEY_TEXT, KEY_FILE, KEY_NUMBER, KEY_WHOLE, KEY_OFFSET, KEY_RATE };

struct key {
    const char *name;
    enum key_kind kind;
    size_t offset, size;
    double least, most;              /* numbers */
    bool (*fits)(const char *value); /* texts; NULL: any */
    const char *expected;            /* texts */
};

#define TESTBED_FIELD(field) offsetof(struct testbed, field), sizeof(((struct testbed *)0)->field)
#define BOARD_FIELD(field)   offsetof(struct testbed_board, field), sizeof(((struct testbed_board *)0)->field)

enum section { SECTION_NONE, SECTION_TESTBED, SECTION_BOARD, SECTION_CABLES, SECTION_ANALYSER };

struct parser {
    struct testbed_reader *reader;
    enum section section;
    struct testbed_board *board;               /* of the section */
    int testbed_lines[KEYS_MAX];               /* where each key was set, 0: it was not */
    int board_lines[TESTBED_BOARDS][KEYS_MAX]; /* the same of each board */
    int analyser_lines[KEYS_MAX];
    int section_lines[SECTION_ANALYSER + 1]; /* where each section began */
};

static bool fits_type(const char *value)
{
    return value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789_")] == 0;
}

/* It becomes an argument of ssh, so it must not look like an option. */
static bool fits_host(const char *value)
{
    for (const char *at = value; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("@.-_:[]%", *at))
            return false;
    return *value != '-';
}

static bool fits_serial(const char *value)
{
    for (const char *at = value; *at; at++)
        if (!isprint((unsigned char)*at))
            return false;
    return true;
}

/* It becomes an argument of sigrok-cli, behind an option. */
static bool fits_driver(const char *value)
{
    return fits_serial(value) && *value != '-' && !strchr(value, ' ');
}

static bool fits_console(const char *value)
{
    static const char *const kinds[] = {"tty:", "unix:", "tcp:"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strncmp(value, kinds[k], strlen(kinds[k])) == 0)
            return true;
    return false;
}

static const struct key testbed_keys[] = {
    {"mesh", KEY_FILE, 0, 0, 0, 0, NULL, NULL},
    {"firmware", KEY_FILE, TESTBED_FIELD(firmware), 0, 0, NULL, NULL},
    {"key", KEY_FILE, TESTBED_FIELD(key), 0, 0, NULL, NULL},
    {"oldest", KEY_OFFSET, TESTBED_FIELD(oldest), 0, UINT32_MAX, NULL, NULL},
    {"boot_ms", KEY_NUMBER, TESTBED_FIELD(boot_ms), 0, 60e3, NULL, NULL},
    {"bit_ns", KEY_NUMBER, TESTBED_FIELD(bit_ns), 1, 1e6, NULL, NULL},
    {.name = NULL},
};

static const struct key board_keys[] = {
    {"type", KEY_TEXT, BOARD_FIELD(type), 0, 0, fits_type, "the name of a folder of boards/"},
    {"site", KEY_WHOLE, BOARD_FIELD(first_site), 0, PR_CONSOLE_SITES_MAX - 1, NULL, NULL},
    {"serial", KEY_TEXT, BOARD_FIELD(serial), 0, 0, fits_serial, "printable characters"},
    {"path", KEY_TEXT, BOARD_FIELD(path), 0, 0, testbed_is_port, "a port as in /sys/bus/usb/devices: 1-2 or 1-2.3"},
    {"host", KEY_TEXT, BOARD_FIELD(host), 0, 0, fits_host, "HOST or USER@HOST"},
    {"probe", KEY_TEXT, BOARD_FIELD(probe), 0, 0, testbed_is_probe, "xvc:HOST:PORT"},
    {"console", KEY_TEXT, BOARD_FIELD(console), 0, 0, fits_console,
     "tty:PATH, tty:PATH@BAUD, unix:PATH or tcp:HOST:PORT"},
    {"bitstream", KEY_FILE, BOARD_FIELD(bitstream), 0, 0, NULL, NULL},
    {"golden", KEY_FILE, BOARD_FIELD(golden), 0, 0, NULL, NULL},
    {"flash", KEY_FILE, BOARD_FIELD(flash), 0, 0, NULL, NULL},
    {"flash_offset", KEY_OFFSET, BOARD_FIELD(flash_offset), 0, 16777215, NULL, NULL},
    {"baud", KEY_NUMBER, BOARD_FIELD(baud), 1200, 12e6, NULL, NULL},
    {"clock_hz", KEY_NUMBER, BOARD_FIELD(clock_hz), 1e5, 1e9, NULL, NULL},
    {"clock_ppm", KEY_NUMBER, BOARD_FIELD(ppm), -1e5, 1e5, NULL, NULL},
    {"jitter_ps", KEY_NUMBER, BOARD_FIELD(jitter_ps), 0, 1e4, NULL, NULL},
    {.name = NULL},
};

static const struct key analyser_keys[] = {
    {"driver", KEY_TEXT, TESTBED_FIELD(analyser_driver), 0, 0, fits_driver,
     "a driver as sigrok-cli takes it: fx2lafw:conn=1.7"},
    {"rate", KEY_RATE, TESTBED_FIELD(analyser_rate), 0, 0, NULL, NULL},
    {.name = NULL},
};

static int fail(struct parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct parser *parser, const char *format, ...)
{
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    testbed_fail(parser->reader, parser->reader->line, "%s", reason);
    return 0;
}

/* ---- values ---- */

static bool read_number(const char *value, double least, double most, double *out)
{
    char *end;
    *out = strtod(value, &end);
    return end != value && !*end && isfinite(*out) && *out >= least && *out <= most;
}

static int set_number(struct parser *parser, const struct key *key, const char *value, void *field)
{
    double number;
    bool whole = key->kind != KEY_NUMBER;
    if (!read_number(value, key->least, key->most, &number) || (whole && number != floor(number)))
        return fail(parser, "%s = %s: expected a %snumber from %.10g to %.10g", key->name, value, whole ? "whole " : "",
                    key->least, key->most);
    if (key->kind == KEY_NUMBER)
        *(double *)field = number;
    else if (key->kind == KEY_WHOLE)
        *(int *)field = (int)number;
    else
        *(uint32_t *)field = (uint32_t)number;
    return 1;
}

static int set_text(struct parser *parser, const struct key *key, const char *value, char *field)
{
    size_t length = strlen(value);
    if (!length || length >= key->size)
        return fail(parser, "%s has %zu characters, expected 1 to %zu", key->name, length, key->size - 1);
    if (key->fits && !key->fits(value))
        return fail(parser, "%s = %s: expected %s", key->name, value, key->expected);
    memcpy(field, value, length + 1);
    return 1;
}

/* The name of a file, which is relative to the folder of the testbed file. */
static int set_file(struct parser *parser, const struct key *key, const char *value, char *field)
{
    const char *path = parser->reader->testbed->path, *slash = strrchr(path, '/');
    int folder = slash && *value != '/' ? (int)(slash + 1 - path) : 0;
    if (!*value || (size_t)snprintf(field, TESTBED_PATH, "%.*s%s", folder, path, value) >= TESTBED_PATH)
        return fail(parser, "%s: expected the name of a file, at most %d characters with its folder", key->name,
                    TESTBED_PATH - 1);
    return 1;
}

static int fail_key(struct parser *parser, const struct key *keys, const char *name)
{
    char expected[256] = "";
    for (const struct key *key = keys; key->name; key++) {
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s%s",
                 key == keys   ? ""
                 : key[1].name ? ", "
                               : " or ",
                 key->name);
    }
    return fail(parser, "'%s': expected %s", name, expected);
}

/* Sets the field of a key in `structure`. `lines` has a number for each key. */
static int set_key(struct parser *parser, const struct key *keys, void *structure, int *lines, const char *name,
                   const char *value)
{
    int number = 0;
    while (keys[number].name && strcmp(keys[number].name, name) != 0)
        number++;
    const struct key *key = &keys[number];
    if (!key->name)
        return fail_key(parser, keys, name);
    if (lines[number])
        return fail(parser, "%s is given twice, expected once: first in line %d", name, lines[number]);
    lines[number] = parser->reader->line;
    char *field = key->size ? (char *)structure + key->offset : parser->reader->mesh_path;
    if (key->kind == KEY_FILE)
        return set_file(parser, key, value, field);
    if (key->kind == KEY_RATE)
        return testbed_rate(value, (uint64_t *)field)
                   ? 1
                   : fail(parser, "%s = %s: expected samples per second, 1 to 100g, as 24m or 24000000", name, value);
    if (key->kind == KEY_TEXT)
        return set_text(parser, key, value, field);
    return set_number(parser, key, value, field);
}

/* ---- cables ---- */

static int set_cable_option(struct parser *parser, struct testbed_cable *cable, char *word)
{
    const struct {
        const char *name;
        double most, *out;
    } options[] = {{"delay", 1e6, &cable->delay_ns}, {"skew", 1e6, &cable->skew_ns}, {"errors", 1, &cable->errors}};
    char *value = strchr(word, '=');
    if (value)
        *value++ = 0;
    for (size_t i = 0; value && i < sizeof options / sizeof *options; i++)
        if (strcmp(word, options[i].name) == 0)
            return read_number(value, 0, options[i].most, options[i].out)
                       ? 1
                       : fail(parser, "%s = %s: expected a number from 0 to %g", word, value, options[i].most);
    return fail(parser, "'%s': expected delay=NS, skew=NS or errors=SHARE", word);
}

static bool same_end(struct testbed_end a, struct testbed_end b)
{
    return a.board == b.board && a.link == b.link;
}

static bool has_cable(const struct testbed *testbed, struct testbed_end end)
{
    for (unsigned i = 0; i < testbed->cable_count; i++)
        if (same_end(testbed->cables[i].ends[0], end) || same_end(testbed->cables[i].ends[1], end))
            return true;
    return false;
}

/* a.east = b.west [delay=NS] [skew=NS] [errors=SHARE] */
static int set_cable(struct parser *parser, const char *name, const char *value)
{
    struct testbed *testbed = parser->reader->testbed;
    struct testbed_cable cable = {.delay_ns = 10, .line = parser->reader->line};
    char text[MAX_LINE + 1], *rest, *word;
    snprintf(text, sizeof text, "%s", value);
    word = strtok_r(text, " \t", &rest);
    if (!testbed_end(testbed, name, &cable.ends[0]) || !word || !testbed_end(testbed, word, &cable.ends[1]))
        return fail(parser,
                    "%s = %s: expected BOARD.east, .west, .north or .south at both ends, boards of sections above",
                    name, value);
    if (has_cable(testbed, cable.ends[0]) || has_cable(testbed, cable.ends[1]) ||
        same_end(cable.ends[0], cable.ends[1]))
        return fail(parser, "%s = %s: one of these links has a cable already, expected one cable a link", name, value);
    while ((word = strtok_r(NULL, " \t", &rest)))
        if (!set_cable_option(parser, &cable, word))
            return 0;
    if (testbed->cable_count == TESTBED_CABLES)
        return fail(parser, "%s = %s: expected at most %d cables", name, value, TESTBED_CABLES);
    testbed->cables[testbed->cable_count++] = cable;
    return 1;
}

/* ---- the analyser ---- */

static int set_analyser(struct parser *parser, const char *name, const char *value)
{
    struct testbed *testbed = parser->reader->testbed;
    for (const struct key *key = analyser_keys; key->name; key++)
        if (strcmp(key->name, name) == 0)
            return set_key(parser, analyser_keys, testbed, parser->analyser_lines, name, value);
    testbed_read_channel(parser->reader, name, value);
    return !parser->reader->failed;
}

/* ---- sections and lines ---- */

static void begin_board(struct parser *parser, const char *name)
{
    struct testbed *testbed = parser->reader->testbed;
    int before = testbed_board(testbed, name);
    parser->section = SECTION_BOARD;
    if (before >= 0) {
        fail(parser, "[board %s] is there twice, expected once: first in line %d", name, testbed->boards[before].line);
    } else if (testbed->board_count == TESTBED_BOARDS || strlen(name) >= TESTBED_NAME || !*name ||
               name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")]) {
        fail(parser, "[board %s]: expected at most %d boards, names shorter than %d of letters, digits, _ and -", name,
             TESTBED_BOARDS, TESTBED_NAME);
    } else {
        parser->board = &testbed->boards[testbed->board_count++];
        *parser->board = (struct testbed_board){.first_site = -1, .line = parser->reader->line};
        snprintf(parser->board->name, sizeof parser->board->name, "%s", name);
    }
}

static void begin_section(struct parser *parser, const char *name)
{
    static const char *const names[] = {
        [SECTION_TESTBED] = "testbed", [SECTION_CABLES] = "cables", [SECTION_ANALYSER] = "analyser"};
    static const char board[] = "board ";
    if (strncmp(name, board, strlen(board)) == 0) {
        begin_board(parser, name + strlen(board));
        return;
    }
    parser->section = SECTION_NONE;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && strcmp(names[i], name) == 0)
            parser->section = (enum section)i;
    if (parser->section == SECTION_NONE)
        fail(parser, "[%s]: expected [testbed], [board NAME], [cables] or [analyser]", name);
    else if (parser->section_lines[parser->section])
        fail(parser, "[%s] is there twice, expected once: first in line %d", name,
             parser->section_lines[parser->section]);
    else
        parser->section_lines[parser->section] = parser->reader->line;
}

/* inih reports no section without keys, and cuts long names: look at its heading here. */
static void look_at_heading(struct parser *parser, const char *line)
{
    char name[MAX_LINE + 1];
    size_t length = strcspn(line, "]");
    if (line[0] != '[' || line[length] != ']')
        return;
    snprintf(name, sizeof name, "%.*s", (int)length - 1, line + 1);
    begin_section(parser, name);
}

/* inih's reader: the next line, without leading blanks (inih takes an indented line for more of a value). */
static char *read_line(char *out, int size, void *context)
{
    struct parser *parser = context;
    struct testbed_reader *reader = parser->reader;
    if (reader->failed || reader->position >= reader->length)
        return NULL;
    const char *start = reader->text + reader->position;
    size_t rest = reader->length - reader->position;
    const char *end = memchr(start, '\n', rest);
    size_t length = end ? (size_t)(end - start) : rest;
    reader->position += length + 1;
    reader->line++;
    while (length && (*start == ' ' || *start == '\t'))
        start++, length--;
    if (length > MAX_LINE || (int)length + 2 > size || memchr(start, 0, length)) {
        fail(parser, "a line of %zu characters or a zero byte, expected text of at most %d", length, MAX_LINE);
        return NULL;
    }
    memcpy(out, start, length);
    out[length] = 0;
    look_at_heading(parser, out);
    return reader->failed ? NULL : out;
}

static int handle(void *context, const char *section, const char *name, const char *value)
{
    struct parser *parser = context;
    struct testbed *testbed = parser->reader->testbed;
    (void)section; /* read_line has it */
    if (parser->reader->failed)
        return 0;
    switch (parser->section) {
    case SECTION_TESTBED:
        return set_key(parser, testbed_keys, testbed, parser->testbed_lines, name, value);
    case SECTION_BOARD:
        return set_key(parser, board_keys, parser->board, parser->board_lines[parser->board - testbed->boards], name,
                       value);
    case SECTION_CABLES:
        return set_cable(parser, name, value);
    case SECTION_ANALYSER:
        return set_analyser(parser, name, value);
    default:
        return fail(parser, "%s stands before any section, expected [testbed] first", name);
    }
}

void testbed_read(struct testbed_reader *reader)
{
    enum { MESH = 0, SITE = 1 }; /* rows */
    struct parser *parser = or_abort(calloc(1, sizeof *parser));
    parser->reader = reader;
    if (ini_parse_stream(read_line, parser, handle, parser) != 0)
        fail(parser, "expected [section], key = value or ; comment");
    reader->mesh_line = parser->testbed_lines[MESH];
    reader->testbed->cables_line = parser->section_lines[SECTION_CABLES];
    for (unsigned i = 0; i < reader->testbed->board_count; i++)
        reader->testbed->boards[i].site_line = parser->board_lines[i][SITE];
    free(parser);
}
