/* See ice40_chipdb.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "bitstream/ice40_chipdb.h"

#include "bitstream/ice40_asc.h"
#include "support/or_abort.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_SIZE = 32,
    BITS_MOST = 24,      /* configuration bits of a switch or a function */
    FUNCTIONS_MOST = 96, /* of a type of tile */
    TYPES_MOST = 12,
    PINS_MOST = 512,
    CELLS_MOST = 64,
    FIELDS_MOST = 160,
    HASH_SIZE = 1 << 20,
};

struct bit_set {
    int count;
    struct {
        uint8_t row, column;
    } bits[BITS_MOST];
};

struct tile_type {
    char name[12];
    int count;
    struct {
        char name[NAME_SIZE];
        struct bit_set bits;
    } functions[FUNCTIONS_MOST];
};

struct named_net {
    int net; /* 0 in `name`: free */
    uint8_t x, y;
    char name[ICE40_FIELD_NAME];
};

struct pin {
    char name[8];
    struct ice40_place pad;
};

struct pad_control {
    struct ice40_place pad, control;
};

struct ice40_chipdb {
    const struct ice40_asc *asc;
    int nets;
    int *source; /* of each net: the net that drives it, ICE40_NO_NET: none */
    struct named_net *names;
    struct tile_type types[TYPES_MOST];
    struct pin pins[PINS_MOST];
    struct pad_control *controls;
    struct ice40_extra_cell cells[CELLS_MOST];
    struct ice40_global globals[ICE40_GLOBALS];
    int type_count, pin_count, control_count, cell_count;
};

struct reader {
    struct ice40_chipdb *chipdb;
    const char *path, *package;
    FILE *file;
    char *line;
    size_t room;
    long line_number;
    bool at_end;
    char *error;
    size_t error_size;
};

static void next_line(struct reader *reader)
{
    reader->at_end = getline(&reader->line, &reader->room, reader->file) < 0;
    reader->line_number++;
}

/* Goes to the next line of a section. False at its end. */
static bool next_row(struct reader *reader)
{
    next_line(reader);
    return !reader->at_end && *reader->line != '.' && *reader->line != '\n' && *reader->line;
}

static bool fail(struct reader *reader, const char *reason)
{
    snprintf(reader->error, reader->error_size, "%s:%ld: %s", reader->path, reader->line_number, reason);
    return false;
}

static size_t slot_of(int x, int y, const char *name)
{
    uint32_t hash = 2166136261u ^ (uint32_t)(x * 64 + y) * 2654435761u;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return (hash ^ hash >> 15) & (HASH_SIZE - 1);
}

static struct named_net *find_name(const struct ice40_chipdb *chipdb, int x, int y, const char *name)
{
    size_t slot = slot_of(x, y, name);
    struct named_net *found = &chipdb->names[slot];
    while (*found->name && (found->x != x || found->y != y || strcmp(found->name, name) != 0))
        found = &chipdb->names[slot = (slot + 1) & (HASH_SIZE - 1)];
    return found;
}

/* Wires between tiles have no cell at their ends: only the names of ports are kept. */
static bool is_port(const char *name)
{
    static const char *const prefixes[] = {"lutff_", "ram/",   "io_",      "carry_in", "glb_netwk_",
                                           "fabout", "slf_op", "neigh_op", "clk",      "mult/"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static bool read_net(struct reader *reader)
{
    int net = atoi(reader->line + strlen(".net"));
    if (net < 0 || net >= reader->chipdb->nets)
        return fail(reader, "a net beyond the number in .device");
    while (next_row(reader)) {
        char *at;
        int x = (int)strtol(reader->line, &at, 10), y = (int)strtol(at, &at, 10);
        char *name = at + strspn(at, " ");
        name[strcspn(name, " \n")] = 0;
        if (!is_port(name) || strlen(name) >= ICE40_FIELD_NAME)
            continue;
        struct named_net *entry = find_name(reader->chipdb, x, y, name);
        entry->net = net;
        entry->x = (uint8_t)x;
        entry->y = (uint8_t)y;
        strcpy(entry->name, name);
    }
    return true;
}

/* Reads "B0[14] B1[14] ..." */
static bool read_bits(struct reader *reader, const char *at, struct bit_set *out)
{
    out->count = 0;
    for (at += strspn(at, " "); *at == 'B'; at += strspn(at, " ")) {
        char *end;
        long row = strtol(at + 1, &end, 10), column = *end == '[' ? strtol(end + 1, &end, 10) : -1;
        if (*end != ']' || row < 0 || row >= ICE40_ROWS || column < 0 || column >= ICE40_COLUMNS ||
            out->count == BITS_MOST)
            return fail(reader, "expected configuration bits B<row>[<column>]");
        out->bits[out->count].row = (uint8_t)row;
        out->bits[out->count++].column = (uint8_t)column;
        at = end + 1;
    }
    return true;
}

static bool join(struct reader *reader, int x, int y, int net, int source)
{
    struct ice40_chipdb *chipdb = reader->chipdb;
    if (net >= chipdb->nets || source >= chipdb->nets || net < 0 || source < 0)
        return fail(reader, "a net beyond the number in .device");
    if (chipdb->source[net] != ICE40_NO_NET && chipdb->source[net] != source) {
        snprintf(reader->error, reader->error_size,
                 "bitstream: in tile %d %d net %d drives net %d, and net %d does so too: a short circuit", x, y, source,
                 net, chipdb->source[net]);
        return false;
    }
    chipdb->source[net] = source;
    return true;
}

/* A switch of a tile: .buffer or .routing X Y NET BITS, then a row VALUES SOURCE for each wire that it can join. */
static bool read_switch(struct reader *reader)
{
    struct bit_set bits;
    char *at = strchr(reader->line, ' '), values[BITS_MOST + 1];
    int x = (int)strtol(at, &at, 10), y = (int)strtol(at, &at, 10), net = (int)strtol(at, &at, 10);
    if (!read_bits(reader, at, &bits))
        return false;
    const struct ice40_tile *tile = &reader->chipdb->asc->tiles[x][y];
    for (int i = 0; i < bits.count; i++)
        values[i] = (char)('0' + tile->bits[bits.bits[i].row][bits.bits[i].column]);
    values[bits.count] = 0;
    while (next_row(reader))
        if (strncmp(reader->line, values, (size_t)bits.count) == 0 &&
            !join(reader, x, y, net, atoi(reader->line + bits.count)))
            return false;
    return true;
}

static bool read_functions(struct reader *reader)
{
    struct ice40_chipdb *chipdb = reader->chipdb;
    if (chipdb->type_count == TYPES_MOST)
        return fail(reader, "more types of tiles than expected");
    struct tile_type *type = &chipdb->types[chipdb->type_count++];
    if (sscanf(reader->line, ".%11[a-z0-9]_tile_bits", type->name) != 1)
        return fail(reader, "expected .TYPE_tile_bits");
    while (next_row(reader)) {
        size_t length = strcspn(reader->line, " ");
        if (type->count == FUNCTIONS_MOST || length >= NAME_SIZE)
            return fail(reader, "more functions of a tile than expected, or a longer name");
        memcpy(type->functions[type->count].name, reader->line, length);
        if (!read_bits(reader, reader->line + length, &type->functions[type->count++].bits))
            return false;
    }
    return true;
}

static bool read_pins(struct reader *reader)
{
    struct ice40_chipdb *chipdb = reader->chipdb;
    char package[16] = "";
    sscanf(reader->line, ".pins %15s", package);
    bool wanted = strcmp(package, reader->package) == 0;
    while (next_row(reader)) {
        struct pin *pin = &chipdb->pins[chipdb->pin_count];
        if (!wanted)
            continue;
        if (chipdb->pin_count == PINS_MOST ||
            sscanf(reader->line, "%7s %d %d %d", pin->name, &pin->pad.x, &pin->pad.y, &pin->pad.z) != 4)
            return fail(reader, "expected PIN X Y Z");
        chipdb->pin_count++;
    }
    return true;
}

static bool read_pad_controls(struct reader *reader)
{
    struct ice40_chipdb *chipdb = reader->chipdb;
    chipdb->controls = or_abort(calloc(PINS_MOST, sizeof *chipdb->controls));
    while (next_row(reader)) {
        struct pad_control *row = &chipdb->controls[chipdb->control_count];
        if (chipdb->control_count == PINS_MOST ||
            sscanf(reader->line, "%d %d %d %d %d %d", &row->pad.x, &row->pad.y, &row->pad.z, &row->control.x,
                   &row->control.y, &row->control.z) != 6)
            return fail(reader, "expected X Y Z X Y Z");
        chipdb->control_count++;
    }
    return true;
}

/* .gbufin: X Y GLOBAL; .gbufpin: X Y Z GLOBAL. */
static bool read_globals(struct reader *reader, bool pads)
{
    while (next_row(reader)) {
        int x, y, last, number;
        int count = sscanf(reader->line, "%d %d %d %d", &x, &y, &last, &number);
        if (count != (pads ? 4 : 3))
            return fail(reader, pads ? "expected X Y Z GLOBAL" : "expected X Y GLOBAL");
        if (!pads)
            number = last;
        if (number < 0 || number >= ICE40_GLOBALS)
            return fail(reader, "expected a global net from 0 to 7");
        struct ice40_global *global = &reader->chipdb->globals[number];
        if (pads) {
            global->pad = (struct ice40_place){x, y, last};
        } else {
            global->fabric_x = x;
            global->fabric_y = y;
        }
    }
    return true;
}

static bool is_set(const struct ice40_asc *asc, int bank, int x, int y)
{
    for (int i = 0; i < asc->extra_bit_count; i++)
        if (asc->extra_bits[i].bank == bank && asc->extra_bits[i].x == x && asc->extra_bits[i].y == y)
            return true;
    return false;
}

static bool read_extra_bits(struct reader *reader)
{
    while (next_row(reader)) {
        int number, bank, x, y;
        if (sscanf(reader->line, "padin_glb_netwk.%d %d %d %d", &number, &bank, &x, &y) == 4 && number >= 0 &&
            number < ICE40_GLOBALS)
            reader->chipdb->globals[number].from_pad = is_set(reader->chipdb->asc, bank, x, y);
    }
    return true;
}

static bool read_cell(struct reader *reader)
{
    struct ice40_chipdb *chipdb = reader->chipdb;
    if (chipdb->cell_count == CELLS_MOST)
        return fail(reader, "more cells than expected");
    struct ice40_extra_cell *cell = &chipdb->cells[chipdb->cell_count++];
    if (sscanf(reader->line, ".extra_cell %d %d %d %11s", &cell->x, &cell->y, &cell->z, cell->type) != 4) {
        cell->z = 0;
        if (sscanf(reader->line, ".extra_cell %d %d %11s", &cell->x, &cell->y, cell->type) != 3)
            return fail(reader, "expected .extra_cell X Y [Z] TYPE");
    }
    cell->fields = or_abort(calloc(FIELDS_MOST, sizeof *cell->fields));
    while (next_row(reader)) {
        struct ice40_field *field = &cell->fields[cell->count];
        if (cell->count == FIELDS_MOST)
            return fail(reader, "more fields of a cell than expected");
        /* A row LOCKED names packages instead. */
        if (sscanf(reader->line, "%23s %d %d %23s", field->key, &field->x, &field->y, field->name) == 4)
            cell->count++;
    }
    return true;
}

static bool read_device(struct reader *reader)
{
    struct ice40_chipdb *chipdb = reader->chipdb;
    char name[16];
    int width, height;
    if (sscanf(reader->line, ".device %15s %d %d %d", name, &width, &height, &chipdb->nets) != 4 || chipdb->nets < 1)
        return fail(reader, "expected .device NAME WIDTH HEIGHT NETS");
    if (strcmp(name, chipdb->asc->device) != 0 || width > ICE40_SIDE || height > ICE40_SIDE)
        return fail(reader, "describes another chip than that of the bitstream");
    chipdb->source = or_abort(malloc((size_t)chipdb->nets * sizeof *chipdb->source));
    for (int net = 0; net < chipdb->nets; net++)
        chipdb->source[net] = ICE40_NO_NET;
    next_line(reader);
    return true;
}

static bool is(const char *line, const char *section)
{
    size_t length = strlen(section);
    return strncmp(line, section, length) == 0 && (line[length] == ' ' || line[length] == '\n');
}

static bool read_section(struct reader *reader)
{
    const char *line = reader->line;
    if (is(line, ".device"))
        return read_device(reader);
    if (!reader->chipdb->source)
        return fail(reader, "expected .device first");
    if (is(line, ".net"))
        return read_net(reader);
    if (is(line, ".buffer") || is(line, ".routing"))
        return read_switch(reader);
    if (is(line, ".pins"))
        return read_pins(reader);
    if (is(line, ".ieren"))
        return read_pad_controls(reader);
    if (is(line, ".gbufin") || is(line, ".gbufpin"))
        return read_globals(reader, is(line, ".gbufpin"));
    if (is(line, ".extra_bits"))
        return read_extra_bits(reader);
    if (is(line, ".extra_cell"))
        return read_cell(reader);
    if (strstr(line, "_tile_bits "))
        return read_functions(reader);
    next_line(reader);
    return true;
}

static bool read_all(struct reader *reader)
{
    next_line(reader);
    while (!reader->at_end) {
        if (*reader->line != '.')
            next_line(reader);
        else if (!read_section(reader))
            return false;
    }
    if (!reader->chipdb->nets)
        return fail(reader, "expected a description of a chip, which icebox_chipdb writes");
    if (!reader->chipdb->pin_count) {
        snprintf(reader->error, reader->error_size, "%s: no package %s", reader->path, reader->package);
        return false;
    }
    return true;
}

struct ice40_chipdb *ice40_chipdb_read(const char *path, const char *package, const struct ice40_asc *asc, char *error,
                                       size_t error_size)
{
    struct reader reader = {
        .path = path, .package = package, .file = fopen(path, "re"), .error = error, .error_size = error_size};
    if (!reader.file) {
        snprintf(error, error_size, "%s: %s, expected Debian's package fpga-icestorm-chipdb", path, strerror(errno));
        return NULL;
    }
    struct ice40_chipdb *chipdb = or_abort(calloc(1, sizeof *chipdb));
    chipdb->names = or_abort(calloc(HASH_SIZE, sizeof *chipdb->names));
    chipdb->asc = asc;
    for (int i = 0; i < ICE40_GLOBALS; i++)
        chipdb->globals[i].pad.x = chipdb->globals[i].fabric_x = -1;
    reader.chipdb = chipdb;
    bool good = read_all(&reader);
    fclose(reader.file);
    free(reader.line);
    if (good)
        return chipdb;
    ice40_chipdb_free(chipdb);
    return NULL;
}

void ice40_chipdb_free(struct ice40_chipdb *chipdb)
{
    for (int i = 0; i < chipdb->cell_count; i++)
        free(chipdb->cells[i].fields);
    free(chipdb->source);
    free(chipdb->names);
    free(chipdb->controls);
    free(chipdb);
}

int ice40_chipdb_nets(const struct ice40_chipdb *chipdb)
{
    return chipdb->nets;
}

int ice40_chipdb_net(const struct ice40_chipdb *chipdb, int x, int y, const char *name)
{
    const struct named_net *found = find_name(chipdb, x, y, name);
    return *found->name ? found->net : ICE40_NO_NET;
}

int ice40_chipdb_driver(const struct ice40_chipdb *chipdb, int net)
{
    /* A ring of joined nets has no start; the count ends the search. */
    for (int left = chipdb->nets; chipdb->source[net] != ICE40_NO_NET && left; left--)
        net = chipdb->source[net];
    return net;
}

bool ice40_chipdb_bit(const struct ice40_chipdb *chipdb, int x, int y, const char *name)
{
    const struct ice40_tile *tile = &chipdb->asc->tiles[x][y];
    for (int t = 0; t < chipdb->type_count; t++)
        for (int i = 0; strcmp(chipdb->types[t].name, tile->type) == 0 && i < chipdb->types[t].count; i++)
            if (strcmp(chipdb->types[t].functions[i].name, name) == 0) {
                const struct bit_set *set = &chipdb->types[t].functions[i].bits;
                bool all = true;
                for (int k = 0; k < set->count; k++)
                    all = all && tile->bits[set->bits[k].row][set->bits[k].column];
                return all;
            }
    return false;
}

bool ice40_chipdb_pin(const struct ice40_chipdb *chipdb, const char *pin, struct ice40_place *pad)
{
    for (int i = 0; i < chipdb->pin_count; i++)
        if (strcmp(chipdb->pins[i].name, pin) == 0) {
            *pad = chipdb->pins[i].pad;
            return true;
        }
    return false;
}

static bool same(struct ice40_place a, struct ice40_place b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool ice40_chipdb_pad_control(const struct ice40_chipdb *chipdb, struct ice40_place pad, struct ice40_place *control)
{
    for (int i = 0; i < chipdb->control_count; i++)
        if (same(chipdb->controls[i].pad, pad)) {
            *control = chipdb->controls[i].control;
            return true;
        }
    return false;
}

const struct ice40_global *ice40_chipdb_global(const struct ice40_chipdb *chipdb, int number)
{
    return &chipdb->globals[number];
}

const struct ice40_extra_cell *ice40_chipdb_cell(const struct ice40_chipdb *chipdb, const char *type, int index)
{
    for (int i = 0; i < chipdb->cell_count; i++)
        if (strcmp(chipdb->cells[i].type, type) == 0 && index-- == 0)
            return &chipdb->cells[i];
    return NULL;
}

const struct ice40_field *ice40_cell_field(const struct ice40_extra_cell *cell, const char *key)
{
    for (int i = 0; i < cell->count; i++)
        if (strcmp(cell->fields[i].key, key) == 0)
            return &cell->fields[i];
    return NULL;
}
