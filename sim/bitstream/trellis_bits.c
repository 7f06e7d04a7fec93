/* See trellis_bits.h. A bit database is a list of records: .mux (a wire and what switches can connect to it), .config
 * (a word of bits), .config_enum (a setting and its choices) and .fixed_conn (two wires that are always joined).
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/trellis_bits.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/text_file.h"
#include "bitstream/trellis.h"
#include "support/or_abort.h"

struct record {
    enum { RECORD_NONE, RECORD_MUX, RECORD_WORD, RECORD_CHOICES } kind;
    const char *name, *by_default;
};

/* Takes one "N3" in front of a name. */
static const char *take_step(const char *at, const char *letters, int *place)
{
    if (!*at || !strchr(letters, *at) || !isdigit((unsigned char)at[1]))
        return at;
    char *end;
    long steps = strtol(at + 1, &end, 10);
    if (steps < TRELLIS_SIDE)
        *place += *at == letters[0] ? -(int)steps : (int)steps;
    return end;
}

/* A wire of the clock network that belongs to a place has one of these in its name. */
static bool placed_clock(const char *name)
{
    return strstr(name, "VPTX") || strstr(name, "HPBX") || strstr(name, "HPRX");
}

const char *trellis_split_name(const struct trellis *trellis, const char *name, int *x, int *y, bool *shared)
{
    *x = *y = 0;
    *shared = false;
    if (strncmp(name, "25K_", 4) == 0 || strncmp(name, "45K_", 4) == 0 || strncmp(name, "85K_", 4) == 0) {
        if (strncmp(name, trellis->prefix, 4) != 0)
            return NULL;
        name += 4;
    }
    if (strncmp(name, "G_", 2) == 0) {
        *shared = !placed_clock(name);
        return name;
    }
    if (strncmp(name, "L_", 2) == 0 || strncmp(name, "R_", 2) == 0)
        return name;
    const char *at = take_step(take_step(name, "NS", y), "WE", x);
    if (at != name && *at == '_')
        return at + 1;
    *x = *y = 0;
    return name;
}

static void add_join(struct trellis *trellis, uint32_t type, const char *sink, const char *source)
{
    bool sink_shared, source_shared;
    struct trellis_join join = {.type = type, .next = NO_ENTRY};
    sink = trellis_split_name(trellis, sink, &join.sink_x, &join.sink_y, &sink_shared);
    source = source ? trellis_split_name(trellis, source, &join.source_x, &join.source_y, &source_shared) : NULL;
    /* CIBTEST is a tap of Lattice's own, beside the cell that drives the wire. */
    if (!sink || !source || strstr(source, "_CIBTEST"))
        return;
    join.sink = name_number(&trellis->names, sink);
    join.source = name_number(&trellis->names, source);
    *(struct trellis_join *)list_add(&trellis->joins, &trellis->join_count, sizeof join) = join;
}

/* A word has one choice, which is its default. */
static void add_word(struct trellis *trellis, uint32_t type, const struct record *record)
{
    struct trellis_choice *choice = list_add(&trellis->choices, &trellis->choice_count, sizeof *choice);
    *choice = (struct trellis_choice){.type = type,
                                      .name = name_number(&trellis->settings, record->name),
                                      .value = record->by_default,
                                      .by_default = true,
                                      .next = NO_ENTRY};
}

static bool add_choice(struct trellis *trellis, struct text_file *file, uint32_t type, const struct record *record)
{
    const char *by_default = record->by_default;
    if (file->count > TEXT_WORDS)
        return text_file_fail(file, "more than %d words in a line", TEXT_WORDS);
    struct trellis_choice *choice = list_add(&trellis->choices, &trellis->choice_count, sizeof *choice);
    *choice = (struct trellis_choice){.type = type, .value = file->words[0], .next = NO_ENTRY};
    choice->name = name_number(&trellis->settings, record->name);
    choice->by_default = by_default && strcmp(by_default, choice->value) == 0;
    bool none = file->count == 2 && strcmp(file->words[1], "-") == 0;
    choice->bit_count = none ? 0 : file->count - 1;
    choice->bits = or_abort(malloc((size_t)file->count * sizeof *choice->bits));
    memcpy(choice->bits, file->words + 1, (size_t)choice->bit_count * sizeof *choice->bits);
    return true;
}

static bool take_heading(struct trellis *trellis, struct text_file *file, uint32_t type, struct record *record)
{
    static const struct {
        const char *heading;
        int kind;
    } headings[] = {
        {".mux", RECORD_MUX}, {".config", RECORD_WORD}, {".config_enum", RECORD_CHOICES}, {".fixed_conn", RECORD_NONE}};
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        if (strcmp(file->words[0], headings[i].heading) != 0 || file->count < 2 || file->count > 3)
            continue;
        record->kind = headings[i].kind;
        record->name = file->words[1];
        record->by_default = file->count == 3 ? file->words[2] : NULL;
        if (record->kind == RECORD_NONE)
            add_join(trellis, type, record->name, record->by_default);
        if (record->kind == RECORD_WORD && record->by_default)
            add_word(trellis, type, record);
        return true;
    }
    return text_file_fail(file, "%.40s, expected .mux, .config, .config_enum or .fixed_conn", file->words[0]);
}

static bool take_line(struct trellis *trellis, struct text_file *file, uint32_t type, struct record *record)
{
    if (file->words[0][0] == '.')
        return take_heading(trellis, file, type, record);
    if (record->kind == RECORD_CHOICES)
        return add_choice(trellis, file, type, record);
    /* What a multiplexer connects while no bit of it is set. */
    if (record->kind == RECORD_MUX && file->count == 2 && strcmp(file->words[1], "-") == 0)
        add_join(trellis, type, record->name, file->words[0]);
    if (record->kind == RECORD_NONE)
        return text_file_fail(file, "%.40s, expected a line that begins with a point", file->words[0]);
    return true;
}

bool trellis_read_bits(struct trellis *trellis, uint32_t type, struct failure *failure)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/ECP5/tiledata/%s/bits.db", trellis->folder, trellis->types.names[type]);
    struct text_file file;
    struct record record = {RECORD_NONE, NULL, NULL};
    bool good = text_file_read(&file, path, failure);
    while (good && text_file_line(&file))
        good = take_line(trellis, &file, type, &record);
    *(struct text_file *)list_add(&trellis->texts, &trellis->text_count, sizeof file) = file;
    return !failure->failed;
}
