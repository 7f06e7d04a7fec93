/* Frames in packets of the mesh. A frame that is longer than a packet is cut, and joined again at its target.
 *
 * A packet is a header of TAP_FRAGMENT_HEADER bytes, high byte first, and a part of the frame. It fills its last word,
 * so up to three bytes may follow:
 *
 *   0     mark, which tells packets of a tap from others
 *   1     0
 *   2, 3  identification: counts the frames of a source
 *   4, 5  bytes of the whole frame
 *   6, 7  where in the frame this part begins
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TAP_FRAGMENTS_H
#define POSTROAD_TAP_FRAGMENTS_H

#include "tap/frame.h"

enum {
    TAP_FRAGMENT_HEADER = 8,
    TAP_FRAMES_OPEN = 32,          /* frames that a site can be joining at a time */
    TAP_FRAMES_OPEN_OF_SOURCE = 8, /* those of one source, so that it does not push out the frames of others */
    TAP_FRAME_SECONDS = 30         /* until one is given up, as IP does (RFC 1122, 3.3.2) */
};

/* A frame that is being cut. */
struct tap_cut {
    const uint8_t *frame;
    uint16_t length, identification;
};

/* Writes the packet of `room` bytes at most that has the frame from `offset` on. Returns its length; the part has
 * TAP_FRAGMENT_HEADER bytes less. */
size_t tap_fragment_write(const struct tap_cut *cut, size_t offset, size_t room, uint8_t *out);

struct tap_joining; /* of one site */

struct tap_joining *tap_joining_create(void); /* NULL: no memory */
void tap_joining_destroy(struct tap_joining *joining);

enum tap_joining_result {
    TAP_JOINING_BAD,   /* no packet of a tap, malformed, or it has bytes that are there already */
    TAP_JOINING_OPEN,  /* more is to come */
    TAP_JOINING_WHOLE, /* a frame is whole: tap_joining_frame, until the next call */
};

enum tap_joining_result tap_joining_add(struct tap_joining *joining, unsigned source, const uint8_t *bytes,
                                        size_t count, double now);
const uint8_t *tap_joining_frame(const struct tap_joining *joining, size_t *length);

/* Frames that were given up since the last call: after TAP_FRAME_SECONDS, or for want of a place. */
unsigned tap_joining_lost(struct tap_joining *joining, double now);

#endif
