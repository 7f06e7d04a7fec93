/* What follows from the topology of a mesh, on wire/site_geometry.h; the parser of .mesh files is mesh_parse.c.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/mesh.h"

#include "mesh/discipline.h"
#include "mesh/mesh_keys.h"

#include <stdio.h>

const char *mesh_topology_name(int topology)
{
    return topology >= PR_TOPOLOGY_GRID && topology <= PR_TOPOLOGY_HYPERCUBE ? mesh_keys[KEY_TOPOLOGY].names[topology]
                                                                             : "unknown";
}

struct pr_site_geometry mesh_geometry(const struct mesh_config *config)
{
    return (struct pr_site_geometry){
        .topology = (uint32_t)config->topology,
        .size_x = (uint32_t)config->size_x,
        .size_y = (uint32_t)config->size_y,
        .word_width = (uint32_t)config->word_width,
    };
}

void mesh_set_geometry(struct mesh_config *config, const struct pr_site_geometry *geometry)
{
    bool cube = geometry->topology == PR_TOPOLOGY_HYPERCUBE;
    config->topology = (int)geometry->topology;
    config->size_x = (int)geometry->size_x;
    config->size_y = (int)geometry->size_y;
    config->word_width = (int)geometry->word_width;
    config->dimensions = cube ? config->size_x : 2;
    config->sites = (int)pr_site_geometry_sites(geometry);
    config->links = (int)pr_site_geometry_links(geometry);
}

int mesh_coordinate_width(const struct mesh_config *config)
{
    struct pr_site_geometry geometry = mesh_geometry(config);
    return (int)pr_site_geometry_coordinate_width(&geometry);
}

int mesh_address(const struct mesh_config *config, int site)
{
    struct pr_site_geometry geometry = mesh_geometry(config);
    return (int)pr_site_geometry_address(&geometry, (unsigned)site);
}

int mesh_site(const struct mesh_config *config, int address)
{
    struct pr_site_geometry geometry = mesh_geometry(config);
    struct pr_site_addresses addresses = pr_site_geometry_addresses(&geometry);
    uint32_t site_word = (uint32_t)address; /* no site has bits beyond the mask, and no negative address */
    bool there = site_word <= addresses.mask && pr_site_addresses_have(&addresses, site_word);
    return there ? (int)pr_site_geometry_site(&geometry, site_word) : -1;
}

int mesh_neighbour(const struct mesh_config *config, int site, int link)
{
    struct pr_site_geometry geometry = mesh_geometry(config);
    if (site < 0 || site >= config->sites || link < 0)
        return -1;
    return pr_site_geometry_neighbour(&geometry, (unsigned)site, (unsigned)link);
}

int mesh_facing_link(const struct mesh_config *config, int link)
{
    struct pr_site_geometry geometry = mesh_geometry(config);
    return (int)pr_site_geometry_facing_link(&geometry, (unsigned)link);
}

uint32_t mesh_connected_links(const struct mesh_config *config, unsigned site)
{
    uint32_t mask = 0;
    for (int link = 0; link < config->links; link++)
        if (mesh_neighbour(config, (int)site, link) >= 0)
            mask |= 1u << link;
    return mask;
}

const char *mesh_links_kind(const struct mesh_config *config)
{
    static const char *const names[] = {
        [MESH_LINKS_ON_CHIP] = "chip", [MESH_LINKS_SHARED] = "shared", [MESH_LINKS_EAGER] = "eager"};
    return names[config->board_links];
}

const char *mesh_link_name(const struct mesh_config *config, int link)
{
    static const char *const names[] = {"east", "west", "north", "south"};
    static char text[24];
    if (config->topology != PR_TOPOLOGY_HYPERCUBE)
        return link >= 0 && link < 4 ? names[link] : "none";
    snprintf(text, sizeof text, "dimension %d", link);
    return text;
}

/* Distance along one coordinate. */
static int distance(const struct mesh_config *config, int from, int to, int size)
{
    int straight = from > to ? from - to : to - from;
    return config->topology == PR_TOPOLOGY_TORUS && size - straight < straight ? size - straight : straight;
}

int mesh_hops(const struct mesh_config *config, int from, int to)
{
    if (config->topology == PR_TOPOLOGY_HYPERCUBE)
        return __builtin_popcount((unsigned)(from ^ to));
    return distance(config, from % config->size_x, to % config->size_x, config->size_x) +
           distance(config, from / config->size_x, to / config->size_x, config->size_y);
}

int mesh_turns(const struct mesh_config *config, int from, int to)
{
    if (config->topology == PR_TOPOLOGY_HYPERCUBE)
        return from == to ? 0 : mesh_hops(config, from, to) - 1;
    return from % config->size_x != to % config->size_x && from / config->size_x != to / config->size_x;
}

bool mesh_is_hypercube(const struct mesh_config *config)
{
    return config->topology == PR_TOPOLOGY_HYPERCUBE;
}

bool mesh_has_torus_lines(const struct mesh_config *config)
{
    return config->topology == PR_TOPOLOGY_TORUS && config->discipline->link_bits;
}

unsigned mesh_link_width(const struct mesh_config *config)
{
    const struct discipline *discipline = config->discipline;
    if (discipline->link_bits)
        return mesh_has_torus_lines(config) ? discipline->torus_link_bits : discipline->link_bits;
    return (unsigned)config->word_width + discipline->link_tag_bits;
}

unsigned mesh_variant(const struct mesh_config *config)
{
    enum { PRIORITY, LATE_PASS, SHARED_WIRE, PHASES_LOG2 = 4 }; /* bits: hw/postman/site_fabric.v */
    unsigned log2 = 0;
    while (1 << (log2 + 1) <= config->phases)
        log2++;
    return (unsigned)config->priority << PRIORITY | (unsigned)config->late_pass << LATE_PASS |
           (unsigned)config->shared_wire << SHARED_WIRE | log2 << PHASES_LOG2;
}

bool mesh_adapts(const struct mesh_config *config)
{
    return config->unicast_order != MESH_ORDER_STRICT;
}

unsigned mesh_diversion_clocks(const struct mesh_config *config)
{
    enum { TURN = 4 }; /* from the end of a period until the head is in the local output */
    unsigned period = config->divert_threshold ? config->divert_threshold : 1;
    return period == MESH_DIVERT_NEVER ? 0 : 2 * period + TURN;
}

unsigned mesh_longest_wait(const struct mesh_config *config)
{
    unsigned split = config->abort_threshold + config->abort_threshold / 2;
    return mesh_diversion_clocks(config) + 2 * config->relief_limit + split;
}

int mesh_diameter(const struct mesh_config *config)
{
    switch (config->topology) {
    case PR_TOPOLOGY_HYPERCUBE:
        return config->dimensions;
    case PR_TOPOLOGY_TORUS:
        return config->size_x / 2 + config->size_y / 2;
    default:
        return config->size_x - 1 + config->size_y - 1;
    }
}
