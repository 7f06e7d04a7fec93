/* See traffic_matrix.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/traffic_matrix.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "support/file_error.h"
#include "support/input_file.h"
#include "support/run_memory.h"

enum { WORD_SIZE = 40, END_OF_LINE = '\n' };

#define RATE_MOST 1e15 /* sums of a row stay exact enough */

struct reading {
    FILE *file;
    struct traffic_matrix *matrix;
    uint32_t row, column; /* of the next number */
    int line;
    char *error;
    size_t error_size;
};

static bool __attribute__((format(printf, 2, 3))) fail(struct reading *reading, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    file_error(reading->error, reading->error_size, reading->matrix->path, reading->line, format, arguments);
    va_end(arguments);
    return false;
}

/* Takes a word, which may be empty, and what ends it, which is returned: a separator, END_OF_LINE or EOF. */
static int take_word(FILE *file, char word[WORD_SIZE])
{
    size_t length = 0;
    int byte = getc(file);
    for (; byte != EOF && (!byte || !strchr(" \t\r,\n#", byte)); byte = getc(file))
        if (length < WORD_SIZE - 1) {
            bool fits = length < WORD_SIZE - 2; /* too long a word is no number */
            word[length++] = fits && byte ? (char)byte : '?';
        }
    bool comment = byte == '#';
    while (comment && byte != EOF && byte != END_OF_LINE)
        byte = getc(file);
    word[length] = 0;
    return byte;
}

static bool add_rate(struct reading *reading, const char *word)
{
    struct traffic_matrix *matrix = reading->matrix;
    char *end;
    double rate = strtod(word, &end);
    if (strspn(word, "0123456789.eE+-") != strlen(word) || *end || !(rate >= 0 && rate <= RATE_MOST))
        return fail(reading, "'%s': expected a relative rate, a number from 0 to 1e15", word);
    if (reading->row == matrix->sites)
        return fail(reading, "a row more, expected %u, one for each site that has an operator", matrix->sites);
    if (reading->column == matrix->sites)
        return fail(reading, "'%s': expected the end of the row, which has %u numbers", word, matrix->sites);
    double *sum = &matrix->sums[(size_t)reading->row * matrix->sites + reading->column];
    *sum = reading->column++ ? sum[-1] + rate : rate;
    return true;
}

static bool end_line(struct reading *reading)
{
    struct traffic_matrix *matrix = reading->matrix;
    if (reading->column == 0)
        return true;
    if (reading->column < matrix->sites)
        return fail(reading, "%u numbers, expected %u, one for each site that has an operator", reading->column,
                    matrix->sites);
    matrix->mean += matrix->sums[(size_t)reading->row * matrix->sites + matrix->sites - 1] / matrix->sites;
    reading->row++;
    reading->column = 0;
    return true;
}

static bool read_rows(struct reading *reading)
{
    const struct traffic_matrix *matrix = reading->matrix;
    char word[WORD_SIZE];
    for (int ended = 0; ended != EOF;) {
        ended = take_word(reading->file, word);
        if (*word && !add_rate(reading, word))
            return false;
        if ((ended == END_OF_LINE || ended == EOF) && !end_line(reading))
            return false;
        reading->line += ended == END_OF_LINE;
    }
    if (ferror(reading->file))
        return fail(reading, "%s", strerror(errno));
    if (reading->row < matrix->sites)
        return fail(reading, "%u rows, expected %u, one for each site that has an operator", reading->row,
                    matrix->sites);
    return matrix->mean > 0 || fail(reading, "all rates are 0, expected a site that sends");
}

/* False with a reason in the reading's `error`. */
static bool read_file(struct reading *reading, uint32_t sites, const char *path)
{
    struct traffic_matrix *matrix = reading->matrix;
    snprintf(reading->error, reading->error_size, "out of memory");
    if (!matrix || !(matrix->path = run_memory_text(path)) ||
        !(matrix->sums = run_memory_allocate((size_t)sites * sites, sizeof *matrix->sums)))
        return false;
    matrix->sites = sites;
    reading->file = input_file_open(path);
    if (!reading->file) {
        snprintf(reading->error, reading->error_size, "%s: %s", path, strerror(errno));
        return false;
    }
    bool good = read_rows(reading);
    fclose(reading->file);
    return good;
}

struct traffic_matrix *traffic_matrix_load(const struct mesh_config *mesh, const char *path, char *error,
                                           size_t error_size)
{
    struct reading reading = {
        .matrix = run_memory_allocate(1, sizeof *reading.matrix), .line = 1, .error = error, .error_size = error_size};
    if (read_file(&reading, (uint32_t)mesh_operators(mesh), path))
        return reading.matrix;
    traffic_matrix_free(reading.matrix);
    return NULL;
}

void traffic_matrix_free(struct traffic_matrix *matrix)
{
    if (!matrix)
        return;
    run_memory_free(matrix->path);
    run_memory_free(matrix->sums);
    run_memory_free(matrix);
}

static const double *row_of(const struct traffic_matrix *matrix, uint32_t row)
{
    return matrix->sums + (size_t)row * matrix->sites;
}

double traffic_matrix_share(const struct traffic_matrix *matrix, uint32_t row)
{
    return row_of(matrix, row)[matrix->sites - 1] / matrix->mean;
}

double traffic_matrix_target_share(const struct traffic_matrix *matrix, uint32_t row, uint32_t column)
{
    const double *sums = row_of(matrix, row);
    return (sums[column] - (column ? sums[column - 1] : 0)) / sums[matrix->sites - 1];
}

uint32_t traffic_matrix_draw(const struct traffic_matrix *matrix, uint32_t row, struct random *random)
{
    const double *sums = row_of(matrix, row);
    double all = sums[matrix->sites - 1], drawn = fmin(random_unit(random) * all, nextafter(all, 0));
    uint32_t first = 0, last = matrix->sites - 1; /* the first column whose sum is above */
    while (first < last) {
        uint32_t middle = first + (last - first) / 2;
        if (sums[middle] > drawn)
            last = middle;
        else
            first = middle + 1;
    }
    return first;
}
