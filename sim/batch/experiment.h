/* One batch experiment: a mesh, one load, so many packets; run until every packet has arrived or nothing
 * moves any more.
 *
 * Clocks are those of the simulation. Latency counts from a packet's generation to the call of the target's
 * evaluator, network latency from the clock in which the packet's first word moved at the sender's
 * network_interface to the one in which its terminator moved at the target's. At site level the sender's
 * stamp is not on the console: there network latency counts from the clock in which the sender's operator
 * accepted the packet. Every target of a multicast counts.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef SIM_BATCH_EXPERIMENT_H
#define SIM_BATCH_EXPERIMENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/mesh.h"
#include "common/scoreboard.h"
#include "common/statistics.h"
#include "common/traffic.h"
#include "rtl/simulation.h"

enum { EXPERIMENT_AUTOMATIC = -1, EXPERIMENT_DEFAULT_POOL = 32, EXPERIMENT_DEFAULT_WINDOW = 4 };

struct experiment_options {
    enum simulation_level level;
    struct traffic_options traffic;
    uint64_t packets;         /* to generate */
    int64_t warmup;           /* clocks before the measurement; EXPERIMENT_AUTOMATIC: a tenth, at most 1000 */
    unsigned pool;            /* buffers of an operator; fabric level only */
    unsigned window;          /* packets a source keeps in its operator's pool at once; site level: on their way */
    unsigned stall;           /* percent of its polls an operator misses; fabric level only */
    const char *waves;        /* or NULL */
    const char *firmware;     /* site level; NULL: the default image */
    const volatile sig_atomic_t *stop; /* not NULL: the run ends early once it is not 0 */
};

enum experiment_end {
    END_COMPLETE,    /* every packet arrived exactly once */
    END_WRONG,       /* something was lost, duplicated, corrupted or went astray */
    END_LOCKED_UP,   /* nothing moves because all storage is committed */
    END_HUNG,        /* nothing moves though there is storage, or nothing is delivered any more: a bug */
    END_INTERRUPTED,
    END_FAILED       /* could not start or go on; `diagnosis` says why */
};

struct experiment_result {
    enum experiment_end end;
    char diagnosis[400];      /* empty if all went well */
    struct scoreboard_totals totals;
    uint64_t lost;            /* expected deliveries that did not come */
    uint64_t clocks, warmup_clocks, measured_clocks;
    uint64_t link_words, aborts, retransmissions, diversions, forwarded, unicast_fallbacks, receive_waits;
    double offered_load, accepted_load; /* words per site and clock within the measurement */
    bool saturated;           /* accepted < 95 % of offered, backlog grew by more than a packet a site */
    double cpu_seconds;       /* user and system, children too, from start to end of this experiment */
    struct statistics latency, network_latency;
    uint32_t *link_use;       /* words sent: [site * links + link] */
};

struct experiment_progress {
    uint64_t clock, packets, delivered, expected;
    const char *event;        /* something to tell, or NULL */
};

typedef void experiment_report(void *context, const struct experiment_progress *progress);

/* Runs one experiment; `report` may be NULL. The result is always filled in; free it with
 * experiment_result_free. */
void experiment_run(const struct mesh_config *mesh, const struct experiment_options *options,
                    experiment_report *report, void *context, struct experiment_result *result);
void experiment_result_free(struct experiment_result *result);

/* The end in a word ("complete", ...), and its exit code. */
const char *experiment_end_name(enum experiment_end end);
int experiment_exit_code(enum experiment_end end);

#endif
