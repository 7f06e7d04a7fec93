/* State of an experiment, and what its parts do to it. Private to sim/experiment.
 *
 *   experiment.c  runs it  -->  experiment_faults.c, injector_native.c, injector_console.c  -->  experiment_state.c
 *                          -->  load_verdict.c, load_bounds.c
 *   injector_native.c  -->  experiment_groups.c  -->  replica.c  -->  experiment_state.c  -->  shared_event.c
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_EXPERIMENT_EXPERIMENT_STATE_H
#define POSTROAD_EXPERIMENT_EXPERIMENT_STATE_H

#include "experiment/experiment.h"

/* Sites, or sources of the scoreboard, in no particular order, each at most once. */
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

struct injector;
struct group_site;

/* What must change now and then; and since when it has not. */
struct stall_detector {
    uint64_t movement, deliveries;
    uint64_t moved_at, delivered_at;
    uint64_t limit; /* clocks without any movement that end the run */
};

/* All of it is run memory, its copies of what the caller gave too. */
struct experiment {
    struct mesh_config mesh_copy;
    struct experiment_options options_copy;
    struct experiment_result result_copy;
    const struct mesh_config *mesh;
    const struct experiment_options *options;
    struct simulation *simulation;
    struct traffic *traffic;
    struct scoreboard *scoreboard;
    bool recorded_by_all;            /* the packets, by all ranks: by the only one, or they are a trace's */
    struct warm_up_series *series;   /* of a run that looks for the end of its warm-up; or NULL */
    struct scoreboard_totals totals; /* of all packets, as they were between the last two runs of the simulation */
    uint64_t generated;              /* packets, of all ranks */
    struct site_list waiting;        /* sources of this rank, members of groups too, with packets in their queue */
    uint64_t origin;                 /* clock at which the injector had started the sites: the traffic's clock 0 */
    uint64_t generation_ended;       /* clock after the last packet's; UINT64_MAX before */
    struct site_health *health;      /* by site; NULL without faults */
    const struct injector *injector;
    void *state;                    /* the injector's own */
    struct group_site *group_sites; /* by site, see experiment_groups.h; NULL: no packets go to groups */
    unsigned joined;                /* sites that have been told to join the first group */
    bool failed;                    /* result->diagnosis has the reason; the run ends */
    struct experiment_result *result;
    struct stall_detector stall_detector;
    bool told_draining;
    double started; /* processor time of this process, and what earlier processes have taken counts before it */
};

/* Does this rank record the packets of this source? */
bool experiment_records(const struct experiment *experiment, uint32_t source);

/* Clock of the next packet to be generated, UINT64_MAX if there is none. */
uint64_t experiment_next_packet(const struct experiment *experiment);

/* A packet has arrived: another one may have waited for it. To be registered with scoreboard_on_over. */
void experiment_packet_over(void *context, uint64_t number);

/* Generates every packet that is due by this clock, into the sources' queues. */
void experiment_generate(struct experiment *experiment, uint64_t clock);

/* The measurement begins after the warm-up and ends at this clock. */
void experiment_set_window(struct experiment *experiment, uint64_t end);

/* The source's queue is not empty: it is to be served. Does nothing if that is known. */
void experiment_add_waiting(struct experiment *experiment, uint32_t source);

/* Adds what a site's hardware has counted to the result: before a reset takes it away, and at the end. */
void experiment_collect(struct experiment *experiment, uint32_t site);

/* Adds a frame once it is time, and at the end of the run in any case. Only with result->frames. */
void experiment_record(struct experiment *experiment, bool last);

/* False while a site's operator is in reset or has stopped for good. */
static inline bool experiment_site_alive(const struct experiment *experiment, uint32_t site)
{
    return !experiment->health || !(experiment->health[site].in_reset || experiment->health[site].stopped);
}

/* A signal has interrupted it. */
static inline bool experiment_is_stopped(const struct experiment *experiment)
{
    return experiment->options->stop && *experiment->options->stop;
}

/* Runs so many clocks. The run ends if it cannot go on because a site under QEMU hangs. */
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
