/*
 * Reads and prints the keys of one discipline.
 * SPDX-License-Identifier: ISC
 */
#include "generator/discipline_keys.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "generator/protocol_emit.h"

enum { FIELD_BITS = 32 }; /* of the parameter OWN, and of the strap `own` */

/* Kinds as in discipline.ini, and their names in sim/mesh/mesh_key.h. */
static const struct kind {
    const char *name, *constant;
    bool listed; /* `values` has all that there are */
} kinds[] = {
    {"yes_or_no", "KEY_IS_YES_OR_NO", true},        {"choice", "KEY_IS_CHOICE", true},
    {"one_of", "KEY_IS_NUMBER_OF_LIST", true},      {"number", "KEY_IS_NUMBER", false},
    {"power_of_two", "KEY_IS_POWER_OF_TWO", false},
};

static const struct kind *kind_of(const struct own_row_key *key)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, key->kind))
            return &kinds[i];
    return NULL;
}

static bool copy(char *out, size_t size, const char *text, size_t length)
{
    return length < size && snprintf(out, size, "%.*s", (int)length, text) >= 0;
}

static bool set_text(char *out, size_t size, const char *text)
{
    return copy(out, size, text, strlen(text));
}

static bool set_number(const char *text, uint32_t *out)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    *out = (uint32_t)value;
    return end != text && !*end && value <= UINT32_MAX;
}

static bool set_width(const char *text, struct own_field *field)
{
    uint32_t width;
    bool good = set_number(text, &width) && width >= 1 && width <= FIELD_BITS;
    field->width = width;
    return good;
}

static bool set_dotted(const char *text, size_t length, char section[NAME_SIZE], char name[NAME_SIZE])
{
    const char *dot = memchr(text, '.', length);
    return dot && copy(section, NAME_SIZE, text, (size_t)(dot - text)) &&
           copy(name, NAME_SIZE, dot + 1, length - (size_t)(dot + 1 - text));
}

/* VALUES with SECTION.KEY VALUES: EXPECTED */
static bool add_refusal(struct own_rows *rows, const char *text)
{
    struct own_row_refusal *row = &rows->refusals[rows->refusal_count];
    const char *with = strstr(text, " with "), *colon = with ? strstr(with, ": ") : NULL;
    if (!colon || rows->refusal_count == OWN_REFUSALS)
        return false;
    const char *other = with + strlen(" with ");
    size_t length = strcspn(other, " ");
    row->key = rows->key_count - 1;
    rows->refusal_count++;
    return other + length < colon && copy(row->values, TEXT_SIZE, text, (size_t)(with - text)) &&
           set_dotted(other, length, row->other_section, row->other_name) &&
           copy(row->other_values, TEXT_SIZE, other + length + 1, (size_t)(colon - other) - length - 1) &&
           set_text(row->expected, TEXT_SIZE, colon + strlen(": "));
}

static bool append(char *out, size_t size, const char *text)
{
    size_t used = strlen(out);
    return (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "", text) < size - used;
}

static bool key_line(struct own_rows *rows, const char *name, const char *value)
{
    struct own_row_key *key = &rows->keys[rows->key_count - 1];
    const struct {
        const char *name;
        char *out;
    } texts[] = {{"kind", key->kind}, {"codes", key->codes},    {"unit", key->unit},
                 {"sets", key->sets}, {"default", key->preset}, {"changes", key->changes}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(name, texts[i].name))
            return set_text(texts[i].out, NAME_SIZE, value);
    if (!strcmp(name, "values"))
        return set_text(key->values, sizeof key->values, value);
    if (!strcmp(name, "text"))
        return append(key->text, sizeof key->text, value);
    if (!strcmp(name, "least"))
        return set_number(value, &key->least);
    if (!strcmp(name, "most"))
        return set_number(value, &key->most);
    if (!strcmp(name, "strap"))
        return set_width(value, &key->strap);
    if (!strcmp(name, "build"))
        return set_width(value, &key->build);
    if (!strcmp(name, "clocked"))
        return key->clocked = true, !strcmp(value, "yes");
    return !strcmp(name, "refuse") && add_refusal(rows, value);
}

static bool strap_line(struct own_rows *rows, const char *strap, const char *name, const char *value)
{
    if (!*rows->site_strap_name && !set_text(rows->site_strap_name, NAME_SIZE, strap))
        return false;
    if (strcmp(rows->site_strap_name, strap))
        return false;
    return !strcmp(name, "text") || (!strcmp(name, "width") && set_width(value, &rows->site_strap));
}

static bool is_key(const struct own_row_key *key, const char *dotted, size_t length)
{
    char section[NAME_SIZE], name[NAME_SIZE];
    return set_dotted(dotted, length, section, name) && !strcmp(section, key->section) && !strcmp(name, key->name);
}

bool own_rows_line(struct own_rows *rows, const char *section, const char *key, const char *value)
{
    static const char of_key[] = "key ", of_strap[] = "strap ";
    if (!strncmp(section, of_strap, strlen(of_strap)))
        return strap_line(rows, section + strlen(of_strap), key, value);
    if (strncmp(section, of_key, strlen(of_key)))
        return false;
    const char *name = section + strlen(of_key);
    if (!rows->key_count || !is_key(&rows->keys[rows->key_count - 1], name, strlen(name))) {
        if (rows->key_count == OWN_KEYS)
            return false;
        struct own_row_key *fresh = &rows->keys[rows->key_count++];
        if (!set_dotted(name, strlen(name), fresh->section, fresh->name))
            return false;
    }
    return key_line(rows, key, value);
}

/* The next of the values in a list with commas between; its length is 0 behind the last. */
static const char *next_value(const char **list, size_t *length)
{
    const char *value = *list + strspn(*list, ", ");
    *length = strcspn(value, ",");
    *list = value + *length;
    return value;
}

/* Place of a value in a list, -1 if it is not there. */
static int index_of(const char *list, const char *value)
{
    size_t length;
    const char *next = next_value(&list, &length);
    for (int i = 0; length; i++, next = next_value(&list, &length))
        if (length == strlen(value) && !strncmp(next, value, length))
            return i;
    return -1;
}

/* What the hardware has for a value: the number, of a power of two its logarithm, of a listed value its place or its
 * code. -1: no such value. */
static int64_t code_of(const struct own_row_key *key, const char *value)
{
    int index = index_of(key->values, value);
    uint32_t number = 0, log2 = 0;
    if (kind_of(key)->listed && *key->codes && index >= 0) {
        const char *code = key->codes;
        for (; index > 0; index--)
            code += strcspn(code, " ") + 1;
        return (int64_t)strtoul(code, NULL, 10);
    }
    if (kind_of(key)->listed)
        return index;
    if (!set_number(value, &number) || (index < 0 && (number < key->least || number > key->most)))
        return -1;
    while (number >> log2 > 1)
        log2++;
    return strcmp(key->kind, "power_of_two") ? (int64_t)number : number == 1u << log2 ? (int64_t)log2 : -1;
}

/* The longest value of a key in the hardware. */
static int64_t largest_code(const struct own_row_key *key)
{
    char value[TEXT_SIZE];
    int64_t largest = 0;
    const char *list = key->values;
    size_t length;
    if (!kind_of(key)->listed) {
        snprintf(value, sizeof value, "%" PRIu32, key->most);
        return code_of(key, value);
    }
    for (const char *next = next_value(&list, &length); length; next = next_value(&list, &length)) {
        snprintf(value, sizeof value, "%.*s", (int)length, next);
        largest = code_of(key, value) > largest ? code_of(key, value) : largest;
    }
    return largest;
}

static const char *place(struct own_field *field, unsigned *used)
{
    field->low = *used;
    *used += field->width;
    return *used <= FIELD_BITS ? NULL : "its bits are more than 32 with those before it";
}

static const char *check_key(const struct own_row_key *key)
{
    const struct kind *kind = kind_of(key);
    unsigned width = key->strap.width + key->build.width;
    if (!kind)
        return "expected kind = yes_or_no, choice, one_of, number or power_of_two";
    if (kind->listed ? !*key->values : key->most < key->least)
        return kind->listed ? "expected values" : "expected least and most";
    if (key->strap.width && key->build.width)
        return "strap and build, expected one of them";
    if (*key->preset && code_of(key, key->preset) < 0)
        return "its default is none of its values";
    if (*key->sets && strcmp(key->sets, "turn_clocks") && strcmp(key->sets, "sites_a_clock"))
        return "expected sets = turn_clocks or sites_a_clock";
    if (*key->changes && ((strcmp(key->kind, "yes_or_no") && strcmp(key->kind, "choice")) || !key->build.width))
        return "changes, expected kind = yes_or_no or choice, and build";
    return width && largest_code(key) >> width ? "its values need more bits" : NULL;
}

const char *own_rows_finish(struct own_rows *rows, const char **name)
{
    unsigned straps = 0, build = 0;
    for (size_t i = 0; i < rows->key_count; i++) {
        struct own_row_key *key = &rows->keys[i];
        *name = key->name;
        if (!strcmp(key->kind, "yes_or_no"))
            strcpy(key->values, "no, yes");
        const char *fault = check_key(key);
        fault = fault ? fault : place(&key->strap, &straps);
        fault = fault ? fault : place(&key->build, &build);
        if (fault)
            return fault;
    }
    *name = rows->site_strap_name;
    return place(&rows->site_strap, &straps);
}

static bool add_code(const struct own_row_key *key, const char *value, uint32_t *own)
{
    int64_t code = code_of(key, value);
    uint32_t mask = (uint32_t)((UINT64_C(1) << key->build.width) - 1) << key->build.low;
    *own = (*own & ~mask) | (uint32_t)code << key->build.low;
    return code >= 0;
}

bool own_rows_build(const struct own_rows *rows, size_t count, char **settings, uint32_t *own, const char **bad)
{
    *own = 0;
    for (size_t i = 0; i < rows->key_count; i++)
        if (rows->keys[i].build.width && *rows->keys[i].preset)
            add_code(&rows->keys[i], rows->keys[i].preset, own);
    for (size_t n = 0; n < count; n++) {
        size_t length = strcspn(settings[n], "=");
        bool found = false;
        *bad = settings[n];
        if (!strncmp(settings[n], "own=", 4) && set_number(settings[n] + 4, own))
            continue;
        for (size_t i = 0; i < rows->key_count && settings[n][length]; i++)
            if (rows->keys[i].build.width && is_key(&rows->keys[i], settings[n], length))
                found = add_code(&rows->keys[i], settings[n] + length + 1, own);
        if (!found)
            return false;
    }
    return true;
}

uint32_t own_rows_changed(const struct own_rows *rows, uint32_t own)
{
    uint32_t changed = 0;
    for (size_t i = 0; i < rows->key_count; i++)
        if (own >> rows->keys[i].build.low & ((UINT32_C(1) << rows->keys[i].build.width) - 1))
            changed |= rows->keys[i].changes_bits;
    return changed;
}

/* A C string. */
static void emit_string(const char *text, size_t length, FILE *out)
{
    fputc('"', out);
    for (size_t i = 0; i < length; i++)
        fprintf(out, text[i] == '"' || text[i] == '\\' ? "\\%c" : "%c", text[i]);
    fputc('"', out);
}

static void emit_list(const char *list, FILE *out)
{
    size_t length;
    fputs("(const char *const[]){", out);
    for (const char *next = next_value(&list, &length); length; next = next_value(&list, &length)) {
        emit_string(next, length, out);
        fputs(", ", out);
    }
    fputs("0}", out);
}

static void emit_codes(const char *codes, FILE *out)
{
    fputs(", .codes = (const uint8_t[]){", out);
    for (const char *c = codes; *c; c++)
        fputc(*c == ' ' ? ',' : *c, out);
    fputc('}', out);
}

static void emit_key(const struct own_row_key *key, size_t index, FILE *out)
{
    fprintf(out,
            "    {.key = {.section = \"%s\", .name = \"%s\", .kind = %s, .own = true, .least = %" PRIu32
            ", .most = %" PRIu32
            ",\n             .offset = offsetof(struct mesh_config, own) + %zu * sizeof(uint32_t), ",
            key->section, key->name, kind_of(key)->constant, key->least, key->most, index);
    if (*key->values) {
        fputs("\n             .names = ", out);
        emit_list(key->values, out);
        fputs(", ", out);
    }
    if (*key->unit)
        fprintf(out, ".unit = \"%s\", ", key->unit);
    if (*key->preset)
        fprintf(out, ".preset = \"%s\", ", key->preset);
    fputs("\n             .meaning = ", out);
    emit_string(key->text, strlen(key->text), out);
    fprintf(out, "},\n     .strap = {%u, %u}, .build = {%u, %u}, .clocked = %d", key->strap.low, key->strap.width,
            key->build.low, key->build.width, key->clocked);
    if (key->changes_bits)
        fprintf(out, ", .changes = 0x%" PRIx32, key->changes_bits);
    if (*key->sets)
        fprintf(out, ", .sets = offsetof(struct mesh_config, %s)", key->sets);
    if (*key->codes)
        emit_codes(key->codes, out);
    fputs("},\n", out);
}

static void emit_refusal(const struct own_row_refusal *row, FILE *out)
{
    fprintf(out, "    {%zu, ", row->key);
    emit_list(row->values, out);
    fprintf(out, ", \"%s\", \"%s\", ", row->other_section, row->other_name);
    emit_list(row->other_values, out);
    fputs(", ", out);
    emit_string(row->expected, strlen(row->expected), out);
    fputs("},\n", out);
}

void own_rows_emit_tables(const struct own_rows *rows, const char *name, FILE *out)
{
    fprintf(out, "static const struct own_key own_%s[] = {\n", name);
    for (size_t i = 0; i < rows->key_count; i++)
        emit_key(&rows->keys[i], i, out);
    fprintf(out, "    {.clocked = false}};\nstatic const struct own_refusal refusals_%s[] = {\n", name);
    for (size_t i = 0; i < rows->refusal_count; i++)
        emit_refusal(&rows->refusals[i], out);
    fprintf(out, "    {.key = 0}};\n");
}

void own_rows_emit_members(const struct own_rows *rows, const char *name, FILE *out)
{
    fprintf(out,
            ".own = own_%s, .own_count = %zu, .refusals = refusals_%s, .refusal_count = %zu,\n"
            "     .site_strap = {%u, %u}",
            name, rows->key_count, name, rows->refusal_count, rows->site_strap.low, rows->site_strap.width);
}

static void emit_range(const char *prefix, const char *kind, const char *name, struct own_field field, FILE *out)
{
    if (field.width)
        fprintf(out, "`define %s_%s_%s %u:%u\n", prefix, kind, protocol_name("", name), field.low + field.width - 1,
                field.low);
}

void own_rows_emit_verilog(const struct own_rows *rows, const char *name, FILE *out)
{
    char prefix[NAME_SIZE];
    const char *bad;
    uint32_t own;
    snprintf(prefix, sizeof prefix, "%s", protocol_name("", name));
    own_rows_build(rows, 0, NULL, &own, &bad);
    fprintf(
        out,
        "// The keys of discipline `%s`: OWN without any, and the fields of OWN and of the strap `own` as ranges of a part "
        "select.\n// SPDX-License-Identifier: ISC\n"
        "// Generated by `build/generate_protocol` from discipline.ini.\n`define %s_OWN 32'd%" PRIu32 "\n",
        name, prefix, own);
    for (size_t i = 0; i < rows->key_count; i++) {
        emit_range(prefix, "OWN", rows->keys[i].name, rows->keys[i].build, out);
        emit_range(prefix, "STRAP", rows->keys[i].name, rows->keys[i].strap, out);
    }
    emit_range(prefix, "STRAP", rows->site_strap_name, rows->site_strap, out);
}
