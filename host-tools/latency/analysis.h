/* What a capture says: figures of hops and ways in seconds, clocks, a fit of latency against hops, and notes about all
 * that is wrong with the capture.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_ANALYSIS_H
#define POSTROAD_LATENCY_ANALYSIS_H

#include "latency/capture_notes.h"

/* Readings of a hop or of a way, in seconds of true time. */
struct latency_row {
    const struct wire_pair *pair;
    struct figures figures;
    bool resolution_limited; /* more than half of the median's interval comes from the sample period */
};

/* A board's clock against the analyser's, in ppm. */
struct clock_row {
    unsigned board;
    struct uncertain offset;
    double from_others; /* from the median of all other clocks, the analyser's among them */
    bool locked;        /* no difference from the analyser's clock can be seen */
    double jitter;      /* seconds, visible */
};

/* By least squares over ways with different numbers of hops. Where all have the same number, 2 or more, from the hops
 * of each packet: the slope is the mean of those behind the first. */
struct latency_fit {
    bool valid; /* some packets made two hops or more */
    struct figure slope, intercept;
    unsigned least, most; /* hops */
    size_t count;
};

struct analysis {
    const struct wire_traffic *traffic;
    const struct wires *wires; /* of it */
    double resolution;         /* seconds: how exact an edge is, a sample */
    double seconds;            /* of the capture */
    double tolerance;          /* ppm, of each clock */
    double slowest, fastest;   /* bounds of the analyser's offset from true time, ppm */
    size_t hop_count, way_count, strobe_count, clock_count;
    struct latency_row *hops, *ways, *strobes; /* strobes: to or from a probe pin of a board */
    struct clock_row *clocks;
    size_t unmeasured_count; /* boards with frames whose clock could not be measured */
    unsigned *unmeasured;
    struct latency_fit fit;
    struct capture_notes notes;
};

/* Draws the conclusions, after wire_traffic_end. tolerance: how far oscillators may be off, ppm. */
void analyse(struct analysis *analysis, const struct wire_traffic *traffic, double tolerance);
/* A figure in samples, as seconds of true time: wider by what the analyser's clock is bounded to. */
struct figure analysis_in_seconds(const struct analysis *analysis, struct figure figure);

void analysis_free(struct analysis *analysis);

#endif
