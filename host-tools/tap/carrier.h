/* What carries the frames of a tap: the consoles of its sites. Each site has a queue of frames, which are cut into
 * packets; one packet of a site is under way to its operator at a time, and is sent again while the operator has no
 * room. So a slow site slows its own frames down alone, and what does not fit its queue is dropped, and counted.
 *
 * Multicasts go to lists of targets (groups.h), or in one order through a group of the operators (firmware/multicast):
 * each is an order to the operator of its site, which answers.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TAP_CARRIER_H
#define POSTROAD_TAP_CARRIER_H

#include <poll.h>

#include "cli/gateway.h"
#include "tap/groups.h"
#include "tap/lan.h"

enum { TAP_QUEUE_FRAMES = 64, TAP_NO_GROUP = -1 };

struct tap_carrier;

/* Opens the consoles of the sites, and has them report deliveries; gateway->identity is filled in. EXIT_OK, or the exit
 * code after printing why. The carrier is closed by tap_carrier_close in any case. */
int tap_carrier_open(struct gateway *gateway, const struct site_set *set, struct tap_carrier **out);

/* Multicasts go through this group of the operators from now on. EXIT_OK, or the exit code after printing why: not all
 * sites are members. */
int tap_carrier_use_group(struct tap_carrier *carrier, unsigned group);
void tap_carrier_close(struct tap_carrier *carrier);

/* Before anything is sent. */
void tap_carrier_join(struct tap_carrier *carrier, const struct tap_groups *groups, struct tap_lan *lan);

/* Queues a frame. False: the queue is full. */
bool tap_carrier_send(struct tap_carrier *carrier, size_t place, struct tap_way way, const uint8_t *frame,
                      size_t length);

/* Fills in a poll for each site. */
void tap_carrier_prepare(const struct tap_carrier *carrier, struct pollfd *polls);

/* Receives, and sends what can be sent now. EXIT_OK, or the exit code after printing why. */
int tap_carrier_handle(struct tap_carrier *carrier);

/* The time until tap_carrier_handle has something to do even if no poll says so, in milliseconds, at most `most`. */
int tap_carrier_wait(const struct tap_carrier *carrier, int most);

#endif
