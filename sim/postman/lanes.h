/* Bit-slicing: bits of many nodes in one machine word. A `lanes` holds one state bit of LANES_ROWS rows of nodes, bit x
 * of element y for the node in column x.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTMAN_LANES_H
#define POSTROAD_POSTMAN_LANES_H

#include <stdbool.h>
#include <stdint.h>

enum { LANES_ROWS = 4 };

typedef uint32_t lanes __attribute__((vector_size(LANES_ROWS * sizeof(uint32_t))));
typedef uint64_t lanes_halves __attribute__((vector_size(sizeof(lanes))));

static inline bool lanes_any(lanes bits)
{
    lanes_halves halves = (lanes_halves)bits;
    return (halves[0] | halves[1]) != 0;
}

static inline unsigned lanes_count(lanes bits)
{
    lanes_halves halves = (lanes_halves)bits;
    return (unsigned)(__builtin_popcountll(halves[0]) + __builtin_popcountll(halves[1]));
}

/* Runs the statement behind it for each bit that is set; `row` and `column` are unsigned variables of the caller. */
#define LANES_EACH(bits, row, column)                                                                                 \
    for ((row) = 0; (row) < LANES_ROWS; (row)++)                                                                      \
        for (uint32_t lanes_rest = (bits)[row]; lanes_rest && ((column) = (unsigned)__builtin_ctz(lanes_rest), true); \
             lanes_rest &= lanes_rest - 1)

#endif
