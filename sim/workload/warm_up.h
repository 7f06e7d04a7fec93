/* The end of the transient at the begin of a run, from the latencies of all packets in the order of their generation:
 * MSER, the rule of the marginal standard error (White), on the logarithms of
 * the means of batches. It leaves out so many batches that
 * the squared standard error of the mean of the others, were they independent, is least.
 *
 * MSER-5 has batches of five values. In a long run these are so noisy that the rule stops while the mean is still far
 * off, above all if it comes from below, as in a mesh that is empty at first: noise grows with the mean, so that low
 * values seem precise. Hence 256 batches at most, and the logarithm. In synthetic series whose mean comes from 5 to 100
 * over 5 % of the packets the mean of the rest is then off by .4 %, by MSER-5 .9 %, and 4.8 % with nothing left out.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_WARM_UP_H
#define POSTROAD_WORKLOAD_WARM_UP_H

#include <stdbool.h>
#include <stdint.h>

enum { WARM_UP_BATCHES = 256, WARM_UP_BATCH_LEAST = 5 };

/* Sums by batch: those of several ranks can be added. */
struct warm_up_series {
    uint64_t each; /* packets of a batch */
    uint64_t count[WARM_UP_BATCHES], sum[WARM_UP_BATCHES];
    uint64_t clock[WARM_UP_BATCHES]; /* of the first packet */
};

/* For so many packets. */
void warm_up_begin(struct warm_up_series *series, uint64_t packets);

/* A packet was generated in this clock; packets are numbered from 0 in the order of their generation. */
void warm_up_generated(struct warm_up_series *series, uint64_t number, uint64_t clock);

/* It was delivered. */
void warm_up_delivered(struct warm_up_series *series, uint64_t number, uint64_t latency);

struct warm_up {
    uint64_t clock; /* of the first packet that counts */
    bool
        found; /* false: the transient reaches beyond half of the packets, or there are too few; `clock` is that half */
};

struct warm_up warm_up_find(const struct warm_up_series *series);

#endif
