/* The topologies of a mesh, a row each: site numbers, addresses, links and their far ends. Firmware, simulators and
 * host tools use them.
 *
 * Site numbers: grid and torus n = y * size_x + x; hypercube n = address. A link is port - 1: for a grid or a
 * torus 0 east, 1 west, 2 north, 3 south; for a hypercube link d flips bit d of the address. A graph has its cables
 * from a table, and n = address. Every function is pure.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_TOPOLOGY_H
#define POSTROAD_WIRE_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The words of the node ID block from TOPOLOGY on: an identity holds them as they are. */
struct pr_shape {
    uint32_t topology;       /* PR_TOPOLOGY_* */
    uint32_t signature;      /* of the node ID block; no function here reads it */
    uint32_t size_x, size_y; /* sites; hypercube: dimensions and 1; graph: sites and links of a site */
    uint32_t word_width;     /* 16 or 32 */
};

enum {
    PR_SHAPE_SIDE_MAX = 4096, /* with 32-bit words; 128 with 16-bit words */
    PR_SHAPE_DIMENSIONS_MAX = 14,
    PR_GRAPH_SITES_MAX = 512,
    PR_GRAPH_LINKS_MAX = 16,     /* of a switch; an operator takes the place of the last */
    PR_CONSOLE_SITES_MAX = 65535 /* that a console can name: site number 0xffff means "this one" there */
};

/* Where a link ends: a site, and the link of that site which comes back. */
struct pr_far_end {
    int site; /* -1: the link leads over the edge, or the site has no such link */
    unsigned link;
};

/* A cable of a graph, as one of its ends sees it. */
struct pr_cable {
    uint16_t site, far_site;
    uint8_t link, far_link;
    uint16_t delay; /* clocks of a word: 1 is a wire from flop to flop */
};

/* Both ends of each cable, by site, then by link. */
struct pr_cables {
    const struct pr_cable *ends;
    unsigned count;
};

/* The cable at a link; NULL: there is none. */
const struct pr_cable *pr_cables_find(const struct pr_cables *cables, unsigned site, unsigned link);

/* The addresses that are a site of a mesh. Made once: small cores shift a bit a clock. */
struct pr_site_addresses {
    uint32_t mask; /* address bits of a site word, and those of its column (hypercube: none) */
    uint32_t column_mask;
    uint32_t columns;
    uint32_t end; /* of the addresses */
};

/* The number of topologies, and the name of one; NULL: there is none of this number. */
enum { PR_TOPOLOGIES = 4 };
const char *pr_topology_name(uint32_t topology);

/* True if there are meshes of this shape: a known topology and word width, and a size that addresses can express.
 * The other functions need such a shape. */
bool pr_shape_valid(const struct pr_shape *shape);

/* Bits of one coordinate in an address: 7 with 16-bit words, 12 with 32-bit words. */
unsigned pr_shape_coordinate_width(const struct pr_shape *shape);

/* Number of sites of the mesh, and of links of a site, connected or not. */
unsigned pr_shape_sites(const struct pr_shape *shape);
unsigned pr_shape_links(const struct pr_shape *shape);

/* Address of a site, as in a site word. The site must be below pr_shape_sites(). */
uint32_t pr_shape_address(const struct pr_shape *shape, unsigned site);

/* The site that an address (strict bit ignored) belongs to, if it has one: see pr_site_addresses_have(). */
unsigned pr_shape_site(const struct pr_shape *shape, uint32_t site_word);

/* A ring of one site has no links. The site must be below pr_shape_sites(). `cables` are those of a graph. */
struct pr_far_end pr_shape_far_end(const struct pr_shape *shape, const struct pr_cables *cables, unsigned site,
                                   unsigned link);

struct pr_site_addresses pr_shape_addresses(const struct pr_shape *shape);

/* Along one axis, and on a ring of this size by the shorter way; in whatever the places are counted in. */
static inline unsigned pr_way_between(unsigned one, unsigned other)
{
    return one > other ? one - other : other - one;
}

static inline unsigned pr_way_around(unsigned one, unsigned other, unsigned size)
{
    unsigned way = pr_way_between(one, other);
    return way > size - way ? size - way : way;
}

/* Links between the sites of two addresses; 1 on a graph, whose cables no operator knows. */
unsigned pr_shape_distance(const struct pr_shape *shape, uint32_t from, uint32_t to);

/* True if the address of a site word (strict bit ignored) is one of them. */
static inline bool pr_site_addresses_have(const struct pr_site_addresses *addresses, uint32_t site_word)
{
    return (site_word & addresses->column_mask) < addresses->columns && (site_word & addresses->mask) < addresses->end;
}

#ifdef __cplusplus
}
#endif

#endif
