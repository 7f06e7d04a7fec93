/* Bytes in packets of the mesh: as many to a word as fit, the low byte first, and the console's request to send one.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TAP_PACKET_H
#define POSTROAD_TAP_PACKET_H

#include "protocol.h"
#include "wire/console_messages.h"
#include "wire/site_identity.h"

enum {
    TAP_HANDLER = PR_HANDLER_ORDERS - 1, /* of packets of taps: the last that an application can have */
    TAP_PACKET_BYTES_MOST = 2048         /* in one packet, whatever the mesh holds: more than a frame */
};

/* The most targets of one packet: half of it is left for the data. */
unsigned tap_packet_targets_most(const struct pr_site_identity *mesh);

/* Bytes that a packet to so many targets has room for. */
size_t tap_packet_room(const struct pr_site_identity *mesh, unsigned targets);

/* The words with these bytes, at most TAP_PACKET_BYTES_MOST of both; returns how many. */
unsigned tap_packet_words(const struct pr_site_identity *mesh, const uint8_t *bytes, size_t count, uint32_t *words);

/* Composes the request to send `count` bytes. */
void tap_packet_compose(const struct pr_site_identity *mesh, const uint16_t *targets, unsigned target_count,
                        const uint8_t *bytes, size_t count, struct pr_frame *request);

/* The bytes of a delivery, with those that fill its last word. */
size_t tap_packet_bytes(const struct pr_site_identity *mesh, const struct pr_message_delivery *delivery,
                        uint8_t out[TAP_PACKET_BYTES_MOST]);

#endif
