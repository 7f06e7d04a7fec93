/* Data words from and to text.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/payload_text.h"

#include "cli/report.h"
#include "cli/signals.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DATA_MAX = sizeof(((struct payload *)0)->words) / sizeof(uint32_t), BYTES_PER_WORD = 2 };

static bool too_long(const char *verb, const char *option)
{
    report_error(verb, "%s: more than %d words", option, DATA_MAX);
    return false;
}

static bool add_bytes(struct payload *out, const uint8_t *bytes, size_t count)
{
    if ((count + 1) / BYTES_PER_WORD > DATA_MAX)
        return false;
    for (size_t i = 0; i < count; i += BYTES_PER_WORD)
        out->words[out->count++] = bytes[i] | (i + 1 < count ? (uint32_t)bytes[i + 1] << 8 : 0);
    return true;
}

static int hex_digit(char letter)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = letter ? strchr(digits, tolower((unsigned char)letter)) : NULL;
    return at ? (int)(at - digits) : -1;
}

static bool parse_hex(const char *verb, const char *option, const char *text, struct payload *out)
{
    size_t count = strlen(text) / 2;
    bool good = strlen(text) % 2 == 0;
    uint8_t bytes[DATA_MAX * BYTES_PER_WORD] = {0};
    if (count > sizeof bytes)
        return too_long(verb, option);
    for (size_t i = 0; i < count && good; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        good = high >= 0 && low >= 0;
        bytes[i] = good ? (uint8_t)(high << 4 | low) : 0;
    }
    if (!good)
        report_error(verb, "%s hex:%s: expected an even number of hex digits", option, text);
    return good && add_bytes(out, bytes, count);
}

/* NULL, or the reason why the text is refused. */
static const char *parse_numbers(const char *text, unsigned word_width, struct payload *out)
{
    const char *at = text;
    char *end;
    do {
        errno = 0;
        unsigned long long value = strtoull(at, &end, 0);
        if (end == at || *at == '-' || errno || isspace((unsigned char)*at))
            return "expected numbers between commas";
        if (value >> word_width)
            return "a number is wider than the mesh's words";
        if (out->count == DATA_MAX)
            return "too many words";
        out->words[out->count++] = (uint32_t)value;
        at = end;
    } while (*at++ == ',');
    return *end ? "expected numbers between commas" : NULL;
}

static bool parse_words(const char *verb, const char *option, const char *text, unsigned word_width,
                        struct payload *out)
{
    const char *reason = parse_numbers(text, word_width, out);
    if (reason)
        report_error(verb, "%s %s: %s (%u bits)", option, text, reason, word_width);
    return !reason;
}

static const char *after(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* Digits and commas; letters only if there is a 0x to explain them. */
static bool looks_like_numbers(const char *text)
{
    const char *letters = strstr(text, "0x") ? "0123456789abcdefABCDEFx," : "0123456789,";
    return isdigit((unsigned char)*text) && strspn(text, letters) == strlen(text);
}

/* Reads up to `room` bytes; -1: errno has the reason. */
static ssize_t read_all(int file, uint8_t *out, size_t room)
{
    size_t used = 0;
    ssize_t count = 1;
    while (used < room && count > 0) {
        count = read(file, out + used, room - used);
        used += count > 0 ? (size_t)count : 0;
    }
    return count < 0 ? -1 : (ssize_t)used;
}

/* No request has been sent to a node yet, so an interrupt ends the process, even where a FIFO has no writer. */
static bool parse_file(const char *verb, const char *option, const char *path, struct payload *out)
{
    uint8_t bytes[DATA_MAX * BYTES_PER_WORD + 1];
    bool is_input = strcmp(path, "-") == 0;
    signals_end_process();
    int file = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t count = file < 0 ? -1 : read_all(file, bytes, sizeof bytes);
    signals_end_waits();
    if (count < 0)
        report_error(verb, "%s %s: %s", option, is_input ? "-" : path, strerror(errno));
    if (file >= 0 && !is_input)
        close(file);
    return count >= 0 && (add_bytes(out, bytes, (size_t)count) || too_long(verb, option));
}

bool payload_text_parse(const char *verb, const char *option, const char *text, unsigned word_width,
                        struct payload *out)
{
    const char *rest;
    out->count = 0;
    if ((rest = after(text, "hex:")))
        return parse_hex(verb, option, rest, out);
    if ((rest = after(text, "words:")))
        return parse_words(verb, option, rest, word_width, out);
    if ((rest = after(text, "file:")))
        return parse_file(verb, option, rest, out);
    if (strcmp(text, "-") == 0)
        return parse_file(verb, option, text, out);
    if ((rest = after(text, "text:")))
        text = rest;
    else if (looks_like_numbers(text))
        return parse_words(verb, option, text, word_width, out);
    return add_bytes(out, (const uint8_t *)text, strlen(text)) || too_long(verb, option);
}

bool payload_text_write(const uint32_t *words, unsigned count, char *out, size_t size)
{
    size_t length = 0;
    bool ended = false;
    if (!count || (size_t)BYTES_PER_WORD * count >= size)
        return false;
    for (unsigned i = 0; i < BYTES_PER_WORD * count; i++) {
        unsigned byte = words[i / 2] >> (i % 2 ? 8 : 0) & (i % 2 ? ~0u : 0xffu);
        ended = ended || (byte == 0 && i == BYTES_PER_WORD * count - 1 && i > 0);
        if (!ended && (byte < ' ' || byte > '~'))
            return false;
        if (!ended)
            out[length++] = (char)byte;
    }
    out[length] = 0;
    return true;
}
