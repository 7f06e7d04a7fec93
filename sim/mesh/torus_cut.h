/* The cut that keeps virtual planes of a torus free of cycles: rule R17 of hw/postman/rules.md.
 *
 * A plane leads in one direction of x and one of y. Along its lines s = x * size_y + y * size_x grows, modulo
 * size_x * size_y; a line on which it passes 0 crosses the cut. Where a direction counts down, its coordinates are
 * counted backwards.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_TORUS_CUT_H
#define POSTROAD_MESH_TORUS_CUT_H

#include <stdint.h>

enum { TORUS_QUADRANTS = 4 }; /* (+X,+Y), (-X,+Y), (-X,-Y), (+X,-Y) */

struct torus_site {
    unsigned size_x, size_y, x, y;
};

/* The lines from this site that cross the cut: bit 2 * q in x, bit 2 * q + 1 in y, of quadrant q. */
uint32_t torus_cut(const struct torus_site *site);

#endif
