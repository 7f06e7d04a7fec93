/* The send window: packets of this site that are kept until every target has acknowledged them. Each packet has a slot,
 * which its sequence number selects. Private to the operator, except for the sizes. A state diagram of a slot is in
 * send_window.c.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_SEND_WINDOW_H
#define POSTROAD_OPERATOR_SEND_WINDOW_H

#include "operator/acknowledge.h"
#include "operator/relays.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PR_WINDOW_MAX = PR_PEER_SPAN, /* slots, and so sequence numbers under way at once; a power of two */
    PR_TRIES_MAX = 8              /* tries before a target is given up */
};

struct pr_send_window;

enum pr_slot_state {
    PR_SLOT_SETTLED, /* free, or nothing more to do */
    PR_SLOT_QUEUED,  /* the packet is to be sent as soon as the network_interface has room */
    PR_SLOT_SENDING, /* the network_interface has the packet */
    PR_SLOT_WAITING  /* acknowledgements are missing, and the deadline of the next try has not come */
};

struct pr_slot {
    struct pr_packet *packet; /* NULL once the slot is settled and the buffer is back in the pool */
    uint32_t *sites;          /* set of the missing targets: neither acknowledged nor given up */
    uint32_t sequence;
    uint32_t deadline; /* waiting: clock of the next try */
    uint32_t started;  /* clock of the first transmission */
    uint16_t missing;  /* members of `sites` */
    uint16_t entries;  /* targets that the packet names */
    uint16_t failed;
    uint8_t tries;     /* tries so far, or probes of stale peers */
    uint8_t doublings; /* of the next time-out */
    uint8_t state;
    bool busy;  /* a target acknowledges other packets and not this one */
    bool begun; /* some packets of this try have left, and others have not */
    bool ordered;
};

/* What a source of packets by relays has in addition (O10, O11), so that an image that sends none is without. */
struct pr_relay_source {
    void (*begin)(struct pr_send_window *window, struct pr_slot *slot, bool again);
    void (*acknowledged)(struct pr_send_window *window, unsigned site, uint16_t sequence);
    const uint32_t *relaying; /* set of sites that are relays; NULL: all */
    struct pr_relay_plan last;
};

struct pr_send_window {
    struct pr_common *common;
    struct pr_acknowledgements *acknowledgements;
    uint32_t random;     /* of the time-outs */
    uint32_t edge, next; /* sequence numbers of the oldest slot in use, and of the next packet */
    uint32_t sent;     /* one more than the highest sequence number that was ever sent; packets carry the low 16 bits */
    uint32_t deadline; /* lower bound of the waiting slots' deadlines */
    uint32_t late;     /* one more than the newest number of a slot that has had more tries than a busy target allows */
    uint16_t size;
    uint16_t stale;          /* peers that are probed before data is sent to them */
    uint8_t queued, waiting; /* slots in these states */
    bool ordered;
    struct pr_relay_source *relays; /* NULL: packets to several targets do not leave by relays */
    uint32_t round_trip, deviation; /* estimates in clocks, times 8 and times 4 */
    uint32_t time_out, time_out_least;
    struct pr_slot slots[PR_WINDOW_MAX]; /* of sequence number s: s % PR_WINDOW_MAX */
};

/* Makes all slots free. sets: memory for PR_WINDOW_MAX sets of sites. */
void pr_window_init(struct pr_send_window *window, unsigned size, uint32_t *sets);

/* clocks: the time that this core took to post its pool's buffers, and that of a few words on a link. It scales the
 * least time-out to the speed of the core and of the links. */
void pr_window_set_pace(struct pr_send_window *window, uint32_t clocks);

/* Packets that may still be added. The caller checks it before pr_window_add. */
unsigned pr_window_room(const struct pr_send_window *window);

/* Takes ownership of a packet that is complete except for its header, and queues it. Returns its sequence number. */
uint16_t pr_window_add(struct pr_send_window *window, struct pr_packet *packet);

/* Gives the network_interface the oldest packet that may leave. False: there is none, or the interface is full. */
bool pr_window_send(struct pr_send_window *window);

/* The network_interface has returned a packet of the window. */
void pr_window_sent(struct pr_send_window *window, struct pr_packet *packet);

/* An acknowledgement from `site` has arrived. */
void pr_window_acknowledged(struct pr_send_window *window, unsigned site,
                            const struct pr_acknowledgement *acknowledgement);

/* A try begins, and goes by relays if that pays. again: so did the one before it. */
void pr_window_begin_relays(struct pr_send_window *window, struct pr_slot *slot, bool again);

/* An acknowledgement of a packet by `site` and by all behind it in the packet's tree has arrived (O11). */
void pr_window_subtree_acknowledged(struct pr_send_window *window, unsigned site, uint16_t sequence);

/* After a restart of this site: every peer is stale. */
void pr_window_start_stale(struct pr_send_window *window);

/* True if `site` is to be probed before it is sent data. */
bool pr_window_is_stale(const struct pr_send_window *window, unsigned site);

/* True if this packet was sent to this site itself and has not been delivered yet. */
bool pr_window_waits_for_itself(struct pr_send_window *window, uint16_t sequence);

/* `site` has restarted: it is given up as a target of every packet that was sent, which may or may not have arrived. */
void pr_window_peer_restarted(struct pr_send_window *window, unsigned site);

/* The lowest sequence number that may still be sent to `site`. */
uint32_t pr_window_base(struct pr_send_window *window, unsigned site);

/* Retries, or gives up, the targets of slots whose deadline has come. True if there was one. The next call is due at
 * window.deadline, while window.waiting is not 0. */
bool pr_window_time_outs(struct pr_send_window *window);

#ifdef __cplusplus
}
#endif

#endif
