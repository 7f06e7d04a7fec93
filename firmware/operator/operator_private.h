/* What the operator's files share.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_OPERATOR_PRIVATE_H
#define POSTROAD_OPERATOR_OPERATOR_PRIVATE_H

#include "operator/operator.h"

static inline bool pr_is_reliable(const struct pr_operator *op)
{
    return op->identity->reliable != 0;
}

/* Packets to several sites go as unicasts over a fabric without multicast, and over one that diverts in principle but
 * not in this mesh: there a multicast could hold what a unicast waits for, and nothing would get out of its way. */
static inline bool pr_may_multicast(const struct pr_operator *op)
{
    const struct pr_capabilities *can = &op->interface->capabilities;
    return can->multicast && !(can->diverts && op->identity->divert_threshold == PR_NODE_DIVERT_NEVER);
}

static inline uint16_t pr_own_epoch(const struct pr_operator *op)
{
    return (uint16_t)op->identity->epoch;
}

static inline uint32_t pr_clock_of(const struct pr_operator *op)
{
    return pr_network_interface_clock(op->interface);
}

/* True once the clock has come to `deadline`. */
static inline bool pr_has_come(uint32_t clock, uint32_t deadline)
{
    return (int32_t)(clock - deadline) >= 0;
}

static inline void pr_count(struct pr_operator *op, unsigned index)
{
    op->counters[index - PR_COUNTER_DELIVERED]++;
}

/* For what pr_operator_transmit seldom comes to: inlined, it would have all the registers saved that it needs, every
 * time. */
#define PR_NOT_INLINED __attribute__((noinline))

/* Sets of sites. */
static inline bool pr_set_has(const uint32_t *set, unsigned site)
{
    return set[site / 32] >> site % 32 & 1;
}

static inline void pr_set_add(uint32_t *set, unsigned site)
{
    set[site / 32] |= 1u << site % 32;
}

static inline void pr_set_remove(uint32_t *set, unsigned site)
{
    set[site / 32] &= ~(1u << site % 32);
}

/* The first member from `site` on; `end` if there is none below it. */
unsigned pr_set_next(const uint32_t *set, unsigned site, unsigned end);

void pr_operator_report(struct pr_operator *op, const struct pr_operator_event *event);

/* Gives the network_interface what there is to send, as far as it has room: acknowledgements first, then what other
 * sites are waiting for, then this site's own. True if anything was given. */
bool pr_operator_transmit(struct pr_operator *op);

/* receive.c: what happens to a packet of the network_interface's. op->polled is not before its terminator. */
void pr_receive_packet(struct pr_operator *op, struct pr_packet *packet);

/* acknowledge.c: acknowledgements that are due. */

/* `site`'s packet, which arrived in the clock `arrived`, is to be acknowledged within `patience` clocks; not if it lay
 * here so long that the source may have given it up: that one sends it again, or its number means another packet. */
void pr_acknowledge(struct pr_operator *op, unsigned site, uint16_t sequence, uint32_t arrived, uint32_t patience);

/* `site` has sent a packet again that was acknowledged: from now on its acknowledgements go the other way. */
void pr_acknowledge_otherwise(struct pr_operator *op, unsigned site);

/* `site`'s packet is about to be noted as received: if one acknowledgement could not speak of it and of those that are
 * due, theirs is sent first. */
void pr_acknowledge_before(struct pr_operator *op, unsigned site, uint16_t sequence);

/* Once a poll: forgets what is due if the last poll was so long ago. */
void pr_acknowledge_drop_old(struct pr_operator *op);

/* `site` has restarted: it knows nothing of what was to be acknowledged. */
void pr_acknowledge_forget(struct pr_operator *op, unsigned site);

/* Sends one acknowledgement whose time has come. False: there is none, or no small buffer. */
bool pr_acknowledge_send(struct pr_operator *op);

bool pr_acknowledge_is_due(const struct pr_operator *op, unsigned site);

/* What is due to `site`, for a packet that goes there now. */
struct pr_acknowledgement pr_acknowledge_take(struct pr_operator *op, unsigned site);

/* When the next one is due; false: never. */
bool pr_acknowledge_next(const struct pr_operator *op, uint32_t *clock);

/* control.c: restarts, and sequence numbers that may have wrapped round unheard. */

/* A packet is queued for `site`, if a small buffer is free: who sends these asks again or is asked again. */
void pr_control_send(struct pr_operator *op, unsigned site, unsigned type);
void pr_control_received(struct pr_operator *op, const struct pr_header *header);

/* A data packet's source and epoch, before anything in it is believed. False: it is to be dropped. */
bool pr_control_admits(struct pr_operator *op, const struct pr_header *header);

/* Tells one more site of this site's restart. False: all know, or no small buffer is free. */
bool pr_control_announce(struct pr_operator *op);

#endif
