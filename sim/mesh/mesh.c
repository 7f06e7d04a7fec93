/* What follows from the topology of a mesh, on wire/topology.h; the parser of .mesh files is mesh_parse.c.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/mesh.h"

#include "mesh/discipline.h"

const char *mesh_topology_name(int topology)
{
    const char *name = pr_topology_name((uint32_t)topology);
    return name ? name : "unknown";
}

struct pr_shape mesh_shape(const struct mesh_config *config)
{
    return (struct pr_shape){
        .topology = (uint32_t)config->topology,
        .size_x = (uint32_t)config->size_x,
        .size_y = (uint32_t)config->size_y,
        .word_width = (uint32_t)config->word_width,
    };
}

void mesh_set_shape(struct mesh_config *config, const struct pr_shape *shape)
{
    config->topology = (int)shape->topology;
    config->size_x = (int)shape->size_x;
    config->size_y = (int)shape->size_y;
    config->word_width = (int)shape->word_width;
    config->dimensions = mesh_is_hypercube(config) ? config->size_x : 2;
    config->sites = (int)pr_shape_sites(shape);
    config->links = (int)pr_shape_links(shape);
}

int mesh_coordinate_width(const struct mesh_config *config)
{
    struct pr_shape shape = mesh_shape(config);
    return (int)pr_shape_coordinate_width(&shape);
}

int mesh_address(const struct mesh_config *config, int site)
{
    struct pr_shape shape = mesh_shape(config);
    return (int)pr_shape_address(&shape, (unsigned)site);
}

int mesh_site(const struct mesh_config *config, int address)
{
    struct pr_shape shape = mesh_shape(config);
    struct pr_site_addresses addresses = pr_shape_addresses(&shape);
    uint32_t site_word = (uint32_t)address; /* no site has bits beyond the mask, and no negative address */
    bool there = site_word <= addresses.mask && pr_site_addresses_have(&addresses, site_word);
    return there ? (int)pr_shape_site(&shape, site_word) : -1;
}

struct pr_far_end mesh_far_end(const struct mesh_config *config, int site, int link)
{
    struct pr_shape shape = mesh_shape(config);
    if (site < 0 || site >= config->sites || link < 0)
        return (struct pr_far_end){-1, 0};
    struct pr_cables cables = mesh_cables(config);
    return pr_shape_far_end(&shape, &cables, (unsigned)site, (unsigned)link);
}

struct pr_cables mesh_cables(const struct mesh_config *config)
{
    return (struct pr_cables){config->cable_ends, config->cable_end_count};
}

unsigned mesh_delay(const struct mesh_config *config, int site, int link)
{
    struct pr_cables cables = mesh_cables(config);
    const struct pr_cable *cable = pr_cables_find(&cables, (unsigned)site, (unsigned)link);
    return cable ? cable->delay : 1;
}

bool mesh_is_switch(const struct mesh_config *config, int site)
{
    return site >= 0 && site < PR_GRAPH_SITES_MAX && (config->switches[site / 64] >> site % 64 & 1);
}

int mesh_operators(const struct mesh_config *config)
{
    int count = config->sites;
    for (size_t i = 0; i < sizeof config->switches / sizeof config->switches[0]; i++)
        count -= __builtin_popcountll(config->switches[i]);
    return count;
}

uint32_t mesh_connected_links(const struct mesh_config *config, unsigned site)
{
    uint32_t mask = 0;
    for (int link = 0; link < config->links; link++)
        if (mesh_far_end(config, (int)site, link).site >= 0)
            mask |= 1u << link;
    return mask;
}

const char *mesh_links_kind(const struct mesh_config *config)
{
    static const char *const names[] = {
        [MESH_LINKS_ON_CHIP] = "chip", [MESH_LINKS_SHARED] = "shared", [MESH_LINKS_EAGER] = "eager"};
    return names[config->board_links];
}

bool mesh_is_hypercube(const struct mesh_config *config)
{
    return config->topology == PR_TOPOLOGY_HYPERCUBE;
}

bool mesh_has_torus_lines(const struct mesh_config *config)
{
    return config->topology == PR_TOPOLOGY_TORUS && config->discipline->torus_link_bits > 0;
}

unsigned mesh_link_width(const struct mesh_config *config)
{
    const struct discipline *discipline = config->discipline;
    if (discipline->link_bits)
        return mesh_has_torus_lines(config) ? discipline->torus_link_bits : discipline->link_bits;
    return (unsigned)config->word_width + discipline->link_tag_bits;
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
