/* See group_order.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/group_order.h"

enum {
    ARGUMENT = PR_GROUP_WORDS, /* of an order: behind the header, but for `send` */
    ANSWER_STATE = PR_GROUP_WORDS,
    ANSWER_SHAPE,
    ANSWER_LEADER,
    ANSWER_NUMBER,
    ANSWER_LIST,
    BYTE_MASK = 0xff,
    HALF_MASK = 0xffff
};

static bool has_argument(unsigned what)
{
    return what == PR_GROUP_ORDER_FORM || what == PR_GROUP_ORDER_JOIN;
}

unsigned pr_group_order_encode(const struct pr_group_order *order, uint32_t *words, unsigned room)
{
    unsigned own = order->what == PR_GROUP_ORDER_SEND ? order->words : has_argument(order->what);
    struct pr_group_packet packet = {.kind = PR_GROUP_KIND_ORDER,
                                     .group = order->group,
                                     .handler = order->handler,
                                     .origin = order->what,
                                     .sequence = order->tag};
    if (PR_GROUP_WORDS + own > room)
        return 0;
    pr_group_packet_encode(&packet, words);
    for (unsigned k = 0; k < own; k++)
        words[PR_GROUP_WORDS + k] = has_argument(order->what) ? order->argument : order->data[k];
    return PR_GROUP_WORDS + own;
}

bool pr_group_order_decode(struct pr_group_order *order, const uint32_t *words, unsigned count)
{
    struct pr_group_packet packet;
    bool argument;
    if (!pr_group_packet_decode(&packet, words, count) || packet.kind != PR_GROUP_KIND_ORDER)
        return false;
    argument = has_argument(packet.origin);
    if (packet.origin < PR_GROUP_ORDER_FORM || packet.origin > PR_GROUP_ORDER_GROUPS ||
        (packet.origin != PR_GROUP_ORDER_SEND && count != (unsigned)PR_GROUP_WORDS + argument) ||
        (argument && words[ARGUMENT] > HALF_MASK))
        return false;
    *order = (struct pr_group_order){.what = (uint8_t)packet.origin,
                                     .group = packet.group,
                                     .tag = packet.sequence,
                                     .argument = argument ? (uint16_t)words[ARGUMENT] : 0,
                                     .handler = packet.handler,
                                     .data = words + PR_GROUP_WORDS,
                                     .words = count - PR_GROUP_WORDS};
    return true;
}

unsigned pr_group_answer_encode(const struct pr_group_answer *answer, uint32_t *words, unsigned room)
{
    struct pr_group_packet packet = {.kind = PR_GROUP_KIND_ANSWER_ORDER,
                                     .group = answer->group,
                                     .handler = answer->what,
                                     .view = answer->view,
                                     .origin = answer->error,
                                     .sequence = answer->tag};
    unsigned count = answer->count;
    if (room < ANSWER_LIST)
        return 0;
    if (count > room - ANSWER_LIST)
        count = room - ANSWER_LIST;
    pr_group_packet_encode(&packet, words);
    words[ANSWER_STATE] = answer->state;
    words[ANSWER_SHAPE] = answer->shape;
    words[ANSWER_LEADER] = answer->leader;
    words[ANSWER_NUMBER] = answer->number;
    for (unsigned k = 0; k < count; k++)
        words[ANSWER_LIST + k] = answer->sites[k];
    return ANSWER_LIST + count;
}

bool pr_group_answer_decode(struct pr_group_answer *answer, const uint32_t *words, unsigned count)
{
    struct pr_group_packet packet;
    uint32_t bits = 0;
    if (count < ANSWER_LIST || count > ANSWER_LIST + PR_GROUP_ORDER_MEMBERS ||
        !pr_group_packet_decode(&packet, words, count) || packet.kind != PR_GROUP_KIND_ANSWER_ORDER)
        return false;
    for (unsigned k = PR_GROUP_WORDS; k < count; k++)
        bits |= words[k];
    if (bits > HALF_MASK || words[ANSWER_STATE] > PR_GROUP_ORDER_IN || words[ANSWER_SHAPE] > BYTE_MASK)
        return false;
    *answer = (struct pr_group_answer){.tag = packet.sequence,
                                       .what = packet.handler,
                                       .group = packet.group,
                                       .error = (uint8_t)packet.origin,
                                       .state = (uint8_t)words[ANSWER_STATE],
                                       .shape = (uint8_t)words[ANSWER_SHAPE],
                                       .view = packet.view,
                                       .leader = (uint16_t)words[ANSWER_LEADER],
                                       .number = (uint16_t)words[ANSWER_NUMBER],
                                       .count = (uint16_t)(count - ANSWER_LIST)};
    for (unsigned k = 0; k < answer->count; k++)
        answer->sites[k] = (uint16_t)words[ANSWER_LIST + k];
    return true;
}

const char *pr_group_error_text(unsigned error)
{
    static const char *const texts[] = {
        "",
        "the mesh does not have the reliable service, or too many sites",
        "the site has no room for one more group",
        "the site is a member already",
        "the site is no member",
        "no such shape or site, the leader itself, or a shape that this raw mesh refuses",
        "too many members",
        "longer than a packet of the group",
        "too many packets wait for acknowledgements",
        "the leader cannot leave before the others"};
    return error < sizeof texts / sizeof *texts ? texts[error] : "unknown error";
}
