/* The reliable service on whole meshes, over a network that does anything to whole packets (lossy_mesh.h): many short
 * runs, each from a seed of its own, with other sizes, chances and faults. A run that fails says its seed; SEED=n
 * begins with that one.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_SOAK_H
#define POSTROAD_TESTS_FIRMWARE_SOAK_H

#include "lossy_mesh.h"

/* What the meshes of a soak are like, and how long it lasts. */
struct soak {
    unsigned runs;        /* for check_rounds; more, if these take less than SOAK_SECONDS */
    unsigned columns_min; /* of up to 3, in up to 3 rows */
    bool has_small;       /* most sites, one or all are small operators */
    unsigned slow_gap;    /* clocks between packets in one run of four; 0: as in the others */
};

/* What happened in all runs; of small operators alone too. */
struct soak_sums {
    unsigned long runs, accepted, delivered, failed, restarts, lost, duplicated, diverted, aborted, deferred, dropped,
        paths, trees, relays, subtrees, routed, small_accepted, small_delivered, small_refused, small_time_outs,
        small_duplicates, small_held;
};

/* So many of these in 100 runs, or the soak has not tried what it is for. */
#define CHECK_IN_100_RUNS(sums, what, count) CHECK((sums).what * 100 > (count) * (sums).runs)

struct soak_sums soak(const struct soak *soak, uint64_t seed);

#endif
