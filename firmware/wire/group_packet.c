/* See group_packet.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/group_packet.h"

enum { BYTE_BITS = 8, BYTE_MASK = 0xff, HALF_BITS = 16, HALF_MASK = 0xffff };

static unsigned header_words(unsigned kind, bool ordered)
{
    if (kind == PR_GROUP_KIND_ANSWER)
        return PR_GROUP_ANSWER_WORDS;
    return kind == PR_GROUP_KIND_DATA && ordered ? PR_GROUP_ORDERED_WORDS : PR_GROUP_WORDS;
}

unsigned pr_group_packet_words(const struct pr_group_packet *packet)
{
    return header_words(packet->kind, packet->ordered);
}

void pr_group_packet_encode(const struct pr_group_packet *packet, uint32_t *words)
{
    words[PR_GROUP_KIND] = (uint32_t)packet->kind << PR_GROUP_KIND_SHIFT |
                           (uint32_t)packet->repair << PR_GROUP_REPAIR_BIT |
                           (uint32_t)packet->ordered << PR_GROUP_ORDERED_BIT | packet->group;
    words[PR_GROUP_ORIGIN] = packet->origin;
    words[PR_GROUP_SEQUENCE] = packet->sequence;
    words[PR_GROUP_VIEW] = (uint32_t)packet->view << BYTE_BITS | packet->handler;
    if (packet->kind == PR_GROUP_KIND_ANSWER) {
        words[PR_GROUP_AHEAD] = packet->ahead & HALF_MASK;
        words[PR_GROUP_AHEAD_HIGH] = packet->ahead >> HALF_BITS;
    } else if (packet->kind == PR_GROUP_KIND_DATA && packet->ordered) {
        words[PR_GROUP_SOURCE] = packet->source | (uint32_t)(packet->since & PR_GROUP_SINCE_MASK)
                                                      << PR_GROUP_SINCE_SHIFT;
        words[PR_GROUP_NUMBER] = packet->number;
    }
}

bool pr_group_packet_decode(struct pr_group_packet *packet, const uint32_t *words, unsigned count)
{
    uint32_t bits = 0, first;
    bool ordered;
    unsigned kind, header;
    if (count < PR_GROUP_WORDS)
        return false;
    first = words[PR_GROUP_KIND];
    kind = first >> PR_GROUP_KIND_SHIFT;
    ordered = first >> PR_GROUP_ORDERED_BIT & 1;
    header = header_words(kind, ordered);
    if (count < header)
        return false;
    for (unsigned k = 0; k < header; k++)
        bits |= words[k];
    if (bits > HALF_MASK || kind < PR_GROUP_KIND_DATA || kind > PR_GROUP_KIND_REFUSED)
        return false;
    *packet = (struct pr_group_packet){
        .kind = (uint8_t)kind,
        .group = first & BYTE_MASK,
        .repair = first >> PR_GROUP_REPAIR_BIT & 1,
        .ordered = ordered,
        .origin = (uint16_t)words[PR_GROUP_ORIGIN],
        .sequence = (uint16_t)words[PR_GROUP_SEQUENCE],
        .view = (uint8_t)(words[PR_GROUP_VIEW] >> BYTE_BITS),
        .handler = words[PR_GROUP_VIEW] & BYTE_MASK,
    };
    if (kind == PR_GROUP_KIND_ANSWER) {
        packet->ahead = words[PR_GROUP_AHEAD] | words[PR_GROUP_AHEAD_HIGH] << HALF_BITS;
    } else if (kind == PR_GROUP_KIND_DATA && ordered) {
        packet->source = words[PR_GROUP_SOURCE] & (PR_GROUP_SITES_MAX - 1);
        packet->since = words[PR_GROUP_SOURCE] >> PR_GROUP_SINCE_SHIFT & PR_GROUP_SINCE_MASK;
        packet->number = (uint16_t)words[PR_GROUP_NUMBER];
    }
    return true;
}
