/* The packets as which a packet to several targets leaves, one after the other. Private to the operator.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_GROUPS_H
#define POSTROAD_OPERATOR_GROUPS_H

#include "operator/here.h"

#ifdef __cplusplus
extern "C" {
#endif

enum pr_grouping {
    PR_GROUPING_TREE,     /* one to all targets */
    PR_GROUPING_PATHS,    /* one for each run of targets that lie straight behind each other */
    PR_GROUPING_SUBCUBES, /* one for each run of targets that are a subcube */
    PR_GROUPING_UNICASTS, /* one for each target */
    PR_GROUPING_RELAYS    /* one for each child of this site in a tree, which sends on to those behind it (O10) */
};

/* Whether the links of this site's router are busy, and what that was judged by. */
struct pr_traffic {
    uint32_t obstructed,
        clock; /* packets that did not get an output in time, since reset; when the last one was seen */
    bool busy;
};

/* Sorts a new packet's targets so that those on each other's way are neighbours, nearest first (O9). */
void pr_group_sort(const struct pr_ways *ways, struct pr_packet *packet);

/* As which packets a packet to several targets leaves now: a tree while the links are calm, and paths otherwise (O9);
 * or as subcubes, if the fabric copies no others. */
enum pr_grouping pr_group_by_traffic(struct pr_traffic *traffic, const struct pr_here *here);

/* Chooses the first of the packets for the targets that are not left out, or for those behind the last one. False: that
 * was the last. Chosen are first_target, end_target, the kind and the marks of the site words. */
void pr_group_first(const struct pr_here *here, struct pr_packet *packet, enum pr_grouping grouping);
bool pr_group_next(const struct pr_here *here, struct pr_packet *packet);

/* The same for a packet that came to this site as a relay: the first of those for its children, whose list starts at
 * first_target. */
void pr_group_relay(const struct pr_here *here, struct pr_packet *packet);

/* A packet of this site goes by relays no more: its targets are as before pr_relays_plan. */
void pr_group_undo_relays(const struct pr_here *here, struct pr_packet *packet);

/* True if no target is behind the packet chosen. */
bool pr_group_is_last(const struct pr_packet *packet);

#ifdef __cplusplus
}
#endif

#endif
