/* See ecp5_config.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/ecp5_config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/name_map.h"
#include "support/or_abort.h"

enum { SIDE_MAX = 255, WORD_MAX = 0x1ff };

/* The reading of a file: in which section it is. */
struct reading {
    struct ecp5_config *config;
    struct text_file *file;
    enum { SECTION_NONE, SECTION_TILE, SECTION_RAM } section;
    uint16_t *words; /* of the block RAM */
    unsigned count;  /* of its words that have been read */
};

/* Takes the row and column from "NAME_R13C3". */
static bool take_place(const char *name, struct ecp5_tile *tile)
{
    for (const char *at = strchr(name, 'R'); at; at = strchr(at + 1, 'R')) {
        int used = 0;
        if (isdigit((unsigned char)at[1]) && sscanf(at, "R%3dC%3d%n", &tile->y, &tile->x, &used) == 2 && !at[used])
            return tile->x <= SIDE_MAX && tile->y <= SIDE_MAX;
    }
    return false;
}

static bool take_tile(struct reading *reading)
{
    struct ecp5_config *config = reading->config;
    char *name = reading->file->words[1], *type = reading->file->count == 2 ? strchr(name, ':') : NULL;
    struct ecp5_tile place = {.x = -1, .y = -1};
    if (type)
        *type++ = 0;
    if (!type || !*type || !take_place(name, &place) || place.x < 0)
        return text_file_fail(reading->file, "no tile, expected .tile NAME_R<row>C<column>:TYPE");
    struct ecp5_tile *tile = list_add(&config->tiles, &config->tile_count, sizeof *tile);
    *tile = (struct ecp5_tile){name, type, place.x, place.y, config->setting_count, 0};
    reading->section = SECTION_TILE;
    return true;
}

static bool take_ram(struct reading *reading)
{
    struct ecp5_config *config = reading->config;
    unsigned number;
    if (reading->file->count != 2)
        return text_file_fail(reading->file, ".bram_init without a number, expected .bram_init NUMBER");
    if (!text_file_number(reading->file, reading->file->words[1], 10, ECP5_RAM_NUMBERS - 1, &number))
        return false;
    if (config->block_rams[number])
        return text_file_fail(reading->file, "block RAM %u is given twice, expected once", number);
    reading->words = config->block_rams[number] = or_abort(calloc(ECP5_RAM_WORDS, sizeof(uint16_t)));
    reading->section = SECTION_RAM;
    reading->count = 0;
    return true;
}

static bool end_section(struct reading *reading)
{
    if (reading->section == SECTION_RAM && reading->count != ECP5_RAM_WORDS)
        return text_file_fail(reading->file, "the block RAM before has %u words, expected %d", reading->count,
                              ECP5_RAM_WORDS);
    reading->section = SECTION_NONE;
    return true;
}

static bool take_heading(struct reading *reading)
{
    struct text_file *file = reading->file;
    const char *heading = file->words[0];
    if (!end_section(reading))
        return false;
    if (strcmp(heading, ".comment") == 0 || strcmp(heading, ".sysconfig") == 0)
        return true;
    if (strcmp(heading, ".tile") == 0)
        return take_tile(reading);
    if (strcmp(heading, ".bram_init") == 0)
        return take_ram(reading);
    if (strcmp(heading, ".device") != 0)
        return text_file_fail(file, "%.40s, expected .device, .tile, .bram_init, .comment or .sysconfig", heading);
    if (file->count != 2 || reading->config->device)
        return text_file_fail(file, "expected one .device NAME");
    reading->config->device = file->words[1];
    return true;
}

static bool take_words(struct reading *reading)
{
    for (int i = 0; i < reading->file->count; i++) {
        unsigned value;
        if (i >= TEXT_WORDS || reading->count == ECP5_RAM_WORDS)
            return text_file_fail(reading->file, "more words than a block RAM has, expected %d", ECP5_RAM_WORDS);
        if (!text_file_number(reading->file, reading->file->words[i], 16, WORD_MAX, &value))
            return false;
        reading->words[reading->count++] = (uint16_t)value;
    }
    return true;
}

/* Names of wires and settings end up in Verilog and in file names of the database. */
static bool good_name(const char *name)
{
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_' && *name != '.')
            return false;
    return true;
}

static bool take_setting(struct reading *reading, bool word)
{
    struct ecp5_config *config = reading->config;
    struct text_file *file = reading->file;
    if (word && strspn(file->words[2], "01") != strlen(file->words[2]))
        return text_file_fail(file, "word %.40s, expected zeroes and ones", file->words[2]);
    struct ecp5_setting *setting = list_add(&config->settings, &config->setting_count, sizeof *setting);
    *setting = (struct ecp5_setting){config->tile_count - 1, file->words[1], file->words[2], file->line, word, false};
    config->tiles[config->tile_count - 1].settings++;
    return true;
}

static bool take_entry(struct reading *reading)
{
    struct text_file *file = reading->file;
    struct ecp5_config *config = reading->config;
    const char *kind = file->words[0];
    /* A bit that the database has no name for. It cannot be judged; the README says so. */
    if (strcmp(kind, "unknown:") == 0 && file->count == 2)
        return true;
    if (file->count != 3)
        return text_file_fail(file, "%d words, expected arc: SINK SOURCE, word: NAME BITS or enum: NAME VALUE",
                              file->count);
    if (!good_name(file->words[1]) || !good_name(file->words[2]))
        return text_file_fail(file, "%.40s %.40s, expected names of letters, digits, _ and points", file->words[1],
                              file->words[2]);
    if (strcmp(kind, "word:") == 0 || strcmp(kind, "enum:") == 0)
        return take_setting(reading, *kind == 'w');
    if (strcmp(kind, "arc:") != 0)
        return text_file_fail(file, "%.40s, expected arc:, word:, enum: or unknown:", kind);
    struct ecp5_arc *arc = list_add(&config->arcs, &config->arc_count, sizeof *arc);
    *arc = (struct ecp5_arc){config->tile_count - 1, file->words[1], file->words[2], file->line, false};
    return true;
}

static bool read_all(struct ecp5_config *config, struct failure *failure)
{
    struct reading reading = {.config = config, .file = &config->file};
    while (text_file_line(&config->file)) {
        if (config->file.words[0][0] == '.')
            take_heading(&reading);
        else if (reading.section == SECTION_RAM)
            take_words(&reading);
        else if (reading.section == SECTION_TILE)
            take_entry(&reading);
        else
            text_file_fail(&config->file, "%.40s, expected a line that begins with a point", config->file.words[0]);
    }
    if (!failure->failed && end_section(&reading) && !config->device)
        text_file_fail(&config->file, "no .device, expected the output of ecpunpack");
    return !failure->failed;
}

bool ecp5_config_read(struct ecp5_config *config, const char *path, struct failure *failure)
{
    *config = (struct ecp5_config){0};
    return text_file_read(&config->file, path, failure) && read_all(config, failure);
}

bool ecp5_config_parse(struct ecp5_config *config, const char *path, const char *text, size_t length,
                       struct failure *failure)
{
    *config = (struct ecp5_config){0};
    return text_file_copy(&config->file, path, text, length, failure) && read_all(config, failure);
}

void ecp5_config_free(struct ecp5_config *config)
{
    for (int i = 0; i < ECP5_RAM_NUMBERS; i++)
        free(config->block_rams[i]);
    free(config->tiles);
    free(config->arcs);
    free(config->settings);
    text_file_free(&config->file);
    *config = (struct ecp5_config){0};
}
