/* See route.h. Coordinates are compared where they are in the words: small cores shift a bit a clock.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/route.h"

#include "protocol.h"

struct pr_route pr_route_from(const struct pr_shape *geometry, unsigned site)
{
    struct pr_site_addresses addresses = pr_shape_addresses(geometry);
    uint32_t address = pr_shape_address(geometry, site);
    struct pr_route route = {
        .topology = geometry->topology,
        .x_mask = addresses.column_mask,
        .y_mask = addresses.mask & ~addresses.column_mask,
    };
    if (geometry->topology == PR_TOPOLOGY_HYPERCUBE) {
        route.x = address;
        return route;
    }
    route.x = address & route.x_mask;
    route.y = address & route.y_mask;
    if (geometry->topology == PR_TOPOLOGY_TORUS) {
        route.ring_x = geometry->size_x;
        route.ring_y = geometry->size_y << pr_shape_coordinate_width(geometry);
    }
    return route;
}

/* The steps of one dimension; negative if they lead to smaller coordinates. ring: its size, or 0. Half way round goes
 * the positive way. */
static int32_t steps(uint32_t from, uint32_t to, uint32_t ring)
{
    int32_t forward = (int32_t)(to - from);
    if (ring > 0) {
        if (forward < 0)
            forward += (int32_t)ring;
        if (2 * forward > (int32_t)ring)
            forward -= (int32_t)ring;
    }
    return forward;
}

static int32_t steps_in_x(const struct pr_route *route, uint32_t site_word)
{
    return steps(route->x, site_word & route->x_mask, route->ring_x);
}

static int32_t steps_in_y(const struct pr_route *route, uint32_t site_word)
{
    return steps(route->y, site_word & route->y_mask, route->ring_y);
}

/* Steps upwards come first, and few before many. */
static bool comes_first(int32_t first, int32_t second)
{
    if ((first ^ second) < 0)
        return first >= 0;
    return first >= 0 ? first < second : first > second;
}

/* Hypercube: the dimensions to cross. */
static uint32_t crossed(const struct pr_route *route, uint32_t site_word)
{
    return (site_word ^ route->x) & route->y_mask;
}

bool pr_route_precedes(const struct pr_route *route, uint32_t first, uint32_t second)
{
    uint32_t differs = first ^ second;
    if (route->topology == PR_TOPOLOGY_HYPERCUBE) {
        differs &= route->y_mask;
        return (crossed(route, second) & differs & -differs) != 0;
    }
    if (differs & route->x_mask)
        return comes_first(steps_in_x(route, first), steps_in_x(route, second));
    return comes_first(steps_in_y(route, first), steps_in_y(route, second));
}

static bool leads_straight_in_cube(uint32_t near, uint32_t far)
{
    uint32_t turns = near ^ far; /* one dimension, behind the last that leads to `near` */
    return turns == 0 || ((turns & (turns - 1)) == 0 && turns > near);
}

bool pr_route_leads_straight(const struct pr_route *route, uint32_t near, uint32_t far)
{
    int32_t to_near, to_far;
    if (route->topology == PR_TOPOLOGY_HYPERCUBE)
        return leads_straight_in_cube(crossed(route, near), crossed(route, far));
    if ((near ^ far) & route->x_mask)
        return false;
    to_near = steps_in_y(route, near);
    to_far = steps_in_y(route, far);
    return to_near == 0 || to_near == to_far || ((to_near ^ to_far) >= 0 && comes_first(to_near, to_far));
}
