/* The traffic of the loading experiments: journeys of one data flit on a square grid or torus, all loaded before clock
 * 0 but for those of streams, which operators request buffers for from the start on.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_BENCH_LOADS_PATTERNS_H
#define POSTROAD_TESTS_BENCH_LOADS_PATTERNS_H

#include "postman/load_plan.h"

enum {
    PATTERN_SIDE = 32,
    PATTERN_NODES = PATTERN_SIDE * PATTERN_SIDE,
    PATTERN_STREAM = 8, /* packets of a node that loads one behind the other */
    PATTERN_MOST = PATTERN_NODES * PATTERN_STREAM,
    PATTERN_HOT_PERCENT = 10, /* of the packets of hot-spot traffic */
    PATTERN_HOT_NODE = PATTERN_NODES / 2 + PATTERN_SIDE / 2
};

struct journeys {
    struct postman_journey list[PATTERN_MOST];
    unsigned count;
};

struct pattern {
    const char *name;
    /* NULL: a transposition. `grid` has the planes of which a node loads each with one packet at most. */
    void (*fill)(const struct postman_grid *grid, struct journeys *journeys, uint64_t *seed);
    const char *chosen; /* of its elements: bench/transposition/readings.h */
    unsigned share;     /* one element in so many */
    bool drawn;         /* another one for each seed */
};

void pattern_fill(const struct pattern *pattern, const struct postman_grid *grid, struct journeys *journeys,
                  uint64_t *seed);

extern const struct pattern patterns[];
extern const unsigned pattern_count;

#endif
