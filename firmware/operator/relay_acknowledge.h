/* Acknowledgements merged on the tree of a packet that travels by relays (rule O11). A relay awaits an acknowledgement
 * of each child, and acknowledges the packet to the site that sent it for its whole subtree. Private to the operator.
 *
 *   packet                source ---> relay ---> child            parent word, behind the header: none | the relay
 *                                       |------> child
 *   acknowledgements      source <--- relay <--- child            for its subtree | for itself
 *                                       ^------- child
 *
 * All state here may be lost: what is not acknowledged in time is sent again by its source, to each target alone, and
 * acknowledged by each alone.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_RELAY_ACKNOWLEDGE_H
#define POSTROAD_OPERATOR_RELAY_ACKNOWLEDGE_H

#include "operator/acknowledge.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
#ifdef __riscv
    PR_RELAYED_MAX = 1, /* without relays (pr_relays_are_known) nothing of it is used */
    PR_RELAY_ACKNOWLEDGEMENTS_MAX = 1,
#else
    PR_RELAYED_MAX = 32,                /* packets whose children a site awaits */
    PR_RELAY_ACKNOWLEDGEMENTS_MAX = 64, /* that wait to leave */
#endif
    PR_RELAY_CHILDREN_MAX = 8 /* a packet with more children is not awaited */
};

/* A packet that this site has sent on. */
struct pr_relayed {
    uint32_t deadline;
    uint16_t source, sequence; /* as in a relay acknowledgement: with the epoch */
    uint16_t parent;
    uint16_t missing; /* bit k: sites[k] has not acknowledged it; 0: free */
    uint8_t count;
    uint16_t sites[PR_RELAY_CHILDREN_MAX + 1]; /* this site and its children */
};

struct pr_relay_acknowledgement {
    uint32_t due;
    uint16_t to, from; /* sites; from: whose subtree it is for */
    uint16_t source, sequence;
};

struct pr_relay_acknowledgements {
    struct pr_common *common;
    struct pr_acknowledgements *alone;
    unsigned awaited, waiting; /* in the tables */
    uint32_t deadline, due;    /* the earliest of each, or before that */
    struct pr_relayed relayed[PR_RELAYED_MAX];
    struct pr_relay_acknowledgement queue[PR_RELAY_ACKNOWLEDGEMENTS_MAX]; /* the oldest first */
};

/* A packet that came to this site is about to be sent on to the children in its relay list: awaits them all and this
 * site itself, and makes this site the parent in its header. If there is no room, the packet gets no parent, so that
 * its children acknowledge to the source. first_target becomes the first child's. */
void pr_relay_await(struct pr_relay_acknowledgements *acknowledgements, struct pr_packet *packet);

/* This site has got a packet that it has sent on: false if that is not awaited. */
bool pr_relay_delivered(struct pr_relay_acknowledgements *acknowledgements, const struct pr_header *header);

/* This site has got a packet that goes no further, and acknowledges it to the parent. */
void pr_relay_acknowledge(struct pr_relay_acknowledgements *acknowledgements, const struct pr_header *header);

/* An acknowledgement of another site's packet has come. */
void pr_relay_acknowledged(struct pr_relay_acknowledgements *acknowledgements, unsigned from, const uint32_t *words);

/* Once a poll: gives up what has been awaited for too long. True if there was any. */
bool pr_relay_time_outs(struct pr_relay_acknowledgements *acknowledgements, uint32_t clock);

/* All is given up: this site has stood for so long that sequence numbers may name other packets. */
void pr_relay_forget(struct pr_relay_acknowledgements *acknowledgements);

/* Queues one packet of acknowledgements whose time has come. */
void pr_relay_acknowledgements_send(struct pr_relay_acknowledgements *acknowledgements);

/* *clock: when there is something to do. False: there is no such clock. */
bool pr_relay_next(const struct pr_relay_acknowledgements *acknowledgements, uint32_t *clock);

#ifdef __cplusplus
}
#endif

#endif
