/*
 * Reads and prints the rows of the disciplines.
 * SPDX-License-Identifier: ISC
 */
#include "generator/disciplines.h"

#include <ini.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct row_reader {
    const struct protocol_model *model;
    struct discipline_row *row;
};

/* The bit of a capability, 0 if NI_CAPABILITIES has no such field. */
static uint32_t capability(const struct protocol_model *model, const char *name, size_t length)
{
    for (size_t b = 0; b < model->block_count; b++)
        for (size_t r = 0; r < model->blocks[b].register_count; r++) {
            const struct reg *reg = &model->blocks[b].registers[r];
            for (size_t f = 0; f < reg->field_count && !strcmp(reg->name, "NI_CAPABILITIES"); f++)
                if (strlen(reg->fields[f].name) == length && !strncmp(reg->fields[f].name, name, length))
                    return reg->fields[f].width == 1 ? protocol_field_mask(&reg->fields[f]) : 0;
        }
    return 0;
}

/* Names with blanks between. */
static bool find_capabilities(const struct protocol_model *model, const char *names, uint32_t *bits)
{
    for (size_t length; *names; names += length) {
        names += strspn(names, " ");
        length = strcspn(names, " ");
        uint32_t bit = capability(model, names, length);
        if (!bit)
            return false;
        *bits |= bit;
    }
    return true;
}

static int add_capability(struct row_reader *reader, const char *name, size_t length)
{
    uint32_t bit = capability(reader->model, name, length);
    reader->row->capabilities |= bit;
    return bit != 0;
}

/* The bit of a topology, 0 if tags.ini has none of this name. */
static uint32_t topology_bit(const struct protocol_model *model, const char *name, size_t length)
{
    for (size_t g = 0; g < model->group_count; g++)
        for (size_t k = 0; k < model->groups[g].constant_count && !strcmp(model->groups[g].prefix, "TOPOLOGY_"); k++) {
            const struct constant *topology = &model->groups[g].constants[k];
            if (strlen(topology->name) == length && !strncmp(topology->name, name, length))
                return 1u << topology->value;
        }
    return 0;
}

static int add_topology(struct row_reader *reader, const char *name, size_t length)
{
    uint32_t bit = topology_bit(reader->model, name, length);
    reader->row->topologies |= bit;
    return bit != 0;
}

/* A counter that is not one a port: COUNTER, or NAME=COUNTER for what the discipline calls it. */
static int add_counter(struct row_reader *reader, const char *name, size_t length)
{
    const struct protocol_model *model = reader->model;
    struct discipline_row *row = reader->row;
    struct row_counter *own = &row->counters[row->counter_count];
    const char *equals = memchr(name, '=', length), *counter = equals ? equals + 1 : name;
    size_t counter_length = length - (size_t)(counter - name), k = 0;
    while (k < model->counter_count && (strlen(model->counters[k].name) != counter_length ||
                                        strncmp(model->counters[k].name, counter, counter_length)))
        k++;
    if (k == model->counter_count || model->counters[k].count != 1 || row->counter_count == ROW_COUNTERS)
        return 0;
    own->index = model->counters[k].index;
    row->counter_count++;
    return snprintf(own->name, sizeof own->name, "%.*s", (int)(equals ? (size_t)(equals - name) : length), name) <
           (int)sizeof own->name;
}

/* Adds each of the names in `value`, which blanks part. */
static int add_names(struct row_reader *reader, const char *value,
                     int (*add)(struct row_reader *, const char *name, size_t length))
{
    while (*value) {
        size_t length = strcspn(value, " ");
        if (!add(reader, value, length))
            return 0;
        value += length + strspn(value + length, " ");
    }
    return 1;
}

static int set_number(const char *value, uint32_t highest, uint32_t *out)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    *out = (uint32_t)number;
    return end != value && !*end && number <= highest;
}

/* Whether `value` is `yes`; anything but that and `no` is refused. */
static int set_choice(const char *value, const char *yes, const char *no, bool *out)
{
    *out = !strcmp(value, yes);
    return *out || !strcmp(value, no);
}

static int append(char *out, size_t size, const char *value)
{
    size_t used = strlen(out);
    return (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "", value) < size - used;
}

static int row_line(void *context, const char *section, const char *key, const char *value)
{
    struct row_reader *reader = context;
    struct discipline_row *row = reader->row;
    if (strncmp(section, "discipline ", 11))
        return own_rows_line(&row->own, section, key, value);
    if (strlen(section + 11) >= sizeof row->name)
        return 0;
    strcpy(row->name, section + 11);
    if (!strcmp(key, "title"))
        return append(row->title, sizeof row->title, value);
    if (!strcmp(key, "keys"))
        return append(row->keys, sizeof row->keys, value);
    if (!strcmp(key, "capabilities"))
        return add_names(reader, value, add_capability);
    if (!strcmp(key, "counters"))
        return add_names(reader, value, add_counter);
    if (!strcmp(key, "topologies"))
        return add_names(reader, value, add_topology);
    if (!strcmp(key, "links"))
        return set_choice(value, "lines", "words", &row->lines);
    if (!strcmp(key, "clocked"))
        return row->clocked = true, !strcmp(value, "always");
    if (!strcmp(key, "lint")) /* read by hw/rules.mk */
        return 1;
    if (!strcmp(key, "number"))
        return set_number(value, 255, &row->number);
    if (!strcmp(key, "link_tag_bits"))
        return set_number(value, 24, &row->link_tag_bits);
    if (!strcmp(key, "torus_link_bits"))
        return set_number(value, 56, &row->torus_link_bits);
    if (!strcmp(key, "byte_clocks"))
        return set_number(value, 255, &row->byte_clocks);
    return !strcmp(key, "link_bits") && set_number(value, 56, &row->link_bits);
}

/* What depends on several keys of a row. */
static int check_row(const char *path, const struct protocol_model *model, struct discipline_row *row, char *error,
                     size_t error_size)
{
    bool torus = row->topologies & topology_bit(model, "torus", strlen("torus"));
    bool words = row->link_tag_bits && !row->link_bits && !row->torus_link_bits && !row->byte_clocks;
    bool symbols = row->link_tag_bits && !row->link_bits && !row->torus_link_bits;
    bool bits = row->link_bits && !row->link_tag_bits && row->byte_clocks && torus == !!row->torus_link_bits;
    if (!row->topologies)
        return snprintf(error, error_size, "%s: no topologies, expected those that the discipline runs on", path), -1;
    if (!(row->lines ? symbols || bits : words))
        return snprintf(error, error_size,
                        "%s: expected links = words and link_tag_bits, or links = lines and link_tag_bits, or links = "
                        "lines, link_bits, byte_clocks and, with topology torus, torus_link_bits",
                        path),
               -1;
    const char *name = "", *fault = own_rows_finish(&row->own, &name);
    for (size_t i = 0; i < row->own.key_count && !fault; i++) {
        struct own_row_key *key = &row->own.keys[i];
        name = key->name;
        if (!find_capabilities(model, key->changes, &key->changes_bits))
            fault = "changes no capability of NI_CAPABILITIES";
    }
    return fault ? snprintf(error, error_size, "%s: %s: %s", path, name, fault), -1 : 0;
}

/* Is there a file discipline.c beside the row? */
static bool has_code(const char *path)
{
    char code[1000];
    snprintf(code, sizeof code, "%.*s.c", (int)(strlen(path) - strlen(".ini")), path);
    FILE *file = fopen(code, "r");
    return file && fclose(file) == 0;
}

int discipline_row_load(const char *path, const struct protocol_model *model, struct discipline_row *row, char *error,
                        size_t error_size)
{
    struct row_reader reader = {.model = model, .row = row};
    memset(row, 0, sizeof *row);
    row->has_code = has_code(path);
    int bad = ini_parse(path, row_line, &reader);
    if (bad < 0)
        return snprintf(error, error_size, "%s: cannot be read", path), -1;
    if (bad > 0)
        return snprintf(error, error_size, "%s:%d: expected [discipline NAME] and a key of hw/README.md", path, bad),
               -1;
    return check_row(path, model, row, error, error_size);
}

uint32_t discipline_row_link_width(const struct discipline_row *row, uint32_t word_width, bool torus)
{
    if (torus && row->torus_link_bits)
        return row->torus_link_bits;
    return row->link_bits ? row->link_bits : word_width + row->link_tag_bits;
}

static void emit_keys(const struct discipline_row *row, FILE *out)
{
    fprintf(out, "static const char *const keys_%s[] = {", row->name);
    for (const char *key = row->keys; *key; key += strspn(key, " ")) {
        size_t length = strcspn(key, " ");
        fprintf(out, "\"%.*s\", ", (int)length, key);
        key += length;
    }
    fprintf(out, "0};\n");
}

static void emit_counters(const struct discipline_row *row, FILE *out)
{
    fprintf(out, "static const struct discipline_counter counters_%s[] = {", row->name);
    for (size_t k = 0; k < row->counter_count; k++)
        fprintf(out, "{\"%s\", %u}, ", row->counters[k].name, row->counters[k].index);
    fprintf(out, "{0, 0}};\n");
}

void discipline_row_emit_verilog(const struct discipline_row *row, FILE *out)
{
    own_rows_emit_verilog(&row->own, row->name, out);
}

static void emit_row(const struct discipline_row *row, FILE *out)
{
    fprintf(out,
            "    {.name = \"%s\", .title = \"%s\", .number = %" PRIu32 ", .topologies = 0x%" PRIx32
            ",\n     .lines = %d, .link_tag_bits = %" PRIu32 ", .link_bits = %" PRIu32 ", .torus_link_bits = %" PRIu32
            ", .byte_clocks = %" PRIu32 ", .clocked = %d,\n     .capabilities = 0x%" PRIx32
            ", .keys = keys_%s, .counters = counters_%s,\n     ",
            row->name, row->title, row->number, row->topologies, row->lines, row->link_tag_bits, row->link_bits,
            row->torus_link_bits, row->byte_clocks, row->clocked, row->capabilities, row->name, row->name);
    own_rows_emit_members(&row->own, row->name, out);
    if (row->has_code)
        fprintf(out, ", .code = &%s_code", row->name);
    fprintf(out, "},\n");
}

void discipline_rows_emit(const struct discipline_row *rows, size_t count, FILE *out)
{
    fprintf(out, "/* Generated by `build/generate_protocol --disciplines` from discipline.ini of each discipline.\n"
                 " * SPDX-License-Identifier: ISC\n */\n#include \"mesh/discipline.h\"\n#include \"mesh/mesh.h\"\n\n");
    for (size_t i = 0; i < count; i++) {
        emit_keys(&rows[i], out);
        emit_counters(&rows[i], out);
        own_rows_emit_tables(&rows[i].own, rows[i].name, out);
        if (rows[i].has_code)
            fprintf(out, "extern const struct discipline_code %s_code;\n", rows[i].name);
    }
    fprintf(out, "\nconst struct discipline disciplines[] = {\n");
    for (size_t i = 0; i < count; i++)
        emit_row(&rows[i], out);
    fprintf(out, "};\nconst unsigned discipline_count = %zu;\n", count);
}
