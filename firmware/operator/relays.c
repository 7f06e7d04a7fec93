/* See relays.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/relays.h"

#include "operator/target_list.h"

static_assert((int)PR_RELAY_CHILD_BIT_16 == (int)PR_SITE_MARK_BIT_16 &&
                  (int)PR_RELAY_CHILD_BIT_32 == (int)PR_SITE_MARK_BIT_32 &&
                  (int)PR_RELAY_SIBLING_BIT_16 == (int)PR_SITE_MARK_BIT_16 - 1 &&
                  (int)PR_RELAY_SIBLING_BIT_32 == (int)PR_SITE_MARK_BIT_32 - 1,
              "found by the mark");

unsigned pr_relay_subtree_end(const struct pr_here *here, const struct pr_packet *packet, unsigned first)
{
    unsigned end = first;
    int subtrees = packet->words[first] & pr_relay_sibling_bit(here) ? 0 : 1; /* that are still to come */
    do {
        uint32_t word = packet->words[end++];
        subtrees += ((word & pr_relay_child_bit(here)) != 0) + ((word & pr_relay_sibling_bit(here)) != 0) - 1;
    } while (subtrees > 0 && end < pr_packet_target_words(packet));
    return end;
}

void pr_relay_choose(const struct pr_here *here, struct pr_packet *packet, unsigned first)
{
    unsigned end = pr_relay_subtree_end(here, packet, first);
    uint32_t up_to_first = (2u << first) - 1, up_to_end = UINT32_MAX >> (PR_RELAY_TARGETS_MAX - end);
    packet->info[0] = (packet->info[0] | (up_to_end & ~up_to_first)) & ~(1u << first);
    packet->words[first] &= ~(pr_relay_child_bit(here) | pr_relay_sibling_bit(here));
    packet->first_target = (uint8_t)first;
    packet->end_target = (uint8_t)end;
    packet->kind_bits = 0;
}

bool pr_relay_list_is_sound(const struct pr_here *here, const struct pr_packet *packet)
{
    if (pr_packet_target_words(packet) > PR_RELAY_TARGETS_MAX)
        return false;
    for (unsigned k = 1; k < pr_packet_target_words(packet); k++)
        if (!pr_site_addresses_have(&here->addresses, packet->words[k]))
            return false;
    return true;
}
