/* Groups of hosts that are drawn, and the trees by which multicasts go through them: the shapes of operators
 * (firmware/multicast/shapes.h), with hosts for sites, and for distances the links of the routes between them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORMLAN_LAN_GROUPS_H
#define POSTROAD_WORMLAN_LAN_GROUPS_H

#include "multicast/shapes.h"
#include "wormlan/lan_graph.h"

/* A way to multicast: a shape, and whether hosts send on what still comes in. */
struct lan_scheme {
    const char *name;
    enum pr_group_shape shape;
    bool cuts_through;
};

/* The scheme of this name; NULL: none. And the names, from 0 on, until NULL. */
const struct lan_scheme *lan_scheme_by_name(const char *name);
const char *lan_scheme_name(unsigned number);

struct lan_group_options {
    unsigned count, size; /* groups, members of each */
    enum pr_group_shape shape;
    struct pr_group_costs costs; /* without `distance`, which is that of the graph */
    bool heaviest_first; /* the child with most members behind it gets its copy first; else that of the lowest number */
    uint64_t seed;
};

/* Of a multicast of one origin: who sends it to whom. Members are places in the order of host numbers. */
struct lan_tree {
    struct lan_branch {
        uint8_t count, children[PR_GROUP_MEMBERS_MAX];
    } branches[PR_GROUP_MEMBERS_MAX];
};

enum { LAN_NO_MEMBER = 0xff };

struct lan_groups {
    const struct lan_graph *graph;
    unsigned count, size;
    bool orders;            /* multicasts start at the leader, the member of the lowest number */
    uint16_t *members;      /* [group * size + place] */
    uint8_t *places;        /* [group * hosts + host], or LAN_NO_MEMBER */
    uint16_t *joined;       /* [host * count + i]: groups of a host */
    uint16_t *joined_count; /* [host] */
    struct lan_tree *trees; /* [group * size + origin] */
};

struct lan_groups *lan_groups_create(const struct lan_graph *graph, const struct lan_group_options *options);
void lan_groups_free(struct lan_groups *groups);

static inline unsigned lan_member(const struct lan_groups *groups, unsigned group, unsigned place)
{
    return groups->members[group * groups->size + place];
}

static inline unsigned lan_place(const struct lan_groups *groups, unsigned group, unsigned host)
{
    return groups->places[group * groups->graph->hosts + host];
}

/* To whom this member sends a multicast of the origin. */
static inline const struct lan_branch *lan_branch(const struct lan_groups *groups, unsigned group, unsigned origin,
                                                  unsigned member)
{
    unsigned root = groups->orders ? 0 : lan_place(groups, group, origin);
    return &groups->trees[group * groups->size + root].branches[lan_place(groups, group, member)];
}

/* What a new worm of mean length makes hosts send in the mean, all hosts together: bytes with the routes, and copies,
 * of which so many are copies of multicasts. */
struct lan_traffic_means {
    double bytes, copies, multicast_copies, multicast_switches;
};

/* `share`: of multicasts among the new worms of members. */
struct lan_traffic_means lan_groups_means(const struct lan_groups *groups, double share, double length);

#endif
