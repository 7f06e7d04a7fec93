/* Latencies from one wire to another one: what hops from line to line and the events of strobes both add to.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_WIRE_PAIRS_H
#define POSTROAD_LATENCY_WIRE_PAIRS_H

#include "latency/readings.h"

#include <stdbool.h>

enum { WIRE_JUMPS = 1024 };

/* How a latency changes over the capture: sums for a straight line, times in samples. */
struct wire_trend {
    double count, time, time_squares, latency, latency_squares, products;
};

struct wire_pair {
    unsigned from, to, hops; /* hops 0: to or from a strobe of the same board */
    bool end_to_end;
    bool refused; /* of two strobes: their order does not say which events belong together */
    struct readings readings;
    struct wire_trend trend;
};

/* Where the capture's time has a jump between two samples: frames left their places. */
struct wire_jumps {
    uint64_t count;    /* the latest are kept */
    uint64_t left_out; /* readings over a jump */
    double first;      /* sample */
    struct {
        double from, until;
    } kept[WIRE_JUMPS];
};

struct wire_pairs {
    unsigned count;
    struct wire_pair *pairs;
    struct wire_jumps jumps;
};

void wire_pairs_begin(struct wire_pairs *pairs);
void wire_pairs_free(struct wire_pairs *pairs);

/* Adds a reading to the pair of these wires, hops and kind of way; times in samples. No reading is added behind the
 * last pair that there is room for, or over a jump. */
void wire_pairs_add(struct wire_pairs *pairs, struct wire_pair of, struct uncertain began, struct uncertain ended);

void wire_pairs_jump(struct wire_pairs *pairs, uint64_t from, uint64_t until);

/* Does the capture's time have a jump between these samples? */
bool wire_pairs_jump_between(const struct wire_pairs *pairs, double began, double ended);

#endif
