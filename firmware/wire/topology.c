/* See topology.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/topology.h"

#include "protocol.h"

#include <stddef.h>

enum { PLANE_LINKS = 4 };

static const struct pr_far_end nowhere = {-1, 0};

unsigned pr_shape_coordinate_width(const struct pr_shape *shape)
{
    return shape->word_width == 32 ? PR_SITE_COORD_WIDTH_32 : PR_SITE_COORD_WIDTH_16;
}

static uint32_t address_mask(const struct pr_shape *shape)
{
    return (1u << 2 * pr_shape_coordinate_width(shape)) - 1;
}

/* ---- grid and torus: a plane ---- */

static bool plane_valid(const struct pr_shape *shape)
{
    unsigned side = 1u << pr_shape_coordinate_width(shape);
    return shape->size_x <= side && shape->size_y <= side;
}

static unsigned plane_links(const struct pr_shape *shape)
{
    (void)shape;
    return PLANE_LINKS;
}

/* One step along a coordinate; -1 when that leaves the mesh. */
static int step(unsigned coordinate, unsigned size, int direction, bool ring)
{
    int next = (int)coordinate + direction;
    if (ring && size > 1)
        return (next + (int)size) % (int)size;
    return next >= (int)size ? -1 : next;
}

static struct pr_far_end plane_far_end(const struct pr_shape *shape, unsigned site, unsigned link, bool rings)
{
    unsigned columns = shape->size_x, x = site % columns, y = site / columns;
    int direction = link % 2 ? -1 : 1;
    int next = link < 2 ? step(x, columns, direction, rings) : step(y, shape->size_y, direction, rings);
    if (next < 0)
        return nowhere;
    return (struct pr_far_end){link < 2 ? (int)(y * columns) + next : next * (int)columns + (int)x, link ^ 1};
}

static struct pr_far_end grid_far_end(const struct pr_shape *shape, const struct pr_cables *cables, unsigned site,
                                      unsigned link)
{
    (void)cables;
    return plane_far_end(shape, site, link, false);
}

static struct pr_far_end torus_far_end(const struct pr_shape *shape, const struct pr_cables *cables, unsigned site,
                                       unsigned link)
{
    (void)cables;
    return plane_far_end(shape, site, link, true);
}

/* ---- hypercube ---- */

static bool cube_valid(const struct pr_shape *shape)
{
    return shape->size_x <= PR_SHAPE_DIMENSIONS_MAX && shape->size_y == 1;
}

static unsigned cube_links(const struct pr_shape *shape)
{
    return shape->size_x;
}

static struct pr_far_end cube_far_end(const struct pr_shape *shape, const struct pr_cables *cables, unsigned site,
                                      unsigned link)
{
    (void)shape, (void)cables;
    return (struct pr_far_end){(int)(site ^ 1u << link), link};
}

/* ---- graph ---- */

static bool graph_valid(const struct pr_shape *shape)
{
    return shape->size_x <= PR_GRAPH_SITES_MAX && shape->size_y <= PR_GRAPH_LINKS_MAX;
}

static unsigned graph_links(const struct pr_shape *shape)
{
    return shape->size_y;
}

static unsigned place_of(unsigned site, unsigned link)
{
    return site * PR_GRAPH_LINKS_MAX + link;
}

const struct pr_cable *pr_cables_find(const struct pr_cables *cables, unsigned site, unsigned link)
{
    unsigned first = 0, end = cables->count, wanted = place_of(site, link);
    while (first < end) {
        unsigned middle = (first + end) / 2, place = place_of(cables->ends[middle].site, cables->ends[middle].link);
        if (place == wanted)
            return &cables->ends[middle];
        if (place < wanted)
            first = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

static struct pr_far_end graph_far_end(const struct pr_shape *shape, const struct pr_cables *cables, unsigned site,
                                       unsigned link)
{
    const struct pr_cable *cable = pr_cables_find(cables, site, link);
    (void)shape;
    return cable ? (struct pr_far_end){cable->far_site, cable->far_link} : nowhere;
}

/* ---- the table ---- */

/* How sites are counted and addressed. */
enum {
    NUMBERED = 1,    /* the address of a site is its number; else y stands above x */
    SIZE_IN_BITS = 2 /* size_x is the number of an address's bits */
};

/* A row each: TOPOLOGY, name, counting, is a size valid, number of links, far ends. Each column is an array of its own,
 * so that a firmware image has only those that it asks for. */
#define TOPOLOGIES(ROW)                                                                      \
    ROW(GRID, grid, 0, plane_valid, plane_links, grid_far_end)                               \
    ROW(TORUS, torus, 0, plane_valid, plane_links, torus_far_end)                            \
    ROW(HYPERCUBE, hypercube, NUMBERED | SIZE_IN_BITS, cube_valid, cube_links, cube_far_end) \
    ROW(GRAPH, graph, NUMBERED, graph_valid, graph_links, graph_far_end)

#define NAME(number, name, counting, valid, links, far_end)     [PR_TOPOLOGY_##number] = #name,
#define COUNTING(number, name, counting, valid, links, far_end) [PR_TOPOLOGY_##number] = counting,
#define VALID(number, name, counting, valid, links, far_end)    [PR_TOPOLOGY_##number] = valid,
#define LINKS(number, name, counting, valid, links, far_end)    [PR_TOPOLOGY_##number] = links,
#define FAR_END(number, name, counting, valid, links, far_end)  [PR_TOPOLOGY_##number] = far_end,

typedef bool of_size(const struct pr_shape *shape);
typedef unsigned number_of(const struct pr_shape *shape);
typedef struct pr_far_end far_end_of(const struct pr_shape *shape, const struct pr_cables *cables, unsigned site,
                                     unsigned link);

static const char *const names[PR_TOPOLOGIES] = {TOPOLOGIES(NAME)};
static const uint8_t countings[PR_TOPOLOGIES] = {TOPOLOGIES(COUNTING)};
static of_size *const valid[PR_TOPOLOGIES] = {TOPOLOGIES(VALID)};
static number_of *const links[PR_TOPOLOGIES] = {TOPOLOGIES(LINKS)};
static far_end_of *const far_ends[PR_TOPOLOGIES] = {TOPOLOGIES(FAR_END)};

const char *pr_topology_name(uint32_t topology)
{
    return topology < PR_TOPOLOGIES ? names[topology] : NULL;
}

bool pr_shape_valid(const struct pr_shape *shape)
{
    if ((shape->word_width != 16 && shape->word_width != 32) || shape->topology >= PR_TOPOLOGIES || shape->size_x < 1 ||
        shape->size_y < 1)
        return false;
    return valid[shape->topology](shape);
}

static bool is_numbered(const struct pr_shape *shape)
{
    return countings[shape->topology] & NUMBERED;
}

unsigned pr_shape_sites(const struct pr_shape *shape)
{
    unsigned columns = countings[shape->topology] & SIZE_IN_BITS ? 1u << shape->size_x : shape->size_x;
    return is_numbered(shape) ? columns : columns * shape->size_y;
}

unsigned pr_shape_links(const struct pr_shape *shape)
{
    return links[shape->topology](shape);
}

struct pr_far_end pr_shape_far_end(const struct pr_shape *shape, const struct pr_cables *cables, unsigned site,
                                   unsigned link)
{
    return link < pr_shape_links(shape) ? far_ends[shape->topology](shape, cables, site, link) : nowhere;
}

/* ---- addresses ---- */

uint32_t pr_shape_address(const struct pr_shape *shape, unsigned site)
{
    unsigned y = 0;
    if (is_numbered(shape))
        return site;
    while (site >= shape->size_x) { /* cheaper than a division on cores that have none */
        site -= shape->size_x;
        y++;
    }
    return (uint32_t)y << pr_shape_coordinate_width(shape) | site;
}

unsigned pr_shape_site(const struct pr_shape *shape, uint32_t site_word)
{
    unsigned width = pr_shape_coordinate_width(shape);
    uint32_t address = site_word & address_mask(shape);
    unsigned site = address;
    if (is_numbered(shape))
        return site;
    site &= (1u << width) - 1;
    for (unsigned y = address >> width; y > 0; y--)
        site += shape->size_x;
    return site;
}

struct pr_site_addresses pr_shape_addresses(const struct pr_shape *shape)
{
    unsigned width = pr_shape_coordinate_width(shape);
    struct pr_site_addresses addresses = {.mask = address_mask(shape)};
    if (is_numbered(shape)) {
        addresses.columns = 1;
        addresses.end = pr_shape_sites(shape);
        return addresses;
    }
    addresses.column_mask = (1u << width) - 1;
    addresses.columns = shape->size_x;
    addresses.end = shape->size_y << width;
    return addresses;
}

unsigned pr_shape_distance(const struct pr_shape *shape, uint32_t from, uint32_t to)
{
    unsigned width = pr_shape_coordinate_width(shape), x = (1u << width) - 1, links = 0;
    switch (shape->topology) {
    case PR_TOPOLOGY_GRID:
        return pr_way_between(from & x, to & x) + pr_way_between(from >> width, to >> width);
    case PR_TOPOLOGY_TORUS:
        return pr_way_around(from & x, to & x, shape->size_x) +
               pr_way_around(from >> width, to >> width, shape->size_y);
    case PR_TOPOLOGY_HYPERCUBE:
        for (uint32_t differ = from ^ to; differ != 0; differ &= differ - 1)
            links++;
        return links;
    default:
        return from != to;
    }
}
