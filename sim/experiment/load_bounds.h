/* Bounds that follow from the mesh and its traffic alone: of the load, and of the network latency. Each counts the
 * words of the packets themselves, and nothing that the service adds (acknowledgements, packets sent again,
 * diversions), so that a run stays below. One whose assumption does not hold is left out; all are, with groups,
 * broadcasts and traces.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_EXPERIMENT_LOAD_BOUNDS_H
#define POSTROAD_EXPERIMENT_LOAD_BOUNDS_H

#include "mesh/mesh.h"

struct traffic;
struct experiment_options;

/* Of the load, in words per site and clock; 0: left out. */
enum load_bound {
    /* Links that cross the middle of each axis carry a word a clock each: any routing, on links of a chip that carry
     * words; not on a graph. */
    BOUND_BISECTION,
    /* The same of each link: unicasts in dimension order, or by the routes of their sources. */
    BOUND_CHANNEL,
    BOUND_INJECTION, /* a word a clock leaves a site by its local port: any mesh */
    BOUND_EJECTION,  /* a word a clock enters it so: any mesh */
    /* A packet has a slot of its source's window for an idle mesh's time there and back (Little's law): unicasts in
     * dimension order, reliable service, native nodes. */
    BOUND_STORAGE,
    LOAD_BOUNDS
};

struct load_bounds {
    double load[LOAD_BOUNDS];
    double zero_load_latency; /* mean network latency on an idle mesh, as BOUND_STORAGE; with either service */
};

/* native: all nodes are. */
struct load_bounds load_bounds(const struct mesh_config *mesh, const struct experiment_options *options,
                               const struct traffic *traffic, bool native);

#endif
