/* Groups on a whole mesh of native sites, over any fabric and simulator, under load and faults. Each member of each
 * group sends at random moments. A scoreboard holds the groups to their promises:
 *   a packet is delivered with its content, to members only, and once;
 *   of an ordered shape, all members have the same packet in a place, and take the places one after the other;
 *   at the end each member that was one all the time has every packet of each that was one all the time.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_MULTICAST_GROUP_LOAD_H
#define POSTROAD_TESTS_MULTICAST_GROUP_LOAD_H

#include "multicast/groups.h"
#include "simulation/simulation.h"

enum {
    GROUP_LOAD_SITES = 64,
    GROUP_LOAD_GROUPS = 16,
    GROUP_LOAD_FAULTS = 4,
    /* In place of a shape: packets of the operator to several targets, which it acknowledges one by one. */
    GROUP_LOAD_UNICASTS = PR_GROUP_SHAPES, /* as one unicast after the other */
    GROUP_LOAD_FABRIC,                     /* as the fabric multicasts them */
    GROUP_LOAD_WAYS
};

struct group_load_options {
    const char *engine; /* name of a simulator */
    const char *mesh;   /* hw/mesh/NAME.mesh */
    unsigned way;       /* shape, or GROUP_LOAD_* */
    unsigned groups, members, data_words;
    double load;      /* data words of multicasts that a member sends in a clock */
    uint64_t clocks;  /* so long packets are sent; those of the last three quarters are measured */
    unsigned packets; /* not 0: no more than so many */
    uint64_t seed;
    const char *faults[GROUP_LOAD_FAULTS]; /* as `postroad sim --fault` has them */
    bool ends_at_once; /* with the load: what is on its way stays there, and not all promises are judged */
    unsigned joins;    /* sites that join the first group while packets flow */
};

struct group_load_result {
    bool complete; /* all came to rest in time */
    unsigned long packets, deliveries, refused;
    unsigned long lost_members, failed, repairs, questions;
    double latency;  /* mean clocks from pr_groups_send to the last delivery, of packets that were measured */
    double interval; /* half the 95 % interval of that, from batches */
    double accepted; /* as load: of packets that had arrived everywhere by the end of the load */
    double words;    /* that crossed links, for each data word that was sent */
    uint64_t clocks;
};

const char *group_load_way_name(unsigned way);

/* Ends the test at the first broken promise. */
void group_load_run(const struct group_load_options *options, struct group_load_result *result);

#endif
