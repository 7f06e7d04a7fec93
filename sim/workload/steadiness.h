/* Was a run steady? The measured window is cut into batches of equal length, and a value (a latency, in
 * clocks as the window) counts in the batch in which its packet was generated. The mean of the second half is compared
 * with that of the first; the batches of each half tell how far its mean may be off.
 *
 * sim/README.md ("Saturated, steady") has what is assumed, and how often the verdict is wrong.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_STEADINESS_H
#define POSTROAD_WORKLOAD_STEADINESS_H

#include <stdint.h>

/* Steps are those in which values are collected, and batches are made of them at the end. */
enum { STEADINESS_STEPS = 64, STEADINESS_BATCHES = 16 };

/* Zeroed, it is empty. All members are sums, so those of several ranks can be added once their steps are equal. */
struct steadiness {
    uint64_t count[STEADINESS_STEPS], sum[STEADINESS_STEPS];
    uint64_t shift; /* a step is 2^shift clocks */
};

enum steadiness_verdict {
    STEADINESS_UNDECIDED, /* the run is too short, or too uneven, to tell */
    STEADINESS_STEADY,
    STEADINESS_UNSTEADY
};

struct steadiness_halves {
    double first, second; /* means; 0 without values */
    double error;         /* standard error of their difference */
    enum steadiness_verdict verdict;
};

/* Adds a value at this clock of the window. */
void steadiness_add(struct steadiness *steadiness, uint64_t clock, uint64_t value);

/* Makes the steps as long as a window of so many clocks needs. Windows of the same length then have equal steps. */
void steadiness_set_length(struct steadiness *steadiness, uint64_t length);

/* After steadiness_set_length. */
struct steadiness_halves steadiness_halves(const struct steadiness *steadiness, uint64_t length);

#endif
