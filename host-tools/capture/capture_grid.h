/* The sample rate behind times that were rounded to a unit: the slowest usual rate of analysers of which all times are
 * whole samples, but for the rounding.
 *
 *   24 MS/s in ns     0       42      83      125     167     208 ...      round(n 1e9 / 24e6)
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CAPTURE_CAPTURE_GRID_H
#define POSTROAD_CAPTURE_CAPTURE_GRID_H

#include <stdint.h>

enum { GRID_RATES = 160 };

struct capture_grid {
    uint64_t times;
    unsigned count;
    double unit_rate;             /* units per second */
    double rates[GRID_RATES];     /* that all times so far fit, slowest first */
    double per_unit[GRID_RATES];  /* samples of that rate in a unit */
    double tolerance[GRID_RATES]; /* samples that rounding may make */
};

void capture_grid_begin(struct capture_grid *grid, double unit_rate);

/* A time in units, counted from a sample. */
void capture_grid_add(struct capture_grid *grid, uint64_t time);

/* The rate, 0: the times are on no grid, or too few to tell. */
double capture_grid_rate(const struct capture_grid *grid);

#endif
