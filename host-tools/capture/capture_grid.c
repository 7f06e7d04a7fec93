/* See capture_grid.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "capture/capture_grid.h"

#include "capture/capture_read.h"

#include <math.h>

/* A time that has nothing to do with a grid of two units a sample is on it in half of the cases. */
enum { TIMES_LEAST = 24 };

static const double window = 1.02;     /* roundings between the times that are earliest and latest in their sample */
static const double units_least = 1.9; /* of a sample: finer grids cannot be told */

static void add_rate(struct capture_grid *grid, double rate)
{
    if (grid->count < GRID_RATES)
        grid->rates[grid->count++] = (struct grid_rate){.rate = rate, .per_unit = rate / grid->unit_rate};
}

void capture_grid_begin(struct capture_grid *grid, double unit_rate, double rate, bool given)
{
    static const double steps[] = {1, 1.2, 1.25, 1.5, 1.6, 2, 2.4, 2.5, 3, 3.125, 3.2, 4, 4.8, 5, 6, 6.25, 8, 9.6};
    *grid = (struct capture_grid){.unit_rate = unit_rate, .rounding = 1, .given = given};
    if (rate > 0) {
        add_rate(grid, rate);
        grid->rounding = rate == unit_rate ? 0 : 1;
        return;
    }
    for (double decade = 1e3; decade < 1e10; decade *= 10)
        for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
            if (steps[i] * decade * units_least <= unit_rate)
                add_rate(grid, steps[i] * decade);
}

/* False: the times are not samples of this rate. */
static bool fits(const struct capture_grid *grid, struct grid_rate *rate, uint64_t since)
{
    double samples = (double)since * rate->per_unit, number = nearbyint(samples);
    rate->low = fmin(rate->low, samples - number);
    rate->high = fmax(rate->high, samples - number);
    return rate->high - rate->low <= window * grid->rounding * rate->per_unit;
}

void capture_grid_add(struct capture_grid *grid, uint64_t time)
{
    unsigned kept = 0;
    if (grid->times && time == grid->last)
        return;
    if (!grid->times)
        grid->first = time;
    else if (!grid->shortest || time - grid->last < grid->shortest)
        grid->shortest = time - grid->last;
    grid->times++;
    grid->last = time;
    for (unsigned i = 0; i < grid->count; i++)
        if (fits(grid, &grid->rates[i], time - grid->first))
            grid->rates[kept++] = grid->rates[i];
    grid->count = kept;
}

/* The slowest rate of all that are left; NULL: there is none. */
static const struct grid_rate *find_rate(const struct capture_grid *grid)
{
    const struct grid_rate *rate = grid->rates;
    if (!grid->count)
        return NULL;
    if (grid->given || rate->per_unit == 1)
        return rate;
    return grid->times >= TIMES_LEAST && grid->rounding * units_least * rate->per_unit <= 1 ? rate : NULL;
}

/* Steps by which an edge may have been earlier than its time. */
static double exact_steps(const struct capture_grid *grid, double step)
{
    double shortest = (double)grid->shortest / step, rounding = grid->rounding / step;
    if (!grid->given && shortest > 1 + rounding)
        return shortest + rounding;
    return step >= units_least * grid->rounding ? 1 : 1 + rounding; /* samples that can be told apart */
}

void capture_grid_end(const struct capture_grid *grid, struct capture_sampling *sampling)
{
    const struct grid_rate *rate = find_rate(grid);
    double unit = 1 / grid->unit_rate, step = rate ? 1 / rate->per_unit : 1; /* units */
    double exact = rate ? exact_steps(grid, step) : (double)grid->shortest + grid->rounding;
    double one_sample = grid->rounding > 0 ? 1.5 : 2; /* whole units may be halves of a sample, as LiteScope's are */
    double first = rate ? (double)grid->first + (rate->low + rate->high) / 2 * step : 0, phase = fmod(first, step);
    *sampling = (struct capture_sampling){.step = step * unit,
                                          .phase = phase < 0 ? phase + step : phase,
                                          .exact = exact * step * unit,
                                          .sought = !grid->given || !rate,
                                          .guessed = !rate || (!grid->given && exact > one_sample)};
}
