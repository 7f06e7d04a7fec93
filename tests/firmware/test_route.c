/* Places and ways of operator/route.h, over all pairs of sites of small meshes, against a walk from site to site.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "operator/route.h"
#include "protocol.h"

enum { SITES_MAX = 128, DIMENSIONS = 6, SIDE = 9 };

static struct pr_site_geometry geometry;
static unsigned sites;
static bool visits[SITES_MAX][SITES_MAX][SITES_MAX]; /* [from][to][site]: the way leads through the site */
static uint32_t places[SITES_MAX][SITES_MAX];        /* [from][to] */
static struct pr_route routes[SITES_MAX];

/* The link of the next step along a coordinate; -1: it is right already. Half way round a ring goes up. */
static int link_along(unsigned from, unsigned to, unsigned size, int up)
{
    unsigned ahead = (to + size - from) % size;
    bool rises = geometry.topology == PR_TOPOLOGY_TORUS ? ahead <= size - ahead : to > from;
    if (from == to)
        return -1;
    return rises ? up : up + 1;
}

/* Dimension order, hop by hop. */
static unsigned next_hop(unsigned at, unsigned to)
{
    unsigned columns = geometry.size_x;
    int link = 0;
    if (geometry.topology == PR_TOPOLOGY_HYPERCUBE) {
        while (((at ^ to) >> link & 1) == 0)
            link++;
    } else {
        link = link_along(at % columns, to % columns, columns, 0);
        if (link < 0)
            link = link_along(at / columns, to / columns, geometry.size_y, 2);
    }
    return (unsigned)pr_site_geometry_neighbour(&geometry, at, (unsigned)link);
}

static void walk_all(void)
{
    for (unsigned from = 0; from < sites; from++) {
        for (unsigned to = 0; to < sites; to++) {
            bool *visited = visits[from][to];
            for (unsigned site = 0; site < sites; site++)
                visited[site] = false;
            for (unsigned at = from; at != to; at = next_hop(at, to))
                visited[at] = true;
            visited[to] = true;
        }
    }
}

static void place_all(void)
{
    uint32_t mark = geometry.word_width == 32 ? 1u << PR_SITE_MARK_BIT_32 : 1u << PR_SITE_MARK_BIT_16;
    for (unsigned from = 0; from < sites; from++) {
        routes[from] = pr_route_from(&geometry, from);
        for (unsigned to = 0; to < sites; to++) {
            uint32_t address = pr_site_geometry_address(&geometry, to);
            places[from][to] = pr_route_place(&routes[from], address);
            CHECK_EQUAL(pr_route_address(&routes[from], places[from][to]), address);
            CHECK_EQUAL(pr_route_place(&routes[from], address | mark), places[from][to]);
        }
    }
}

/* A way within a column; in a hypercube, a single step. */
static bool is_straight(unsigned from, unsigned to)
{
    if (geometry.topology == PR_TOPOLOGY_HYPERCUBE)
        return from == to || next_hop(from, to) == to;
    return from % geometry.size_x == to % geometry.size_x;
}

/* Ways, and the order in which the targets of each way come. */
static void check_ways(unsigned from)
{
    const uint32_t *place = places[from];
    for (unsigned to = 0; to < sites; to++) {
        for (unsigned site = 0; site < sites; site++) {
            CHECK_EQUAL(pr_route_leads_straight(&routes[from], place[site], place[to]),
                        visits[from][to][site] && is_straight(site, to));
            CHECK(!visits[from][to][site] || place[site] <= place[to]);
            CHECK((place[site] == place[to]) == (site == to));
        }
    }
}

/* The targets behind a site are neighbours in the order, and that site sees them in the same order. */
static void check_behind(unsigned from)
{
    const uint32_t *place = places[from];
    for (unsigned site = 0; site < sites; site++) {
        for (unsigned near = 0; near < sites; near++) {
            for (unsigned far = 0; far < sites; far++) {
                if (!visits[from][far][site] || place[near] < place[site] || place[near] > place[far])
                    continue;
                CHECK(visits[from][near][site]);
                CHECK(places[site][near] <= places[site][far]);
            }
        }
    }
}

static void check_mesh(unsigned topology, unsigned size_x, unsigned size_y, unsigned word_width)
{
    geometry = (struct pr_site_geometry){
        .topology = topology, .size_x = size_x, .size_y = size_y, .word_width = word_width};
    sites = pr_site_geometry_sites(&geometry);
    walk_all();
    place_all();
    for (unsigned from = 0; from < sites; from++) {
        check_ways(from);
        check_behind(from);
    }
}

static void grids_and_tori(void)
{
    for (unsigned topology = PR_TOPOLOGY_GRID; topology <= PR_TOPOLOGY_TORUS; topology++) {
        for (unsigned size_x = 1; size_x <= SIDE; size_x++) {
            for (unsigned size_y = 1; size_y <= SIDE && size_x * size_y <= 48; size_y++)
                check_mesh(topology, size_x, size_y, (size_x + size_y) % 2 ? 16 : 32);
        }
    }
}

static void hypercubes(void)
{
    for (unsigned dimensions = 1; dimensions <= DIMENSIONS; dimensions++)
        check_mesh(PR_TOPOLOGY_HYPERCUBE, dimensions, 1, dimensions % 2 ? 16 : 32);
}

/* Every bit of a coordinate counts. */
static void the_largest_meshes(void)
{
    check_mesh(PR_TOPOLOGY_GRID, SITES_MAX, 1, 16);
    check_mesh(PR_TOPOLOGY_TORUS, 1, SITES_MAX, 16);
    for (unsigned topology = PR_TOPOLOGY_GRID; topology <= PR_TOPOLOGY_TORUS; topology++) {
        const struct pr_site_geometry wide = {
            .topology = topology, .size_x = PR_GEOMETRY_SIDE_MAX, .size_y = 15, .word_width = 32};
        const struct pr_site_geometry high = {
            .topology = topology, .size_x = 15, .size_y = PR_GEOMETRY_SIDE_MAX, .word_width = 32};
        for (unsigned k = 0; k < 15; k++) {
            unsigned from = k * PR_GEOMETRY_SIDE_MAX / 14 * 15 % pr_site_geometry_sites(&wide);
            struct pr_route across = pr_route_from(&wide, from), along = pr_route_from(&high, from);
            for (unsigned to = 0; to < pr_site_geometry_sites(&wide); to += 7) {
                uint32_t address = pr_site_geometry_address(&wide, to);
                CHECK_EQUAL(pr_route_address(&across, pr_route_place(&across, address)), address);
                address = pr_site_geometry_address(&high, to);
                CHECK_EQUAL(pr_route_address(&along, pr_route_place(&along, address)), address);
            }
        }
    }
}

int main(void)
{
    RUN(grids_and_tori);
    RUN(hypercubes);
    RUN(the_largest_meshes);
    return 0;
}
