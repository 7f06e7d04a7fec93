/* Latency statistics, see statistics.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/statistics.h"

#include <math.h>
#include <string.h>

#include "support/run_memory.h"

int statistics_init(struct statistics *statistics)
{
    memset(statistics, 0, sizeof *statistics);
    statistics->bins = run_memory_allocate(STATISTICS_BINS, sizeof *statistics->bins);
    return statistics->bins ? 0 : -1;
}

void statistics_free(struct statistics *statistics)
{
    run_memory_free(statistics->bins);
    statistics->bins = NULL;
}

void statistics_move(struct statistics *to, struct statistics *from)
{
    *to = *from;
    from->bins = NULL;
}

static unsigned bin_of(uint64_t value)
{
    return statistics_bin(value, STATISTICS_EXACT, STATISTICS_STEPS);
}

static uint64_t bin_start(unsigned bin)
{
    return statistics_bin_start(bin, STATISTICS_EXACT, STATISTICS_STEPS);
}

void statistics_add(struct statistics *statistics, uint64_t value)
{
    if (!statistics->count || value < statistics->min)
        statistics->min = value;
    if (value > statistics->max)
        statistics->max = value;
    statistics->count++;
    statistics->sum += value;
    statistics->bins[bin_of(value)]++;
}

double statistics_mean(const struct statistics *statistics)
{
    return (double)statistics->sum / (double)statistics->count;
}

uint64_t statistics_quantile(const struct statistics *statistics, double share)
{
    uint64_t rank = (uint64_t)ceil(share * (double)statistics->count), seen = 0;
    for (unsigned bin = 0; bin < STATISTICS_BINS; bin++) {
        seen += statistics->bins[bin];
        if (seen && seen >= rank)
            return bin_start(bin) > statistics->min ? bin_start(bin) : statistics->min;
    }
    return statistics->max;
}

uint64_t statistics_between(const struct statistics *statistics, uint64_t from, uint64_t below)
{
    uint64_t count = 0;
    for (unsigned bin = bin_of(from); bin < STATISTICS_BINS && bin_start(bin) < below; bin++)
        count += statistics->bins[bin];
    return count;
}
