/* See relays.h. The tree is Prim's: the target that is cheapest to reach from the source or a target of the tree joins
 * it, again and again. It costs its distance, and a toll for the site that sends to it: in the middle of a grid sites
 * would be relays more often than others, and their operators' ports are as scarce as the links.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/relays.h"
#include "operator/target_list.h"

enum {
    HOP = 8, /* what a link costs; more than the toll for each link that it saves, or relays would be far away */
    TOLL_CENTRE = 10, /* what the middle of a grid costs as a relay, beside the links; its corners cost nothing */
    STAGE = 6,        /* what it costs that a site gets the packet later, for each site that has sent it on before */
    NOBODY = 0xff
};

void pr_relays_undo(const struct pr_here *here, struct pr_packet *packet)
{
    unsigned target_words = pr_packet_target_words(packet);
    packet->words[target_words + PR_HEADER_HANDLER] &= ~(1u << PR_HEADER_RELAY_BIT);
    packet->info[0] = 0;
    for (unsigned k = 0; k < target_words; k++)
        packet->words[k] &= here->addresses.mask;
}

/* Of a packet by relays. */
static unsigned subtree_end(const struct pr_here *here, const struct pr_packet *packet, unsigned first)
{
    return pr_packet_is_info(packet, first) ? pr_relay_subtree_end(here, packet, first)
                                            : pr_packet_end_of_entry(packet, first);
}

unsigned pr_relay_subtree(const struct pr_here *here, const struct pr_packet *packet, unsigned site,
                          uint16_t sites[PR_RELAY_TARGETS_MAX])
{
    uint32_t address = pr_site_identity_address(here->identity, site);
    unsigned first = 0, end = pr_packet_target_words(packet), count = 0;
    while (first < end && (packet->words[first] & here->addresses.mask) != address)
        first++;
    if (first < end)
        end = subtree_end(here, packet, first);
    while (first < end)
        sites[count++] = (uint16_t)pr_site_identity_site(here->identity, packet->words[first++]);
    return count;
}

/* A tree while it grows: of targets by their places, and of the source behind the last of them. */
struct growth {
    const struct pr_shape *shape;
    unsigned count;
    uint32_t words[PR_RELAY_TARGETS_MAX + 1];
    uint16_t cost[PR_RELAY_TARGETS_MAX]; /* of the cheapest way from a site of the tree */
    uint8_t parent[PR_RELAY_TARGETS_MAX];
    uint8_t joined[PR_RELAY_TARGETS_MAX]; /* the places in the order in which they joined the tree, */
    bool has_joined[PR_RELAY_TARGETS_MAX];
    uint8_t depth[PR_RELAY_TARGETS_MAX + 1], size[PR_RELAY_TARGETS_MAX + 1]; /* of the subtree */
    uint8_t child[PR_RELAY_TARGETS_MAX + 1], sibling[PR_RELAY_TARGETS_MAX];  /* the first, and the next */
};

static unsigned from_rim(unsigned place, unsigned size)
{
    return place < size - 1 - place ? place : size - 1 - place;
}

static unsigned toll(const struct pr_shape *shape, uint32_t address)
{
    unsigned width = pr_shape_coordinate_width(shape), x = address & ((1u << width) - 1), y = address >> width;
    unsigned most = (shape->size_x - 1) / 2 + (shape->size_y - 1) / 2;
    if (shape->topology != PR_TOPOLOGY_GRID || most == 0)
        return 0;
    return TOLL_CENTRE * (from_rim(x, shape->size_x) + from_rim(y, shape->size_y)) / most;
}

/* The ways from a site that has joined the tree. */
static void offer_ways(struct growth *growth, unsigned from)
{
    unsigned fare = toll(growth->shape, growth->words[from]) + STAGE * growth->depth[from];
    for (unsigned k = 0; k < growth->count; k++) {
        unsigned cost;
        if (growth->has_joined[k])
            continue;
        cost = HOP * pr_shape_distance(growth->shape, growth->words[from], growth->words[k]) + fare;
        if (cost < growth->cost[k]) {
            growth->cost[k] = (uint16_t)cost;
            growth->parent[k] = (uint8_t)from;
        }
    }
}

/* Prim's algorithm. The source, as its own target, sends to nobody as that. */
static void grow(struct growth *growth)
{
    offer_ways(growth, growth->count);
    for (unsigned turn = 0; turn < growth->count; turn++) {
        unsigned next = NOBODY;
        for (unsigned k = 0; k < growth->count; k++)
            if (!growth->has_joined[k] && (next == NOBODY || growth->cost[k] < growth->cost[next]))
                next = k;
        growth->has_joined[next] = true;
        growth->joined[turn] = (uint8_t)next;
        growth->depth[next] = growth->depth[growth->parent[next]] + 1;
        if (growth->words[next] != growth->words[growth->count])
            offer_ways(growth, next);
    }
}

/* Lists the children of each site: the largest subtree first, since it takes longest, and of equals the first to join.
 * Whoever joined last has no children that are not listed yet. */
static void list_children(struct growth *growth)
{
    for (unsigned k = 0; k <= growth->count; k++)
        growth->child[k] = NOBODY;
    for (unsigned turn = growth->count; turn-- > 0;) {
        unsigned place = growth->joined[turn], parent = growth->parent[place];
        uint8_t *at = &growth->child[parent];
        growth->size[place]++;
        growth->size[parent] = (uint8_t)(growth->size[parent] + growth->size[place]);
        while (*at != NOBODY && growth->size[*at] > growth->size[place])
            at = &growth->sibling[*at];
        growth->sibling[place] = *at;
        *at = (uint8_t)place;
    }
}

/* The place behind `place` in preorder; that of the source: none. */
static unsigned next_in_preorder(const struct growth *growth, unsigned place)
{
    if (growth->child[place] != NOBODY)
        return growth->child[place];
    while (place != growth->count && growth->sibling[place] == NOBODY)
        place = growth->parent[place];
    return place != growth->count ? growth->sibling[place] : place;
}

void pr_relays_plan(const struct pr_here *here, struct pr_packet *packet)
{
    uint32_t *words = packet->words + packet->first_target;
    struct growth growth = {.shape = here->ways.shape, .count = pr_packet_target_words(packet) - packet->first_target};
    for (unsigned k = 0; k < growth.count; k++) {
        growth.words[k] = words[k] & here->addresses.mask;
        growth.cost[k] = UINT16_MAX;
    }
    growth.words[growth.count] = here->identity->address;
    packet->info[0] = 0;
    grow(&growth);
    list_children(&growth);
    for (unsigned k = next_in_preorder(&growth, growth.count); k != growth.count; k = next_in_preorder(&growth, k))
        *words++ = growth.words[k] | (growth.child[k] != NOBODY ? pr_relay_child_bit(here) : 0) |
                   (growth.sibling[k] != NOBODY ? pr_relay_sibling_bit(here) : 0);
    packet->words[pr_packet_target_words(packet) + PR_HEADER_HANDLER] |= 1u << PR_HEADER_RELAY_BIT;
}
