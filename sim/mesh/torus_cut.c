/* See torus_cut.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/torus_cut.h"

#include <stdbool.h>

static unsigned counted(unsigned coordinate, unsigned size, bool backwards)
{
    return backwards ? size - 1 - coordinate : coordinate;
}

/* The two lines of a quadrant. */
static uint32_t crossed(const struct torus_site *site, unsigned quadrant)
{
    unsigned x = counted(site->x, site->size_x, quadrant == 1 || quadrant == 2);
    unsigned y = counted(site->y, site->size_y, quadrant >= 2);
    unsigned all = site->size_x * site->size_y, s = (x * site->size_y + y * site->size_x) % all;
    return (s + site->size_y >= all) | (uint32_t)(s + site->size_x >= all) << 1;
}

uint32_t torus_cut(const struct torus_site *site)
{
    uint32_t cut = 0;
    for (unsigned quadrant = 0; quadrant < TORUS_QUADRANTS; quadrant++)
        cut |= crossed(site, quadrant) << 2 * quadrant;
    return cut;
}
