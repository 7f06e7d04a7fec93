/* Deliveries of a run in slices of time, all of the same length: how many, their latencies, and the words of packets
 * that were completed. A delivery counts in the clock in which it comes, whenever its packet was generated, and those
 * of the warm-up count too.
 *
 * A slice has 2^shift clocks. When the run gets longer than all slices, two become one: at the end at least half of
 * them are in use. Latencies are exact up to 1023 clocks, above that to 1.6 %.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_TIME_SLICES_H
#define POSTROAD_WORKLOAD_TIME_SLICES_H

#include <stdint.h>

enum { TIME_SLICES = 128, TIME_SLICES_EXACT = 10, TIME_SLICES_STEPS = 6 };
enum { TIME_SLICES_BINS = (1 << TIME_SLICES_EXACT) + ((64 - TIME_SLICES_EXACT) << TIME_SLICES_STEPS) };

/* All members are sums: those of several ranks can be added. */
struct time_slice {
    uint64_t words, deliveries, latencies;
    uint64_t bins[TIME_SLICES_BINS];
};

/* Zeroed, it is empty. */
struct time_slices {
    uint64_t origin; /* the clock in which the first slice begins */
    unsigned shift;
    struct time_slice slices[TIME_SLICES];
};

void time_slices_deliver(struct time_slices *slices, uint64_t clock, uint64_t latency);
void time_slices_complete(struct time_slices *slices, uint64_t clock, unsigned words);

/* To be called at the end of a run of so many clocks; returns how many slices it has. */
unsigned time_slices_end(struct time_slices *slices, uint64_t clocks);

/* The least latency that this share of the deliveries of a slice do not exceed; it has some. */
uint64_t time_slice_quantile(const struct time_slice *slice, double share);

#endif
