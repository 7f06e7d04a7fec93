/* Topology functions of a mesh; the parser of .mesh files is mesh_parse.c.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model/mesh.h"

#include "model/mesh_keys.h"

#include <stdio.h>

const char *mesh_topology_name(int topology)
{
    return topology >= MESH_GRID && topology <= MESH_HYPERCUBE ? mesh_keys[KEY_TOPOLOGY].names[topology] : "unknown";
}

int mesh_coordinate_width(const struct mesh_config *config)
{
    return config->word_width == 32 ? 12 : 7;
}

int mesh_address(const struct mesh_config *config, int site)
{
    if (config->topology == MESH_HYPERCUBE)
        return site;
    return (site / config->size_x) << mesh_coordinate_width(config) | site % config->size_x;
}

int mesh_site(const struct mesh_config *config, int address)
{
    if (address < 0)
        return -1;
    if (config->topology == MESH_HYPERCUBE)
        return address < config->sites ? address : -1;
    int x = address & ((1 << mesh_coordinate_width(config)) - 1);
    int y = address >> mesh_coordinate_width(config);
    return x < config->size_x && y < config->size_y ? y * config->size_x + x : -1;
}

/* One step along a coordinate; -1 when that leaves the mesh. A ring of one site has no links. */
static int step(const struct mesh_config *config, int coordinate, int size, int direction)
{
    int next = coordinate + direction;
    if (config->topology == MESH_TORUS && size > 1)
        return (next + size) % size;
    return next < 0 || next >= size ? -1 : next;
}

int mesh_neighbour(const struct mesh_config *config, int site, int link)
{
    if (site < 0 || site >= config->sites || link < 0 || link >= config->links)
        return -1;
    if (config->topology == MESH_HYPERCUBE)
        return site ^ 1 << link;
    int x = site % config->size_x, y = site / config->size_x;
    int direction = link % 2 ? -1 : 1;
    if (link < 2)
        x = step(config, x, config->size_x, direction);
    else
        y = step(config, y, config->size_y, direction);
    return x < 0 || y < 0 ? -1 : y * config->size_x + x;
}

uint32_t mesh_connected_links(const struct mesh_config *config, unsigned site)
{
    uint32_t mask = 0;
    for (int link = 0; link < config->links; link++)
        if (mesh_neighbour(config, (int)site, link) >= 0)
            mask |= 1u << link;
    return mask;
}

int mesh_facing_link(const struct mesh_config *config, int link)
{
    return config->topology == MESH_HYPERCUBE ? link : link ^ 1;
}

const char *mesh_link_name(const struct mesh_config *config, int link)
{
    static const char *const names[] = {"east", "west", "north", "south"};
    static char text[24];
    if (config->topology != MESH_HYPERCUBE)
        return link >= 0 && link < 4 ? names[link] : "none";
    snprintf(text, sizeof text, "dimension %d", link);
    return text;
}

/* Distance along one coordinate. */
static int distance(const struct mesh_config *config, int from, int to, int size)
{
    int straight = from > to ? from - to : to - from;
    return config->topology == MESH_TORUS && size - straight < straight ? size - straight : straight;
}

int mesh_hops(const struct mesh_config *config, int from, int to)
{
    if (config->topology == MESH_HYPERCUBE)
        return __builtin_popcount((unsigned)(from ^ to));
    return distance(config, from % config->size_x, to % config->size_x, config->size_x) +
           distance(config, from / config->size_x, to / config->size_x, config->size_y);
}

int mesh_turns(const struct mesh_config *config, int from, int to)
{
    if (config->topology == MESH_HYPERCUBE)
        return from == to ? 0 : mesh_hops(config, from, to) - 1;
    return from % config->size_x != to % config->size_x && from / config->size_x != to / config->size_x;
}

unsigned mesh_diversion_clocks(const struct mesh_config *config)
{
    enum { SHORTEST = 8, TURN = 4 }; /* heads age by periods of the router, a multiple of 8 clocks; then they turn */
    unsigned divert = config->divert_threshold;
    unsigned period = divert < SHORTEST ? SHORTEST : (divert + SHORTEST - 1) / SHORTEST * SHORTEST;
    return divert == MESH_DIVERT_NEVER ? 0 : 2 * period + TURN;
}

int mesh_diameter(const struct mesh_config *config)
{
    switch (config->topology) {
    case MESH_HYPERCUBE:
        return config->dimensions;
    case MESH_TORUS:
        return config->size_x / 2 + config->size_y / 2;
    default:
        return config->size_x - 1 + config->size_y - 1;
    }
}
