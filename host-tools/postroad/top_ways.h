/* The ways of this verb's own packets between the gateway's site and each other one. They follow the dimensions in
 * their order, or the route that operators put in front of packets. What a router has diverted went another way.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_TOP_WAYS_H
#define POSTROAD_POSTROAD_TOP_WAYS_H

#include "mesh/mesh.h"

/* An output on a way; the last one is port 0 of the target. */
struct top_hop {
    uint16_t site, port;
};

struct top_way {
    size_t first, count; /* in hops */
};

struct top_ways {
    struct top_hop *hops;
    size_t count, room;
    struct top_way *there, *back; /* by site: from the gateway's, and to it; no hops: no way is known */
};

void top_ways_make(struct top_ways *ways, const struct mesh_config *mesh, unsigned gateway);
void top_ways_free(struct top_ways *ways);

#endif
