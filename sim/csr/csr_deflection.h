/* Deflection routing on a hypercube with crossbar nodes, slot by slot: the simple and the priority scheme of section 5,
 * by our reading, because their details are in a thesis that the paper cites.
 *
 * A node has at most d packets. In a slot it takes out those that have arrived, gets a new one with probability
 * `attempts` for each place that is empty, and sends all of them, each over a link of its own. A packet *prefers* the
 * links that take it closer. Packets choose in a random order (simple), or those that are closer to their destinations
 * first, at random among equals (priority); each takes a random one of the free links that it prefers.
 *
 *   one phase      a packet without such a link takes any free one at once, which may be one that a later packet
 * prefers two phases     first all packets choose among the links that they prefer; the rest takes what is left
 *
 * No packet goes to its own node.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CSR_CSR_DEFLECTION_H
#define POSTROAD_CSR_CSR_DEFLECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "csr/csr_pattern.h"

struct csr_deflection_options {
    unsigned dimensions; /* CSR_LEAST_DIMENSIONS to CSR_MOST_DIMENSIONS */
    bool priority, two_phases;
    double attempts;
    struct csr_destinations destinations;
    uint64_t seed;
};

struct csr_deflection;

struct csr_deflection *csr_deflection_create(const struct csr_deflection_options *options);
void csr_deflection_free(struct csr_deflection *deflection);

/* Of the last slot. */
struct csr_delivered {
    unsigned packets;
    unsigned hot;       /* of them to node 0 */
    uint64_t distances; /* from source to destination, all of them */
    uint64_t slots;     /* that they were on their way */
    uint64_t deflected; /* packets on links that they did not prefer */
};

struct csr_delivered csr_deflection_slot(struct csr_deflection *deflection);

/* Packets that this node has inserted so far. */
uint64_t csr_deflection_inserted(const struct csr_deflection *deflection, unsigned node);

#endif
