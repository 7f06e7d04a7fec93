/* What the operator's files share. */
#ifndef OPERATOR_PRIVATE_H
#define OPERATOR_PRIVATE_H

#include "operator/operator.h"

static inline bool is_reliable(const struct operator *operator)
{
    return operator->identity->reliable != 0;
}

/* Packets to several sites go as unicasts where the fabric has no multicasts, and where no packet ever diverts: there a
 * multicast could hold what a unicast waits for, and nothing would get out of its way. */
static inline bool may_multicast(const struct operator *operator)
{
    return operator->interface->multicast && operator->identity->divert_threshold != NODE_DIVERT_NEVER;
}

static inline uint16_t own_epoch(const struct operator *operator)
{
    return (uint16_t)operator->identity->epoch;
}

static inline uint32_t clock_of(const struct operator *operator)
{
    return network_interface_clock(operator->interface);
}

/* True once the clock has come to `deadline`. */
static inline bool has_come(uint32_t clock, uint32_t deadline)
{
    return (int32_t)(clock - deadline) >= 0;
}

static inline void count(struct operator *operator, unsigned index)
{
    operator->counters[index - COUNTER_DELIVERED]++;
}

/* For what operator_transmit seldom comes to: inlined, it would have all the registers saved that it needs, every time. */
#define NOT_INLINED __attribute__((noinline))

/* Sets of sites. */
static inline bool set_has(const uint32_t *set, unsigned site)
{
    return set[site / 32] >> site % 32 & 1;
}

static inline void set_add(uint32_t *set, unsigned site)
{
    set[site / 32] |= 1u << site % 32;
}

static inline void set_remove(uint32_t *set, unsigned site)
{
    set[site / 32] &= ~(1u << site % 32);
}

/* The first member from `site` on; `end` if there is none below it. */
unsigned set_next(const uint32_t *set, unsigned site, unsigned end);

void operator_report(struct operator *operator, const struct operator_event *event);

/* Gives the network_interface what there is to send, as far as it has room: acknowledgements first, then what other
 * sites are waiting for, then this site's own. True if anything was given. */
bool operator_transmit(struct operator *operator);

/* receive.c: what happens to a packet of the network_interface's. operator->polled is not before its terminator. */
void receive_packet(struct operator *operator, struct packet *packet);

/* acknowledge.c: acknowledgements that are due. */

/* `site`'s packet, which arrived in the clock `arrived`, is to be acknowledged within `patience` clocks; not if it lay
 * here so long that the source may have given it up: that one sends it again, or its number means another packet. */
void acknowledge(struct operator *operator, unsigned site, uint16_t sequence, uint32_t arrived, uint32_t patience);

/* `site` has sent a packet again that was acknowledged: from now on its acknowledgements go the other way. */
void acknowledge_otherwise(struct operator *operator, unsigned site);

/* `site`'s packet is about to be noted as received: if one acknowledgement could not speak of it and of those that are
 * due, theirs is sent first. */
void acknowledge_before(struct operator *operator, unsigned site, uint16_t sequence);

/* Once a poll: forgets what is due if the last poll was so long ago. */
void acknowledge_drop_old(struct operator *operator);

/* `site` has restarted: it knows nothing of what was to be acknowledged. */
void acknowledge_forget(struct operator *operator, unsigned site);

/* Sends one acknowledgement whose time has come. False: there is none, or no small buffer. */
bool acknowledge_send(struct operator *operator);

bool acknowledge_is_due(const struct operator *operator, unsigned site);

/* What is due to `site`, for a packet that goes there now. */
struct acknowledgement acknowledge_take(struct operator *operator, unsigned site);

/* When the next one is due; false: never. */
bool acknowledge_next(const struct operator *operator, uint32_t *clock);

/* control.c: restarts, and sequence numbers that may have wrapped round unheard. */

/* A packet is queued for `site`, if a small buffer is free: who sends these asks again or is asked again. */
void control_send(struct operator *operator, unsigned site, unsigned type);
void control_received(struct operator *operator, const struct header *header);

/* A data packet's source and epoch, before anything in it is believed. False: it is to be dropped. */
bool control_admits(struct operator *operator, const struct header *header);

/* Tells one more site of this site's restart. False: all know, or no small buffer is free. */
bool control_announce(struct operator *operator);

#endif
