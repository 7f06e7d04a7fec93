/* What the operator of a site knows of the ways of its packets: in which order targets lie on them, which lead straight
 * on, and the route itself. By the fabric's capabilities:
 *
 *   none             The fabric finds each way, and a packet has one target.
 *   dimension order  MULTICAST: the fabric finds each way. A packet may have several targets, in the order of
 *                    dimension_order.h.
 *   table            SOURCE_ROUTED: the operator puts the route in front of the target entry of each packet that
 *                    leaves. Each switch on the way takes one word off and leads the packet to the port that it names.
 *                    Whoever knows the cables fills the table.
 *   table of a tree  SOURCE_ROUTED and MULTICAST: the routes of multicasts keep to one tree of the cables, and that of
 * a site to itself leads over its root. So the operator knows its way up and that down to itself, and makes one route
 * to several targets: up to the lowest switch that has all of them below it, then down, where the packet forks (rules
 * W10 to W12 of hw/wormlan). It is the table of the unicasts too, or a second one.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_WAYS_H
#define POSTROAD_OPERATOR_WAYS_H

#include "operator/dimension_order.h"
#include "wire/capabilities.h"
#include "wire/hints.h"
#include "wire/packet.h"
#include "wire/route.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_ways {
    const struct pr_shape *shape;
    struct pr_dimension_order order;
    unsigned site, sites;
    struct pr_route *routes;     /* by site number, in the caller's memory; NULL: the fabric finds the ways */
    const struct pr_route *tree; /* of multicasts; at first `routes` */
};

/* shape and routes must outlive it. routes: room for that to each site and one more, of scouts, whose number is that of
 * the sites; none is known at first. */
void pr_ways_init(struct pr_ways *ways, const struct pr_capabilities *can, const struct pr_shape *shape, unsigned site,
                  struct pr_route *routes);

/* Has the operator to put routes in front of packets? */
static inline bool pr_ways_have_routes(const struct pr_ways *ways)
{
    return PR_UNLIKELY(ways->routes != NULL);
}

/* Are there routes to several targets? A node on a core has no room for their code, and sends unicasts. */
static inline bool pr_ways_make_trees(void)
{
#ifdef __riscv
    return false;
#else
    return true;
#endif
}

/* Words that a packet grows by at most when it leaves. */
static inline unsigned pr_ways_room(const struct pr_ways *ways)
{
    return pr_ways_have_routes(ways) ? PR_ROUTE_PORTS_MAX : 0;
}

/* The route to a site, or of scouts, from now on; no ports: none is known. False: there is no such site, there are too
 * many ports, or the fabric finds its ways itself. */
bool pr_ways_learn(struct pr_ways *ways, unsigned site, const uint8_t *ports, unsigned count);

/* Of a fabric that copies packets. Inline, and no pointers to functions: a packet to several targets waits for them.
 * precedes: the target of site word `first` comes before that of `second`. leads_straight: the target of `near` lies on
 * the way to that of `far`, and the rest of that way is straight. */
bool pr_route_precedes(const struct pr_ways *ways, uint32_t first, uint32_t second);

static inline bool pr_ways_precedes(const struct pr_ways *ways, uint32_t first, uint32_t second)
{
    if (pr_ways_make_trees() && pr_ways_have_routes(ways))
        return pr_route_precedes(ways, first, second);
    return pr_dimension_order_precedes(&ways->order, first, second);
}

static inline bool pr_ways_leads_straight(const struct pr_ways *ways, uint32_t near, uint32_t far)
{
    return pr_dimension_order_leads_straight(&ways->order, near, far);
}

/* A table of a tree: how many of the targets from target word `first` on one packet goes to, so that it has at most
 * `room` words with its route. At least one. */
unsigned pr_route_targets(const struct pr_ways *ways, const struct pr_packet *packet, unsigned first, unsigned room);

/* A table's: puts the route in front of the first target that goes, or among the targets of a multicast, and takes it
 * off again. Nothing is changed if none is known: the first switch discards such a packet. The buffer must have room
 * for PR_ROUTE_PORTS_MAX words more, and for those of a multicast. */
void pr_route_put(const struct pr_ways *ways, struct pr_packet *packet);
void pr_route_take_off(struct pr_packet *packet);

#ifdef __cplusplus
}
#endif

#endif
