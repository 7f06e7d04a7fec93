/* What pings tell of two clocks that are not set by each other. A ping that goes out at `a` of the near clock comes in
 * at `b` of the far one, and its answer goes out at `c` and comes in at `d`:
 *
 *   near  --a-------------------d-->     out = b - a = way out  + offset          offset: the far clock less the near
 * one \                 /         back = d - c = way back - offset far   -----b-----------c------>      out + back =
 * both ways, exactly
 *
 * No way is shorter than 0 clocks, so the offset lies between -back and out. Nothing more can be known: where in
 * between depends on how the sum is shared. Several pings give bounds each, and the offset lies within all of them, if
 * the clocks have not come apart meanwhile.
 *
 * Clocks are the low 32 bits, and so are differences: an offset is modulo 2^32, here from -2^31 on.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_TWO_CLOCKS_H
#define POSTROAD_CLI_TWO_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* All zeroes: no ping yet. */
struct two_clocks {
    unsigned count;
    uint32_t least; /* both ways, clocks */
    double sum;     /* both ways, of all pings */
    bool apart;     /* no offset lies within the bounds of all pings: the clocks' rates differ by too much */
    uint32_t low, high;
};

void two_clocks_add(struct two_clocks *clocks, uint32_t out, uint32_t back);

/* Bounds of the offset; high may be above INT32_MAX where low is not. False: there are none. */
bool two_clocks_offset(const struct two_clocks *clocks, int64_t *low, int64_t *high);

#endif
