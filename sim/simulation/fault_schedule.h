/* When faults come, what they hit and which words are damaged: the same in every simulator that has faults. A simulator
 * asks in each clock from `next` on what begins, compares what sites and cables are hit until with the clock, and does
 * the rest: what a reset, a stop, a dead cable and a damaged word do to its sites.
 *
 * All of it follows from the seed. Its memory is run memory.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SIMULATION_FAULT_SCHEDULE_H
#define POSTROAD_SIMULATION_FAULT_SCHEDULE_H

#include "simulation/simulation.h"
#include "support/random.h"

/* Of a site: it is in reset, or its operator does nothing, before this clock; UINT64_MAX: for good. */
struct fault_hits {
    uint64_t reset_until, stop_until;
    bool has_operator; /* it is no switch */
};

/* Damage to the words of one direction of a cable, or to the bits of its lines. */
struct fault_damage {
    double share;  /* of the new words; lines: of the clocks */
    uint64_t left; /* new words, or clocks, until one is damaged, that one included */
    struct random random;
};

/* A cable that a fault may hit. Direction i is from end i to the other. */
struct fault_cable {
    unsigned sites[2], links[2]; /* of the ends */
    uint64_t down_until;         /* dead before this clock; UINT64_MAX: for good */
    struct fault_damage damage[2];
};

struct fault_timer;

struct fault_schedule {
    struct fault_timer *timers;
    struct fault_cable *cables;
    struct fault_hits *hits; /* by site */
    unsigned timer_count, cable_count, site_count;
    uint64_t next; /* the first clock in which a fault begins or one that was noted ends; UINT64_MAX: none */
    struct fault_counts counts;
};

/* The cables of such a site are cables of the schedule, whatever the faults are. */
typedef bool fault_restarts(void *context, unsigned site);

/* False: no memory. fault_schedule_free may be called then too. restarts: or NULL. */
bool fault_schedule_init(struct fault_schedule *schedule, const struct simulation_options *options,
                         fault_restarts *restarts, void *context);
void fault_schedule_free(struct fault_schedule *schedule);

/* What is due begins. `next` is then the begin of the next fault. stops: called with each site whose stop begins or is
 * prolonged; or NULL. */
typedef void fault_stops(void *context, unsigned site);
void fault_schedule_begin(struct fault_schedule *schedule, uint64_t now, fault_stops *stops, void *context);

/* Something ends in this clock: `next` is not beyond it. */
static inline void fault_schedule_note(struct fault_schedule *schedule, uint64_t now, uint64_t clock)
{
    if (clock > now && clock < schedule->next)
        schedule->next = clock;
}

/* Lengthens a fault that lasts until clock *until (0: it has never begun) by so many clocks from now; 0 clocks: for
 * good. True if this is the beginning of a fault, and not more of the same. */
bool fault_extend(uint64_t *until, uint64_t now, uint64_t clocks);

/* So many new words pass, none of which is damaged before the last one. True: that one is, and is counted. */
bool fault_damages(struct fault_schedule *schedule, struct fault_damage *damage, uint64_t words);

/* Every site that is in a pause at this clock stops for good. Returns how many there are. */
unsigned fault_end_pauses(struct fault_schedule *schedule, uint64_t now);

#endif
