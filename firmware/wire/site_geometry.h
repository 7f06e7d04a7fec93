/* The geometry of a mesh: site numbers, addresses, links and neighbours. Firmware, simulators and host tools use it.
 *
 * Site numbers: grid and torus n = y * size_x + x; hypercube n = address. A link is port - 1: for a grid or a
 * torus 0 east, 1 west, 2 north, 3 south; for a hypercube link d flips bit d of the address. Every function is pure.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_SITE_GEOMETRY_H
#define POSTROAD_WIRE_SITE_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The words of the node ID block from TOPOLOGY on: an identity holds them as they are. */
struct pr_site_geometry {
    uint32_t topology;       /* PR_TOPOLOGY_* */
    uint32_t signature;      /* of the node ID block; no function here reads it */
    uint32_t size_x, size_y; /* sites; hypercube: dimensions and 1 */
    uint32_t word_width;     /* 16 or 32 */
};

enum {
    PR_GEOMETRY_SIDE_MAX = 4096, /* with 32-bit words; 128 with 16-bit words */
    PR_GEOMETRY_DIMENSIONS_MAX = 14,
    PR_CONSOLE_SITES_MAX = 65535 /* that a console can name: site number 0xffff means "this one" there */
};

/* True if there are meshes of this geometry: a known topology and word width, and a size that addresses can express.
 * The other functions need such a geometry. */
bool pr_site_geometry_valid(const struct pr_site_geometry *geometry);

/* Bits of one coordinate in an address: 7 with 16-bit words, 12 with 32-bit words. */
unsigned pr_site_geometry_coordinate_width(const struct pr_site_geometry *geometry);

/* Number of sites of the mesh, and of links of a site, connected or not. */
unsigned pr_site_geometry_sites(const struct pr_site_geometry *geometry);
unsigned pr_site_geometry_links(const struct pr_site_geometry *geometry);

/* Address of a site, as in a site word. The site must be below pr_site_geometry_sites(). */
uint32_t pr_site_geometry_address(const struct pr_site_geometry *geometry, unsigned site);

/* The site that an address (strict bit ignored) belongs to, if it has one: see pr_site_addresses_have(). */
unsigned pr_site_geometry_site(const struct pr_site_geometry *geometry, uint32_t site_word);

/* The site at the far end of a link; -1: the link leads over the edge, or the site has no such link. A ring of one site
 * has no links. The site must be below pr_site_geometry_sites(). */
int pr_site_geometry_neighbour(const struct pr_site_geometry *geometry, unsigned site, unsigned link);

/* The link of a neighbour that comes back over this one. */
unsigned pr_site_geometry_facing_link(const struct pr_site_geometry *geometry, unsigned link);

/* The addresses that are a site of a mesh. Made once: small cores shift a bit a clock. */
struct pr_site_addresses {
    uint32_t mask; /* address bits of a site word, and those of its column (hypercube: none) */
    uint32_t column_mask;
    uint32_t columns;
    uint32_t end; /* of the addresses */
};

struct pr_site_addresses pr_site_geometry_addresses(const struct pr_site_geometry *geometry);

/* True if the address of a site word (strict bit ignored) is one of them. */
static inline bool pr_site_addresses_have(const struct pr_site_addresses *addresses, uint32_t site_word)
{
    return (site_word & addresses->column_mask) < addresses->columns && (site_word & addresses->mask) < addresses->end;
}

#ifdef __cplusplus
}
#endif

#endif
