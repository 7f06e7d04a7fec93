/* The operator: sends, receives, resends and delivers packets (rules O1-O11).
 *
 * All state is in structs that the caller owns. There is no heap, no global and no interrupt: everything happens in
 * pr_operator_poll and pr_operator_send. One buffer of the pool carries a packet from its receipt to its retransmission
 * without a copy.
 *
 * A mesh offers one of two services (identity->reliable):
 *   reliable  The source keeps a packet in its send window until each target has acknowledged it or is given up. Every
 *             packet is delivered exactly once to each target or reported as failed. Other sites may discard packets
 *             that they cannot hold, so that storage never locks up (firmware/README.md, "The reliable service").
 *   raw       The papers' service: the site that holds a packet is responsible for it, and storage may lock up.
 * Every packet starts its data with a header of three words: source site, sequence, handler and flags (header.h).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_OPERATOR_H
#define POSTROAD_OPERATOR_OPERATOR_H

#include "operator/relay_acknowledge.h"
#include "operator/restart.h"
#include "operator/site_set.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PR_OPERATOR_RELIEF_BUFFERS = 1 }; /* so few unused: the operator asks its router for relief (R1) */

/* Sizes of an operator's memory. A raw mesh needs neither window nor sites. If operators put routes in
 * front of packets, the table of routes takes the place of some buffers. */
struct pr_operator_size {
    unsigned buffers;      /* of the pool, 3 at least */
    unsigned packet_words; /* word area of one: the mesh's max_packet must fit, and a route of PR_ROUTE_PORTS_MAX words
                              if operators put it there */
    unsigned window;       /* own packets that may wait for acknowledgements: 1 to PR_WINDOW_MAX. At most
                              than buffers - 2, or the window is made smaller */
    unsigned sites;        /* the mesh may have this many */
};

/* 32-bit words of memory for all of it. */
#define PR_OPERATOR_MEMORY_WORDS(buffers, packet_words, sites)          \
    ((buffers)*PR_PACKET_BUFFER_WORDS(packet_words) +                   \
     PR_SMALL_BUFFERS * PR_PACKET_BUFFER_WORDS(PR_SMALL_PACKET_WORDS) + \
     (PR_WINDOW_MAX + 1) * PR_OPERATOR_SET_WORDS(sites) + (sites)*PR_PEER_WORDS)

/* Errors are returned negated. */
enum {
    PR_OPERATOR_NO_BUFFER = 1,  /* try again after pr_operator_poll */
    PR_OPERATOR_TOO_LONG,       /* longer than the mesh's max_packet or a pool buffer (O7) */
    PR_OPERATOR_NO_TARGETS,     /* (O7) */
    PR_OPERATOR_UNKNOWN_SITE,   /* not a site of this mesh */
    PR_OPERATOR_BAD_DATA,       /* a word wider than the fabric's */
    PR_OPERATOR_FULL,           /* pr_operator_register, pr_operator_observe: no place left */
    PR_OPERATOR_WINDOW_FULL,    /* as many packets as the window spans wait for acknowledgements: try again later */
    PR_OPERATOR_TOO_MANY_SITES, /* pr_operator_init: the mesh has more sites than there is room for */
    PR_OPERATOR_RESERVED        /* pr_operator_register: PR_HANDLER_LOAD, which is kept free for load records */
};

/* One target: a site, and target_info words that are delivered to this site only. */
struct pr_target {
    uint32_t site;
    uint16_t info_words;
    const uint32_t *info; /* may be NULL if info_words is 0 */
};

struct pr_operator {
    struct pr_common common;
    unsigned reserve; /* buffers that no send of an evaluator takes */
    bool relieved, refusing;
    struct pr_acknowledgements acknowledgements;
    struct pr_relay_acknowledgements subtrees;
    struct pr_restart restart;
    struct pr_send_window window;
};

/* Takes ownership of the memory, PR_OPERATOR_MEMORY_WORDS of it, which must outlive the operator, as must interface and
 * identity. Posts receive buffers at once. 0, or -PR_OPERATOR_NO_BUFFER (fewer than 3), -PR_OPERATOR_TOO_LONG
 * (max_packet does not fit a buffer), -PR_OPERATOR_TOO_MANY_SITES. */
int pr_operator_init(struct pr_operator *op, struct pr_network_interface *interface,
                     const struct pr_site_identity *identity, uint32_t *memory, const struct pr_operator_size *size);

/* Sends data to a set of sites, which may include this site. Of duplicate sites the first entry stays (O7). Everything
 * is copied. Returns 0 and the packet's sequence number in *sequence (may be NULL), or a negated error. */
int pr_operator_send(struct pr_operator *op, const struct pr_target *targets, unsigned count, uint8_t handler,
                     const uint32_t *data, unsigned words, uint16_t *sequence);

/* The same, but while the window or the pool is full it polls the operator, and calls idle (may be NULL) when there is
 * nothing to do. Bad arguments may be refused only after that. Must not be called from a handler or an observer. */
int pr_operator_send_blocking(struct pr_operator *op, const struct pr_target *targets, unsigned count, uint8_t handler,
                              const uint32_t *data, unsigned words, uint16_t *sequence, void (*idle)(void *context),
                              void *context);

/* Packets that pr_operator_send would accept now. */
unsigned pr_operator_send_room(const struct pr_operator *op);

/* Ordered service (reliable only): from now on no packet is sent while an earlier one waits for an acknowledgement of
 * one of its targets, so that packets between two sites are delivered in order. A late copy of a packet that was
 * reported as failed may still arrive after its successors. A fabric that keeps the order does not spare this: a loss
 * reorders. Off at first. */
void pr_operator_set_ordered(struct pr_operator *op, bool ordered);

/* Multicasts of this site may travel by relays (O10), if all their targets are in `relaying`, a set of sites
 * (site_set.h); NULL: all sites of the mesh. Both it and `source`, memory that the operator owns from now on, outlive
 * the operator. pr_site_identity.serves says whether a site is a relay. Off at first; no effect in the raw service, and
 * with fewer than 8 buffers. */
void pr_operator_use_relays(struct pr_operator *op, struct pr_relay_source *source, const uint32_t *relaying);

/* Registers the function for packets to this handler number, in place of an earlier one. 0, -PR_OPERATOR_FULL or
 * -PR_OPERATOR_RESERVED. A packet for a number without a function counts as delivered and is dropped. */
int pr_operator_register(struct pr_operator *op, uint8_t handler, pr_operator_handler *function, void *context);

/* Reliable service: while refusing, packets for evaluators are not delivered; those of the services are.
 * Acknowledgements of earlier packets show the sources that this site is alive, so that they retransmit for 2^24
 * clocks. Off at first. */
void pr_operator_refuse(struct pr_operator *op, bool refusing);

/* 0 or -PR_OPERATOR_FULL. */
int pr_operator_observe(struct pr_operator *op, pr_operator_observer *function, void *context);

/* An observer takes the place of the one that was registered first, which it gets: it hides some events from that one,
 * and calls it with the others. */
void pr_operator_observe_first(struct pr_operator *op, pr_operator_observer *function, void *context,
                               pr_operator_observer **hidden, void **hidden_context);

/* One round of work, with at most one received packet. True if anything was done. */
bool pr_operator_poll(struct pr_operator *op);

/* The clock (low 32 bits) at which pr_operator_poll has work even if no packet arrives or leaves. False: there is no
 * such clock. */
bool pr_operator_next_wake(struct pr_operator *op, uint32_t *clock);

/* A counter of the operator; 0 for any other index. */
uint32_t pr_operator_counter(const struct pr_operator *op, unsigned index);

/* pr_operator_send in pieces, to build a packet in its final buffer: begin, targets (each followed by its info), data,
 * then commit or cancel. The first error is kept: commit returns it and releases the buffer. */
struct pr_composition {
    struct pr_operator *op;
    struct pr_packet *packet;
    unsigned entries, target_words, data_words;
    uint8_t handler;
    uint32_t seen[8]; /* filter for duplicate targets, by the low 8 bits of the site */
    bool duplicate;
    int error;
};

void pr_operator_begin(struct pr_operator *op, struct pr_composition *composition, uint8_t handler);
void pr_operator_add_target(struct pr_composition *composition, unsigned site);
void pr_operator_add_info(struct pr_composition *composition, uint32_t word);
void pr_operator_add_data(struct pr_composition *composition, uint32_t word);
/* Room for so many data words, which the caller writes; none wider than the fabric's. NULL after an error. */
uint32_t *pr_operator_add_room(struct pr_composition *composition, unsigned words);
int pr_operator_commit(struct pr_composition *composition, uint16_t *sequence);
void pr_operator_cancel(struct pr_composition *composition);

#ifdef __cplusplus
}
#endif

#endif
