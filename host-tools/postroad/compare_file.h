/* Files of `postroad sim --csv`, read back: a series for each combination of swept values, with the loads of it in
 * rows.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_COMPARE_FILE_H
#define POSTROAD_POSTROAD_COMPARE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "workload/sample.h"

enum { COMPARE_NAME = 160, COMPARE_VERDICT = 24 };

struct compare_row {
    double load; /* negative: the file has none, as of --load saturation */
    bool measured;
    struct sample_summary figure;
    bool diverges; /* some run was saturated, or not steady */
};

struct compare_series {
    const char *path;
    char swept[COMPARE_NAME];  /* "KEY=VALUE KEY=VALUE"; "": nothing was swept */
    char values[COMPARE_NAME]; /* "VALUE VALUE" */
    char others[COMPARE_NAME]; /* `swept` without the key by which series are compared; all of it without one */
    struct compare_row *rows;  /* owned */
    size_t count;
};

struct compare_files {
    struct compare_series *series; /* owned */
    size_t count;
};

/* Adds the series of a file, or of a run folder's table, with this column as their figure. by: a swept key, or NULL. 0,
 * or -1 with a reason. */
int compare_file_read(const char *path, const char *column, const char *by, struct compare_files *files, char *error,
                      size_t error_size);
void compare_files_free(struct compare_files *files);

#endif
