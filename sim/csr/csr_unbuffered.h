/* Packet switching without buffers on the descending-dimensions switch (Figures 1 and 6), slot by slot: the simple and
 * the priority scheme of section 5, by our reading, because their details are in a thesis that the paper cites.
 *
 * Packets take the ways of csr_model.h, and cross d links. In a slot each link of a node takes one of those packets
 * that want it: of the two that may have come over the links before, and the new one that its entry buffer has with
 * probability `attempts`. The others are dropped.
 *
 *   simple         at random among all that want the link; with `new_last`, a new packet only if no other wants it
 *   priority       the packet that has crossed most links, at random among equals; a new one last
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CSR_CSR_UNBUFFERED_H
#define POSTROAD_CSR_CSR_UNBUFFERED_H

#include <stdbool.h>
#include <stdint.h>

struct csr_unbuffered_options {
    unsigned dimensions; /* CSR_LEAST_DIMENSIONS to CSR_MOST_DIMENSIONS */
    bool priority, new_last;
    double attempts;
    uint64_t seed;
};

struct csr_unbuffered;

struct csr_unbuffered *csr_unbuffered_create(const struct csr_unbuffered_options *options);
void csr_unbuffered_free(struct csr_unbuffered *unbuffered);

/* Runs a slot; the packets that have crossed their last link in it, in all nodes. */
unsigned csr_unbuffered_slot(struct csr_unbuffered *unbuffered);

#endif
