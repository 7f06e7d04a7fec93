/* A tap without TAP devices and without a mesh: frames that go to the mesh wait in a list until a test has them
 * delivered, lost or changed; frames that a namespace gets are kept.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_TAP_MADE_LAN_H
#define POSTROAD_TESTS_TAP_MADE_LAN_H

#include "made_frames.h"
#include "tap/groups.h"
#include "tap/lan.h"

enum { MADE_SITES = 4, MADE_PACKETS = 4096, MADE_PACKET_ROOM = 2048, MADE_TAKEN = 64 };

struct made_packet {
    unsigned from, to; /* sites */
    size_t count;
    uint8_t bytes[MADE_PACKET_ROOM];
};

struct made_lan {
    struct pr_site_identity mesh;
    struct tap_groups *groups;
    struct tap_lan *lan;
    size_t packet_count;
    struct made_packet *packets[MADE_PACKETS]; /* under way, in the order in which they were sent */
    size_t taken_count[MADE_SITES];            /* all; the first MADE_TAKEN are kept */
    struct made_frame taken[MADE_SITES][MADE_TAKEN];
    uint16_t identification[MADE_SITES];
    unsigned joined[MADE_SITES]; /* addresses that each has joined, as the tap says */
    bool full, deaf;             /* send and take refuse */
};

extern const uint16_t made_sites[MADE_SITES];

void made_lan_create(struct made_lan *made, unsigned word_width, unsigned max_packet);
void made_lan_destroy(struct made_lan *made);

void made_lan_send(struct made_lan *made, size_t place, const struct made_frame *frame, double now);

/* Delivers one packet of the list, which leaves it; or it leaves it undelivered. */
void made_lan_deliver(struct made_lan *made, size_t index, double now);
void made_lan_lose(struct made_lan *made, size_t index);
void made_lan_deliver_all(struct made_lan *made, double now);

/* The frames that each namespace has got are forgotten. */
void made_lan_forget(struct made_lan *made);

#endif
