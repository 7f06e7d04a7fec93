/* See ice40_asc.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "bitstream/ice40_asc.h"
#include "support/or_abort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 512, RAM_LINES = 16, WORDS_A_LINE = 16, DIGITS_A_WORD = 4 };

struct reader {
    const char *path;
    FILE *file;
    int line_number;
    char line[LINE_SIZE];
    char *error;
    size_t error_size;
};

/* Reads a line without its end. False at the end of the file. */
static bool next_line(struct reader *reader)
{
    if (!fgets(reader->line, LINE_SIZE, reader->file))
        return false;
    reader->line_number++;
    reader->line[strcspn(reader->line, "\r\n")] = 0;
    return true;
}

static bool fail(struct reader *reader, const char *expected)
{
    snprintf(reader->error, reader->error_size, "%s:%d: '%.40s': expected %s", reader->path, reader->line_number,
             reader->line, expected);
    return false;
}

static bool inside(int x, int y)
{
    return x >= 0 && x < ICE40_SIDE && y >= 0 && y < ICE40_SIDE;
}

static bool read_tile(struct reader *reader, struct ice40_asc *asc)
{
    char type[12];
    int x, y;
    if (sscanf(reader->line, ".%11[a-z0-9]_tile %d %d", type, &x, &y) != 3 || !inside(x, y))
        return fail(reader, ".TYPE_tile X Y");
    struct ice40_tile *tile = &asc->tiles[x][y];
    snprintf(tile->type, sizeof tile->type, "%s", type);
    for (int row = 0; row < ICE40_ROWS; row++) {
        if (!next_line(reader) || strspn(reader->line, "01") != strlen(reader->line) ||
            strlen(reader->line) > ICE40_COLUMNS)
            return fail(reader, "a row of at most 54 bits");
        for (int column = 0; reader->line[column]; column++)
            tile->bits[row][column] = reader->line[column] == '1';
    }
    return true;
}

/* Each line is 256 bits in hexadecimal, the highest word first. */
static bool read_ram(struct reader *reader, struct ice40_asc *asc)
{
    int x, y;
    if (sscanf(reader->line, ".ram_data %d %d", &x, &y) != 2 || !inside(x, y))
        return fail(reader, ".ram_data X Y");
    uint16_t *words = or_abort(calloc(ICE40_RAM_WORDS, sizeof *words));
    free(asc->tiles[x][y].words);
    asc->tiles[x][y].words = words;
    for (int line = 0; line < RAM_LINES; line++) {
        if (!next_line(reader) || strlen(reader->line) != WORDS_A_LINE * DIGITS_A_WORD ||
            strspn(reader->line, "0123456789abcdefABCDEF") != WORDS_A_LINE * DIGITS_A_WORD)
            return fail(reader, "64 hexadecimal digits");
        for (int word = 0; word < WORDS_A_LINE; word++) {
            unsigned value;
            sscanf(reader->line + (WORDS_A_LINE - 1 - word) * DIGITS_A_WORD, "%4x", &value);
            words[line * WORDS_A_LINE + word] = (uint16_t)value;
        }
    }
    return true;
}

static bool read_extra_bit(struct reader *reader, struct ice40_asc *asc)
{
    int i = asc->extra_bit_count;
    if (i == ICE40_EXTRA_BITS || sscanf(reader->line, ".extra_bit %d %d %d", &asc->extra_bits[i].bank,
                                        &asc->extra_bits[i].x, &asc->extra_bits[i].y) != 3)
        return fail(reader, ".extra_bit BANK X Y, 32 of them at most");
    asc->extra_bit_count++;
    return true;
}

static bool starts(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* Lines of sections that hold no configuration (.comment, .sym) are passed over. */
static bool read_all(struct reader *reader, struct ice40_asc *asc)
{
    bool good = true;
    while (good && next_line(reader)) {
        const char *line = reader->line;
        if (starts(line, ".device "))
            good = sscanf(line, ".device %7s", asc->device) == 1 || fail(reader, ".device NAME");
        else if (starts(line, ".ram_data "))
            good = read_ram(reader, asc);
        else if (starts(line, ".extra_bit "))
            good = read_extra_bit(reader, asc);
        else if (*line == '.' && strstr(line, "_tile "))
            good = read_tile(reader, asc);
    }
    if (good && !*asc->device)
        good = fail(reader, "a line .device: an iCE40 bitstream as iceunpack writes it");
    return good;
}

struct ice40_asc *ice40_asc_read(const char *path, char *error, size_t error_size)
{
    struct reader reader = {.path = path, .file = fopen(path, "re"), .error = error, .error_size = error_size};
    if (!reader.file) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct ice40_asc *asc = or_abort(calloc(1, sizeof *asc));
    bool good = read_all(&reader, asc);
    fclose(reader.file);
    if (good)
        return asc;
    ice40_asc_free(asc);
    return NULL;
}

void ice40_asc_free(struct ice40_asc *asc)
{
    for (int x = 0; x < ICE40_SIDE; x++)
        for (int y = 0; y < ICE40_SIDE; y++)
            free(asc->tiles[x][y].words);
    free(asc);
}
