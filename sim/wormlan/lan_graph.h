/* A wormhole LAN as its links: switches, hosts, a cable each way between them, and the routes of worms. Every link has
 * a number, and leads to an input of a switch or to a host.
 *
 * A site of a mesh is a switch. Unless it is a bare switch, a host hangs on its port 0; port k + 1 leads to link k of
 * the mesh. Hosts have numbers of their own, because multicasts go by the order of these: which host hangs on which
 * switch is drawn, or is the order of the switches (Gerla, Palnati, Walton 1996, sections 4 to 6).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORMLAN_LAN_GRAPH_H
#define POSTROAD_WORMLAN_LAN_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "mesh/mesh_routes.h"

enum { LAN_NOWHERE = -1, LAN_HOP_LINKS = MESH_WAY_PORTS_MAX + 1 };

struct lan_link {
    int from, to;   /* switches, or LAN_NOWHERE: the host's end */
    int host;       /* at an end, or LAN_NOWHERE */
    unsigned input; /* of the switch at its end: that switch's port */
    unsigned delay; /* byte times from end to end, at least 1 */
};

/* The links of a worm, from that which leaves its host to that which leads to a host. */
struct lan_path {
    unsigned count; /* one more than switches on the way, which is the number of route bytes */
    uint16_t links[LAN_HOP_LINKS];
};

struct lan_graph {
    unsigned switches, hosts, ports, link_count;
    struct lan_link *links;
    int *outputs;           /* [switch * ports + port]: the link that leaves there, or LAN_NOWHERE */
    int *inputs;            /* the link that comes in there, or LAN_NOWHERE */
    uint16_t *places;       /* [host]: its switch */
    uint16_t *host_outputs; /* [host]: the link that leaves it */
    struct lan_path *paths; /* [from * hosts + to] */
};

struct lan_graph_options {
    unsigned delay;      /* byte times of a cable between switches; 0: those of the mesh */
    unsigned host_delay; /* of a cable to a host */
    bool drawn_numbers;  /* hosts in random order; else in that of the switches */
    bool drawn_paths;    /* one of the shortest ways, drawn for each pair; else the first that is found */
    uint64_t seed;
};

/* Two networks of the paper as meshes: a torus of size_x by size_y, and the bidirectional shufflenet of three columns
 * of eight switches, each with its host. */
void lan_torus(struct mesh_config *config, unsigned size_x, unsigned size_y);
void lan_shufflenet(struct mesh_config *config);

/* Eight hosts on four switches (section 8.2 tells no more): a ring, two hosts on each switch. Such a host is a site of
 * its own, whose switch adds its two byte times. */
void lan_ring(struct mesh_config *config);

/* NULL with a reason: two sites have no way of at most MESH_WAY_PORTS_MAX switches. */
struct lan_graph *lan_graph_create(const struct mesh_config *config, const struct lan_graph_options *options,
                                   char *error, size_t error_size);
void lan_graph_free(struct lan_graph *graph);

static inline const struct lan_path *lan_path(const struct lan_graph *graph, unsigned from, unsigned to)
{
    return &graph->paths[from * graph->hosts + to];
}

/* Switches between two hosts. */
static inline unsigned lan_switches(const struct lan_graph *graph, unsigned from, unsigned to)
{
    return lan_path(graph, from, to)->count - 1;
}

#endif
