/* Path tables for csr_general: for every entry buffer, one at each link, the paths of the packets that may be in it. A
 * packet is in the entry buffer of the first link of its path.
 *
 *   hypercube      section 3.1: links 2 l + o, internal ones too; d links to each of the 2^(d-1) destinations
 *   cube           2^d nodes with crossbars, a link for each dimension
 *   ring, torus    2^d nodes; the torus has 2^(d/2) rows
 *   shuffle        shuffle-exchange, 2^d nodes
 *
 * All but the first have shortest paths, those that are found first, breadth first, low ports first.
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

/* NULL: no such graph, or dimensions out of range for it. */
struct csr_routes *csr_routes_create(const char *graph, unsigned dimensions);
void csr_routes_free(struct csr_routes *routes);

/* From a file, for any graph and any oblivious routing. Its first line is `nodes N`; each other one is a path, the
 * numbers of its links in order. Links count from 0; what is behind # is a comment. NULL with "FILE:LINE: what is
 * wrong, expected ...". */
struct csr_routes *csr_routes_read(const char *path, char *error, size_t error_size);

/* A table without paths, and memory for `words` links of `paths` paths. */
struct csr_routes *csr_routes_empty(unsigned nodes, unsigned links, size_t paths, size_t words);

/* Adds a path whose links are in `memory`. */
void csr_routes_add(struct csr_routes *routes, uint32_t *links, unsigned length);

#endif
