/* Readings of a latency, and what they say of it. A reading is not a number but an interval that contains the true
 * latency of one packet: value - error to value + error, in samples.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_READINGS_H
#define POSTROAD_LATENCY_READINGS_H

#include "latency/line_clock.h"

#include <stddef.h>

/* Of all lists together: 12 bytes each. What comes later is counted and left out. */
enum { READINGS_MAX = 2000000, READINGS_BARS = 40 };

struct readings {
    size_t count, room, left_out;
    double *values;
    float *errors;
};

/* A figure and its interval of 99 %. An end that the readings cannot bound is open: infinite. */
struct figure {
    double value, low, high;
    double resolution; /* how wide the interval would be with any number of readings */
};

/* min, max and the histogram are of the packets in the capture; median, p99 and mean are of the traffic that the
 * packets are a sample of. */
struct figures {
    size_t count, left_out;
    struct figure min, median, p99, max, mean;
    double bar_from, bar_width;
    unsigned bar_count;
    size_t bars[READINGS_BARS];
};

void readings_add(struct readings *readings, struct uncertain reading);
void readings_free(struct readings *readings);

/* count > 0. Sorts nothing in place. In samples. */
void readings_figures(const struct readings *readings, struct figures *figures);

/* The order of two doubles, for qsort. */
int readings_compare(const void *left, const void *right);

/* Ranks (from 1) of the readings between which the quantile lies: 0 and count + 1 are open. */
void readings_ranks(size_t count, double share, size_t *low, size_t *high);

/* The quantile of Student's distribution at the upper end of an interval. */
double readings_student(double freedom);

#endif
