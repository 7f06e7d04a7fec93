/* The rates of a traffic matrix, from a text file: a row of numbers for each source, a number for each target, with
 * blanks or commas between them. Rows and columns are the sites that have an operator, in the order of their numbers.
 * Rates are relative: only their ratios count. What follows a # is a comment.
 *
 *   0 3 1      site 0 sends three packets to site 1 for each to site 2
 *   0 0 0      site 1 sends nothing
 *   4 4 0      site 2 sends twice as much as site 0
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_TRAFFIC_MATRIX_H
#define POSTROAD_WORKLOAD_TRAFFIC_MATRIX_H

#include <stddef.h>

#include "mesh/mesh.h"
#include "support/random.h"

struct traffic_matrix {
    char *path;
    uint32_t sites; /* rows, and columns */
    double mean;    /* of the sums of all rows, more than 0 */
    double *sums;   /* [row * sites + column]: of the rates of a row up to this column */
};

/* NULL with "PATH:LINE: reason, expected ..." or "PATH: reason" in `error`. */
struct traffic_matrix *traffic_matrix_load(const struct mesh_config *mesh, const char *path, char *error,
                                           size_t error_size);
void traffic_matrix_free(struct traffic_matrix *matrix);

/* What a row sends, by the mean of all rows. */
double traffic_matrix_share(const struct traffic_matrix *matrix, uint32_t row);

/* The share of a target in all that a row sends, which is not 0. */
double traffic_matrix_target_share(const struct traffic_matrix *matrix, uint32_t row, uint32_t column);

/* The column of a target of a row that sends. */
uint32_t traffic_matrix_draw(const struct traffic_matrix *matrix, uint32_t row, struct random *random);

#endif
