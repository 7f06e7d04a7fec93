/* See compare_file.h. CSV as sim_report.c writes it: a record a line, quotes doubled within quotes.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* getline */
#include "postroad/compare_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postroad/sim_folder.h"
#include "support/input_file.h"
#include "support/or_abort.h"

enum { COLUMNS_MAX = 512, FILE_MAX = 64 << 20 };

static const char swept_prefix[] = "swept_";

/* The columns that are needed; -1: the file does not have it. */
struct columns {
    char *names[COLUMNS_MAX];
    int count, swept;
    int load, figure, half, seeds, saturated, unsteady;
    int by; /* the swept key by which series are compared; -1: by none */
};

struct reader {
    const char *path;
    FILE *file;
    char *line, *heading;
    size_t room;
    unsigned number;
    struct columns columns;
    char *fields[COLUMNS_MAX];
    char *error;
    size_t error_size;
};

static int refuse(const struct reader *reader, const char *reason)
{
    snprintf(reader->error, reader->error_size, "%s:%u: %s", reader->path, reader->number, reason);
    return -1;
}

/* Takes a quoted field out of its quotes, in place. Returns what is behind it, NULL if it has no end. */
static char *unquote(char *text)
{
    char *out = text;
    for (char *in = text + 1; *in; in++) {
        if (*in == '"' && *++in != '"') {
            *out = 0;
            return in;
        }
        *out++ = *in;
    }
    return NULL;
}

/* Cuts a line into its fields. Returns how many, or -1. */
static int split(char *line, char **fields)
{
    int count = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *at = line; at; count++) {
        if (count == COLUMNS_MAX)
            return -1;
        fields[count] = at;
        char *end = *at == '"' ? unquote(at) : at + strcspn(at, ",");
        if (!end || (*end && *end != ','))
            return -1;
        at = *end ? end + 1 : NULL;
        *end = 0;
    }
    return count;
}

static int find(const struct columns *columns, const char *name, const char *ending)
{
    size_t length = strlen(name);
    for (int i = 0; i < columns->count; i++)
        if (strncmp(columns->names[i], name, length) == 0 && strcmp(columns->names[i] + length, ending) == 0)
            return i;
    return -1;
}

static int find_key(struct reader *reader, const char *key)
{
    struct columns *columns = &reader->columns;
    for (columns->by = columns->swept - 1; columns->by >= 0; columns->by--)
        if (strcmp(columns->names[columns->by] + strlen(swept_prefix), key) == 0)
            return 0;
    snprintf(reader->error, reader->error_size, "%s: --by %s, expected a key that was swept", reader->path, key);
    return -1;
}

static int read_heading(struct reader *reader, const char *column, const char *by)
{
    struct columns *columns = &reader->columns;
    reader->number = 1;
    if (getline(&reader->heading, &(size_t){0}, reader->file) < 0)
        return refuse(reader, "empty, expected a file of postroad sim --csv");
    columns->count = split(reader->heading, columns->names);
    while (columns->swept < columns->count &&
           strncmp(columns->names[columns->swept], swept_prefix, strlen(swept_prefix)) == 0)
        columns->swept++;
    if (columns->count <= columns->swept || strcmp(columns->names[columns->swept], "schema") != 0)
        return refuse(reader, "expected a heading of postroad sim --csv");
    columns->figure = find(columns, column, "");
    columns->half = find(columns, column, "_ci95");
    columns->load = find(columns, "load", "");
    columns->seeds = find(columns, "seeds", "");
    columns->saturated = find(columns, "runs_saturated", "");
    columns->unsteady = find(columns, "runs_unsteady", "");
    columns->by = -1;
    if (columns->figure >= 0)
        return by ? find_key(reader, by) : 0;
    snprintf(reader->error, reader->error_size, "%s: no column %s, expected one of its heading", reader->path, column);
    return -1;
}

/* The number in a column; `otherwise` if there is none. */
static double number(const struct reader *reader, int column, double otherwise)
{
    char *end;
    const char *text = column >= 0 ? reader->fields[column] : "";
    double value = strtod(text, &end);
    return end != text && !*end && isfinite(value) ? value : otherwise;
}

/* The swept values of a record, with their keys or alone, but for the key `left_out`. */
static void name_values(const struct reader *reader, bool keys, int left_out, char *out)
{
    size_t used = 0;
    *out = 0;
    for (int i = 0; i < reader->columns.swept && used < COMPARE_NAME; i++)
        if (i != left_out)
            used += (size_t)snprintf(out + used, COMPARE_NAME - used, "%s%s%s%s", used ? " " : "",
                                     keys ? reader->columns.names[i] + strlen(swept_prefix) : "", keys ? "=" : "",
                                     reader->fields[i]);
}

/* The series of this file with these swept values. */
static struct compare_series *series_of(struct compare_files *files, const struct reader *reader)
{
    char swept[COMPARE_NAME];
    name_values(reader, true, -1, swept);
    for (size_t i = 0; i < files->count; i++)
        if (files->series[i].path == reader->path && strcmp(files->series[i].swept, swept) == 0)
            return &files->series[i];
    files->series = or_abort(realloc(files->series, (files->count + 1) * sizeof *files->series));
    struct compare_series *series = &files->series[files->count++];
    *series = (struct compare_series){.path = reader->path};
    memcpy(series->swept, swept, sizeof swept);
    name_values(reader, false, -1, series->values);
    name_values(reader, true, reader->columns.by, series->others);
    return series;
}

static void add_row(struct compare_series *series, const struct reader *reader)
{
    const struct columns *columns = &reader->columns;
    double mean = number(reader, columns->figure, NAN);
    series->rows = or_abort(realloc(series->rows, (series->count + 1) * sizeof *series->rows));
    series->rows[series->count++] = (struct compare_row){
        .load = number(reader, columns->load, -1),
        .measured = !isnan(mean),
        .figure = {number(reader, columns->seeds, 1), mean, number(reader, columns->half, INFINITY)},
        .diverges = number(reader, columns->load, -1) >= 0 &&
                    number(reader, columns->saturated, 0) + number(reader, columns->unsteady, 0) > 0,
    };
}

static int read_rows(struct reader *reader, struct compare_files *files)
{
    size_t before = files->count;
    for (reader->number = 2; getline(&reader->line, &reader->room, reader->file) >= 0; reader->number++) {
        if (split(reader->line, reader->fields) != reader->columns.count)
            return refuse(reader, "expected as many fields as the heading has");
        add_row(series_of(files, reader), reader);
    }
    return files->count > before ? 0 : refuse(reader, "expected a line for each point");
}

int compare_file_read(const char *path, const char *column, const char *by, struct compare_files *files, char *error,
                      size_t error_size)
{
    const struct sim_folder folder = {.path = path};
    char table[SIM_PATH], reason[INPUT_FILE_REASON];
    size_t length;
    const char *file = sim_folder_there(path) ? sim_folder_file(&folder, "table.csv", table) : path;
    char *text = input_file_read(file, FILE_MAX, &length, reason);
    if (!text) {
        snprintf(error, error_size, "%s: %s, expected a file of postroad sim --csv", file, reason);
        return -1;
    }
    struct reader reader = {
        .path = path, .file = or_abort(fmemopen(text, length, "r")), .error = error, .error_size = error_size};
    int status = read_heading(&reader, column, by) == 0 ? read_rows(&reader, files) : -1;
    free(reader.line);
    free(reader.heading);
    fclose(reader.file);
    free(text);
    return status;
}

void compare_files_free(struct compare_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->series[i].rows);
    free(files->series);
}
