/* The network that the tap is: a switch with a port for each site, whose links are packets of a mesh. It decides which
 * frames go where, and counts what becomes of them. It opens nothing, and asks no clock.
 *
 *   namespace -- tap_lan_send --> way of a frame --> ways.send ==> mesh ==> tap_lan_receive --> ways.take -- namespace
 *
 * IGMP and MLD end here. The tap is the querier of each namespace, and reports go to no other: all receivers are hosts,
 * and a multicast router in a namespace would not be told (RFC 4541, 2.1.1, has it told).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TAP_LAN_H
#define POSTROAD_TAP_LAN_H

#include "tap/frame.h"
#include "tap/groups.h"

enum tap_counter {
#define COUNTER(name, unit, meaning, is_loss) TAP_COUNTER_##name,
#include "tap/counters.def"
#undef COUNTER
    TAP_COUNTERS
};

/* Where a frame goes: to a site, or to a group (membership.h). */
struct tap_way {
    bool to_group;
    uint16_t number;
};

struct tap_lan_ways {
    void *context;
    /* A frame for the mesh. False: too many wait already. */
    bool (*send)(void *context, size_t place, struct tap_way way, const uint8_t *frame, size_t length);
    /* A frame for the namespace. False: it does not take it. */
    bool (*take)(void *context, size_t place, const uint8_t *frame, size_t length);
    /* The namespace has joined or left a multicast address. */
    void (*change)(void *context, size_t place, const struct tap_address *address, bool joined);
};

struct tap_lan;

/* Sites are named by their places in `sites`. The groups are the caller's. NULL: no memory. */
struct tap_lan *tap_lan_create(const uint16_t *sites, size_t count, struct tap_groups *groups,
                               const struct tap_lan_ways *ways);
void tap_lan_destroy(struct tap_lan *lan);

/* A frame from the namespace; a packet from the mesh. `now` in seconds. */
void tap_lan_send(struct tap_lan *lan, size_t place, const uint8_t *frame, size_t length, double now);
void tap_lan_receive(struct tap_lan *lan, size_t place, unsigned source, const uint8_t *bytes, size_t count,
                     double now);

/* To be called about every second: queries, and what has waited for too long. */
void tap_lan_tick(struct tap_lan *lan, double now);

void tap_lan_count(struct tap_lan *lan, size_t place, enum tap_counter counter);
unsigned long tap_lan_counter(const struct tap_lan *lan, size_t place, enum tap_counter counter);

#endif
