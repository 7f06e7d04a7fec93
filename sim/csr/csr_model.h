/* Conflict sense routing on a hypercube, slot by slot (Varvarigos and Bertsekas 1993, sections 3.1 and 3.2).
 *
 * A cube of d dimensions has N = 2^d nodes. Link e = 2 l + o of a node leaves its module l: o = 1 is the forward link
 * of dimension l, o = 0 the internal one. Both lead to module (l - 1) mod d, the forward one to that of the neighbour.
 * Each link has an entry buffer, for packets that begin there: those whose bit l of the routing tag (source XOR
 * destination) is o. Every packet crosses d links, a forward or an internal one in each dimension.
 *
 *   slot t   control interval: flits run d steps, then ACK or NACK    transmission interval
 *   step i   the flit of entry buffer (s, 2 l + o) wants a link of dimension (l - i) mod d, for the transmission
 * interval of slot t + i. A link reserved for that interval blocks it. Two flits that want the same link in the same
 *            step: a coin chooses. What a blocked flit has reserved (*ghosts*) is free again before the next slot.
 *   arrival  a packet that is accepted in slot t crosses its last link in slot t + d - 1.
 *
 * Exit x = 2 l + o of a node is where packets that began in module l arrive, o = 1 those that come over a forward link.
 *
 * Forks (no part of the paper): a flit may want both links of a dimension. It is a tree then, each end of which arrives
 * somewhere; it is accepted if all of the tree was reserved, else all of the tree is freed.
 *
 * The state is bit-sliced: a plane (csr_plane.h) for each link and kind of bit.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CSR_CSR_MODEL_H
#define POSTROAD_CSR_CSR_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { CSR_LEAST_DIMENSIONS = 2, CSR_MOST_DIMENSIONS = 16, CSR_MOST_LINKS = 2 * CSR_MOST_DIMENSIONS };

/* The coins of a node in a step of the slot that is being run: bit e is set if of two flits that want link e the one
 * wins that came over a forward link (step 0, where only forks meet: the one of the entry buffer of the forward link).
 * Called for all steps and nodes, in this order: step 0 of all nodes first. */
typedef uint32_t csr_coin(void *context, unsigned node, unsigned step);

/* Which of the flits that have arrived at these exits of a node (bit x: exit x) may be accepted; the others are NACKed,
 * as if the exits were blocked links. Called once a slot for each node at which a flit has arrived, node 0 first. */
typedef uint32_t csr_exits(void *context, unsigned node, uint32_t arrived);

struct csr_options {
    unsigned dimensions; /* CSR_LEAST_DIMENSIONS to CSR_MOST_DIMENSIONS */
    bool forks;          /* entry buffers may offer forked flits */
    bool favours;        /* of two flits one that is favoured wins; a coin decides between equals */
    csr_coin *coin;      /* NULL: drawn by the model, from the seed */
    csr_exits *exits;    /* NULL: every arrived flit is accepted */
    void *context;       /* of both */
    uint64_t seed;
};

struct csr_model;

/* NULL with dimensions out of range. */
struct csr_model *csr_model_create(const struct csr_options *options);
void csr_model_free(struct csr_model *model);

/* The entry buffers of a link, for the caller to write before a slot. They keep what was written.
 * attempts: which of them send a flit; tags: bit `dimension` of the routing tag; forks: the flit wants both links
 * there. The tag of the link's own dimension is not read. */
uint64_t *csr_model_attempts(struct csr_model *model, unsigned link);
uint64_t *csr_model_tags(struct csr_model *model, unsigned link, unsigned dimension);
uint64_t *csr_model_forks(struct csr_model *model, unsigned link, unsigned dimension); /* NULL without `forks` */
uint64_t *csr_model_favoured(struct csr_model *model, unsigned link);                  /* NULL without `favours` */

/* The same for the entry buffer of a single packet: (node, 2 l + bit l of the tag), which sends a flit in the next
 * slot. Bits of `forks` that are set: both links in this dimension, whatever the tag's bit says. It is not favoured. */
void csr_model_offer(struct csr_model *model, unsigned node, unsigned module, uint32_t tag, uint32_t forks);
void csr_model_offer_none(struct csr_model *model);

/* Runs one slot. */
void csr_model_slot(struct csr_model *model);

/* Slots run. */
uint64_t csr_model_now(const struct csr_model *model);

/* For csr_exits: the entry buffer of the flit that has arrived at this exit of a node, by its node; *link is its link.
 */
unsigned csr_model_origin(const struct csr_model *model, unsigned node, unsigned exit, unsigned *link);

/* Entry buffers whose flit was accepted in the last slot. */
const uint64_t *csr_model_accepted(const struct csr_model *model, unsigned link);

/* Whether the link is reserved for the transmission interval `interval` slots behind that of the slot to be run next, 0
 * to d - 2: between slots all reservations are confirmed. */
const uint64_t *csr_model_reserved(const struct csr_model *model, unsigned link, unsigned interval);

/* The exit at which a packet of this tag arrives that began in this module. */
static inline unsigned csr_exit(unsigned dimensions, unsigned module, uint32_t tag)
{
    return 2 * module + (tag >> (module + 1) % dimensions & 1);
}

#endif
