/* See mesh_routes.h. Breadth first over pairs of a site and whether the way has led down, which are numbered 2 * site +
 * down.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/mesh_routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/discipline.h"
#include "mesh/mesh_own.h"
#include "support/or_abort.h"

enum { NOT_SEEN = -1 };

bool mesh_has_routes(const struct mesh_config *config)
{
    return config->discipline && config->discipline->capabilities & PR_NI_CAPABILITIES_SOURCE_ROUTED;
}

static bool have_a_tree(const struct mesh_config *config)
{
    return mesh_has_routes(config) && mesh_capabilities(config) & PR_NI_CAPABILITIES_MULTICAST;
}

bool mesh_has_tree_routes(const struct mesh_config *config)
{
    const struct discipline_code *code = config->discipline ? config->discipline->code : NULL;
    return have_a_tree(config) && code && code->frees_unicasts && code->frees_unicasts(config);
}

static bool starts_at_root(const struct mesh_config *config)
{
    const struct discipline_code *code = config->discipline->code;
    return code && code->starts_at_root && code->starts_at_root(config);
}

struct search {
    const struct mesh_config *config;
    struct random *random; /* NULL: the first way that is found */
    int *distance;         /* of a site from the root, which is that of the tree, if there is one */
    int *parent;           /* of a site: the next one on its way to the root, or itself */
    bool tree;             /* cables that are not in it are not used */
    int *before;           /* of a pair: the pair that the way comes from, or itself */
    int *length;           /* of a pair: links from the start */
    int *ways;             /* of a pair: pairs from which it has been reached by so many links */
    int *queue;
    int first, last;
};

static void free_search(struct search *search)
{
    free(search->distance);
    free(search->parent);
    free(search->before);
    free(search->length);
    free(search->ways);
    free(search->queue);
}

static void make_search(struct search *search, const struct mesh_config *config, struct random *random, bool tree)
{
    size_t pairs = 2 * (size_t)config->sites;
    *search = (struct search){.config = config,
                              .random = random,
                              .tree = tree,
                              .distance = or_abort(calloc(pairs, sizeof(int))),
                              .parent = or_abort(calloc(pairs, sizeof(int))),
                              .before = or_abort(calloc(pairs, sizeof(int))),
                              .length = or_abort(calloc(pairs, sizeof(int))),
                              .ways = or_abort(calloc(pairs, sizeof(int))),
                              .queue = or_abort(calloc(pairs, sizeof(int)))};
}

static void forget(struct search *search)
{
    for (int pair = 0; pair < 2 * search->config->sites; pair++)
        search->before[pair] = NOT_SEEN;
    search->first = search->last = 0;
}

/* Of n ways of the same length to a pair, each stays with probability 1 / n. */
static void visit(struct search *search, int pair, int before)
{
    int length = pair == before ? 0 : search->length[before] + 1;
    if (search->before[pair] == NOT_SEEN) {
        search->before[pair] = before;
        search->length[pair] = length;
        search->ways[pair] = 1;
        search->queue[search->last++] = pair;
    } else if (search->random && search->length[pair] == length &&
               random_below(search->random, (uint32_t)++search->ways[pair]) == 0) {
        search->before[pair] = before;
    }
}

static void measure_from(struct search *search, int root)
{
    search->parent[root] = root;
    search->distance[root] = 0;
    visit(search, 2 * root, 2 * root);
    while (search->first < search->last) {
        int site = search->queue[search->first++] / 2;
        for (int link = 0; link < search->config->links; link++) {
            int next = mesh_far_end(search->config, site, link).site;
            if (next < 0 || search->before[2 * next] != NOT_SEEN)
                continue;
            search->distance[next] = search->distance[site] + 1;
            search->parent[next] = site;
            visit(search, 2 * next, 2 * site);
        }
    }
}

/* How far the farthest site is; as many as there are sites if there is no way to one. */
static int height_from(struct search *search, int root)
{
    int height = 0;
    forget(search);
    measure_from(search, root);
    for (int site = 0; site < search->config->sites; site++) {
        int distance = search->before[2 * site] == NOT_SEEN ? search->config->sites : search->distance[site];
        height = distance > height ? distance : height;
    }
    return height;
}

static bool has_switches(const struct mesh_config *config)
{
    int site = 0;
    while (site < config->sites && !mesh_is_switch(config, site))
        site++;
    return site < config->sites;
}

/* Packets of a tree fork at its root, which a switch can do without going through a host. They go over it, so it is the
 * site from which the farthest one is nearest, the first of several. */
static int root_of(struct search *search)
{
    const struct mesh_config *config = search->config;
    bool switches = has_switches(config);
    int root = -1, least = 0;
    if (!have_a_tree(config))
        return 0;
    for (int site = 0; site < config->sites; site++) {
        if (switches && !mesh_is_switch(config, site))
            continue;
        int height = height_from(search, site);
        if (root < 0 || height < least) {
            root = site;
            least = height;
        }
    }
    return root;
}

/* A part of the mesh that no cable joins to the rest has a root of its own. */
static void measure_distances(struct search *search)
{
    int root = root_of(search);
    forget(search);
    measure_from(search, root);
    for (int site = 0; site < search->config->sites; site++)
        if (search->before[2 * site] == NOT_SEEN)
            measure_from(search, site);
}

static bool leads_up(const struct search *search, int from, int to)
{
    int from_root = search->distance[from], to_root = search->distance[to];
    return to_root < from_root || (to_root == from_root && to < from);
}

static void find_ways(struct search *search, int from)
{
    forget(search);
    visit(search, 2 * from, 2 * from);
    while (search->first < search->last) {
        int pair = search->queue[search->first++], site = pair / 2, down = pair % 2;
        for (int link = 0; link < search->config->links; link++) {
            int next = mesh_far_end(search->config, site, link).site;
            if (next < 0 || (search->tree && search->parent[site] != next && search->parent[next] != site))
                continue;
            if (!leads_up(search, site, next))
                visit(search, 2 * next + 1, pair);
            else if (!down)
                visit(search, 2 * next, pair);
        }
    }
}

static int link_to(const struct mesh_config *config, int from, int to)
{
    int link = 0;
    while (mesh_far_end(config, from, link).site != to)
        link++;
    return link;
}

static int length_of(const struct search *search, int pair)
{
    int length = 1;
    if (search->before[pair] == NOT_SEEN)
        return MESH_WAY_PORTS_MAX + 1;
    for (; search->before[pair] != pair; pair = search->before[pair])
        length++;
    return length;
}

static struct mesh_way read_way(const struct search *search, int to)
{
    struct mesh_way way = {0};
    int up = length_of(search, 2 * to), down = length_of(search, 2 * to + 1), length = up < down ? up : down;
    bool ends_up = up < down || (up == down && search->random && random_below(search->random, 2) == 0);
    int pair = ends_up ? 2 * to : 2 * to + 1;
    if (length > MESH_WAY_PORTS_MAX)
        return way;
    way.count = (uint8_t)length;
    for (int k = length - 1; k-- > 0; pair = search->before[pair])
        way.ports[k] = (uint8_t)(1 + link_to(search->config, search->before[pair] / 2, pair / 2));
    return way;
}

/* Up to the root, and down from there by cables of the tree. */
static struct mesh_way way_over_root(const struct search *search, int from, int to)
{
    struct mesh_way way = {0};
    int up = search->distance[from], down = search->distance[to];
    if (up + down + 1 > MESH_WAY_PORTS_MAX)
        return way;
    way.count = (uint8_t)(up + down + 1);
    for (int k = 0; k < up; k++, from = search->parent[from])
        way.ports[k] = (uint8_t)(1 + link_to(search->config, from, search->parent[from]));
    for (int k = up + down; k-- > up; to = search->parent[to])
        way.ports[k] = (uint8_t)(1 + link_to(search->config, search->parent[to], to));
    return way;
}

static struct mesh_way *find_ways_from(const struct mesh_config *config, unsigned from, struct random *random,
                                       bool tree)
{
    struct mesh_way *ways = or_abort(malloc((size_t)config->sites * sizeof *ways));
    struct search search;
    make_search(&search, config, random, tree);
    measure_distances(&search);
    find_ways(&search, (int)from);
    for (int to = 0; to < config->sites; to++)
        ways[to] = read_way(&search, to);
    for (int to = 0; search.tree && to < config->sites; to++)
        if (to == (int)from || (ways[to].count > 0 && starts_at_root(config)))
            ways[to] = way_over_root(&search, (int)from, to);
    free_search(&search);
    return ways;
}

struct mesh_way *mesh_ways(const struct mesh_config *config, unsigned from, struct random *random)
{
    return find_ways_from(config, from, random, have_a_tree(config) && !mesh_has_tree_routes(config));
}

static struct pr_route *routes_from(const struct mesh_config *config, unsigned from, bool tree)
{
    struct pr_route *routes = or_abort(calloc((size_t)config->sites, sizeof *routes));
    struct random random; /* the same of each site in every process */
    random_seed(&random, 0, from);
    struct mesh_way *ways = tree ? find_ways_from(config, from, &random, true) : mesh_ways(config, from, &random);
    for (int to = 0; to < config->sites; to++) {
        if (ways[to].count > PR_ROUTE_PORTS_MAX)
            continue;
        routes[to].count = ways[to].count;
        memcpy(routes[to].ports, ways[to].ports, ways[to].count);
    }
    free(ways);
    return routes;
}

struct pr_route *mesh_routes(const struct mesh_config *config, unsigned from)
{
    return routes_from(config, from, false);
}

struct pr_route *mesh_tree_routes(const struct mesh_config *config, unsigned from)
{
    return routes_from(config, from, true);
}

uint32_t mesh_tree_links(const struct mesh_config *config, unsigned site)
{
    struct search search;
    uint32_t links = 0;
    if (!have_a_tree(config))
        return 0;
    make_search(&search, config, NULL, true);
    measure_distances(&search);
    for (int link = 0; link < config->links; link++) {
        int next = mesh_far_end(config, (int)site, link).site;
        bool first = next >= 0 && next != (int)site && link_to(config, (int)site, next) == link;
        links |= (uint32_t)(first && search.parent[next] == (int)site) << link;
    }
    free_search(&search);
    return links;
}

static int check_from(const struct mesh_config *config, unsigned from, char *error, size_t error_size)
{
    struct pr_route *routes = mesh_routes(config, from);
    int to = 0;
    while (to < config->sites && routes[to].count > 0)
        to++;
    if (to < config->sites)
        snprintf(error, error_size, "site %u has no route to site %d, expected one through at most %d switches", from,
                 to, PR_ROUTE_PORTS_MAX);
    free(routes);
    return to == config->sites ? 0 : -1;
}

int mesh_routes_check(const struct mesh_config *config, char *error, size_t error_size)
{
    for (int from = 0; mesh_has_routes(config) && from < config->sites; from++) {
        if (check_from(config, (unsigned)from, error, error_size) != 0)
            return -1;
    }
    return 0;
}
