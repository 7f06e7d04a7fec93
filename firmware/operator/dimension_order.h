/* The way of a packet in dimension order, as the operator of its source sees it: in which order targets lie on their
 * ways, and which way leads straight from one to another. Pure functions; ways.h has them as a row.
 *
 * In this order the targets come nearest first, and each target is followed by those behind it: it is a preorder of the
 * tree that the ways to all sites form.
 *
 *   grid, torus   by x, then by y: 0, 1, 2... steps to larger coordinates, then 1, 2... steps to smaller ones
 *   hypercube     by dimensions, the lowest first: targets for which it is not crossed, then the others
 *
 * Any site on the way sees the targets behind it in the same order: packets that are sent on need not be sorted again.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_DIMENSION_ORDER_H
#define POSTROAD_OPERATOR_DIMENSION_ORDER_H

#include "wire/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What ways are reckoned with. Made once for a site. Values of y are in the place that y has in an address. */
struct pr_dimension_order {
    uint32_t topology;
    uint32_t x, y;           /* of this site; hypercube: the address and 0 */
    uint32_t x_mask, y_mask; /* of an address; hypercube: 0 and all of it */
    uint32_t ring_x, ring_y; /* torus: columns and rows; else 0 */
};

struct pr_dimension_order pr_dimension_order_from(const struct pr_shape *shape, unsigned site);

/* True if the target of site word `first` comes before that of `second`. Both functions read the address alone. */
bool pr_dimension_order_precedes(const struct pr_dimension_order *order, uint32_t first, uint32_t second);

/* True if the target of `near` lies on the way to that of `far`, and the rest of that way is straight: in y on a grid
 * or torus, in one dimension of a hypercube. Of a target and itself, too. */
bool pr_dimension_order_leads_straight(const struct pr_dimension_order *order, uint32_t near, uint32_t far);

#ifdef __cplusplus
}
#endif

#endif
