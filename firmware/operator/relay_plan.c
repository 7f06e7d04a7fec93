/* See relays.h. The tree is Prim's: the target that is cheapest to reach from the source or a target of the tree joins
 * it, again and again. It costs its distance, and a toll for the site that sends to it: in the middle of a grid sites
 * would be relays more often than others, and their operators' ports are as scarce as the links.
 *
 * Small cores wait for each result and shift a bit a clock: what a pair of sites takes is short, and loads come early.
 *
 * SPDX-License-Identifier: ISC
 */
#include <limits.h>

#include "operator/relays.h"
#include "operator/target_list.h"

enum {
    HOP = 8, /* what a link costs; more than the toll for each link that it saves, or relays would be far away */
    TOLL_CENTRE = 10, /* what the middle of a grid costs as a relay, beside the links; its corners cost nothing */
    STAGE = 6,        /* what it costs that a site gets the packet later, for each site that has sent it on before */
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

/* A target, or the source. */
struct place {
    uint32_t word;
    unsigned x, y;                          /* in what links cost */
    unsigned cost;                          /* of the cheapest way from a site of the tree, its parent */
    unsigned late;                          /* what its depth costs */
    unsigned size;                          /* of the subtree */
    struct place *parent, *child, *sibling; /* the first child, and the next one of the parent's */
    struct place *next;                     /* that waits; in the tree: the one that joined before */
};

/* A tree while it grows. */
struct growth {
    const struct pr_shape *shape;
    uint32_t topology;
    unsigned size_x, size_y, most_tolls;           /* in what links cost */
    struct place *waiting, **joins, *joined;       /* the first; where the next to join is; the last in the tree */
    struct place places[PR_RELAY_TARGETS_MAX + 1]; /* the source, and the targets */
};

static unsigned from_rim(unsigned place, unsigned size)
{
    return place < size - HOP - place ? place : size - HOP - place;
}

/* TOLL_CENTRE * (links from the rim) / (links from the rim to the middle), without a division. */
static unsigned toll(const struct growth *growth, const struct place *place)
{
    unsigned share, tolls = 0;
    if (growth->topology != PR_TOPOLOGY_GRID || growth->most_tolls == 0)
        return 0;
    share = TOLL_CENTRE * (from_rim(place->x, growth->size_x) + from_rim(place->y, growth->size_y));
    for (; share >= growth->most_tolls; share -= growth->most_tolls)
        tolls++;
    return tolls;
}

/* As pr_shape_distance, in what links cost. */
static inline unsigned distance(const struct growth *growth, uint32_t topology, const struct place *from,
                                const struct place *to)
{
    if (PR_LIKELY(topology == PR_TOPOLOGY_GRID))
        return pr_way_between(from->x, to->x) + pr_way_between(from->y, to->y);
    if (topology == PR_TOPOLOGY_TORUS)
        return pr_way_around(from->x, to->x, growth->size_x) + pr_way_around(from->y, to->y, growth->size_y);
    return HOP * pr_shape_distance(growth->shape, from->word, to->word);
}

/* `from` has joined the tree. Finds which target joins next: the cheapest, of equals the first. */
static void offer_ways(struct growth *growth, struct place *from)
{
    const struct place origin = *from; /* no store changes these two */
    const uint32_t topology = growth->topology;
    unsigned fare = toll(growth, from) + from->late, least = UINT_MAX;
    struct place **at = &growth->waiting, *to = *at, *next;
    for (; to; at = &to->next, to = next) {
        unsigned cost = to->cost;
        next = to->next;
        if (cost > fare + HOP) {
            unsigned way = distance(growth, topology, &origin, to) + fare;
            if (way < cost) {
                to->cost = cost = way;
                to->parent = from;
            }
        }
        if (cost < least) {
            least = cost;
            growth->joins = at;
        }
    }
}

/* Prim's algorithm. The source, as its own target, sends to nobody as that. */
static void grow(struct growth *growth)
{
    struct place *source = growth->places, *from = source;
    for (;;) {
        struct place *joins;
        offer_ways(growth, from);
        joins = *growth->joins;
        *growth->joins = joins->next;
        joins->next = growth->joined;
        growth->joined = joins;
        if (!growth->waiting)
            return;
        joins->late = joins->parent->late + STAGE;
        from = joins->word != source->word ? joins : source;
    }
}

/* Lists the children of each site: the largest subtree first, since it takes longest, and of equals the first to join.
 * Whoever joined last has no children that are not listed yet. */
static void list_children(struct place *joined)
{
    for (; joined; joined = joined->next) {
        struct place *parent = joined->parent, **at = &parent->child, *other;
        unsigned size = ++joined->size;
        parent->size += size;
        while ((other = *at) && other->size > size)
            at = &other->sibling;
        joined->sibling = other;
        *at = joined;
    }
}

/* The place behind `place` in preorder; the source behind the last. */
static const struct place *next_in_preorder(const struct place *place, const struct place *source)
{
    if (place->child)
        return place->child;
    while (place != source && !place->sibling)
        place = place->parent;
    return place != source ? place->sibling : source;
}

static void put(struct place *place, uint32_t word, unsigned width)
{
    place->word = word;
    place->x = (word & ((1u << width) - 1)) * HOP;
    place->y = (word >> width) * HOP;
    place->cost = UINT_MAX;
    place->size = 0;
    place->child = NULL;
}

/* Plans for these targets, and keeps the plan. */
static void plan(const struct pr_here *here, uint32_t *words, unsigned count, struct pr_relay_plan *last)
{
    const struct pr_shape *shape = here->ways.shape;
    unsigned width = pr_shape_coordinate_width(shape);
    struct growth growth;
    struct place *source = growth.places, **at = &growth.waiting;
    uint32_t *kept = last->words;
    growth.shape = shape;
    growth.topology = shape->topology;
    growth.size_x = shape->size_x * HOP;
    growth.size_y = shape->size_y * HOP;
    growth.most_tolls = ((shape->size_x - 1) / 2 + (shape->size_y - 1) / 2) * HOP;
    growth.joined = NULL;
    put(source, here->identity->address, width);
    source->late = 0;
    last->count = count;
    for (unsigned k = 0; k < count; k++) {
        struct place *to = source + k + 1;
        last->targets[k] = words[k];
        put(to, words[k] & here->addresses.mask, width);
        *at = to;
        at = &to->next;
    }
    *at = NULL;
    grow(&growth);
    list_children(growth.joined);
    for (const struct place *place = source->child; place != source; place = next_in_preorder(place, source)) {
        uint32_t word = place->word;
        if (place->child)
            word |= pr_relay_child_bit(here);
        if (place->sibling)
            word |= pr_relay_sibling_bit(here);
        *kept++ = word;
    }
}

/* True if these are the targets of the last plan, in their order. */
static bool is_planned(const struct pr_relay_plan *last, const uint32_t *words, unsigned count)
{
    if (last->count != count)
        return false;
    for (unsigned k = 0; k < count; k++)
        if (last->targets[k] != words[k])
            return false;
    return true;
}

void pr_relays_plan(const struct pr_here *here, struct pr_packet *packet, struct pr_relay_plan *last)
{
    uint32_t *words = packet->words + packet->first_target;
    unsigned count = pr_packet_target_words(packet) - packet->first_target;
    if (!is_planned(last, words, count))
        plan(here, words, count, last);
    for (unsigned k = 0; k < count; k++)
        words[k] = last->words[k];
    packet->info[0] = 0;
    packet->words[pr_packet_target_words(packet) + PR_HEADER_HANDLER] |= 1u << PR_HEADER_RELAY_BIT;
}
