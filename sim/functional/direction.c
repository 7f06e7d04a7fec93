/* See direction.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/direction.h"

#include "mesh/mesh_own.h"

static bool is_cube(const struct direction_map *map)
{
    return map->topology == PR_TOPOLOGY_HYPERCUBE;
}

struct place direction_place(const struct direction_map *map, uint32_t address)
{
    uint32_t mask = (1u << map->width) - 1;
    if (is_cube(map))
        return (struct place){address & ((1u << (map->ports - 1)) - 1), 0};
    return (struct place){address & mask, address >> map->width & mask};
}

/* May a packet from net_input `from` leave by net_output `to`? */
static bool feeds(const struct direction_map *map, unsigned from, unsigned to)
{
    if (from == PR_PORT_LOCAL || to == PR_PORT_LOCAL)
        return true;
    if (from == to)
        return false;
    if (map->adaptive || map->all_to_all || from == direction_opposite(map, to))
        return true;
    return is_cube(map) ? from < to : (from - 1) / 2 < (to - 1) / 2;
}

static unsigned opposite(const struct direction_map *map, unsigned port)
{
    return is_cube(map) || port == PR_PORT_LOCAL ? 0 : ((port - 1) ^ 1) + 1;
}

static unsigned first_rank(const struct direction_map *map, unsigned to)
{
    unsigned first = RANK_LOCAL;
    for (unsigned from = map->ports - 1; from > 0; from--)
        if (feeds(map, from, to) && direction_rank(map, from, to) < first)
            first = direction_rank(map, from, to);
    return first;
}

void direction_map_init(struct direction_map *map, const struct mesh_config *mesh, bool any_output, bool all_to_all)
{
    *map = (struct direction_map){.topology = mesh->topology,
                                  .size_x = mesh->size_x,
                                  .size_y = mesh->size_y,
                                  .ports = (unsigned)mesh->links + 1,
                                  .width = (unsigned)mesh_coordinate_width(mesh),
                                  .mark = UINT32_C(1) << (mesh->word_width - 1),
                                  .lists = (uint8_t)mesh_own_straps(mesh),
                                  .adaptive = mesh_own(mesh, "routing.unicast") || any_output,
                                  .all_to_all = all_to_all};
    for (unsigned port = 0; port < map->ports; port++)
        map->opposite[port] = (uint8_t)opposite(map, port);
    for (unsigned port = 0; port < map->ports; port++)
        map->first_rank[port] = (uint8_t)first_rank(map, port);
}

/* The port of the shorter way in one dimension, whose positive way leaves by `positive`; 0 if there is nothing left to
 * do. Half way round a ring the positive way is taken. */
static unsigned axis_way(const struct direction_map *map, uint32_t from, uint32_t to, int size, unsigned positive)
{
    if (from == to)
        return 0;
    bool negative = to < from;
    if (map->topology == PR_TOPOLOGY_TORUS) {
        int forward = (int)to - (int)from + (negative ? size : 0);
        negative = 2 * forward > size;
    }
    return positive + negative;
}

bool direction_goes_straight(const struct direction_map *map, struct place here, unsigned port, uint32_t target)
{
    struct place there = direction_place(map, target);
    if (direction_opposite(map, port) == 0)
        return false;
    return port <= PR_PORT_WEST ? there.x != here.x : there.y != here.y;
}

static unsigned lowest(uint32_t bits)
{
    return bits ? (unsigned)__builtin_ctz(bits) : 0;
}

static unsigned highest(uint32_t bits)
{
    return bits ? 31 - (unsigned)__builtin_clz(bits) : 0;
}

/* Those that lead somewhere; all, if none does. */
static uint32_t up_of(uint32_t ports, uint32_t down)
{
    return ports & ~down ? ports & ~down : ports;
}

/* In dimension order, by what a packet from this port can still need. Where x is down, y comes first. */
static unsigned in_order(const struct direction_map *map, struct place here, unsigned port, struct place there,
                         uint32_t down)
{
    if (is_cube(map))
        return lowest(up_of((there.x ^ here.x) << 1 & UINT32_MAX << (port + 1), down));
    if (port >= PR_PORT_NORTH)
        return there.y != here.y ? direction_opposite(map, port) : 0;
    unsigned x = port ? direction_opposite(map, port) : axis_way(map, here.x, there.x, map->size_x, PR_PORT_EAST);
    bool detour = down >> x & 1 && there.y != here.y;
    if (there.x != here.x && !detour)
        return x;
    return axis_way(map, here.y, there.y, map->size_y, PR_PORT_NORTH);
}

/* The ports of the shortest ways, a bit each, and the quadrant in which the target lies. */
static uint32_t minimal_ports(const struct direction_map *map, struct place here, struct place there,
                              unsigned *quadrant)
{
    *quadrant = 0;
    if (is_cube(map))
        return (there.x ^ here.x) << 1;
    unsigned x = axis_way(map, here.x, there.x, map->size_x, PR_PORT_EAST);
    unsigned y = axis_way(map, here.y, there.y, map->size_y, PR_PORT_NORTH);
    *quadrant = 2u * (y == PR_PORT_SOUTH) + (x == PR_PORT_WEST);
    return ((1u << x) | (1u << y)) & ~1u;
}

static unsigned by_list(const struct direction_map *map, struct place here, unsigned port, struct place there,
                        uint8_t lists, uint32_t available, uint32_t down)
{
    unsigned quadrant;
    uint32_t minimal = minimal_ports(map, here, there, &quadrant);
    bool adaptive = lists >> (2 * quadrant + 1) & 1, from_highest = lists >> 2 * quadrant & 1;
    if (adaptive)
        minimal = up_of(minimal, down);
    uint32_t candidates = adaptive && (minimal & available) ? minimal & available : minimal;
    unsigned choice = from_highest ? highest(candidates) : lowest(candidates);
    return choice == port ? 0 : choice;
}

unsigned direction_try_all(const struct direction_map *map, struct place here, uint32_t target, uint32_t available)
{
    unsigned quadrant;
    uint32_t minimal = minimal_ports(map, here, direction_place(map, target), &quadrant);
    if (minimal == 0)
        return PR_PORT_LOCAL;
    if (minimal & available)
        return lowest(minimal & available);
    return lowest(available ? available : minimal);
}

unsigned direction_find(const struct direction_map *map, struct place here, unsigned port, uint32_t target,
                        bool unicast, uint32_t available, uint32_t down)
{
    struct place there = direction_place(map, target);
    unsigned quadrant;
    if (map->all_to_all && !unicast)
        return lowest(minimal_ports(map, here, there, &quadrant));
    if (!map->adaptive)
        return in_order(map, here, port, there, unicast ? down : 0);
    return by_list(map, here, port, there, unicast ? map->lists : 0, available, down);
}
