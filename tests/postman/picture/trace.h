/* A trace of a plane of `postman`, as tests/postman/trace writes it: a line a clock, for each node a hexadecimal digit.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_POSTMAN_PICTURE_TRACE_H
#define POSTROAD_TESTS_POSTMAN_PICTURE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "postman/postman_model.h"

/* What can still be told apart in a picture, and what a browser animates without delay. */
enum { TRACE_MOST_SIDE = 16, TRACE_MOST_NODES = TRACE_MOST_SIDE * TRACE_MOST_SIDE, TRACE_MOST_CLOCKS = 2000 };

struct trace {
    unsigned size_x, size_y, flit_bits; /* the caller's; within the limits above and those of the model */
    unsigned clocks;
    uint8_t nodes[TRACE_MOST_CLOCKS][TRACE_MOST_NODES]; /* as postman_plane_lines */
};

/* 0, or -1 with "PATH: reason" or "PATH:LINE: reason". */
int trace_read(struct trace *trace, const char *path, char *error, size_t error_size);

/* What a node's line shows in a clock. */
bool trace_bit(const struct trace *trace, unsigned clock, unsigned node, enum postman_dimension line);

bool trace_busy(const struct trace *trace, unsigned clock, unsigned node, enum postman_dimension machine);

#endif
