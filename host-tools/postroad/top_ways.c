/* See top_ways.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/top_ways.h"

#include "mesh/mesh_routes.h"
#include "mesh/topology_view.h"
#include "support/or_abort.h"

#include <stdlib.h>

static void add_hop(struct top_ways *ways, int site, unsigned port)
{
    if (ways->count == ways->room) {
        ways->room = 2 * ways->room + 64;
        ways->hops = or_abort(realloc(ways->hops, ways->room * sizeof *ways->hops));
    }
    ways->hops[ways->count++] = (struct top_hop){(uint16_t)site, (uint16_t)port};
}

/* The first link that leads nearer: links are numbered in the order of dimensions. -1: there is none. */
static int nearer_link(const struct mesh_config *mesh, int site, int to)
{
    int hops = mesh_hops(mesh, site, to);
    for (int link = 0; link < mesh->links; link++) {
        int next = mesh_far_end(mesh, site, link).site;
        if (next >= 0 && mesh_hops(mesh, next, to) < hops)
            return link;
    }
    return -1;
}

static int port_on_way(const struct mesh_config *mesh, const struct pr_route *route, int site, int to, unsigned hop)
{
    if (route)
        return hop < route->count ? route->ports[hop] : -1;
    return site == to ? 0 : nearer_link(mesh, site, to) + 1;
}

static struct top_way add_way(struct top_ways *ways, const struct mesh_config *mesh, const struct pr_route *route,
                              int from, int to)
{
    struct top_way way = {.first = ways->count};
    int site = from, port = -1;
    while (site >= 0 && (port = port_on_way(mesh, route, site, to, (unsigned)(ways->count - way.first))) > 0) {
        add_hop(ways, site, (unsigned)port);
        site = mesh_far_end(mesh, site, port - 1).site;
    }
    if (port == 0)
        add_hop(ways, site, 0);
    way.count = ways->count - way.first;
    return way;
}

/* The routes from a site, where packets have them; the caller frees them. */
static struct pr_route *routes_from(const struct mesh_config *mesh, unsigned site)
{
    return mesh_has_routes(mesh) ? mesh_routes(mesh, site) : NULL;
}

void top_ways_make(struct top_ways *ways, const struct mesh_config *mesh, unsigned gateway)
{
    size_t sites = (size_t)mesh->sites;
    struct pr_route *out = routes_from(mesh, gateway);
    *ways = (struct top_ways){.there = or_abort(calloc(sites, sizeof *ways->there)),
                              .back = or_abort(calloc(sites, sizeof *ways->back))};
    for (unsigned site = 0; site < sites; site++) {
        if (site == gateway || mesh_is_switch(mesh, (int)site))
            continue;
        struct pr_route *home = routes_from(mesh, site);
        ways->there[site] = add_way(ways, mesh, out ? &out[site] : NULL, (int)gateway, (int)site);
        ways->back[site] = add_way(ways, mesh, home ? &home[gateway] : NULL, (int)site, (int)gateway);
        free(home);
    }
    free(out);
}

void top_ways_free(struct top_ways *ways)
{
    free(ways->hops);
    free(ways->there);
    free(ways->back);
}
