/* See rows.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* getline, asprintf */
#include "rows.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "mesh/mesh_settings.h"
#include "workload/traffic.h"

enum { TARGETS_MOST = 8, LONGEST_MOST = 48, SETTINGS_MOST = 40 };

static const char *const kind_names[ROW_KINDS] = {"kind", "work", "mesh", "run", "set", "key"};
static const unsigned kind_fields[ROW_KINDS] = {1, 4, 4, 5, 1, 2};

static uint64_t drawn_from;

static _Noreturn void refuse(unsigned line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void refuse(unsigned line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("FAIL tests/conformance/rows:%u: ", line);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    exit(1);
}

/* Cuts blanks at both ends off. */
static char *trimmed(char *text)
{
    while (*text == ' ')
        text++;
    for (char *end = text + strlen(text); end > text && end[-1] == ' ';)
        *--end = 0;
    return text;
}

static void read_row(char *text, unsigned line, struct row *row)
{
    char *rest = text, *head = trimmed(strsep(&rest, "|")), *name = strchr(head, ' ');
    unsigned fields = 0;
    if (!name)
        refuse(line, "expected KIND NAME | ...");
    *name++ = 0;
    *row = (struct row){.kind = ROW_KINDS, .line = line, .name = trimmed(name)};
    for (unsigned kind = 0; kind < ROW_KINDS; kind++)
        if (strcmp(head, kind_names[kind]) == 0)
            row->kind = kind;
    if (row->kind == ROW_KINDS)
        refuse(line, "%s, expected kind, work, mesh, run, set or key", head);
    while (rest && fields < ROW_FIELDS)
        row->fields[fields++] = trimmed(strsep(&rest, "|"));
    if (rest || fields != kind_fields[row->kind])
        refuse(line, "%s has %u fields behind its name, expected %u", head, fields, kind_fields[row->kind]);
}

static char *read_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r");
    if (!file || getdelim(&text, &size, 0, file) < 0) {
        printf("FAIL %s: cannot be read\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

/* FNV-1a of the name and the seed: what is drawn for one name does not depend on other rows. */
static uint64_t stream_of(const char *name)
{
    uint64_t state = UINT64_C(0xcbf29ce484222325) ^ drawn_from;
    for (; *name; name++)
        state = (state ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return state;
}

/* Copies the text, and of each (A;B;...) one. */
static void draw(const char *text, const char *name, char *out, size_t size)
{
    uint64_t random = stream_of(name);
    size_t used = 0;
    while (*text && used + 1 < size) {
        const char *close = *text == '(' ? strchr(text, ')') : NULL;
        unsigned choices = 1;
        if (!close) {
            out[used++] = *text++;
            continue;
        }
        for (const char *at = text; at < close; at++)
            choices += *at == ';';
        text++;
        for (unsigned choice = check_below(&random, choices); choice > 0; choice--)
            text += strcspn(text, ";") + 1;
        int length = (int)strcspn(text, ";)");
        used += (size_t)snprintf(out + used, size - used, "%.*s", length, text);
        text = close + 1;
    }
    CHECK(used < size);
    out[used] = 0;
}

/* The row of that name, NULL if there is none. */
static const struct row *look_up(const struct rows *rows, enum row_kind kind, const char *name)
{
    for (unsigned i = 0; i < rows->count; i++)
        if (rows->rows[i].kind == kind && strcmp(rows->rows[i].name, name) == 0)
            return &rows->rows[i];
    return NULL;
}

static void add_row(char *text, unsigned line, struct rows *rows)
{
    struct row row;
    read_row(text, line, &row);
    if (look_up(rows, row.kind, row.name))
        refuse(line, "a second %s %s", kind_names[row.kind], row.name);
    if (rows->count == ROWS_MOST)
        refuse(line, "too many rows");
    rows->rows[rows->count++] = row;
}

/* A line with {A,B} stands for two: one with A, whose name ends in -A, and one with B. */
static void add_rows(const char *text, unsigned line, struct rows *rows)
{
    const char *open = strchr(text, '{'), *close = strchr(text, '}');
    int name = (int)strcspn(text, "|");
    char *copy;
    CHECK(!open || (close && text + name < open));
    while (name > 0 && text[name - 1] == ' ')
        name--;
    for (const char *item = open; item && item < close; item += 1 + strcspn(item + 1, ",}")) {
        int length = (int)strcspn(item + 1, ",}");
        CHECK(asprintf(&copy, "%.*s-%.*s%.*s%.*s%s", name, text, length, item + 1, (int)(open - text) - name,
                       text + name, length, item + 1, close + 1) > 0);
        add_rows(copy, line, rows);
        free(copy);
    }
    if (open)
        return;
    CHECK(copy = strdup(text)); /* the row keeps it */
    add_row(copy, line, rows);
}

void rows_load(const char *path, uint64_t seed, struct rows *rows)
{
    drawn_from = seed;
    char *file = read_file(path), *rest = file, *text;
    rows->count = 0;
    for (unsigned line = 1; (text = strsep(&rest, "\n")); line++)
        if (*trimmed(text) && *text != '#')
            add_rows(text, line, rows);
    free(file);
}

const struct row *rows_find(const struct rows *rows, enum row_kind kind, const char *name)
{
    const struct row *row = look_up(rows, kind, name);
    if (!row)
        refuse(0, "no %s %s", kind_names[kind], name);
    return row;
}

/* The next word of a text, which is moved behind it; false behind the last. */
static bool next_word(const char **text, char *word, size_t size)
{
    *text += strspn(*text, " ");
    size_t length = strcspn(*text, " ");
    snprintf(word, size, "%.*s", (int)length, *text);
    *text += length;
    return length > 0;
}

bool row_has_word(const char *text, const char *word)
{
    char pattern[100];
    while (next_word(&text, pattern, sizeof pattern))
        if (fnmatch(pattern, word, 0) == 0)
            return true;
    return false;
}

bool row_is_short(const char *when)
{
    return strncmp(when, "test", 4) == 0;
}

unsigned row_share(const char *when)
{
    const char *slash = strchr(when, '/');
    unsigned share = slash ? (unsigned)strtoul(slash + 1, NULL, 10) : 1;
    return share ? share : 1;
}

bool row_kind_of(const char *list, const char *name, char *claim, unsigned size)
{
    char word[100];
    while (next_word(&list, word, sizeof word)) {
        char *colon = strchrnul(word, ':');
        snprintf(claim, size, "%s", *colon ? colon + 1 : "");
        *colon = 0;
        if (strcmp(word, name) == 0)
            return true;
    }
    return false;
}

void row_mesh(const struct row *row, char text[ROW_MESH_TEXT], struct mesh_config *mesh)
{
    char drawn[ROW_OPTIONS], name[200], words[SETTINGS_MOST][200], error[500];
    const char *items[SETTINGS_MOST], *rest = drawn;
    struct mesh_settings settings = {0, items};
    draw(row->fields[MESH_FILE], row->name, drawn, sizeof drawn);
    if (!next_word(&rest, name, sizeof name))
        refuse(row->line, "expected the file of mesh %s", row->name);
    while (settings.count < SETTINGS_MOST && next_word(&rest, words[settings.count], sizeof words[0])) {
        items[settings.count] = words[settings.count];
        settings.count++;
    }
    char *file = read_file(name), *applied = mesh_settings_apply(file, &settings, error, sizeof error);
    free(file);
    if (!applied || strlen(applied) >= ROW_MESH_TEXT)
        refuse(row->line, "%s", applied ? "too long a mesh" : error);
    strcpy(text, applied);
    free(applied);
    if (mesh_config_parse(row->name, text, strlen(text), mesh, error, sizeof error) != 0)
        refuse(row->line, "%s", error);
}

static unsigned longest(const struct mesh_config *mesh)
{
    unsigned words = mesh->max_packet - TRAFFIC_HEADER_WORDS - 1;
    return words < LONGEST_MOST ? words : LONGEST_MOST;
}

/* One place of the options, and how much of it was read. */
static size_t put_place(const char *at, const struct mesh_config *mesh, char *out, size_t size)
{
    unsigned sites = (unsigned)mesh_operators(mesh);
    if (strncmp(at, "MOST", 4) == 0)
        return snprintf(out, size, "%u", sites < TARGETS_MOST ? sites : TARGETS_MOST), 4;
    if (strncmp(at, "LONGEST", 7) == 0)
        return snprintf(out, size, "%u", longest(mesh)), 7;
    char *end;
    double number = isdigit((unsigned char)*at) ? strtod(at, &end) : 0;
    if (isdigit((unsigned char)*at) && (strncmp(end, "*W", 2) == 0 || strncmp(end, "/W", 2) == 0)) {
        number = *end == '*' ? number * mesh->link_clocks : number / mesh->link_clocks;
        snprintf(out, size, "%.9g", number);
        return (size_t)(end + 2 - at);
    }
    size_t digits = isdigit((unsigned char)*at) ? strspn(at, "0123456789.") : 1;
    snprintf(out, size, "%.*s", (int)digits, at);
    return digits;
}

void row_options(const char *options, const char *name, const struct mesh_config *mesh, char out[ROW_OPTIONS])
{
    char drawn[ROW_OPTIONS];
    size_t used = 0;
    draw(options, name, drawn, sizeof drawn);
    for (const char *at = drawn; *at;) {
        CHECK(used + 32 < ROW_OPTIONS);
        at += put_place(at, mesh, out + used, ROW_OPTIONS - used);
        used += strlen(out + used);
    }
    out[used] = 0;
}
