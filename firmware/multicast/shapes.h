/* The shapes in which a packet goes through a group: one table. A shape is a tree over the members for each origin, in
 * which each member passes a packet on to its children. Every member computes the same tree from the same view, so that
 * nothing of it travels. Pure functions.
 *
 *   direct          the origin sends to all: repeated unicasts, or the fabric's own multicast
 *   direct-order    to the leader, who sends to all: total order
 *   circuit         each to the next in the order of site numbers, the last to the first; ends before the origin
 *   circuit-return  goes back to the origin, which takes that for the acknowledgement of all
 *   circuit-order   starts at the leader: total order
 *   tree            broadcast on one tree, the leader's: each to all its neighbours but that which it came from
 *   tree-order      the same tree from its root, the leader: total order
 *   gt              a tree for each origin, grown by the time at which a copy arrives
 *   gt-order        the leader's: total order
 *
 * Circuit and tree: Gerla, Palnati, Walton, "Multicasting Protocols for High-Speed, Wormhole-Routing Local Area
 * Networks", 1996, sections 5 and 6.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MULTICAST_SHAPES_H
#define POSTROAD_MULTICAST_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PR_GROUP_MEMBERS_MAX = 32, /* a set of members is a word */
    PR_GROUP_CHILDREN_MAX = 5  /* of a member that passes packets on; an origin of `direct` has all */
};

enum pr_group_shape {
    PR_GROUP_SHAPE_DIRECT,
    PR_GROUP_SHAPE_DIRECT_ORDER,
    PR_GROUP_SHAPE_CIRCUIT,
    PR_GROUP_SHAPE_CIRCUIT_RETURN,
    PR_GROUP_SHAPE_CIRCUIT_ORDER,
    PR_GROUP_SHAPE_TREE,
    PR_GROUP_SHAPE_TREE_ORDER,
    PR_GROUP_SHAPE_GT,
    PR_GROUP_SHAPE_GT_ORDER,
    PR_GROUP_SHAPES
};

/* What trees are grown by, in the clocks of a network, and the way between two sites, in links. */
struct pr_group_costs {
    unsigned copy;    /* from a copy of a member to its next one */
    unsigned link;    /* of a copy, for each link */
    unsigned pass_on; /* from a copy that leaves to the first copy of who gets it, beside the links */
    unsigned spared;  /* what a link counts for beside its time, because a copy takes it from others */
    unsigned runs;    /* gt: runs of rising numbers on the way of a packet that is passed on, each a class of buffers
                         (section 4); 0: any number */
    unsigned (*distance)(const struct pr_group_costs *costs, unsigned one, unsigned other);
};

/* Members are places in a list that is in the order of site numbers. */
struct pr_group_plan {
    const struct pr_shape *mesh;
    const struct pr_group_costs *costs; /* NULL: those of operators */
    uint16_t sites[PR_GROUP_MEMBERS_MAX];
    uint8_t count, leader;
};

/* As it is typed, or NULL. -1: no shape has this name. */
const char *pr_group_shape_name(unsigned shape);
int pr_group_shape_by_name(const char *name);

/* All packets go through the leader, and all members get them in one order, the sender too. */
bool pr_group_shape_orders(unsigned shape);

/* The packet comes back to its origin, and nobody acknowledges. */
bool pr_group_shape_returns(unsigned shape);

/* parents[k]: from which member k gets the packets of `origin`; parents[origin] is the origin, or of a shape that
 * returns the last of the circuit. */
void pr_group_tree(const struct pr_group_plan *plan, unsigned shape, unsigned origin,
                   uint8_t parents[PR_GROUP_MEMBERS_MAX]);

/* Links between two sites; 1 on a graph, whose cables no operator knows. */
unsigned pr_group_distance(const struct pr_shape *mesh, unsigned one, unsigned other);

#ifdef __cplusplus
}
#endif

#endif
