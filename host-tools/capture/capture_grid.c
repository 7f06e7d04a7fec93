/* See capture_grid.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "capture/capture_grid.h"

#include <math.h>

/* A time that has nothing to do with a grid of two units a sample is on it in half of the cases. */
enum { TIMES_LEAST = 24 };

void capture_grid_begin(struct capture_grid *grid, double unit_rate)
{
    static const double steps[] = {1, 1.2, 1.25, 1.5, 1.6, 2, 2.4, 2.5, 3, 3.125, 3.2, 4, 4.8, 5, 6, 6.25, 8, 9.6};
    const double rounding = 0.51, units_least = 1.9; /* of a sample */
    *grid = (struct capture_grid){.unit_rate = unit_rate};
    for (double decade = 1e3; decade < 1e10; decade *= 10)
        for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
            double rate = steps[i] * decade;
            if (rate * units_least > unit_rate || grid->count == GRID_RATES)
                return;
            grid->rates[grid->count] = rate;
            grid->per_unit[grid->count] = rate / unit_rate;
            grid->tolerance[grid->count] = rounding * rate / unit_rate;
            grid->count++;
        }
}

void capture_grid_add(struct capture_grid *grid, uint64_t time)
{
    unsigned kept = 0;
    grid->times++;
    for (unsigned i = 0; i < grid->count; i++) {
        double samples = (double)time * grid->per_unit[i];
        if (fabs(samples - nearbyint(samples)) > grid->tolerance[i])
            continue;
        if (kept != i) {
            grid->rates[kept] = grid->rates[i];
            grid->per_unit[kept] = grid->per_unit[i];
            grid->tolerance[kept] = grid->tolerance[i];
        }
        kept++;
    }
    grid->count = kept;
}

double capture_grid_rate(const struct capture_grid *grid)
{
    return grid->count && grid->times >= TIMES_LEAST ? grid->rates[0] : 0;
}
