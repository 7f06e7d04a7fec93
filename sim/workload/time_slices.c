/* See time_slices.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/time_slices.h"

#include <math.h>
#include <string.h>

#include "workload/statistics.h"

static void add(struct time_slice *to, const struct time_slice *from)
{
    to->words += from->words;
    to->deliveries += from->deliveries;
    to->latencies += from->latencies;
    for (unsigned bin = 0; bin < TIME_SLICES_BINS; bin++)
        to->bins[bin] += from->bins[bin];
}

/* Two slices become one. */
static void double_slices(struct time_slices *slices)
{
    static const struct time_slice empty;
    for (unsigned i = 0; i < TIME_SLICES; i++) {
        struct time_slice *to = &slices->slices[i];
        *to = 2 * i < TIME_SLICES ? slices->slices[2 * i] : empty;
        if (2 * i + 1 < TIME_SLICES)
            add(to, &slices->slices[2 * i + 1]);
    }
    slices->shift++;
}

static struct time_slice *slice_of(struct time_slices *slices, uint64_t clock)
{
    while ((clock - slices->origin) >> slices->shift >= TIME_SLICES)
        double_slices(slices);
    return &slices->slices[(clock - slices->origin) >> slices->shift];
}

void time_slices_deliver(struct time_slices *slices, uint64_t clock, uint64_t latency)
{
    struct time_slice *slice = slice_of(slices, clock);
    slice->deliveries++;
    slice->latencies += latency;
    slice->bins[statistics_bin(latency, TIME_SLICES_EXACT, TIME_SLICES_STEPS)]++;
}

void time_slices_complete(struct time_slices *slices, uint64_t clock, unsigned words)
{
    slice_of(slices, clock)->words += words;
}

unsigned time_slices_end(struct time_slices *slices, uint64_t clocks)
{
    return clocks ? (unsigned)(slice_of(slices, slices->origin + clocks - 1) - slices->slices) + 1 : 0;
}

uint64_t time_slice_quantile(const struct time_slice *slice, double share)
{
    uint64_t rank = (uint64_t)ceil(share * (double)slice->deliveries), seen = 0;
    unsigned bin = 0;
    while (bin + 1 < TIME_SLICES_BINS && (seen += slice->bins[bin]) < rank)
        bin++;
    return statistics_bin_start(bin, TIME_SLICES_EXACT, TIME_SLICES_STEPS);
}
