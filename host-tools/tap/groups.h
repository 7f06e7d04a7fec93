/* Groups of sites, and packets to all members of one: all that the tap asks of a multicast. Sites are named by their
 * places in the list that is given at first.
 *
 * groups_packets.c keeps the members here, in the one process that knows all of them, and sends plain packets with a
 * list of targets, which the fabric or the source's operator brings to each. Groups that the operators keep take its
 * place: they send with another request to the console of the same site.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TAP_GROUPS_H
#define POSTROAD_TAP_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/console_frame.h"
#include "wire/site_identity.h"

struct tap_groups;

/* `mesh` stays the caller's. NULL: no memory. */
struct tap_groups *tap_groups_create(const struct pr_site_identity *mesh, const uint16_t *sites, size_t count);
void tap_groups_destroy(struct tap_groups *groups);

void tap_groups_join(struct tap_groups *groups, size_t place, uint8_t group);
void tap_groups_leave(struct tap_groups *groups, size_t place, uint8_t group);

/* Bytes that a packet from this site to a group has room for; 0: the group has no other member. */
size_t tap_groups_room(const struct tap_groups *groups, size_t place, uint8_t group);

/* Composes request number `part` of those that send `count` bytes to all other members. False: there are no more. */
bool tap_groups_request(const struct tap_groups *groups, size_t place, uint8_t group, unsigned part,
                        const uint8_t *bytes, size_t count, struct pr_frame *request);

#endif
