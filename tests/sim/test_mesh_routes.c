/* Routes up a tree and down again (mesh_routes.h) on random graphs, whole and in parts: each leads where it should,
 * never up after down, is a shortest one of those by another search, and no packets can wait for each other in a
 * circle.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "mesh/discipline.h"
#include "mesh/mesh_routes.h"

#include <string.h>

enum { SITES_MAX = 24, LINKS_MAX = 5, CHANNELS_MAX = SITES_MAX * LINKS_MAX, FAR = 1000 };

static uint64_t seed;
static struct mesh_config mesh;
static int part[SITES_MAX]; /* the lowest site that is joined to this one */
static int height[SITES_MAX];

/* ---- a graph ---- */

static void join(unsigned one, unsigned link, unsigned other, unsigned other_link)
{
    struct pr_cable cable = {.site = (uint16_t)one,
                             .link = (uint8_t)link,
                             .far_site = (uint16_t)other,
                             .far_link = (uint8_t)other_link,
                             .delay = 1};
    mesh.cable_ends[mesh.cable_end_count++] = cable;
}

static int free_link(int site)
{
    for (int link = 0; link < mesh.links; link++)
        if (mesh_far_end(&mesh, site, link).site < 0)
            return link;
    return -1;
}

static int by_place(const void *one, const void *other)
{
    const struct pr_cable *a = one, *b = other;
    return a->site != b->site ? a->site - b->site : a->link - b->link;
}

static void draw_graph(void)
{
    mesh = (struct mesh_config){.topology = PR_TOPOLOGY_GRAPH,
                                .sites = 2 + (int)check_below(&seed, SITES_MAX - 1),
                                .links = 2 + (int)check_below(&seed, LINKS_MAX - 1)};
    mesh.size_x = mesh.sites;
    mesh.size_y = mesh.links;
    for (unsigned tries = (unsigned)mesh.sites * (1 + check_below(&seed, 4)); tries-- > 0;) {
        int one = (int)check_below(&seed, (unsigned)mesh.sites), other = (int)check_below(&seed, (unsigned)mesh.sites);
        int link = free_link(one), other_link = free_link(other);
        if (one == other || link < 0 || other_link < 0)
            continue;
        join((unsigned)one, (unsigned)link, (unsigned)other, (unsigned)other_link);
        join((unsigned)other, (unsigned)other_link, (unsigned)one, (unsigned)link);
        qsort(mesh.cable_ends, mesh.cable_end_count, sizeof *mesh.cable_ends, by_place);
    }
}

/* Again and again over all cables, as often as there are sites. */
static void spread(int *hops)
{
    for (int round = 0; round < mesh.sites; round++)
        for (unsigned k = 0; k < mesh.cable_end_count; k++) {
            const struct pr_cable *cable = &mesh.cable_ends[k];
            if (hops[cable->far_site] + 1 < hops[cable->site])
                hops[cable->site] = hops[cable->far_site] + 1;
        }
}

/* Again and again over all cables, until nothing changes. */
static void measure_heights(void)
{
    bool changed = true;
    for (int site = 0; site < mesh.sites; site++)
        part[site] = site;
    while (changed) {
        changed = false;
        for (unsigned k = 0; k < mesh.cable_end_count; k++) {
            const struct pr_cable *cable = &mesh.cable_ends[k];
            if (part[cable->far_site] >= part[cable->site])
                continue;
            part[cable->site] = part[cable->far_site];
            changed = true;
        }
    }
    for (int site = 0; site < mesh.sites; site++)
        height[site] = part[site] == site ? 0 : FAR;
    spread(height);
}

static bool is_up(int from, int to)
{
    return height[to] < height[from] || (height[to] == height[from] && to < from);
}

/* Links of the shortest way from a site to each, that never leads up after down. */
static void shortest_ways(int from, int *links)
{
    int best[SITES_MAX][2];
    for (int site = 0; site < mesh.sites; site++)
        best[site][0] = best[site][1] = site == from ? 0 : FAR;
    for (int round = 0; round < 2 * mesh.sites; round++)
        for (unsigned k = 0; k < mesh.cable_end_count; k++) {
            int near = mesh.cable_ends[k].site, far = mesh.cable_ends[k].far_site;
            int *after = is_up(near, far) ? &best[far][0] : &best[far][1];
            int before = is_up(near, far) || best[near][0] < best[near][1] ? best[near][0] : best[near][1];
            if (before + 1 < *after)
                *after = before + 1;
        }
    for (int site = 0; site < mesh.sites; site++)
        links[site] = best[site][0] < best[site][1] ? best[site][0] : best[site][1];
}

/* ---- the routes ---- */

static bool waits[CHANNELS_MAX][CHANNELS_MAX]; /* a packet on the first channel wants the second */

static void follow(int from, int to, const struct pr_route *route)
{
    int site = from, channel = -1;
    bool down = false;
    for (unsigned k = 0; k + 1 < route->count; k++) {
        CHECK(route->ports[k] >= 1 && route->ports[k] <= mesh.links);
        int next = mesh_far_end(&mesh, site, route->ports[k] - 1).site;
        CHECK(next >= 0);
        CHECK(!(down && is_up(site, next)));
        down |= !is_up(site, next);
        int taken = site * mesh.links + route->ports[k] - 1;
        if (channel >= 0)
            waits[channel][taken] = true;
        channel = taken;
        site = next;
    }
    CHECK_EQUAL(route->ports[route->count - 1], 0);
    CHECK_EQUAL(site, to);
}

/* Channels that nobody waits for go, until none is left, or the rest waits in a circle. */
static void check_no_circle(void)
{
    int channels = mesh.sites * mesh.links, left = channels, before;
    bool gone[CHANNELS_MAX] = {false};
    do {
        before = left;
        for (int c = 0; c < channels; c++) {
            bool wanted = gone[c];
            for (int other = 0; other < channels && !wanted; other++)
                wanted = !gone[other] && waits[other][c];
            left -= !wanted;
            gone[c] |= !wanted;
        }
    } while (left < before);
    CHECK_EQUAL(left, 0);
}

static void check_routes_from(int from)
{
    struct pr_route *routes = mesh_routes(&mesh, (unsigned)from);
    int links[SITES_MAX];
    CHECK(routes);
    shortest_ways(from, links);
    for (int to = 0; to < mesh.sites; to++) {
        CHECK_EQUAL(links[to] == FAR, part[from] != part[to]);
        CHECK_EQUAL(routes[to].count, links[to] < PR_ROUTE_PORTS_MAX ? links[to] + 1 : 0);
        if (routes[to].count > 0)
            follow(from, to, &routes[to]);
    }
    free(routes);
}

static void routes_are_shortest_ways_up_and_down(void)
{
    for (unsigned long round = 0; round < check_rounds(300); round++) {
        draw_graph();
        measure_heights();
        memset(waits, 0, sizeof waits);
        for (int from = 0; from < mesh.sites; from++)
            check_routes_from(from);
        check_no_circle();
    }
}

/* From eight sites over four switches to one: not all by the same. */
static void equally_long_routes_are_spread(void)
{
    enum { ROOT, FIRST_MIDDLE, END = FIRST_MIDDLE + 4, FIRST_SITE, SITES = FIRST_SITE + 8 };
    unsigned used = 0;
    mesh = (struct mesh_config){
        .topology = PR_TOPOLOGY_GRAPH, .sites = SITES, .size_x = SITES, .links = 12, .size_y = 12};
    for (unsigned k = 0; k < 4; k++) {
        join(ROOT, k, FIRST_MIDDLE + k, 0);
        join(FIRST_MIDDLE + k, 0, ROOT, k);
        join(FIRST_MIDDLE + k, 1, END, k);
        join(END, k, FIRST_MIDDLE + k, 1);
    }
    for (unsigned k = 0; k < 8; k++) {
        join(ROOT, 4 + k, FIRST_SITE + k, 0);
        join(FIRST_SITE + k, 0, ROOT, 4 + k);
    }
    qsort(mesh.cable_ends, mesh.cable_end_count, sizeof *mesh.cable_ends, by_place);
    for (unsigned k = 0; k < 8; k++) {
        struct pr_route *routes = mesh_routes(&mesh, FIRST_SITE + k), *again = mesh_routes(&mesh, FIRST_SITE + k);
        CHECK(routes && again);
        CHECK_EQUAL(routes[END].count, 4);
        CHECK_EQUAL(memcmp(routes, again, SITES * sizeof *routes), 0);
        used |= 1u << routes[END].ports[1];
        free(routes);
        free(again);
    }
    CHECK(__builtin_popcount(used) > 1);
}

/* ---- where the fabric copies packets ---- */

static bool joined[SITES_MAX][SITES_MAX]; /* a route leads over a cable between the two */

static int walk(int site, const uint8_t *ports, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        int next = mesh_far_end(&mesh, site, ports[k] - 1).site;
        CHECK(next >= 0);
        joined[site < next ? site : next][site < next ? next : site] = true;
        site = next;
    }
    return site;
}

/* The first of the sites whose farthest one is nearest; -1 if no site is joined to all others. */
static int find_centre(void)
{
    int centre = -1, least = FAR;
    for (int site = 0; site < mesh.sites; site++) {
        int hops[SITES_MAX], farthest = 0;
        for (int to = 0; to < mesh.sites; to++)
            hops[to] = to == site ? 0 : FAR;
        spread(hops);
        for (int to = 0; to < mesh.sites; to++)
            farthest = hops[to] > farthest ? hops[to] : farthest;
        if (farthest < least) {
            least = farthest;
            centre = site;
        }
    }
    return centre;
}

/* rooted: each route leads over the root. */
static void check_tree_from(int from, int centre, bool rooted)
{
    struct pr_route *routes = rooted ? mesh_tree_routes(&mesh, (unsigned)from) : mesh_routes(&mesh, (unsigned)from);
    unsigned up;
    CHECK(routes);
    up = routes[from].count / 2u;
    for (int to = 0; to < mesh.sites; to++) {
        CHECK(routes[to].count == 0 || part[from] == part[to]);
        if (routes[to].count > 0)
            CHECK_EQUAL(walk(from, routes[to].ports, routes[to].count - 1u), to);
        if (routes[to].count > 0 && routes[from].count > 0 && (rooted || to == from))
            CHECK_EQUAL(walk(from, routes[to].ports, up), centre < 0 ? part[from] : centre);
    }
    free(routes);
}

static bool always(const struct mesh_config *config)
{
    (void)config;
    return true;
}

/* No more cables are used than joined sites need, and the way to itself leads over the root; so do all if multicasts
 * start there. */
static void routes_of_copies_keep_to_a_tree(void)
{
    enum { COPIES = PR_NI_CAPABILITIES_SOURCE_ROUTED | PR_NI_CAPABILITIES_MULTICAST };
    static const struct discipline_code code = {.frees_unicasts = always, .starts_at_root = always};
    static const struct discipline copying = {.capabilities = COPIES},
                                   rooting = {.capabilities = COPIES, .code = &code};
    for (unsigned long round = 0; round < check_rounds(300); round++) {
        int cables = 0, parts = 0, centre;
        draw_graph();
        mesh.discipline = round % 2 ? &rooting : &copying;
        measure_heights();
        memset(joined, 0, sizeof joined);
        centre = find_centre();
        for (int from = 0; from < mesh.sites; from++) {
            check_tree_from(from, centre, round % 2);
            parts += part[from] == from;
        }
        for (int one = 0; one < mesh.sites; one++)
            for (int other = one + 1; other < mesh.sites; other++)
                cables += joined[one][other];
        CHECK(cables <= mesh.sites - parts);
    }
}

int main(void)
{
    seed = check_seed();
    RUN(routes_are_shortest_ways_up_and_down);
    RUN(routes_of_copies_keep_to_a_tree);
    RUN(equally_long_routes_are_spread);
    return 0;
}
