/* See dimension_order.h. Coordinates are compared where they are in the words: small cores shift a bit a clock.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/dimension_order.h"

#include "protocol.h"

struct pr_dimension_order pr_dimension_order_from(const struct pr_shape *shape, unsigned site)
{
    struct pr_site_addresses addresses = pr_shape_addresses(shape);
    uint32_t address = pr_shape_address(shape, site);
    struct pr_dimension_order order = {
        .topology = shape->topology,
        .x_mask = addresses.column_mask,
        .y_mask = addresses.mask & ~addresses.column_mask,
    };
    if (shape->topology == PR_TOPOLOGY_HYPERCUBE) {
        order.x = address;
        return order;
    }
    order.x = address & order.x_mask;
    order.y = address & order.y_mask;
    if (shape->topology == PR_TOPOLOGY_TORUS) {
        order.ring_x = shape->size_x;
        order.ring_y = shape->size_y << pr_shape_coordinate_width(shape);
    }
    return order;
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

static int32_t steps_in_x(const struct pr_dimension_order *order, uint32_t site_word)
{
    return steps(order->x, site_word & order->x_mask, order->ring_x);
}

static int32_t steps_in_y(const struct pr_dimension_order *order, uint32_t site_word)
{
    return steps(order->y, site_word & order->y_mask, order->ring_y);
}

/* Steps upwards come first, and few before many. */
static bool comes_first(int32_t first, int32_t second)
{
    if ((first ^ second) < 0)
        return first >= 0;
    return first >= 0 ? first < second : first > second;
}

/* Hypercube: the dimensions to cross. */
static uint32_t crossed(const struct pr_dimension_order *order, uint32_t site_word)
{
    return (site_word ^ order->x) & order->y_mask;
}

bool pr_dimension_order_precedes(const struct pr_dimension_order *order, uint32_t first, uint32_t second)
{
    uint32_t differs = first ^ second;
    if (order->topology == PR_TOPOLOGY_HYPERCUBE) {
        differs &= order->y_mask;
        return (crossed(order, second) & differs & -differs) != 0;
    }
    if (differs & order->x_mask)
        return comes_first(steps_in_x(order, first), steps_in_x(order, second));
    return comes_first(steps_in_y(order, first), steps_in_y(order, second));
}

static bool leads_straight_in_cube(uint32_t near, uint32_t far)
{
    uint32_t turns = near ^ far; /* one dimension, behind the last that leads to `near` */
    return turns == 0 || ((turns & (turns - 1)) == 0 && turns > near);
}

bool pr_dimension_order_leads_straight(const struct pr_dimension_order *order, uint32_t near, uint32_t far)
{
    int32_t to_near, to_far;
    if (order->topology == PR_TOPOLOGY_HYPERCUBE)
        return leads_straight_in_cube(crossed(order, near), crossed(order, far));
    if ((near ^ far) & order->x_mask)
        return false;
    to_near = steps_in_y(order, near);
    to_far = steps_in_y(order, far);
    return to_near == 0 || to_near == to_far || ((to_near ^ to_far) >= 0 && comes_first(to_near, to_far));
}
