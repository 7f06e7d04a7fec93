/* Routes on graphs for csr_general: for every entry buffer, one at each link, the paths of the packets that may be in
 * it.
 *
 *   hypercube      section 3.1: links 2 l + o, internal ones too; d links to each of the 2^(d-1) destinations
 *   cube, ring, torus, shuffle     e-cube, shortest paths: of several the one whose first link has the lowest number.
 * The shuffle is the shuffle-exchange graph of 2^d nodes, the torus one of 2^(d/2) rows; ring: of 2^d nodes. A packet
 * is in the entry buffer of the first link of its path
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CSR_CSR_ROUTES_H
#define POSTROAD_CSR_CSR_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct csr_path {
    uint32_t *links;
    unsigned length;
};

struct csr_entry {
    struct csr_path *paths;
    unsigned count;
};

struct csr_routes {
    unsigned nodes, links;
    double capacity;           /* packets a node and slot, if every link is busy all the time, uniform destinations */
    struct csr_entry *entries; /* [link] */
    uint32_t *memory;          /* of all paths */
};

/* NULL: no such graph, or dimensions out of range for it, or no memory. */
struct csr_routes *csr_routes_create(const char *graph, unsigned dimensions);
void csr_routes_free(struct csr_routes *routes);

#endif
