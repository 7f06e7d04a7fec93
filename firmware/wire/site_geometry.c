/* See site_geometry.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/site_geometry.h"

#include "protocol.h"

enum { GRID_LINKS = 4 };

static bool is_cube(const struct pr_site_geometry *geometry)
{
    return geometry->topology == PR_TOPOLOGY_HYPERCUBE;
}

unsigned pr_site_geometry_coordinate_width(const struct pr_site_geometry *geometry)
{
    return geometry->word_width == 32 ? PR_SITE_COORD_WIDTH_32 : PR_SITE_COORD_WIDTH_16;
}

static uint32_t address_mask(const struct pr_site_geometry *geometry)
{
    return (1u << 2 * pr_site_geometry_coordinate_width(geometry)) - 1;
}

unsigned pr_site_geometry_sites(const struct pr_site_geometry *geometry)
{
    if (is_cube(geometry))
        return 1u << geometry->size_x;
    return geometry->size_x * geometry->size_y;
}

bool pr_site_geometry_valid(const struct pr_site_geometry *geometry)
{
    if ((geometry->word_width != 16 && geometry->word_width != 32) || geometry->topology > PR_TOPOLOGY_HYPERCUBE ||
        geometry->size_x < 1 || geometry->size_y < 1)
        return false;
    if (is_cube(geometry))
        return geometry->size_x <= PR_GEOMETRY_DIMENSIONS_MAX && geometry->size_y == 1;
    unsigned side = 1u << pr_site_geometry_coordinate_width(geometry);
    return geometry->size_x <= side && geometry->size_y <= side;
}

unsigned pr_site_geometry_links(const struct pr_site_geometry *geometry)
{
    return is_cube(geometry) ? geometry->size_x : GRID_LINKS;
}

uint32_t pr_site_geometry_address(const struct pr_site_geometry *geometry, unsigned site)
{
    unsigned y = 0;
    if (is_cube(geometry))
        return site;
    while (site >= geometry->size_x) { /* cheaper than a division on cores that have none */
        site -= geometry->size_x;
        y++;
    }
    return (uint32_t)y << pr_site_geometry_coordinate_width(geometry) | site;
}

unsigned pr_site_geometry_site(const struct pr_site_geometry *geometry, uint32_t site_word)
{
    unsigned width = pr_site_geometry_coordinate_width(geometry);
    uint32_t address = site_word & address_mask(geometry);
    unsigned site = address;
    if (is_cube(geometry))
        return site;
    site &= (1u << width) - 1;
    for (unsigned y = address >> width; y > 0; y--)
        site += geometry->size_x;
    return site;
}

/* One step along a coordinate; -1 when that leaves the mesh. */
static int step(const struct pr_site_geometry *geometry, unsigned coordinate, unsigned size, int direction)
{
    int next = (int)coordinate + direction;
    if (geometry->topology == PR_TOPOLOGY_TORUS && size > 1)
        return (next + (int)size) % (int)size;
    return next >= (int)size ? -1 : next;
}

int pr_site_geometry_neighbour(const struct pr_site_geometry *geometry, unsigned site, unsigned link)
{
    if (link >= pr_site_geometry_links(geometry))
        return -1;
    if (is_cube(geometry))
        return (int)(site ^ 1u << link);
    unsigned columns = geometry->size_x, x = site % columns, y = site / columns;
    int direction = link % 2 ? -1 : 1;
    int next = link < 2 ? step(geometry, x, columns, direction) : step(geometry, y, geometry->size_y, direction);
    if (next < 0)
        return -1;
    return link < 2 ? (int)(y * columns) + next : next * (int)columns + (int)x;
}

unsigned pr_site_geometry_facing_link(const struct pr_site_geometry *geometry, unsigned link)
{
    return is_cube(geometry) ? link : link ^ 1;
}

struct pr_site_addresses pr_site_geometry_addresses(const struct pr_site_geometry *geometry)
{
    unsigned width = pr_site_geometry_coordinate_width(geometry);
    struct pr_site_addresses addresses = {.mask = address_mask(geometry)};
    if (is_cube(geometry)) {
        addresses.columns = 1;
        addresses.end = 1u << geometry->size_x;
        return addresses;
    }
    addresses.column_mask = (1u << width) - 1;
    addresses.columns = geometry->size_x;
    addresses.end = geometry->size_y << width;
    return addresses;
}
