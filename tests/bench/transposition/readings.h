/* What the 1989 paper leaves open about its transposition: which elements of the matrix are routed if one in k is, and
 * into which machine each is loaded.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_BENCH_TRANSPOSITION_READINGS_H
#define POSTROAD_TESTS_BENCH_TRANSPOSITION_READINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "postman/postman_model.h"

/* An element of a square matrix, and what readings draw from. */
struct element {
    unsigned row, column, size;
    unsigned share; /* one in so many is routed */
    uint64_t *seed;
};

typedef bool chosen(const struct element *element);
typedef enum postman_dimension loaded(const struct element *element);

/* By name; NULL: there is no such reading. */
chosen *reading_chosen(const char *name);
loaded *reading_loaded(const char *name);

#endif
