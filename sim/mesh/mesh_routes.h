/* Routes for fabrics whose operators put them in front of packets: up a tree and down again, so that no packets wait
 * for each other in a circle, whatever the cables.
 *
 * Site 0 is the root; if no way leads there, the lowest site that one leads to. A link leads up if its far end is
 * nearer to the root, or as near and of a lower number. A route never leads up after it has led down. Of those it is a
 * shortest one, drawn from equally long ones, which spreads the routes of all pairs over more links: with the first one
 * that is found the torus of tests/bench/results/wormlan.md saturates a fifth sooner.
 *
 * Where the fabric copies packets, there is a table of multicasts: its routes keep to one tree of the cables (rule W11
 * of hw/wormlan), and that of a site to itself leads over the root (firmware/operator/ways.h), which is then the site,
 * or if there are any the switch without a host, from which the farthest site is nearest. It is that of unicasts too,
 * unless the discipline frees them from the tree. If its multicasts start at the root, all routes of theirs lead over
 * it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_MESH_ROUTES_H
#define POSTROAD_MESH_MESH_ROUTES_H

#include "mesh/mesh.h"
#include "support/random.h"
#include "wire/route.h"

/* Do operators put routes in front of packets? */
bool mesh_has_routes(const struct mesh_config *config);

/* The routes from a site to each site of the mesh, by number: the caller's to free. Each call draws the same. A route
 * that does not exist, or is longer than PR_ROUTE_PORTS_MAX, has no ports. */
struct pr_route *mesh_routes(const struct mesh_config *config, unsigned from);

/* Are there other routes for multicasts? They are the caller's to free. */
bool mesh_has_tree_routes(const struct mesh_config *config);
struct pr_route *mesh_tree_routes(const struct mesh_config *config, unsigned from);

/* Where the fabric copies packets: links of a site that lead down the tree, a bit each. */
uint32_t mesh_tree_links(const struct mesh_config *config, unsigned site);

enum { MESH_WAY_PORTS_MAX = 31 };

/* A route that no operator has to keep, with ports as in wire/route.h. */
struct mesh_way {
    uint8_t count, ports[MESH_WAY_PORTS_MAX];
};

/* Ways with the caller's draws; NULL: the first of equally long ones. */
struct mesh_way *mesh_ways(const struct mesh_config *config, unsigned from, struct random *random);

/* 0, or -1 with a reason: the fabric needs routes, and a site has none to another. */
int mesh_routes_check(const struct mesh_config *config, char *error, size_t error_size);

#endif
