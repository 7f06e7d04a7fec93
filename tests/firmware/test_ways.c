/* Routes of operator/ways.h in front of packets; order and ways of operator/dimension_order.h, over all pairs of sites
 * of small meshes, against a walk from site to site.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "operator/target_list.h"
#include "operator/ways.h"
#include "protocol.h"

#include <string.h>

enum { SITES_MAX = 128, DIMENSIONS = 6, SIDE = 9 };

static struct pr_shape geometry;
static unsigned sites;
static bool visits[SITES_MAX][SITES_MAX][SITES_MAX];   /* [from][to][site]: the way leads through the site */
static bool precedes[SITES_MAX][SITES_MAX][SITES_MAX]; /* [from][first][second] */
static struct pr_dimension_order routes[SITES_MAX];

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
    return (unsigned)pr_shape_far_end(&geometry, NULL, at, (unsigned)link).site;
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

/* The site word of a target, with or without its mark: only the address counts. */
static uint32_t word_of(unsigned site)
{
    uint32_t mark = geometry.word_width == 32 ? 1u << PR_SITE_MARK_BIT_32 : 1u << PR_SITE_MARK_BIT_16;
    return pr_shape_address(&geometry, site) | (site % 2 ? mark : 0);
}

static void order_all(void)
{
    for (unsigned from = 0; from < sites; from++) {
        routes[from] = pr_dimension_order_from(&geometry, from);
        for (unsigned first = 0; first < sites; first++) {
            for (unsigned second = 0; second < sites; second++)
                precedes[from][first][second] = pr_dimension_order_precedes(&routes[from], word_of(first),
                                                                            word_of(second));
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
    for (unsigned to = 0; to < sites; to++) {
        for (unsigned site = 0; site < sites; site++) {
            CHECK_EQUAL(pr_dimension_order_leads_straight(&routes[from], word_of(site), word_of(to)),
                        visits[from][to][site] && is_straight(site, to));
            CHECK(!visits[from][to][site] || site == to || precedes[from][site][to]);
            CHECK_EQUAL(precedes[from][site][to] + precedes[from][to][site], site != to);
        }
    }
}

/* The targets behind a site are neighbours in the order, and that site sees them in the same order. */
static void check_behind(unsigned from)
{
    for (unsigned site = 0; site < sites; site++) {
        for (unsigned near = 0; near < sites; near++) {
            for (unsigned far = 0; far < sites; far++) {
                if (!visits[from][far][site] || precedes[from][near][site] || precedes[from][far][near])
                    continue;
                CHECK(visits[from][near][site]);
                CHECK(near == far || precedes[site][near][far]);
            }
        }
    }
}

static void check_mesh(unsigned topology, unsigned size_x, unsigned size_y, unsigned word_width)
{
    geometry = (struct pr_shape){.topology = topology, .size_x = size_x, .size_y = size_y, .word_width = word_width};
    sites = pr_shape_sites(&geometry);
    walk_all();
    order_all();
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

static bool precedes_from_corner(unsigned first, unsigned second)
{
    return pr_dimension_order_precedes(&routes[0], word_of(first), word_of(second));
}

/* The way from one corner of a large mesh: an order of all sites, along each column and from column to column. */
static void check_far_sites(unsigned topology, unsigned size_x, unsigned size_y)
{
    geometry = (struct pr_shape){.topology = topology, .size_x = size_x, .size_y = size_y, .word_width = 32};
    routes[0] = pr_dimension_order_from(&geometry, 0);
    unsigned ahead_x = topology == PR_TOPOLOGY_TORUS ? size_x / 2 : size_x - 1;
    unsigned ahead_y = topology == PR_TOPOLOGY_TORUS ? size_y / 2 : size_y - 1;
    for (unsigned x = 0; x < size_x; x++) {
        for (unsigned y = 0; y < size_y; y++) {
            unsigned site = y * size_x + x;
            bool up = y <= ahead_y, right = x <= ahead_x;
            if (y + 1 < size_y) {
                CHECK_EQUAL(precedes_from_corner(site, site + size_x), up);
                CHECK_EQUAL(pr_dimension_order_leads_straight(&routes[0], word_of(site), word_of(site + size_x)),
                            up && y + 1 <= ahead_y);
            }
            if (x + 1 < size_x)
                CHECK_EQUAL(precedes_from_corner(site, site + 1), right);
        }
    }
}

/* Every bit of a coordinate counts. */
static void the_largest_meshes(void)
{
    check_mesh(PR_TOPOLOGY_GRID, SITES_MAX, 1, 16);
    check_mesh(PR_TOPOLOGY_TORUS, 1, SITES_MAX, 16);
    for (unsigned topology = PR_TOPOLOGY_GRID; topology <= PR_TOPOLOGY_TORUS; topology++) {
        check_far_sites(topology, PR_SHAPE_SIDE_MAX, 15);
        check_far_sites(topology, 15, PR_SHAPE_SIDE_MAX);
    }
}

/* ---- routes ---- */

enum { ROUTED_SITES = 9, ROUTED_WORDS = 64 };

static const struct pr_capabilities source_routed = {.source_routed = true};
static struct pr_route table[ROUTED_SITES + 1]; /* that of scouts is the last */
static struct pr_ways ways;

static void start_ways(const struct pr_capabilities *can)
{
    geometry = (struct pr_shape){.topology = PR_TOPOLOGY_GRID, .size_x = 3, .size_y = 3, .word_width = 16};
    memset(table, 0xdb, sizeof table);
    memset(&ways, 0, sizeof ways);
    pr_ways_init(&ways, can, &geometry, 0, table);
}

/* Entries of these sites, the second with two words of its own, and three data words. */
static struct pr_packet *packet_to(uint32_t *buffer, unsigned first, unsigned second)
{
    struct pr_packet *packet = memset(buffer, 0, 4 * PR_PACKET_BUFFER_WORDS(ROUTED_WORDS));
    pr_packet_set_counts(packet, 4, 3);
    packet->words[0] = pr_shape_address(&geometry, first);
    packet->words[1] = pr_shape_address(&geometry, second);
    for (unsigned k = 2; k < 7; k++)
        packet->words[k] = 0x100 + k;
    pr_packet_set_info(packet, 2, true);
    pr_packet_set_info(packet, 3, true);
    return packet;
}

/* The entry at `at` goes: its route is in front of it, all else is there, and off again it is what it was. */
static void check_route(unsigned at, unsigned end, const uint8_t *ports, unsigned count)
{
    uint32_t buffer[PR_PACKET_BUFFER_WORDS(ROUTED_WORDS)], copy[PR_PACKET_BUFFER_WORDS(ROUTED_WORDS)];
    struct pr_packet *packet = packet_to(buffer, 4, 7), *before = (struct pr_packet *)copy;
    packet->first_target = (uint8_t)at;
    packet->end_target = (uint8_t)end;
    memcpy(copy, buffer, sizeof copy);
    pr_route_put(&ways, packet);
    CHECK_EQUAL(packet->first_target, at);
    CHECK_EQUAL(pr_packet_end_target(packet), (end ? end : 4) + count);
    CHECK_EQUAL(pr_packet_target_words(packet), 4 + count);
    CHECK_EQUAL(pr_packet_data_words(packet), 3);
    for (unsigned k = 0; k < 7 + count; k++) {
        unsigned was = k < at ? k : k - count;
        bool is_route = k >= at && k < at + count;
        CHECK_EQUAL(packet->words[k], is_route ? ports[k - at] : before->words[was]);
        if (k < 4 + count)
            CHECK_EQUAL(pr_packet_is_info(packet, k), is_route || pr_packet_is_info(before, was));
    }
    pr_route_take_off(packet);
    CHECK(packet->counts == before->counts && packet->kind == before->kind);
    CHECK(memcmp(packet->words, before->words, 4 * 7) == 0);
    for (unsigned k = 0; k < 4; k++)
        CHECK_EQUAL(pr_packet_is_info(packet, k), pr_packet_is_info(before, k));
}

static void routes_go_in_front(void)
{
    static const uint8_t shorter[] = {3, 0},
                         longest[PR_ROUTE_PORTS_MAX] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0};
    start_ways(&source_routed);
    CHECK(pr_ways_have_routes(&ways));
    CHECK_EQUAL(pr_ways_room(&ways), PR_ROUTE_PORTS_MAX);
    check_route(0, 1, shorter, 0); /* none is known */
    CHECK(pr_ways_learn(&ways, 4, shorter, 2));
    CHECK(pr_ways_learn(&ways, 7, longest, PR_ROUTE_PORTS_MAX));
    check_route(0, 1, shorter, 2);
    check_route(1, 0, longest, PR_ROUTE_PORTS_MAX);
    CHECK(pr_ways_learn(&ways, 7, shorter, 1)); /* another one from now on */
    check_route(1, 4, shorter, 1);
    CHECK(pr_ways_learn(&ways, 7, NULL, 0));
    check_route(1, 4, shorter, 0);
}

static void refuses_routes(void)
{
    static const uint8_t ports[PR_ROUTE_PORTS_MAX + 1];
    start_ways(&source_routed);
    CHECK(pr_ways_learn(&ways, ROUTED_SITES, ports, 1));
    CHECK(!pr_ways_learn(&ways, ROUTED_SITES + 1, ports, 1));
    CHECK(!pr_ways_learn(&ways, 0, ports, PR_ROUTE_PORTS_MAX + 1));
    start_ways(&(struct pr_capabilities){.multicast = true});
    CHECK(!pr_ways_learn(&ways, 0, ports, 1));
    CHECK(!pr_ways_have_routes(&ways));
    CHECK_EQUAL(pr_ways_room(&ways), 0);
}

/* ---- one route to several targets ---- */

enum { TREE_SITES = 9 };

static const struct pr_capabilities copying = {.source_routed = true, .multicast = true};

/* The root is two switches above site 0, port 1 and then port 2 lead there, and 3, 4 back. */
static void start_tree(void)
{
    static const struct pr_route routes[] = {
        [0] = {5, {1, 2, 3, 4, 0}},                       /* over the root */
        [3] = {3, {1, 5, 0}},                             /* one switch above this site, and down */
        [4] = {4, {1, 2, 6, 0}},                          /* over the root */
        [5] = {5, {1, 2, 6, 7, 0}},                       /* behind site 4 */
        [6] = {2, {2, 0}},                                /* below this site */
        [7] = {4, {1, 2, 7, 0}},    [8] = {3, {1, 2, 0}}, /* the root */
    };
    start_ways(&copying);
    for (unsigned site = 0; site < TREE_SITES; site++)
        if (routes[site].count)
            CHECK(pr_ways_learn(&ways, site, routes[site].ports, routes[site].count));
}

/* Entries of these sites, each with as many words of its own as its place, and three data words. */
static struct pr_packet *multicast_to(uint32_t *buffer, const uint8_t *sites, unsigned count)
{
    struct pr_packet *packet = memset(buffer, 0, 4 * PR_PACKET_BUFFER_WORDS(ROUTED_WORDS));
    unsigned at = 0;
    for (unsigned k = 0; k < count; k++) {
        packet->words[at++] = pr_shape_address(&geometry, sites[k]);
        for (unsigned i = 0; i < k; i++) {
            pr_packet_set_info(packet, at, true);
            packet->words[at++] = 0x100 + 16 * k + i;
        }
    }
    pr_packet_set_counts(packet, at, 3);
    packet->end_target = (uint8_t)at;
    packet->kind_bits = PR_KIND_MULTICAST;
    for (unsigned k = 0; k < 3; k++)
        packet->words[at + k] = 0x200 + k;
    return packet;
}

/* With its route the packet has these words, and off again it is what it was. */
static void check_tree(const uint8_t *sites, unsigned count, const uint32_t *words, unsigned length)
{
    uint32_t buffer[PR_PACKET_BUFFER_WORDS(ROUTED_WORDS)], copy[PR_PACKET_BUFFER_WORDS(ROUTED_WORDS)];
    struct pr_packet *packet = multicast_to(buffer, sites, count), *before = (struct pr_packet *)copy;
    unsigned targets = pr_packet_target_words(packet);
    memcpy(copy, buffer, sizeof copy);
    for (unsigned k = 0; k + 1 < count; k++) {
        uint32_t first = pr_shape_address(&geometry, sites[k]), second = pr_shape_address(&geometry, sites[k + 1]);
        CHECK(pr_ways_precedes(&ways, first, second) && !pr_ways_precedes(&ways, second, first));
    }
    CHECK_EQUAL(pr_route_targets(&ways, packet, 0, ROUTED_WORDS), count);
    CHECK_EQUAL(pr_route_targets(&ways, packet, 0, length + 3), count);
    CHECK_EQUAL(pr_route_targets(&ways, packet, 0, length + 2), count / 2);
    pr_route_put(&ways, packet);
    CHECK_EQUAL(pr_packet_target_words(packet), length);
    CHECK_EQUAL(pr_packet_end_target(packet), length);
    for (unsigned k = 0; k < length && k < pr_packet_target_words(packet); k++)
        CHECK_EQUAL(packet->words[k], words[k]);
    for (unsigned k = 0; k < 3; k++)
        CHECK_EQUAL(packet->words[length + k], 0x200 + k);
    pr_route_take_off(packet);
    CHECK(packet->counts == before->counts && packet->kind == before->kind);
    CHECK(memcmp(packet->words, before->words, 4 * (targets + 3)) == 0);
    for (unsigned k = 0; k < targets; k++)
        CHECK_EQUAL(pr_packet_is_info(packet, k), pr_packet_is_info(before, k));
}

#define ENTRY(port, count)       (PR_TREE_ENTRY | (port) | (count) << PR_TREE_COUNT_SHIFT)
#define PORT(port)               (PR_TREE_PORT | (port))
#define SITE(number)             pr_shape_address(&geometry, number)
#define CHECK_TREE(sites, words) check_tree(sites, sizeof(sites), words, sizeof(words) / 4)

static void one_route_to_several_targets(void)
{
    static const struct pr_route another = {2, {9, 0}};
    struct pr_route tree[TREE_SITES];
    start_tree();
    memcpy(tree, ways.routes, sizeof tree);
    ways.tree = tree;
    for (unsigned site = 0; site < TREE_SITES; site++) /* of unicasts */
        CHECK(pr_ways_learn(&ways, site, another.ports, another.count));
    {
        const uint8_t sites[] = {6, 3}; /* up once, and down again for the first */
        const uint32_t words[] = {PORT(1),     ENTRY(4, 3), PORT(2), PORT(0), SITE(6),
                                  ENTRY(5, 3), PORT(0),     SITE(3), 0x110,   PR_TREE_END};
        CHECK_TREE(sites, words);
    }
    {
        const uint8_t sites[] = {0, 6}; /* here */
        const uint32_t words[] = {ENTRY(0, 1), SITE(0), ENTRY(2, 3), PORT(0), SITE(6), 0x110, PR_TREE_END};
        CHECK_TREE(sites, words);
    }
    {
        const uint8_t sites[] = {8, 3, 4, 5, 7}; /* forks at the root and below it */
        const uint32_t words[] = {PORT(1), PORT(2), ENTRY(0, 1), SITE(8),      ENTRY(3, 4), PORT(5),
                                  PORT(0), SITE(3), 0x110,       ENTRY(6, 11), ENTRY(0, 3), SITE(4),
                                  0x120,   0x121,   ENTRY(7, 5), PORT(0),      SITE(5),     0x130,
                                  0x131,   0x132,   PR_TREE_END, ENTRY(7, 6),  PORT(0),     SITE(7),
                                  0x140,   0x141,   0x142,       0x143,        PR_TREE_END};
        CHECK_TREE(sites, words);
    }
}

int main(void)
{
    RUN(routes_go_in_front);
    RUN(one_route_to_several_targets);
    RUN(refuses_routes);
    RUN(grids_and_tori);
    RUN(hypercubes);
    RUN(the_largest_meshes);
    return 0;
}
