/* Conflict sense routing on any graph, slot by slot (Varvarigos and Bertsekas 1993, section 2): links with K packet
 * buffers each, beside the packet being transmitted, and any future oblivious routing, given as the links of each
 * packet's path.
 *
 * A flit f carries a counter c, 1 at first. It reserves a link for the least T >= c for which the link is free in
 * transmission interval T and a buffer of it is in c to T - 1, and these buffers; then c is T + 1. If there is no such
 * T it is blocked, and all that it has reserved is freed before the next slot.
 *
 * Flits go step by step: in step i every flit that is not blocked asks the i-th link of its path. Several at one link
 * are treated one after the other, in the order of their ranks.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CSR_CSR_GENERAL_H
#define POSTROAD_CSR_CSR_GENERAL_H

#include <stdbool.h>
#include <stdint.h>

/* The rank of a flit (its number) at the link that it asks in this step, the least one first; `before`: the link of its
 * path before, or this one in step 0. */
typedef uint32_t csr_rank(void *context, unsigned flit, unsigned step, unsigned link, unsigned before);

struct csr_general_options {
    unsigned links;
    unsigned buffers;  /* K */
    unsigned patience; /* intervals that a packet waits at one link at most, T - c; 0: any number */
    csr_rank *rank;    /* NULL: drawn by the model, from the seed */
    void *context;
    uint64_t seed;
};

struct csr_general;

struct csr_general *csr_general_create(const struct csr_general_options *options);
void csr_general_free(struct csr_general *general);

/* A flit of the slot to be run next. `path` (links; `length` of them, one at least) has to stay until then. The number
 * of the flit, which counts from 0 in each slot. */
int csr_general_offer(struct csr_general *general, const uint32_t *path, unsigned length);

/* Runs one slot. */
void csr_general_slot(struct csr_general *general);

/* Of the flits of the last slot, until the next one is offered. The slots in which the packet is on its way: its last
 * T. 0: NACK. */
unsigned csr_general_flight(const struct csr_general *general, int flit);

/* The transmission interval in which the packet of this flit crosses the link of this step of its path: its T. */
unsigned csr_general_interval(const struct csr_general *general, int flit, unsigned step);

/* Reservations of this link, and buffers of it, for the transmission interval `interval` slots behind that of the slot
 * to be run next. */
bool csr_general_reserved(const struct csr_general *general, unsigned link, unsigned interval);
unsigned csr_general_buffered(const struct csr_general *general, unsigned link, unsigned interval);

#endif
