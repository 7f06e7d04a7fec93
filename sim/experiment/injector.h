/* What the two levels of an experiment share and where they differ: how packets get into a site and how
 * deliveries are noticed. Private to sim/experiment.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_EXPERIMENT_INJECTOR_H
#define POSTROAD_EXPERIMENT_INJECTOR_H

#include "experiment/experiment.h"

/* Sites in no particular order, each at most once. */
struct site_list {
    uint32_t *sites;
    uint32_t count;
    bool *member;
};

/* What faults have done to a site. */
struct site_health {
    bool in_reset;
    bool stopped;   /* for good: its queue is abandoned */
    unsigned epoch; /* how often it was reset */
};

struct experiment {
    const struct mesh_config *mesh;
    const struct experiment_options *options;
    struct simulation *simulation;
    struct traffic *traffic;
    struct scoreboard *scoreboard;
    struct site_list waiting;   /* sources with packets in their queue */
    uint64_t origin;            /* clock at which the drivers had started the sites: the traffic's clock 0 */
    uint64_t generation_ended;  /* clock after the last packet's; UINT64_MAX before */
    struct site_health *health; /* by site; NULL without faults */
    const struct driver *driver;
    void *state; /* the driver's own */
    bool failed; /* result->diagnosis says why; the run ends */
    struct experiment_result *result;
};

struct driver {
    uint64_t chunk;    /* clocks between two calls of step */
    uint64_t patience; /* clocks an operator may take without moving a word, beside the time-outs */
    bool (*start)(struct experiment *experiment);         /* false: failed */
    void (*step)(struct experiment *experiment);          /* between two runs of the simulation; may be NULL */
    bool (*settled)(const struct experiment *experiment); /* no answer is awaited; may be NULL */
    void (*reset)(struct experiment *experiment, uint32_t site, bool running); /* as simulation_reset_hook */
    void (*finish)(struct experiment *experiment); /* adds the operators' counters to the result */
    void (*stop)(struct experiment *experiment);   /* frees its state; also after a failed start */
};

extern const struct driver fabric_driver, site_driver;

/* Clock of the next packet to be generated, UINT64_MAX if there is none. */
uint64_t experiment_next_packet(const struct experiment *experiment);

/* Generates every packet that is due by this clock, into the sources' queues. */
void experiment_generate(struct experiment *experiment, uint64_t clock);

/* The site's queue is not empty: it is to be served. Does nothing if that is known. */
void experiment_add_waiting(struct experiment *experiment, uint32_t site);

/* Adds what a site's hardware has counted to the result: before a reset takes it away, and at the end. */
void experiment_collect(struct experiment *experiment, uint32_t site);

/* Makes the experiment follow its faults; false without memory. Called before the driver starts. And what is to be
 * looked for between two stretches: operators that have stopped for good. And whether some site is in reset or stopped,
 * but not for good: the mesh may be quiet because of that. And the same, but in a run that has stalled: pauses that
 * overlap for ever are a stop for good. False if there are none. */
bool experiment_faults_start(struct experiment *experiment);
void experiment_faults_watch(struct experiment *experiment);
bool experiment_faults_pause(const struct experiment *experiment);
bool experiment_faults_end_pauses(struct experiment *experiment);

/* False while a site's operator is in reset or has stopped for good. */
static inline bool experiment_site_alive(const struct experiment *experiment, uint32_t site)
{
    return !experiment->health || !(experiment->health[site].in_reset || experiment->health[site].stopped);
}

/* Somebody has interrupted it. */
static inline bool experiment_is_stopped(const struct experiment *experiment)
{
    return experiment->options->stop && *experiment->options->stop;
}

/* Runs so many clocks. The run ends if it cannot go on because a guest hangs. */
void experiment_advance(struct experiment *experiment, uint64_t clocks);

/* Ends the run with a reason. */
void experiment_fail(struct experiment *experiment, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Takes the site at this index out of the list; the last one takes its place. */
void site_list_remove(struct site_list *list, uint32_t index);

/* The clock in the past whose low 32 bits are these. */
static inline uint64_t clock_from_stamp(uint64_t now, uint32_t stamp)
{
    return now - (uint32_t)((uint32_t)now - stamp);
}

#endif
