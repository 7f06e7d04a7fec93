/* Where a target lies: the one function of the fabric that depends on the topology (the paper's find-direction), and
 * the preference lists (rule U1; hw/common/dimension_order.v and direction.v).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_DIRECTION_H
#define POSTROAD_FUNCTIONAL_DIRECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "mesh/mesh.h"
#include "protocol.h"

enum { PORTS_MOST = 15, RANK_LOCAL = 15 };

/* Of a whole mesh. */
struct direction_map {
    int topology, size_x, size_y;
    unsigned ports, width; /* bits of a coordinate */
    uint32_t mark;         /* the top bit of a word: a path (M10), or a deferred target (M11) */
    uint8_t lists;         /* two bits a quadrant, as the strap */
    bool adaptive;
    bool all_to_all; /* a multicast may have come any way, and may leave by any net_output, the one back, too */
    uint8_t opposite[PORTS_MOST];   /* by port: see direction_opposite */
    uint8_t first_rank[PORTS_MOST]; /* by net_output: see direction_first_rank */
};

/* Of a site: its coordinates; on a hypercube x is the address. */
struct place {
    uint32_t x, y;
};

/* any_output: a unicast may leave by any net_output (direction_try_all). all_to_all: as in the structure. */
void direction_map_init(struct direction_map *map, const struct mesh_config *mesh, bool any_output, bool all_to_all);
struct place direction_place(const struct direction_map *map, uint32_t address);

/* The port ahead of a packet that came by `port`; 0 if there is none. */
static inline unsigned direction_opposite(const struct direction_map *map, unsigned port)
{
    return map->opposite[port];
}

/* The head has further to go in the dimension in which it moves. */
bool direction_goes_straight(const struct direction_map *map, struct place here, unsigned port, uint32_t target);

/* The net_output for a target that came by `port`; 0: local. available: a bit for each net_output that is free, of
 * which an adaptive list takes the first. down: a bit for each whose link leads nowhere, which a unicast avoids (R4).
 */
unsigned direction_find(const struct direction_map *map, struct place here, unsigned port, uint32_t target,
                        bool unicast, uint32_t available, uint32_t down);

/* The net_output for a unicast that may leave by any: one on a shortest way if one is available, else any that is. */
unsigned direction_try_all(const struct direction_map *map, struct place here, uint32_t target, uint32_t available);

/* The place of a net_input in the round of a net_output's arbiter: the one ahead first, local last. */
static inline unsigned direction_rank(const struct direction_map *map, unsigned from, unsigned to)
{
    if (from == PR_PORT_LOCAL)
        return RANK_LOCAL;
    return from == map->opposite[to] ? 0 : from;
}

/* The rank from which a round begins when nothing was requested. */
static inline unsigned direction_first_rank(const struct direction_map *map, unsigned to)
{
    return map->first_rank[to];
}

#endif
