/* Packets that are known beforehand: their ways over the lines of a grid, and when the fast model delivers them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTMAN_JOURNEYS_H
#define POSTROAD_POSTMAN_JOURNEYS_H

#include "postman/grid.h"

enum { POSTMAN_MOST_HOPS = 2 * (POSTMAN_MOST_SIDE - 1) };

struct postman_journey {
    unsigned from, to; /* nodes of the grid */
    unsigned data;     /* flits */
    enum postman_dimension first;
    unsigned clock; /* its operator requests the buffer from this clock on (R12); 0: it is in it before clock 0 */
};

/* A line, and for how many clocks the packet holds it. */
struct postman_hop {
    unsigned line, clocks;
};

struct postman_way {
    unsigned count;
    struct postman_hop hops[POSTMAN_MOST_HOPS];
};

/* Lines of a grid. They are numbered from 0 on. */
unsigned postman_lines(const struct postman_options *options);

/* The way that begins in a dimension and turns once at most. */
void postman_journey_way(const struct postman_grid *grid, const struct postman_journey *journey,
                         enum postman_dimension first, struct postman_way *way);

/* Clocks that a lone packet takes, from the beginning of its source on (R19). */
unsigned postman_journey_clocks(const struct postman_grid *grid, const struct postman_journey *journey);

/* Runs them on planes with the options of the grid. arrivals[i] is the clock in which the i-th has arrived; of packets
 * to one node the data have the order modulo 256, and those that are alike change places. False without memory, or if
 * one has not arrived exactly once. Journeys of one machine are in the order of their clocks. `counts` of all planes,
 * if not NULL. */
bool postman_journeys_run(const struct postman_options *options, const struct postman_journey *journeys, unsigned count,
                          unsigned *arrivals, struct postman_counts *counts);

#endif
