/* See trace_text.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/trace_text.h"

#include "support/file_error.h"

#include <string.h>

enum { LINE_SIZE = 8192 };

struct text {
    struct trace_reading *reading;
    unsigned line;
    char buffer[LINE_SIZE];
    char *rest; /* of the line */
};

static bool __attribute__((format(printf, 2, 3))) fail(struct text *text, const char *format, ...)
{
    struct trace_reading *reading = text->reading;
    va_list arguments;
    va_start(arguments, format);
    file_error(reading->reason, sizeof reading->reason, reading->trace->path, (int)text->line, format, arguments);
    va_end(arguments);
    return false;
}

/* Puts file and line in front of the reason that the builder gave. */
static bool fail_as_built(struct text *text)
{
    char reason[TRACE_REASON];
    memcpy(reason, text->reading->reason, sizeof reason);
    return fail(text, "%s", reason);
}

/* Reads a line without its comment. False at the end of the file, or if the line is too long. */
static bool read_line(struct text *text)
{
    struct trace_bytes *bytes = &text->reading->bytes;
    size_t length = 0;
    bool comment = false;
    char byte;
    text->line++;
    if (trace_bytes_peek(bytes) < 0)
        return false;
    while (trace_bytes_take(bytes, &byte, 1) == 1 && byte != '\n') {
        comment |= byte == '#';
        if (comment)
            continue;
        if (length == LINE_SIZE - 1)
            return fail(text, "line too long, expected at most %d characters", LINE_SIZE - 1);
        text->buffer[length++] = byte ? byte : '?';
    }
    text->buffer[length] = 0;
    text->rest = text->buffer;
    return true;
}

/* The next word of the line, "" at its end. */
static char *next_word(struct text *text)
{
    char *word = text->rest + strspn(text->rest, " \t\r");
    text->rest = word + strcspn(word, " \t\r");
    if (*text->rest)
        *text->rest++ = 0;
    return word;
}

static bool read_number(const char *word, uint64_t *out)
{
    enum { DIGITS = 18 };
    *out = 0;
    if (!*word || strlen(word) > DIGITS)
        return false;
    for (; *word; word++) {
        if (*word < '0' || *word > '9')
            return false;
        *out = 10 * *out + (uint64_t)(*word - '0');
    }
    return true;
}

static bool take_number(struct text *text, const char *what, uint64_t *out)
{
    const char *word = next_word(text);
    return read_number(word, out) || fail(text, "'%.40s': expected %s", word, what);
}

/* Calls `take` for each number of a list with commas. */
static bool take_list(struct text *text, const char *what, bool (*take)(struct text *text, uint64_t number))
{
    char *word = next_word(text), *comma;
    do {
        uint64_t number;
        comma = strchr(word, ',');
        if (comma)
            *comma = 0;
        if (!read_number(word, &number))
            return fail(text, "'%.40s': expected %s", word, what);
        if (!take(text, number))
            return false;
        word = comma + 1;
    } while (comma);
    return true;
}

static bool take_target(struct text *text, uint64_t site)
{
    return trace_add_target(text->reading, site) || fail_as_built(text);
}

static bool take_awaited(struct text *text, uint64_t packet)
{
    uint32_t own = (uint32_t)text->reading->trace->count - 1;
    return trace_add_dependency(text->reading, packet, own) || fail_as_built(text);
}

static bool take_packet(struct text *text)
{
    struct trace_reading *reading = text->reading;
    uint64_t clock, source, words;
    if (!take_number(text, "the number of a clock", &clock) ||
        !take_number(text, "the number of the sending site", &source))
        return false;
    if (!trace_begin_packet(reading, clock, source))
        return fail_as_built(text);
    if (!take_list(text, "the numbers of targets, with commas between them", take_target) ||
        !take_number(text, "a number of data words", &words))
        return false;
    return trace_end_packet(reading, words) || fail_as_built(text);
}

static bool take_line(struct text *text)
{
    if (!text->rest[strspn(text->rest, " \t\r")])
        return true;
    if (!take_packet(text))
        return false;
    const char *word = next_word(text);
    if (strcmp(word, "after") == 0) {
        if (!take_list(text, "the numbers of earlier packets, with commas between them", take_awaited))
            return false;
        word = next_word(text);
    }
    return !*word || fail(text, "'%.40s': expected the end of the line, or `after` and the numbers of packets", word);
}

bool trace_text_read(struct trace_reading *reading)
{
    static struct text text; /* large */
    text.reading = reading;
    text.line = 0;
    while (reading->trace->count < reading->options->most && read_line(&text))
        if (!take_line(&text))
            return false;
    return !reading->reason[0];
}
