/* Orders of a host to a site about its groups (firmware/multicast), and the answers. An order is the data of a packet
 * to PR_HANDLER_MEMBERS of that site, from the site at whose console the host is or from any other; the answer comes to
 * PR_HANDLER_ORDERS of the site that sent it. Pure functions.
 *
 * What a group delivers comes to the console as any other delivery. Its target_info, two words, is group and place in
 * the order; source and sequence are the member that sent it and its number there.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_GROUP_ORDER_H
#define POSTROAD_WIRE_GROUP_ORDER_H

#include "wire/group_packet.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PR_GROUP_ORDER_MEMBERS = 256, PR_GROUP_DELIVERY_INFO = 2 };

struct pr_group_order {
    uint8_t what; /* PR_GROUP_ORDER_* */
    uint8_t group;
    uint16_t tag;         /* the answer has it too */
    uint16_t argument;    /* form: shape (PR_GROUP_SHAPE_* of multicast/shapes.h); join: site of the leader */
    uint8_t handler;      /* send: of the evaluators that get it, at most 249 */
    const uint32_t *data; /* send */
    unsigned words;
};

/* Writes the packet's data; returns how many words. 0: there is no room. */
unsigned pr_group_order_encode(const struct pr_group_order *order, uint32_t *words, unsigned room);

/* `data` points into `words`. False: no order. */
bool pr_group_order_decode(struct pr_group_order *order, const uint32_t *words, unsigned count);

enum pr_group_order_state { PR_GROUP_ORDER_NONE, PR_GROUP_ORDER_JOINING, PR_GROUP_ORDER_IN };

struct pr_group_answer {
    uint16_t tag;
    uint8_t what, group;
    uint8_t error; /* 0, or PR_GROUPS_* of multicast/groups.h */
    uint8_t state, shape, view;
    uint16_t leader, number; /* show; send */
    uint16_t count;          /* show: members, their sites in `sites`; list: groups, their numbers there */
    uint16_t sites[PR_GROUP_ORDER_MEMBERS];
};

unsigned pr_group_answer_encode(const struct pr_group_answer *answer, uint32_t *words, unsigned room);
bool pr_group_answer_decode(struct pr_group_answer *answer, const uint32_t *words, unsigned count);

/* An error in words. */
const char *pr_group_error_text(unsigned error);

#ifdef __cplusplus
}
#endif

#endif
