/* See lan_graph.h. Links are numbered switch by switch: those that leave its ports, and then that which comes from its
 * host.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wormlan/lan_graph.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/or_abort.h"
#include "support/random.h"

enum { HOST_PORT = 0, SHUFFLE_COLUMNS = 3, SHUFFLE_ROWS = 8, SHUFFLE_WAYS = 2 };
enum { RING_HOSTS = 8, RING_SWITCHES = 4 };
enum { NUMBERS_STREAM = 1, PATHS_STREAM = 2 };

void lan_torus(struct mesh_config *config, unsigned size_x, unsigned size_y)
{
    *config = (struct mesh_config){0};
    mesh_set_shape(config, &(struct pr_shape){
                               .topology = PR_TOPOLOGY_TORUS, .size_x = size_x, .size_y = size_y, .word_width = 32});
}

static void add_end(struct mesh_config *config, unsigned site, unsigned link, unsigned far_site, unsigned far_link)
{
    config->cable_ends[config->cable_end_count++] = (struct pr_cable){.site = (uint16_t)site,
                                                                      .link = (uint8_t)link,
                                                                      .far_site = (uint16_t)far_site,
                                                                      .far_link = (uint8_t)far_link,
                                                                      .delay = 1};
}

/* Row r of a column has cables to rows 2r and 2r + 1, modulo 8, of the next one, at its links 0 and 1. There they end
 * at link 2, or 3 if they come from the upper half of the rows. */
void lan_shufflenet(struct mesh_config *config)
{
    *config = (struct mesh_config){0};
    mesh_set_shape(config, &(struct pr_shape){.topology = PR_TOPOLOGY_GRAPH,
                                              .size_x = SHUFFLE_COLUMNS * SHUFFLE_ROWS,
                                              .size_y = 2 * SHUFFLE_WAYS,
                                              .word_width = 32});
    for (unsigned site = 0; site < SHUFFLE_COLUMNS * SHUFFLE_ROWS; site++) {
        unsigned row = site % SHUFFLE_ROWS, after = (site / SHUFFLE_ROWS + 1) % SHUFFLE_COLUMNS * SHUFFLE_ROWS;
        unsigned before = (site / SHUFFLE_ROWS + SHUFFLE_COLUMNS - 1) % SHUFFLE_COLUMNS * SHUFFLE_ROWS;
        for (unsigned way = 0; way < SHUFFLE_WAYS; way++)
            add_end(config, site, way, after + (SHUFFLE_WAYS * row + way) % SHUFFLE_ROWS,
                    SHUFFLE_WAYS + SHUFFLE_WAYS * row / SHUFFLE_ROWS);
        for (unsigned half = 0; half < SHUFFLE_WAYS; half++)
            add_end(config, site, SHUFFLE_WAYS + half, before + (row + half * SHUFFLE_ROWS) / SHUFFLE_WAYS,
                    row % SHUFFLE_WAYS);
    }
}

/* Links of a switch: 0 and 1 to its hosts, 2 to the next switch, 3 to the one before. */
void lan_ring(struct mesh_config *config)
{
    *config = (struct mesh_config){0};
    mesh_set_shape(config, &(struct pr_shape){.topology = PR_TOPOLOGY_GRAPH,
                                              .size_x = RING_HOSTS + RING_SWITCHES,
                                              .size_y = 4,
                                              .word_width = 32});
    for (unsigned host = 0; host < RING_HOSTS; host++)
        add_end(config, host, 0, RING_HOSTS + host / 2, host % 2);
    for (unsigned k = 0; k < RING_SWITCHES; k++) {
        unsigned site = RING_HOSTS + k, next = RING_HOSTS + (k + 1) % RING_SWITCHES;
        unsigned before = RING_HOSTS + (k + RING_SWITCHES - 1) % RING_SWITCHES;
        add_end(config, site, 0, 2 * k, 0);
        add_end(config, site, 1, 2 * k + 1, 0);
        add_end(config, site, 2, next, 3);
        add_end(config, site, 3, before, 2);
        config->switches[0] |= UINT64_C(1) << site;
    }
}

static void add_link(struct lan_graph *graph, struct lan_link link)
{
    graph->links[graph->link_count++] = link;
}

static int *room_of(const struct lan_graph *graph, int *table, int site, unsigned port)
{
    return &table[(unsigned)site * graph->ports + port];
}

static void add_site(struct lan_graph *graph, const struct mesh_config *config, int site, int host,
                     const struct lan_graph_options *options)
{
    if (host != LAN_NOWHERE) {
        graph->places[host] = (uint16_t)site;
        graph->host_outputs[host] = (uint16_t)graph->link_count;
        *room_of(graph, graph->inputs, site, HOST_PORT) = (int)graph->link_count;
        add_link(graph, (struct lan_link){LAN_NOWHERE, site, host, HOST_PORT, options->host_delay});
        *room_of(graph, graph->outputs, site, HOST_PORT) = (int)graph->link_count;
        add_link(graph, (struct lan_link){site, LAN_NOWHERE, host, 0, options->host_delay});
    }
    for (int link = 0; link < config->links; link++) {
        struct pr_far_end end = mesh_far_end(config, site, link);
        if (end.site < 0)
            continue;
        unsigned delay = options->delay ? options->delay : mesh_delay(config, site, link);
        *room_of(graph, graph->outputs, site, (unsigned)link + 1) = (int)graph->link_count;
        *room_of(graph, graph->inputs, end.site, end.link + 1) = (int)graph->link_count;
        add_link(graph, (struct lan_link){site, end.site, LAN_NOWHERE, end.link + 1, delay});
    }
}

/* Which host a site has: in the order of sites, and then exchanged at random. */
static void number_hosts(const struct lan_graph *graph, const struct mesh_config *config, bool drawn, uint64_t seed,
                         int *host_of)
{
    struct random random;
    int sites[PR_GRAPH_SITES_MAX], count = 0;
    random_seed(&random, seed, NUMBERS_STREAM);
    for (int site = 0; site < (int)graph->switches; site++) {
        host_of[site] = LAN_NOWHERE;
        if (!mesh_is_switch(config, site))
            sites[count++] = site;
    }
    for (int k = count - 1; drawn && k > 0; k--) {
        int other = (int)random_below(&random, (uint32_t)k + 1), site = sites[k];
        sites[k] = sites[other];
        sites[other] = site;
    }
    for (int host = 0; host < count; host++)
        host_of[sites[host]] = host;
}

static void add_path(struct lan_graph *graph, unsigned from, unsigned to, const struct mesh_way *way)
{
    struct lan_path *path = &graph->paths[from * graph->hosts + to];
    int site = graph->places[from];
    path->links[path->count++] = graph->host_outputs[from];
    for (unsigned k = 0; k < way->count; k++) {
        int link = *room_of(graph, graph->outputs, site, way->ports[k]);
        path->links[path->count++] = (uint16_t)link;
        site = graph->links[link].to;
    }
}

static bool add_paths(struct lan_graph *graph, const struct mesh_config *config,
                      const struct lan_graph_options *options, char *error, size_t error_size)
{
    struct random random;
    random_seed(&random, options->seed, PATHS_STREAM);
    for (unsigned from = 0; from < graph->hosts; from++) {
        struct mesh_way *ways = mesh_ways(config, graph->places[from], options->drawn_paths ? &random : NULL);
        for (unsigned to = 0; to < graph->hosts; to++) {
            const struct mesh_way *way = &ways[graph->places[to]];
            if (way->count == 0) {
                snprintf(error, error_size, "site %u has no way to site %u, expected one through at most %d switches",
                         graph->places[from], graph->places[to], MESH_WAY_PORTS_MAX);
                free(ways);
                return false;
            }
            add_path(graph, from, to, way);
        }
        free(ways);
    }
    return true;
}

static void make_room(struct lan_graph *graph)
{
    size_t ends = (size_t)graph->switches * graph->ports;
    graph->links = or_abort(calloc(ends + graph->hosts, sizeof *graph->links));
    graph->outputs = or_abort(malloc(ends * sizeof *graph->outputs));
    graph->inputs = or_abort(malloc(ends * sizeof *graph->inputs));
    graph->places = or_abort(calloc(graph->hosts, sizeof *graph->places));
    graph->host_outputs = or_abort(calloc(graph->hosts, sizeof *graph->host_outputs));
    graph->paths = or_abort(calloc((size_t)graph->hosts * graph->hosts, sizeof *graph->paths));
    for (size_t i = 0; i < ends; i++)
        graph->outputs[i] = graph->inputs[i] = LAN_NOWHERE;
}

struct lan_graph *lan_graph_create(const struct mesh_config *config, const struct lan_graph_options *options,
                                   char *error, size_t error_size)
{
    int host_of[PR_GRAPH_SITES_MAX];
    if (config->sites > PR_GRAPH_SITES_MAX || mesh_operators(config) < 2) {
        snprintf(error, error_size, "%d sites and %d hosts, expected at most %d sites and at least 2 hosts",
                 config->sites, mesh_operators(config), PR_GRAPH_SITES_MAX);
        return NULL;
    }
    struct lan_graph *graph = or_abort(calloc(1, sizeof *graph));
    graph->switches = (unsigned)config->sites;
    graph->hosts = (unsigned)mesh_operators(config);
    graph->ports = (unsigned)config->links + 1;
    make_room(graph);
    number_hosts(graph, config, options->drawn_numbers, options->seed, host_of);
    for (int site = 0; site < config->sites; site++)
        add_site(graph, config, site, host_of[site], options);
    if (!add_paths(graph, config, options, error, error_size)) {
        lan_graph_free(graph);
        return NULL;
    }
    return graph;
}

void lan_graph_free(struct lan_graph *graph)
{
    if (!graph)
        return;
    free(graph->links);
    free(graph->outputs);
    free(graph->inputs);
    free(graph->places);
    free(graph->host_outputs);
    free(graph->paths);
    free(graph);
}
