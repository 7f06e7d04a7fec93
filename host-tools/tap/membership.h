/* Which multicast addresses one namespace has joined, and so which groups its site is in.
 *
 * A group is the low eight bits of an address (Gerla et al. 1996, section 8.1): the union of all addresses that have
 * them. What else comes by it is filtered here, at the site, by the whole address. The group 255 has every site, for
 * broadcast; it serves the addresses that end in 255, too.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TAP_MEMBERSHIP_H
#define POSTROAD_TAP_MEMBERSHIP_H

#include "tap/frame.h"

enum { TAP_GROUPS = 256, TAP_GROUP_ALL = 255, TAP_ADDRESSES_MOST = 256 };

/* Seconds: between two queries, and until an address that is not reported any more is left: two queries without an
 * answer, and the ten seconds in which an answer comes (RFC 3376, 8.4). */
enum { TAP_QUERY_SECONDS = 125, TAP_MEMBER_SECONDS = 260 };

struct tap_membership {
    size_t count;
    struct {
        struct tap_address address;
        double until;
    } entries[TAP_ADDRESSES_MOST];
    uint16_t addresses[TAP_GROUPS]; /* of them, in each group */
};

/* Called when an address is joined or left. changes_group: and with it its group. */
typedef void tap_membership_change(void *context, const struct tap_address *address, bool joined, bool changes_group);

uint8_t tap_group_of(const struct tap_address *address);

bool tap_membership_has(const struct tap_membership *members, const struct tap_address *address);

/* An address is reported (joined for TAP_MEMBER_SECONDS) or left. False: the table is full. */
bool tap_membership_set(struct tap_membership *members, const struct tap_address *address, bool wanted, double now,
                        tap_membership_change *change, void *context);

/* Leaves what has not been reported for too long. */
void tap_membership_expire(struct tap_membership *members, double now, tap_membership_change *change, void *context);

#endif
