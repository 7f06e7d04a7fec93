/* See csr_routes.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "csr/csr_routes.h"

#include <stdlib.h>
#include <string.h>

#include "support/or_abort.h"

enum { LEAST_DIMENSIONS = 2, MOST_DIMENSIONS = 8 };

static unsigned cube_neighbour(unsigned dimensions, unsigned node, unsigned port)
{
    (void)dimensions;
    return node ^ 1u << port;
}

static unsigned ring_neighbour(unsigned dimensions, unsigned node, unsigned port)
{
    unsigned nodes = 1u << dimensions;
    return (node + (port ? nodes - 1 : 1)) % nodes;
}

/* Ports 0 and 1 lead along the row, 2 and 3 to another one. */
static unsigned torus_neighbour(unsigned dimensions, unsigned node, unsigned port)
{
    unsigned columns = dimensions - dimensions / 2, row = node >> columns, column = node % (1u << columns);
    if (port < 2)
        column = ring_neighbour(columns, column, port);
    else
        row = ring_neighbour(dimensions / 2, row, port - 2);
    return row << columns | column;
}

static unsigned shuffle_neighbour(unsigned dimensions, unsigned node, unsigned port)
{
    return port ? node ^ 1 : (node << 1 | node >> (dimensions - 1)) % (1u << dimensions);
}

struct graph {
    const char *name;
    unsigned ports; /* 0: one for each dimension */
    unsigned (*neighbour)(unsigned dimensions, unsigned node, unsigned port);
};

static const struct graph graphs[] = {{"cube", 0, cube_neighbour},
                                      {"ring", 2, ring_neighbour},
                                      {"torus", 4, torus_neighbour},
                                      {"shuffle", 2, shuffle_neighbour}};

struct csr_routes *csr_routes_empty(unsigned nodes, unsigned links, size_t paths, size_t words)
{
    struct csr_routes *routes = or_abort(calloc(1, sizeof *routes));
    *routes = (struct csr_routes){
        .nodes = nodes, .links = links, .capacity = (double)links / nodes * (double)paths / (double)words};
    routes->entries = or_abort(calloc(links, sizeof *routes->entries));
    routes->memory = or_abort(malloc(words * sizeof *routes->memory));
    return routes;
}

void csr_routes_free(struct csr_routes *routes)
{
    if (!routes)
        return;
    for (unsigned link = 0; link < routes->links; link++)
        free(routes->entries[link].paths);
    free(routes->entries);
    free(routes->memory);
    free(routes);
}

void csr_routes_add(struct csr_routes *routes, uint32_t *links, unsigned length)
{
    struct csr_entry *entry = &routes->entries[links[0]];
    if ((entry->count & (entry->count - 1)) == 0) { /* full: its room is a power of two */
        size_t room = entry->count ? 2 * (size_t)entry->count : 1;
        entry->paths = or_abort(realloc(entry->paths, room * sizeof *entry->paths));
    }
    entry->paths[entry->count++] = (struct csr_path){links, length};
}

/* The routing of section 3.1: descending dimensions, module l first, forward links where the tag has a 1. */
static struct csr_routes *descending(unsigned d)
{
    unsigned nodes = 1u << d, paths = nodes * d * nodes;
    struct csr_routes *routes = csr_routes_empty(nodes, nodes * 2 * d, paths, (size_t)paths * d);
    uint32_t *path = routes->memory;
    for (unsigned i = 0; i < paths; i++, path += d) {
        unsigned at = i / nodes / d, module = i / nodes % d, tag = i % nodes;
        for (unsigned step = 0; step < d; step++) {
            unsigned k = (module + d - step) % d, o = tag >> k & 1;
            path[step] = at * 2 * d + 2 * k + o;
            at ^= o << k;
        }
        csr_routes_add(routes, path, d);
    }
    return routes;
}

/* How one gets to each node from `source`: the link that leads there, and how many links that are. */
struct reach {
    uint32_t link[1u << MOST_DIMENSIONS];
    unsigned hops[1u << MOST_DIMENSIONS];
};

/* Breadth first, low ports first. */
static void reach_from(const struct graph *graph, unsigned dimensions, unsigned ports, unsigned source,
                       struct reach *reach)
{
    unsigned nodes = 1u << dimensions, queue[1u << MOST_DIMENSIONS], count = 0;
    bool seen[1u << MOST_DIMENSIONS] = {[0] = false};
    seen[source] = true;
    reach->hops[source] = 0;
    queue[count++] = source;
    for (unsigned i = 0; i < count && count < nodes; i++)
        for (unsigned port = 0; port < ports; port++) {
            unsigned next = graph->neighbour(dimensions, queue[i], port);
            if (seen[next])
                continue;
            seen[next] = true;
            reach->link[next] = queue[i] * ports + port;
            reach->hops[next] = reach->hops[queue[i]] + 1;
            queue[count++] = next;
        }
}

static struct csr_routes *shortest(const struct graph *graph, unsigned dimensions)
{
    unsigned nodes = 1u << dimensions, ports = graph->ports ? graph->ports : dimensions;
    struct reach reach;
    size_t words = 0;
    for (unsigned source = 0; source < nodes; source++) {
        reach_from(graph, dimensions, ports, source, &reach);
        for (unsigned target = 0; target < nodes; target++)
            words += reach.hops[target];
    }
    struct csr_routes *routes = csr_routes_empty(nodes, nodes * ports, (size_t)nodes * (nodes - 1), words);
    uint32_t *path = routes->memory;
    for (unsigned source = 0; source < nodes; source++) {
        reach_from(graph, dimensions, ports, source, &reach);
        for (unsigned target = 0; target < nodes; target++) {
            unsigned at = target;
            for (unsigned step = reach.hops[target]; step-- > 0; at = path[step] / ports)
                path[step] = reach.link[at];
            if (target != source)
                csr_routes_add(routes, path, reach.hops[target]);
            path += reach.hops[target];
        }
    }
    return routes;
}

struct csr_routes *csr_routes_create(const char *graph, unsigned dimensions)
{
    if (dimensions < LEAST_DIMENSIONS || dimensions > MOST_DIMENSIONS)
        return NULL;
    if (!strcmp(graph, "hypercube"))
        return descending(dimensions);
    for (unsigned i = 0; i < sizeof graphs / sizeof *graphs; i++)
        if (!strcmp(graph, graphs[i].name))
            return shortest(&graphs[i], dimensions);
    return NULL;
}
