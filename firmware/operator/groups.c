/* Groups: a packet to several targets leaves as one packet or as several, one after the other from the same buffer,
 * with one sequence number (rules O6, O9). A group is a range of the target words.
 *
 *   tree      All targets in one packet. The fabric splits it where ways part.
 *   paths     A packet for each run of targets that lie straight behind each other: those in one column, on one side;
 *             more than one if the data are short.
 *             A split then has one branch to another site at most, and does not turn.
 *             The mark in every site word tells the fabric so (M10).
 *   subcubes  A packet for each run of targets that are all sites of a subcube, and have no target_info: where the
 * fabric copies no others. It sees itself to what is busy. unicasts  A packet for each target.
 *
 * A tree arrives first and needs the fewest words, but it moves in lock-step and holds its outputs until all of them
 * are open. So trees leave while the links of this site's router are calm, and paths when they are not.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/groups.h"

#include "operator/relays.h"
#include "operator/target_list.h"
#include "wire/header.h"

/* A path has two targets at most, and one more for so many data words behind the header: each split waits for the local
 * output of its site, which pays if it saves enough words. */
enum { DATA_WORDS_A_TARGET = 4 };

/* The links are busy for so long after a target was deferred, or a packet aborted, here. Long, because trees that leave
 * between two such events are late, and make others late. */
enum { BUSY_CLOCKS = 65536 };

static bool precedes(const void *context, uint32_t first, uint32_t second)
{
    return pr_ways_precedes(context, first, second);
}

void pr_group_sort(const struct pr_ways *ways, struct pr_packet *packet)
{
    pr_packet_sort_targets(packet, precedes, ways);
}

static unsigned most_targets(const struct pr_here *here, const struct pr_packet *packet, unsigned first)
{
    if (packet->grouping == PR_GROUPING_PATHS)
        return 2 + (pr_packet_data_words(packet) - PR_HEADER_WORDS) / DATA_WORDS_A_TARGET;
    if (pr_ways_make_trees() && pr_ways_have_routes(&here->ways))
        return pr_route_targets(&here->ways, packet, first, here->identity->max_packet + PR_ROUTE_PORTS_MAX);
    return PR_PACKET_TARGET_WORDS_MAX;
}

/* Target words from `first` on of entries without target_info. */
static unsigned plain_entries(const struct pr_packet *packet, unsigned first)
{
    unsigned target_words = pr_packet_target_words(packet), end = first;
    while (end < target_words && pr_packet_end_of_entry(packet, end) == end + 1)
        end++;
    return end - first;
}

/* Targets of the largest subcube from target word `first` on. In their order its second half is the first one, moved by
 * one dimension. */
PR_RARE static unsigned subcube(const struct pr_packet *packet, unsigned first)
{
    const uint32_t *targets = packet->words + first;
    unsigned most = plain_entries(packet, first), count = 1;
    for (; 2 * count <= most; count *= 2) {
        uint32_t moved = targets[0] ^ targets[count];
        if (moved & (moved - 1))
            break;
        for (unsigned k = 1; k < count; k++)
            if ((targets[k] ^ targets[count + k]) != moved)
                return count;
    }
    return count;
}

/* Chooses the group that starts at target word `first`, and sets the marks of its site words. */
static void choose(const struct pr_here *here, struct pr_packet *packet, unsigned first)
{
    unsigned target_words = pr_packet_target_words(packet), last = first, entry = first, room;
    uint32_t mark = packet->grouping == PR_GROUPING_PATHS ? here->mark_bit : 0;
    if (packet->grouping == PR_GROUPING_RELAYS) {
        pr_relay_choose(here, packet, first);
        return;
    }
    packet->first_target = (uint8_t)first;
    if (packet->grouping == PR_GROUPING_UNICASTS) {
        packet->words[first] &= ~here->mark_bit;
        packet->end_target = (uint8_t)pr_packet_end_of_entry(packet, first);
        packet->kind_bits = 0;
        return;
    }
    room = packet->grouping == PR_GROUPING_SUBCUBES ? subcube(packet, first) : most_targets(here, packet, first);
    do {
        if (mark && !pr_ways_leads_straight(&here->ways, packet->words[last], packet->words[entry]))
            break;
        packet->words[entry] = (packet->words[entry] & ~here->mark_bit) | mark;
        last = entry;
        entry = pr_packet_end_of_entry(packet, entry);
    } while (entry < target_words && --room > 0);
    packet->end_target = (uint8_t)entry;
    packet->kind_bits = PR_KIND_MULTICAST;
    if (last == first) {
        packet->kind_bits = 0;
        packet->words[first] &= ~here->mark_bit;
    }
}

void pr_group_first(const struct pr_here *here, struct pr_packet *packet, enum pr_grouping grouping)
{
    packet->grouping = grouping;
    choose(here, packet, packet->first_target);
}

void pr_group_undo_relays(const struct pr_here *here, struct pr_packet *packet)
{
    pr_relays_undo(here, packet);
    pr_group_sort(&here->ways, packet); /* a tree's preorder is no order of ways */
}

void pr_group_relay(const struct pr_here *here, struct pr_packet *packet)
{
    packet->grouping = PR_GROUPING_RELAYS;
    packet->info[0] = 0;
    pr_relay_choose(here, packet, packet->first_target);
}

bool pr_group_is_last(const struct pr_packet *packet)
{
    return pr_packet_end_target(packet) == pr_packet_target_words(packet);
}

bool pr_group_next(const struct pr_here *here, struct pr_packet *packet)
{
    if (pr_group_is_last(packet))
        return false;
    choose(here, packet, packet->end_target);
    return true;
}

/* Multicasts that other packets got in the way of at this site's router, since reset. A packet that is alone is never
 * deferred or aborted, whatever its own targets hold up; stalls would not tell the two apart. */
static uint32_t obstructed(const struct pr_here *here)
{
    return pr_network_interface_counter(here->interface, PR_COUNTER_DEFERRALS) +
           pr_network_interface_counter(here->interface, PR_COUNTER_ABORTS);
}

static bool is_busy(struct pr_traffic *traffic, const struct pr_here *here)
{
    uint32_t clock = pr_clock_of(here), count = obstructed(here);
    if (count != traffic->obstructed) {
        traffic->obstructed = count;
        traffic->busy = true;
        traffic->clock = clock;
    } else if (clock - traffic->clock > BUSY_CLOCKS) {
        traffic->busy = false;
    }
    return traffic->busy;
}

PR_NOT_INLINED enum pr_grouping pr_group_by_traffic(struct pr_traffic *traffic, const struct pr_here *here)
{
    if (!here->may_multicast)
        return PR_GROUPING_UNICASTS;
    if (here->interface->capabilities.subcubes)
        return PR_GROUPING_SUBCUBES;
    return is_busy(traffic, here) ? PR_GROUPING_PATHS : PR_GROUPING_TREE;
}
