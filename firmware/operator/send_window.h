/* The packets of its own that a site keeps until they are acknowledged: one slot each, numbered as their sequence
 * numbers are. Private to the operator, but for the sizes.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_SEND_WINDOW_H
#define POSTROAD_OPERATOR_SEND_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "operator/duplicate_filter.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_operator;
struct pr_packet;

enum {
    PR_WINDOW_MAX = PR_PEER_SPAN, /* sequence numbers that are under way at once; a power of two */
    PR_TRIES_MAX = 8              /* transmissions before a target is given up */
};

enum pr_slot_state {
    PR_SLOT_SETTLED, /* nothing more to do; or free */
    PR_SLOT_QUEUED,  /* to be sent as soon as the network_interface has room */
    PR_SLOT_SENDING, /* the network_interface has the packet */
    PR_SLOT_WAITING  /* for acknowledgements, until the deadline */
};

struct pr_slot {
    struct pr_packet *packet; /* NULL once the slot is settled and the buffer is back in the pool */
    uint32_t *sites;          /* the targets that are missing: that have neither acknowledged nor failed */
    uint32_t sequence;
    uint32_t deadline; /* waiting: clock of the next try */
    uint32_t started;  /* clock of the first transmission */
    uint16_t missing;  /* how many those are, */
    uint16_t entries;  /* and how many targets the packet names */
    uint16_t failed;
    uint16_t unicasts; /* still to be sent in this try, one by one */
    uint8_t tries;     /* transmissions so far */
    uint8_t state;
    bool ordered;
};

struct pr_send_window {
    struct pr_slot slots[PR_WINDOW_MAX]; /* of sequence number s: s % PR_WINDOW_MAX */
    uint32_t edge, next;                 /* sequence numbers: of the oldest slot in use, and of the next packet; */
    uint32_t sent;     /* one more than the highest that was ever sent. Packets carry the low 16 bits */
    uint32_t deadline; /* no slot's is earlier, if any slot waits */
    uint16_t size;
    uint16_t silent;         /* sites that have to be asked before data is sent to them */
    uint8_t queued, waiting; /* slots */
    bool ordered;
    uint32_t round_trip, deviation; /* smoothed, in clocks, times 8 and times 4 */
    uint32_t time_out, time_out_least;
};

/* All slots free; sets is memory for them. */
void pr_window_init(struct pr_operator *op, unsigned size, uint32_t *sets);

/* Tells how long this core takes for its pool's buffers: time-outs are no shorter than such cores need. */
void pr_window_set_pace(struct pr_operator *op, uint32_t clocks);

/* Packets that may still be added. */
unsigned pr_window_room(const struct pr_operator *op);

/* The packet, complete but for its header's sequence number, becomes the window's. Returns that number. */
uint16_t pr_window_add(struct pr_operator *op, struct pr_packet *packet);

/* Gives the network_interface the next packet that may go. False: there is none, or it has no room. */
bool pr_window_send(struct pr_operator *op);

/* A packet of the window is back from the network_interface. */
void pr_window_sent(struct pr_operator *op, struct pr_packet *packet);

/* This site has an acknowledgement from `site`. */
void pr_window_acknowledged(struct pr_operator *op, unsigned site, const struct pr_acknowledgement *acknowledgement);

/* After a restart: no other site is sent data before it has been asked. */
void pr_window_expect_silence(struct pr_operator *op);

/* True if `site` has to be asked first. */
bool pr_window_has_silent(const struct pr_operator *op, unsigned site);

/* One packet is known to have been delivered here. */
void pr_window_delivered_here(struct pr_operator *op, uint16_t sequence);

/* True if one packet was sent to this site itself, and has not come yet. */
bool pr_window_waits_for_itself(struct pr_operator *op, uint16_t sequence);

/* `site` has lost its memory: what was sent to it is given up there. */
void pr_window_peer_restarted(struct pr_operator *op, unsigned site);

/* The lowest sequence number that may still be sent to `site`. */
uint32_t pr_window_base(struct pr_operator *op, unsigned site);

/* Tries again, or gives up, what has waited too long. True if there was something. The next call is due at
 * window.deadline, while window.waiting is not 0. */
bool pr_window_time_outs(struct pr_operator *op);

#ifdef __cplusplus
}
#endif

#endif
