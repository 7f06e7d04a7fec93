/* See route.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/route.h"

#include "protocol.h"

struct pr_route pr_route_from(const struct pr_site_geometry *geometry, unsigned site)
{
    uint32_t address = pr_site_geometry_address(geometry, site);
    struct pr_route route = {
        .topology = geometry->topology,
        .x = address,
        .coordinate_width = pr_site_geometry_coordinate_width(geometry),
    };
    if (geometry->topology == PR_TOPOLOGY_HYPERCUBE)
        return route;
    route.x = address & ((1u << route.coordinate_width) - 1);
    route.y = address >> route.coordinate_width;
    if (geometry->topology == PR_TOPOLOGY_TORUS) {
        route.size_x = geometry->size_x;
        route.size_y = geometry->size_y;
    }
    return route;
}

/* The dimensions in the opposite order; the other way round as well. */
static uint32_t reversed(uint32_t dimensions)
{
    uint32_t bits = 0;
    for (unsigned k = 0; k < PR_GEOMETRY_DIMENSIONS_MAX; k++) {
        bits = bits << 1 | (dimensions & 1);
        dimensions >>= 1;
    }
    return bits;
}

/* The steps of one dimension, with `negative` added if they lead to smaller coordinates. size: of a ring, or 0. Half
 * way round a ring goes the positive way. */
static uint32_t steps(uint32_t from, uint32_t to, uint32_t size, uint32_t negative)
{
    int32_t forward = (int32_t)(to - from);
    if (size > 0) {
        if (forward < 0)
            forward += (int32_t)size;
        if (2 * forward > (int32_t)size)
            forward -= (int32_t)size;
    }
    return forward >= 0 ? (uint32_t)forward : negative - (uint32_t)forward;
}

/* The coordinate that so many steps lead to. */
static uint32_t arrival(uint32_t from, uint32_t count, uint32_t size, uint32_t negative)
{
    uint32_t to;
    if (count < negative) {
        to = from + count;
        return size > 0 && to >= size ? to - size : to;
    }
    to = from - (count - negative);
    return (int32_t)to < 0 ? to + size : to;
}

uint32_t pr_route_place(const struct pr_route *route, uint32_t site_word)
{
    uint32_t width = route->coordinate_width, side = 1u << width;
    uint32_t y = site_word >> width & (side - 1);
    if (route->topology == PR_TOPOLOGY_HYPERCUBE)
        return reversed(site_word ^ route->x);
    return steps(route->x, site_word & (side - 1), route->size_x, side) << (width + 1) |
           steps(route->y, y, route->size_y, side);
}

uint32_t pr_route_address(const struct pr_route *route, uint32_t place)
{
    uint32_t width = route->coordinate_width, side = 1u << width;
    if (route->topology == PR_TOPOLOGY_HYPERCUBE)
        return reversed(place) ^ route->x;
    return arrival(route->y, place & (2 * side - 1), route->size_y, side) << width |
           arrival(route->x, place >> (width + 1), route->size_x, side);
}

bool pr_route_leads_straight(const struct pr_route *route, uint32_t near, uint32_t far)
{
    uint32_t negative = 1u << route->coordinate_width, differs = near ^ far, y = near & (2 * negative - 1);
    if (near > far)
        return false;
    if (route->topology == PR_TOPOLOGY_HYPERCUBE) /* one dimension, behind the last that `near` crosses */
        return (differs & (near | -near)) == 0 && (differs & (differs - 1)) == 0;
    return differs < 2 * negative && (y == 0 || !(differs & negative));
}
