/* Latency statistics: a histogram that is exact up to 65535 clocks and has 1024 steps an octave above that.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_STATISTICS_H
#define POSTROAD_WORKLOAD_STATISTICS_H

#include <stdint.h>

enum { STATISTICS_EXACT = 16, STATISTICS_STEPS = 10 }; /* bits, as of statistics_bin */
enum { STATISTICS_BINS = (1 << STATISTICS_EXACT) + ((64 - STATISTICS_EXACT) << STATISTICS_STEPS) };

/* Bins of a histogram that is exact below 2^exact, and has 2^steps bins an octave above: that of a value, and the
 * lowest value of one. */
static inline unsigned statistics_bin(uint64_t value, unsigned exact, unsigned steps)
{
    if (value < UINT64_C(1) << exact)
        return (unsigned)value;
    unsigned octave = 63 - (unsigned)__builtin_clzll(value);
    unsigned step = (unsigned)(value >> (octave - steps)) & ((1u << steps) - 1);
    return (1u << exact) + ((octave - exact) << steps) + step;
}

static inline uint64_t statistics_bin_start(unsigned bin, unsigned exact, unsigned steps)
{
    if (bin < 1u << exact)
        return bin;
    unsigned octave = exact + ((bin - (1u << exact)) >> steps);
    uint64_t step = (bin - (1u << exact)) & ((1u << steps) - 1);
    return ((UINT64_C(1) << steps) + step) << (octave - steps);
}

struct statistics {
    uint64_t count, sum, min, max;
    uint64_t *bins; /* owned */
};

/* 0, or -1 without memory. Release with statistics_free. */
int statistics_init(struct statistics *statistics);
void statistics_free(struct statistics *statistics);

/* `to` takes over what `from` has, which must not be added to any more and may be released. */
void statistics_move(struct statistics *to, struct statistics *from);

void statistics_add(struct statistics *statistics, uint64_t value);

/* These functions need count > 0. The quantile is the smallest value that at least `share` (0 to 1) of all values do
 * not exceed; above 65535 it is at most 0.1 % too low. */
double statistics_mean(const struct statistics *statistics);
uint64_t statistics_quantile(const struct statistics *statistics, double share);

/* The number of values in [from, below), to the resolution of the bins. */
uint64_t statistics_between(const struct statistics *statistics, uint64_t from, uint64_t below);

#endif
