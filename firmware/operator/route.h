/* The way of a packet in dimension order (hw/cutthrough), as the operator of its source sees it: in which order targets
 * lie on their ways, and which way leads straight from one to another. Pure functions.
 *
 * A target's place is a number that only this module reads. Sorted by it, the targets come nearest first, and each
 * target is followed by those behind it: this is a preorder of the tree that the ways to all sites form.
 *
 *   grid, torus   steps in x, then steps in y. The top bit of each field is set if they lead to smaller coordinates
 *   hypercube     the dimensions to cross, lowest dimension in the top bit
 *
 * Any site on the way sees the targets behind it in the same order: packets that are sent on need not be sorted again.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_ROUTE_H
#define POSTROAD_OPERATOR_ROUTE_H

#include "wire/site_geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What places are reckoned with. Made once for a site. */
struct pr_route {
    uint32_t topology;
    uint32_t x, y;             /* of this site; hypercube: the address and 0 */
    uint32_t size_x, size_y;   /* torus only */
    uint32_t coordinate_width; /* of an address */
};

struct pr_route pr_route_from(const struct pr_site_geometry *geometry, unsigned site);

/* The place of a site word's target, whatever its other bits, and the address at a place. */
uint32_t pr_route_place(const struct pr_route *route, uint32_t site_word);
uint32_t pr_route_address(const struct pr_route *route, uint32_t place);

/* True if the target at place `near` lies on the way to the one at `far`, and the rest of that way is straight: in y on
 * a grid or torus, in one dimension of a hypercube. Of a target and itself, too. */
bool pr_route_leads_straight(const struct pr_route *route, uint32_t near, uint32_t far);

#ifdef __cplusplus
}
#endif

#endif
