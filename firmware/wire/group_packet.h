/* Packets of groups, as numbers and back (hw/protocol/packet.ini). Pure functions.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_GROUP_PACKET_H
#define POSTROAD_WIRE_GROUP_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PR_GROUP_SINCE_MASK = 0xf, PR_GROUP_SITES_MAX = 1 << PR_GROUP_SINCE_SHIFT };

struct pr_group_packet {
    uint8_t kind; /* PR_GROUP_KIND_* */
    uint8_t group, view, handler;
    bool repair, ordered; /* data */
    uint16_t origin, sequence;
    uint16_t source, number; /* ordered data */
    uint8_t since;           /* ordered data: PR_GROUP_SINCE_MASK of it */
    uint32_t ahead;          /* answer */
};

/* Words of the header; what the caller sends is behind it. */
unsigned pr_group_packet_words(const struct pr_group_packet *packet);

/* Writes that many words. */
void pr_group_packet_encode(const struct pr_group_packet *packet, uint32_t *words);

/* False: no packet of a group that any operator sends, and *packet means nothing. */
bool pr_group_packet_decode(struct pr_group_packet *packet, const uint32_t *words, unsigned count);

#ifdef __cplusplus
}
#endif

#endif
