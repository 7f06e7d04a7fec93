/* One batch experiment: a mesh, one load, so many packets. It runs until every packet is accounted for or nothing moves
 * any more. The mesh configuration chooses the service.
 *
 * Clocks are those of the simulation. Latency counts from a packet's generation to the call of the target's
 * evaluator, network latency from the clock in which the packet's first word moved at the sender's
 * network_interface to the one in which its terminator moved at the target's. Where a site is not
 * native, the sender's stamp is not on the console: there network latency counts from the clock in which the sender's
 * operator accepted the packet. Every target of a multicast counts.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_EXPERIMENT_EXPERIMENT_H
#define POSTROAD_EXPERIMENT_EXPERIMENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "experiment/load_bounds.h"
#include "experiment/shared_event.h"
#include "mesh/fault.h"
#include "mesh/mesh.h"
#include "multicast/groups.h"
#include "protocol.h"
#include "simulation/simulation.h"
#include "workload/scoreboard.h"
#include "workload/statistics.h"
#include "workload/traffic.h"

enum {
    EXPERIMENT_AUTOMATIC = -1,
    EXPERIMENT_SEARCHED = -2,
    EXPERIMENT_FAULTS = 32,
    EXPERIMENT_COUNTERS = PR_COUNTER_RELAYED + 1
};

struct experiment;
typedef bool experiment_between(const struct experiment *experiment);

struct experiment_options {
    const char *engine; /* as simulation_options.engine */
    const char *model;  /* as simulation_options.model */
    struct traffic_options traffic;
    uint64_t packets; /* to generate */
    /* Clocks before the measurement. EXPERIMENT_AUTOMATIC: a tenth, at most 1000; of a trace: none.
     * EXPERIMENT_SEARCHED: a run of its own finds where the transient ends (workload/warm_up.h). */
    int64_t warmup;
    unsigned pool;   /* buffers of an operator; native sites only */
    unsigned window; /* reliable: slots of an operator's window; raw: packets a source keeps in its operator's
                        pool at once; other sites: on their way */
    bool ordered;    /* each pair of sites sees its packets in order; reliable, native sites only */
    unsigned stall;  /* percent of its polls an operator misses; native sites only */
    struct operator_clocks clocks; /* that an operator takes; native sites only */
    /* Packets to several sites leave as one unicast a target, as on a fabric without multicast; native sites only. */
    bool repeated_unicasts, relays;
    struct fault faults[EXPERIMENT_FAULTS];
    unsigned fault_count;
    const char *waves;             /* or NULL */
    const char *capture;           /* as simulation_options.capture, or NULL */
    const struct testbed *testbed; /* as simulation_options.testbed, or NULL */
    const char *firmware; /* not native: .hex or .elf, whose other form lies beside it; NULL: the default image */
    const enum site_kind *nodes;       /* NULL: all native */
    bool slices;                       /* the result has them */
    unsigned quantum;                  /* of sites under QEMU; 0: free */
    const volatile sig_atomic_t *stop; /* not NULL: the run ends early once it is not 0 */
    /* Not NULL: called between two stretches of the run, when all of its state is in run memory. True: it ends early.
     */
    experiment_between *between;
    /* The run goes on that is in fixed run memory, and has taken so much processor time before. These are its options
     * but for `stop` and `between`, which are this process's. */
    bool restored;
    double seconds_spent;
    bool recorded; /* the result has the words on links over time; alone, without checkpoints and ranks */
};

/* True if all sites are native: packets go straight into their operators. Else they go through the consoles. */
bool experiment_is_native(const struct mesh_config *mesh, const struct experiment_options *options);

enum experiment_end {
    END_COMPLETE,  /* every packet arrived exactly once, and its source knows it */
    END_PARTIAL,   /* the same, but some were reported as failed, written off with their source, or never accepted */
    END_WRONG,     /* something was lost, duplicated, corrupted or went astray */
    END_LOCKED_UP, /* nothing moves because all storage is committed; raw service only */
    END_HUNG,      /* nothing moves though there is storage, or nothing is delivered any more: a bug */
    END_INTERRUPTED,
    END_FAILED /* could not start or go on; `diagnosis` has the reason */
};

/* Words that were over (delivered or given up) within the measurement, of those offered, by sources. 0: none offered.
 */
struct experiment_shares {
    double least, mean, greatest;
};

/* Jain's index of the words of all sources that have offered any: 1 if each has as many, 1/n if one of n has all. */
struct experiment_fairness {
    double offered, accepted;
};

/* The words on links over time, frame by frame. Twice as long ones stand in the place of two when there are too many.
 */
enum { EXPERIMENT_FRAMES = 64 };
struct experiment_frames {
    unsigned count, doubled;          /* doubled: how often their length was */
    uint64_t ends[EXPERIMENT_FRAMES]; /* clocks since the start */
    uint32_t words[];                 /* [frame * links + site * links of a site + link]; behind them the last counts */
};

struct experiment_result {
    enum experiment_end end;
    char diagnosis[SHARED_TEXT_SIZE]; /* empty if all went well */
    struct scoreboard_totals totals;
    int waves_error;         /* errno of a write to the waves that failed, 0 */
    char capture_error[400]; /* why the capture could not be written; "": it could */
    bool ran;                /* the mesh was there: what follows was measured */
    uint64_t lost;           /* targets of accepted packets that have neither got them nor been accounted for */
    uint64_t in_flight;      /* the same, of a run that was interrupted: it may yet have come */
    unsigned endless_pauses; /* sites whose pauses overlapped until nothing moved: taken for stopped for good */
    uint64_t clocks, warmup_clocks, measured_clocks;
    bool warmup_searched, warmup_found;
    uint64_t link_words;
    uint64_t counters[EXPERIMENT_COUNTERS]; /* COUNTER_*, all sites, what they had counted before a reset included */
    uint64_t group_counters[PR_GROUPS_COUNTERS]; /* PR_GROUPS_COUNTER_*, as well */
    uint64_t failed_present; /* members reported as failed that live and take themselves for members, as their leader */
    struct fault_counts faults;
    double offered_load, accepted_load; /* words per site and clock within the measurement */
    bool saturated;                     /* a source was, or all together: sim/README.md has the rules */
    struct experiment_shares source_share;
    struct experiment_fairness fairness;
    struct steadiness_halves halves; /* of `latency`: was the run steady? */
    double cpu_seconds;              /* user and system, children too, from start to end of this experiment */
    struct statistics latency, network_latency;
    struct statistics unicast_latency, multicast_latency; /* the two parts of `latency` */
    struct statistics settling;   /* from the clock in which an operator takes a packet until it is settled; of all */
    struct statistics completion; /* of multicasts: generation to the last delivery */
    double completion_error; /* standard error of the mean completion, of multicasts and packets to groups together */
    struct load_bounds bounds;
    double class_offered[TRAFFIC_CLASSES], class_accepted[TRAFFIC_CLASSES]; /* as the loads above */
    struct statistics class_latency[TRAFFIC_CLASSES];  /* the parts of `latency`; no bins: there is no such class */
    struct statistics group_latency, group_completion; /* of packets to groups: each delivery, and the last one */
    struct time_slices *slices;                        /* over the whole run; NULL: not asked for */
    uint32_t *link_use;                                /* words sent: [site * links + link] */
    struct experiment_frames *frames;                  /* or NULL: not recorded */
};

/* What the latencies of a point say depends on how long the run was. */
static inline bool experiment_diverges(const struct experiment_result *result)
{
    return result->saturated || result->halves.verdict == STEADINESS_UNSTEADY;
}

struct experiment_progress {
    uint64_t clock, packets, delivered, expected;
    const char *event; /* a line for the user, or NULL */
};

/* All histograms of a result, for what visits each of them. */
#define EXPERIMENT_HISTOGRAMS(result)                                                                         \
    &(result)->latency, &(result)->network_latency, &(result)->unicast_latency, &(result)->multicast_latency, \
        &(result)->settling, &(result)->completion, &(result)->group_latency, &(result)->group_completion,    \
        EXPERIMENT_CLASSES(result, 0), EXPERIMENT_CLASSES(result, 4)
#define EXPERIMENT_CLASSES(result, first)                                                                            \
    &(result)->class_latency[(first)], &(result)->class_latency[(first) + 1], &(result)->class_latency[(first) + 2], \
        &(result)->class_latency[(first) + 3]
_Static_assert((int)TRAFFIC_CLASSES == 8, "EXPERIMENT_HISTOGRAMS has all classes");

typedef void experiment_report(void *context, const struct experiment_progress *progress);

/* The bytes of the frames of a mesh with so many links in all. */
size_t experiment_frames_size(size_t links);

/* Runs one experiment; `report` may be NULL. The result is always filled in; free it with
 * experiment_result_free. */
void experiment_run(const struct mesh_config *mesh, const struct experiment_options *options, experiment_report *report,
                    void *context, struct experiment_result *result);
void experiment_result_free(struct experiment_result *result);

/* Between two stretches: the clock that runs next, and the processor time that the run has taken, of all ranks. */
uint64_t experiment_clock(const struct experiment *experiment);
double experiment_seconds_spent(const struct experiment *experiment);

/* Copies mesh and options of the run that is in fixed run memory, where what they point to stays. */
void experiment_restored(struct mesh_config *mesh, struct experiment_options *options);

/* The end in a word ("complete", ...). */
const char *experiment_end_name(enum experiment_end end);

#endif
