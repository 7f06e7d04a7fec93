/* The samples behind times that were rounded to a unit. All times of a capture lie on the grid of its samples, but for
 * the rounding; where the grid begins is not known.
 *
 *   24 MS/s in ns     1       43      84      126     168     209 ...      round(first + n 1e9 / 24e6)
 *
 * Tried are the usual rates of analysers. A grid on which all times lie need not be that of the samples: if clocks are
 * locked, edges lie on a few of all samples only, which fit many grids. So the grid numbers the samples, but how far
 * apart they are follows from the shortest time between two edges, which is a sample or more.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CAPTURE_CAPTURE_GRID_H
#define POSTROAD_CAPTURE_CAPTURE_GRID_H

#include <stdbool.h>
#include <stdint.h>

enum { GRID_RATES = 160 };

/* A rate whose samples all times so far may be. */
struct grid_rate {
    double rate, per_unit;
    double low, high; /* samples from the nearest one: of the times, counted from the first */
};

struct capture_grid {
    uint64_t times, first, last;
    uint64_t shortest; /* units between two times; 0: there are fewer */
    double unit_rate;  /* units per second */
    double rounding;   /* units to which times were rounded; 0: samples are whole units */
    bool given;        /* the file says which rate it is */
    unsigned count;
    struct grid_rate rates[GRID_RATES]; /* slowest first */
};

struct capture_sampling;

/* rate: the only one to try (that of the units: a sample is one or several), 0: the usual ones. given: the file says
 * that it is the analyser's. */
void capture_grid_begin(struct capture_grid *grid, double unit_rate, double rate, bool given);

/* The time of an edge in units; times never go back. */
void capture_grid_add(struct capture_grid *grid, uint64_t time);

/* What the times say. Where they are on no grid, or too few to tell, a step is a unit. */
void capture_grid_end(const struct capture_grid *grid, struct capture_sampling *sampling);

#endif
