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
    PR_RELAY_MERGES = 0, /* a core has no room for the code: the sites behind it acknowledge to the source */
    PR_RELAYED_MAX = 1,
#else
    PR_RELAY_MERGES = 1,
    PR_RELAYED_MAX = 64,
#endif
    PR_RELAY_CHILDREN_MAX = 8 /* a packet with more children is not awaited */
};

/* A packet of which acknowledgements are awaited, or are to leave. Free: there are none. */
struct pr_relayed {
    uint32_t deadline;
    uint16_t source, sequence; /* as in a relay acknowledgement: with the epoch */
    uint16_t to;               /* the parent; the source */
    uint16_t missing, pending; /* bit k: that of sites[k] is awaited; is to be sent to `to` */
    uint8_t count;
    uint16_t sites[PR_RELAY_CHILDREN_MAX + 1]; /* this site and its children */
};

struct pr_relay_acknowledgements {
    struct pr_common *common;
    struct pr_acknowledgements *alone;
    unsigned awaited, waiting; /* packets: awaited ones, and those with acknowledgements that are to leave */
    unsigned turn;             /* the place in the table whose acknowledgements leave next */
    uint32_t deadline;         /* the earliest, or before that */
    struct pr_relayed relayed[PR_RELAYED_MAX];
};

/* A packet that came to this site is about to be sent on to the children in its relay list: awaits them all and this
 * site itself, and makes this site the parent in its header. If there is no room, the source takes the place of the
 * parent. first_target becomes the first child's. */
void pr_relay_await(struct pr_relay_acknowledgements *acknowledgements, struct pr_packet *packet);

/* This site has got a packet that it has sent on: false if that is not awaited. */
bool pr_relay_delivered(struct pr_relay_acknowledgements *acknowledgements, const struct pr_header *header);

/* This site has got a packet that goes no further, and acknowledges it to the parent. False: there is no room. */
bool pr_relay_acknowledge(struct pr_relay_acknowledgements *acknowledgements, const struct pr_header *header);

/* An acknowledgement of another site's packet has come. */
void pr_relay_acknowledged(struct pr_relay_acknowledgements *acknowledgements, unsigned from, const uint32_t *words);

/* Once a poll: gives up what has been awaited for too long. True if there was any. */
bool pr_relay_time_outs(struct pr_relay_acknowledgements *acknowledgements, uint32_t clock);

/* All is given up: this site has stood for so long that sequence numbers may name other packets. */
void pr_relay_forget(struct pr_relay_acknowledgements *acknowledgements);

/* Queues a packet of acknowledgements that wait to leave, if there are any. */
void pr_relay_acknowledgements_send(struct pr_relay_acknowledgements *acknowledgements);

/* *clock: the next time-out. False: there is none. */
bool pr_relay_next(const struct pr_relay_acknowledgements *acknowledgements, uint32_t *clock);

#ifdef __cplusplus
}
#endif

#endif
