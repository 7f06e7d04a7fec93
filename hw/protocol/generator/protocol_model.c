/*
 * Reads the protocol data files. Every value is checked where it stands, so that an error names its line.
 * SPDX-License-Identifier: ISC
 */
#include "generator/protocol_model.h"

#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct protocol_model *model;
    int is_map;                              /* registers.ini and straps.ini: sections are [KIND NAME] */
    unsigned width;                          /* of groups that give none; 0: each has to */
    char section[NAME_SIZE], key[NAME_SIZE]; /* of the line before: the same key again is a continuation */
    char reason[200];
};

static int fail(struct reader *reader, const char *reason, const char *what)
{
    if (!reader->reason[0])
        snprintf(reader->reason, sizeof reader->reason, "%s: '%.100s'", reason, what);
    return 0;
}

static int set_text(struct reader *reader, char *out, size_t size, const char *value)
{
    if (strlen(value) >= size)
        return fail(reader, "text too long", value);
    strcpy(out, value);
    return 1;
}

static int append_text(struct reader *reader, char *out, const char *value)
{
    size_t used = strlen(out);
    if (used + strlen(value) + 2 > TEXT_SIZE)
        return fail(reader, "text too long", value);
    snprintf(out + used, TEXT_SIZE - used, "%s%s", used ? " " : "", value);
    return 1;
}

/* Parses a number at the start of *text and steps over it and the blanks behind. */
static int take_number(struct reader *reader, const char **text, uint32_t *out)
{
    char *end;
    unsigned long long value = strtoull(*text, &end, 0);
    if (end == *text || (*end && *end != ' ') || value > UINT32_MAX)
        return fail(reader, "expected a number up to 32 bits", *text);
    while (*end == ' ')
        end++;
    *out = (uint32_t)value;
    *text = end;
    return 1;
}

static int number(struct reader *reader, const char *value, uint32_t *out)
{
    if (!take_number(reader, &value, out))
        return 0;
    return *value ? fail(reader, "unexpected text behind a number", value) : 1;
}

static int group_entry(struct reader *reader, struct group *group, const char *key, const char *value)
{
    uint32_t width;
    if (!strcmp(key, "title"))
        return set_text(reader, group->title, sizeof group->title, value);
    if (!strcmp(key, "prefix"))
        return set_text(reader, group->prefix, sizeof group->prefix, value);
    if (!strcmp(key, "radix"))
        return number(reader, value, &group->radix);
    if (!strcmp(key, "list"))
        return set_text(reader, group->list, sizeof group->list, value);
    if (!strcmp(key, "width")) {
        if (!number(reader, value, &width) || width < 1 || width > 32)
            return fail(reader, "expected a width of 1 to 32 bits", value);
        group->width = width;
        return 1;
    }
    if (group->constant_count == GROUP_CONSTANTS || !group->width)
        return fail(reader, "too many constants, or width not given before", key);
    struct constant *constant = &group->constants[group->constant_count++];
    if (!set_text(reader, constant->name, sizeof constant->name, key) || !take_number(reader, &value, &constant->value))
        return 0;
    if (group->width < 32 && constant->value >> group->width)
        return fail(reader, "wider than its group", key);
    return set_text(reader, constant->text, sizeof constant->text, value);
}

static int group_line(struct reader *reader, const char *section, const char *key, const char *value, int again)
{
    struct protocol_model *model = reader->model;
    struct group *group = &model->groups[model->group_count ? model->group_count - 1 : 0];
    if (strcmp(section, reader->section)) {
        if (model->group_count == MODEL_GROUPS)
            return fail(reader, "too many groups", section);
        group = &model->groups[model->group_count++];
        group->width = reader->width;
        if (!set_text(reader, group->name, sizeof group->name, section))
            return 0;
    }
    if (again)
        return append_text(
            reader, group->constant_count ? group->constants[group->constant_count - 1].text : group->title, value);
    return group_entry(reader, group, key, value);
}

static int block_entry(struct reader *reader, struct block *block, const char *key, const char *value)
{
    if (!strcmp(key, "title"))
        return set_text(reader, block->title, sizeof block->title, value);
    if (!strcmp(key, "text"))
        return append_text(reader, block->text, value);
    if (!strcmp(key, "base"))
        return number(reader, value, &block->base);
    if (strcmp(key, "size"))
        return fail(reader, "unknown key of a block", key);
    if (!number(reader, value, &block->size) || block->size < 16 || (block->size & (block->size - 1)))
        return fail(reader, "expected a power of two from 16", value);
    return 1;
}

static int register_reset(struct reader *reader, struct reg *reg, const char *value)
{
    if (!strcmp(value, "volatile")) {
        reg->reset_kind = RESET_VOLATILE;
        return 1;
    }
    const char *name = strchr(value, ' ');
    if (!strncmp(value, "strap ", 6))
        reg->reset_kind = RESET_STRAP;
    else if (!strncmp(value, "parameter ", 10))
        reg->reset_kind = RESET_PARAMETER;
    else
        return number(reader, value, &reg->reset);
    return set_text(reader, reg->strap, sizeof reg->strap, name + 1);
}

static int register_access(struct reader *reader, struct reg *reg, const char *value)
{
    static const struct {
        const char *name;
        enum access access;
    } names[] = {
        {"ro", ACCESS_RO},
        {"rw", ACCESS_RW},
        {"wo", ACCESS_WO},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(value, names[i].name)) {
            reg->access = names[i].access;
            return 1;
        }
    return fail(reader, "expected ro, rw or wo", value);
}

static int register_field(struct reader *reader, struct reg *reg, const char *value)
{
    if (reg->field_count == REGISTER_FIELDS)
        return fail(reader, "too many fields", value);
    struct field *field = &reg->fields[reg->field_count++];
    uint32_t low, width;
    if (!take_number(reader, &value, &low) || !take_number(reader, &value, &width))
        return 0;
    if (low > 31 || width < 1 || low + width > 32)
        return fail(reader, "field does not fit 32 bits", value);
    int used = 0;
    if (sscanf(value, "%47s %n", field->name, &used) != 1)
        return fail(reader, "expected a field's name", value);
    field->low = low;
    field->width = width;
    return set_text(reader, field->text, sizeof field->text, value + used);
}

static int register_entry(struct reader *reader, struct reg *reg, const char *key, const char *value)
{
    if (!strcmp(key, "access"))
        return register_access(reader, reg, value);
    if (!strcmp(key, "reset"))
        return register_reset(reader, reg, value);
    if (!strcmp(key, "text"))
        return append_text(reader, reg->text, value);
    if (!strcmp(key, "field"))
        return register_field(reader, reg, value);
    if (!strcmp(key, "stalls"))
        return reg->stalls = !strcmp(value, "yes"), 1;
    static const struct {
        const char *key;
        size_t place;
    } numbers[] = {
        {"offset", offsetof(struct reg, offset)},
        {"write", offsetof(struct reg, write_mask)},
        {"bytes", offsetof(struct reg, bytes)},
        {"count", offsetof(struct reg, count)},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(key, numbers[i].key))
            return number(reader, value, (uint32_t *)((char *)reg + numbers[i].place));
    return fail(reader, "unknown key of a register", key);
}

static int counter_entry(struct reader *reader, struct counter *counter, const char *key, const char *value)
{
    if (!strcmp(key, "text"))
        return append_text(reader, counter->text, value);
    if (!strcmp(key, "owner"))
        return set_text(reader, counter->owner, sizeof counter->owner, value);
    if (!strcmp(key, "index"))
        return number(reader, value, &counter->index);
    if (!strcmp(key, "count"))
        return number(reader, value, &counter->count);
    return fail(reader, "unknown key of a counter", key);
}

static int strap_entry(struct reader *reader, struct strap *strap, const char *key, const char *value)
{
    if (!strcmp(key, "text"))
        return append_text(reader, strap->text, value);
    if (!strcmp(key, "field"))
        return set_text(reader, strap->field, sizeof strap->field, value);
    if (!strcmp(key, "of")) {
        static const char *const names[] = {
            [STRAP_MESH] = "mesh", [STRAP_SITE] = "site", [STRAP_DISCIPLINE] = "discipline"};
        for (enum strap_of of = STRAP_MESH; of <= STRAP_DISCIPLINE; of++)
            strap->of = !strcmp(value, names[of]) ? of : strap->of;
        return strap->of != STRAP_NONE || fail(reader, "expected mesh, site or discipline", value);
    }
    if (strcmp(key, "width"))
        return fail(reader, "unknown key of a strap", key);
    if (!number(reader, value, &strap->width) || strap->width < 1 || strap->width > 32)
        return fail(reader, "expected a width of 1 to 32 bits", value);
    return 1;
}

static int open_strap(struct reader *reader, const char *name)
{
    struct protocol_model *model = reader->model;
    if (model->strap_count == MODEL_STRAPS)
        return fail(reader, "too many straps", name);
    struct strap *strap = &model->straps[model->strap_count++];
    return set_text(reader, strap->name, NAME_SIZE, name) && set_text(reader, strap->field, NAME_SIZE, name);
}

/* A new section of registers.ini or straps.ini: makes the block, register, counter or strap that the
 * next lines describe. */
static int open_section(struct reader *reader, const char *kind, const char *name)
{
    struct protocol_model *model = reader->model;
    if (!strcmp(kind, "block")) {
        if (model->block_count == MODEL_BLOCKS)
            return fail(reader, "too many blocks", name);
        return set_text(reader, model->blocks[model->block_count++].name, NAME_SIZE, name);
    }
    if (!strcmp(kind, "counter")) {
        if (model->counter_count == MODEL_COUNTERS)
            return fail(reader, "too many counters", name);
        model->counters[model->counter_count].count = 1;
        return set_text(reader, model->counters[model->counter_count++].name, NAME_SIZE, name);
    }
    if (!strcmp(kind, "strap"))
        return open_strap(reader, name);
    if (strcmp(kind, "register") || !model->block_count)
        return fail(reader, "expected [block NAME], then [register NAME], [counter NAME] or [strap NAME]", name);
    struct block *block = &model->blocks[model->block_count - 1];
    if (block->register_count == BLOCK_REGISTERS)
        return fail(reader, "too many registers", name);
    struct reg *reg = &block->registers[block->register_count++];
    reg->bytes = 4;
    reg->count = 1;
    return set_text(reader, reg->name, NAME_SIZE, name);
}

static int map_line(struct reader *reader, const char *section, const char *key, const char *value)
{
    char kind[NAME_SIZE], name[NAME_SIZE];
    if (sscanf(section, "%47s %47s", kind, name) != 2)
        return fail(reader, "expected [KIND NAME]", section);
    if (strcmp(section, reader->section) && !open_section(reader, kind, name))
        return 0;
    struct protocol_model *model = reader->model;
    if (!strcmp(kind, "strap"))
        return strap_entry(reader, &model->straps[model->strap_count - 1], key, value);
    struct block *block = &model->blocks[model->block_count - 1];
    if (!strcmp(kind, "block"))
        return block_entry(reader, block, key, value);
    if (!strcmp(kind, "register"))
        return register_entry(reader, &block->registers[block->register_count - 1], key, value);
    return counter_entry(reader, &model->counters[model->counter_count - 1], key, value);
}

static int line(void *context, const char *section, const char *key, const char *value)
{
    struct reader *reader = context;
    int again = !strcmp(section, reader->section) && !strcmp(key, reader->key);
    int good = reader->is_map ? map_line(reader, section, key, value) : group_line(reader, section, key, value, again);
    snprintf(reader->section, sizeof reader->section, "%s", section);
    snprintf(reader->key, sizeof reader->key, "%s", key);
    return good;
}

uint32_t protocol_field_mask(const struct field *field)
{
    return (uint32_t)(((1ull << field->width) - 1) << field->low);
}

/* What a register and a field need beyond their lines: room in the block, and a place of their own. A register that is
 * only read and one that is only written may share it. */
static const char *register_fault(const struct block *block, const struct reg *reg)
{
    uint32_t fields = 0, end = reg->offset + 4 * (reg->count - 1) + reg->bytes;
    if (reg->access == ACCESS_NONE)
        return "has no access";
    if (reg->bytes != 1 && reg->bytes != 4)
        return "has neither 1 nor 4 bytes";
    if (reg->offset % reg->bytes || !reg->count || end > block->size)
        return "does not fit its block";
    for (const struct reg *other = block->registers; other < reg; other++) {
        int shared = reg->access != ACCESS_RW && other->access != ACCESS_RW && reg->access != other->access;
        if (!shared && reg->offset < other->offset + 4 * (other->count - 1) + other->bytes && other->offset < end)
            return "is at the place of another";
    }
    for (size_t i = 0; i < reg->field_count; i++) {
        uint32_t mask = protocol_field_mask(&reg->fields[i]);
        if (fields & mask)
            return "has fields that overlap";
        fields |= mask;
    }
    return NULL;
}

static int check_registers(const struct protocol_model *model, const char *directory, char *error, size_t error_size)
{
    for (size_t i = 0; i < model->block_count; i++)
        for (size_t k = 0; k < model->blocks[i].register_count; k++) {
            const struct reg *reg = &model->blocks[i].registers[k];
            const char *fault = register_fault(&model->blocks[i], reg);
            if (fault)
                return snprintf(error, error_size, "%s/registers.ini: %s %s", directory, reg->name, fault), -1;
        }
    return 0;
}

static int load_file(struct reader *reader, const char *directory, const char *name, char *error, size_t error_size)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int bad = ini_parse(path, line, reader);
    if (bad < 0)
        return snprintf(error, error_size, "%s: cannot be read", path), -1;
    if (bad > 0)
        return snprintf(error, error_size, "%s:%d: %s", path, bad,
                        reader->reason[0] ? reader->reason : "expected [section] or KEY = VALUE"),
               -1;
    return 0;
}

const struct strap *protocol_strap_of(const struct protocol_model *model, const struct reg *reg)
{
    for (size_t i = 0; i < model->strap_count && reg->reset_kind == RESET_STRAP; i++)
        if (!strcmp(model->straps[i].name, reg->strap))
            return &model->straps[i];
    return NULL;
}

unsigned protocol_strap_bits(const struct protocol_model *model)
{
    const struct strap *last = &model->straps[model->strap_count - 1];
    return model->strap_count ? (last->low + last->width + 31) / 32 * 32 : 0;
}

/* Gives every strap its bits: behind those before it, within one 32-bit word. */
static int place_straps(struct protocol_model *model, const char *directory, char *error, size_t error_size)
{
    unsigned low = 0;
    for (size_t i = 0; i < model->strap_count; i++) {
        struct strap *strap = &model->straps[i];
        if (!strap->width || strap->of == STRAP_NONE)
            return snprintf(error, error_size, "%s/straps.ini: %s lacks width or of", directory, strap->name), -1;
        if (low % 32 + strap->width > 32)
            low = (low + 31) / 32 * 32;
        strap->low = low;
        low += strap->width;
    }
    return 0;
}

static int check_register_straps(const struct protocol_model *model, const char *directory, char *error,
                                 size_t error_size)
{
    for (size_t i = 0; i < model->block_count; i++)
        for (size_t k = 0; k < model->blocks[i].register_count; k++) {
            const struct reg *reg = &model->blocks[i].registers[k];
            if (reg->reset_kind == RESET_STRAP && !protocol_strap_of(model, reg))
                return snprintf(error, error_size, "%s/registers.ini: %s shows strap %s, expected one of straps.ini",
                                directory, reg->name, reg->strap),
                       -1;
        }
    return 0;
}

int protocol_model_load(const char *directory, struct protocol_model *model, char *error, size_t error_size)
{
    static const char *const files[] = {"tags.ini", "packet.ini", "records.ini", "registers.ini", "straps.ini"};
    memset(model, 0, sizeof *model);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct reader reader = {.model = model, .is_map = i >= 3};
        if (load_file(&reader, directory, files[i], error, error_size))
            return -1;
    }
    if (place_straps(model, directory, error, error_size) || check_registers(model, directory, error, error_size))
        return -1;
    return check_register_straps(model, directory, error, error_size);
}

int protocol_model_load_console(const char *directory, struct protocol_model *model, char *error, size_t error_size)
{
    struct reader reader = {.model = model, .width = 32};
    memset(model, 0, sizeof *model);
    return load_file(&reader, directory, "console.ini", error, error_size);
}
