/* Relays: a packet to several targets leaves as unicasts along a tree that joins its source and its targets, and each
 * target sends it on to those behind it (rule O10). Private to the operator.
 *
 * The targets of such a packet are a preorder of the tree, in which two bits of each word say where a subtree ends
 * (hw/protocol/packet.ini, [relay list]). So nothing is planned at a relay, which sends each subtree that it finds from
 * the buffer in which the packet came. What leaves is the site word of a child, and its subtree as target_info: the
 * fabric sees a unicast. A bit of the header tells it from target_info of an evaluator.
 *
 *       S            words:   A  B  C  D  E     A, C: child bit; A, B, C: sibling bit where another child follows
 *      / \           leaves:  A |B C D|         S sends A its subtree, then E
 *     A   E                   E
 *    / \             A sends: B
 *   B   C                     C |D|
 *       |
 *       D
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_RELAYS_H
#define POSTROAD_OPERATOR_RELAYS_H

#include "operator/here.h"
#include "wire/hints.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was planned last: an application sends to the same sites again and again. */
struct pr_relay_plan {
    unsigned count;
    uint32_t targets[PR_RELAY_TARGETS_MAX], words[PR_RELAY_TARGETS_MAX]; /* as they were; as they are sent */
};

/* Orders the targets from first_target on, which have no target_info and are PR_RELAY_TARGETS_MAX at most, for
 * pr_relay_choose, and marks the packet as one for relays. `last` is this site's, all zeros at first. */
void pr_relays_plan(const struct pr_here *here, struct pr_packet *packet, struct pr_relay_plan *last);

/* The packet is none for relays any more: its target words are site words again. */
void pr_relays_undo(const struct pr_here *here, struct pr_packet *packet);

/* Chooses what leaves next: the child whose site word is target word `first`, and its subtree. */
void pr_relay_choose(const struct pr_here *here, struct pr_packet *packet, unsigned first);

/* The target word behind the subtree of the one at target word `first`. */
unsigned pr_relay_subtree_end(const struct pr_here *here, const struct pr_packet *packet, unsigned first);

/* The sites of the subtree of `site` in a packet that left by relays. Returns how many: 0: `site` is no target. */
unsigned pr_relay_subtree(const struct pr_here *here, const struct pr_packet *packet, unsigned site,
                          uint16_t sites[PR_RELAY_TARGETS_MAX]);

/* The two bits of a word of the list. */
static inline uint32_t pr_relay_child_bit(const struct pr_here *here)
{
    return here->mark_bit;
}

static inline uint32_t pr_relay_sibling_bit(const struct pr_here *here)
{
    return here->mark_bit >> 1;
}

/* True for a packet that was planned for relays, if its header is that of data. */
static inline bool pr_is_for_relays(const struct pr_packet *packet)
{
    return packet->words[packet->target_words + PR_HEADER_HANDLER] >> PR_HEADER_RELAY_BIT & 1;
}

/* True if every word of the relay list behind this site's own site word is a site's. */
bool pr_relay_list_is_sound(const struct pr_here *here, const struct pr_packet *packet);

#ifdef __cplusplus
}
#endif

#endif
