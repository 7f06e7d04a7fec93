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
    uint16_t x, y;                          /* in what links cost */
    uint16_t cost;                          /* of the cheapest way from a site of the tree, its parent */
    uint8_t depth, size;                    /* size: of the subtree */
    struct place *parent, *child, *sibling; /* the first child, and the next one of the parent's */
};

/* A tree while it grows. */
struct growth {
    const struct pr_shape *shape;
    unsigned count, most_tolls, size_x, size_y;
    struct place places[PR_RELAY_TARGETS_MAX + 1];  /* the source behind the last target */
    struct place *joined[PR_RELAY_TARGETS_MAX + 1]; /* in their order: the first ones; behind them those that wait */
};

static unsigned from_rim(unsigned place, unsigned size)
{
    return place < size - HOP - place ? place : size - HOP - place;
}

/* TOLL_CENTRE * (links from the rim) / (links from the rim to the middle), without a division. */
static unsigned toll(const struct growth *growth, const struct place *place)
{
    unsigned share = from_rim(place->x, growth->size_x) + from_rim(place->y, growth->size_y), tolls = 0;
    if (growth->shape->topology != PR_TOPOLOGY_GRID || growth->most_tolls == 0)
        return 0;
    share *= TOLL_CENTRE;
    for (unsigned one = growth->most_tolls; one <= share; one += growth->most_tolls)
        tolls++;
    return tolls;
}

/* As pr_shape_distance, in what links cost. */
static inline unsigned distance(const struct growth *growth, const struct place *from, const struct place *to)
{
    if (growth->shape->topology == PR_TOPOLOGY_GRID)
        return pr_way_between(from->x, to->x) + pr_way_between(from->y, to->y);
    if (growth->shape->topology == PR_TOPOLOGY_TORUS)
        return pr_way_around(from->x, to->x, growth->size_x) + pr_way_around(from->y, to->y, growth->size_y);
    return HOP * pr_shape_distance(growth->shape, from->word, to->word);
}

/* `from` has joined the tree. Returns where the target that joins next is in `waiting`. */
static struct place **offer_ways(const struct growth *growth, struct place *from, struct place **waiting,
                                 struct place *const *end)
{
    unsigned fare = toll(growth, from) + STAGE * from->depth, least = UINT16_MAX;
    struct place **next = waiting;
    for (; waiting != end; waiting++) {
        struct place *to = *waiting;
        unsigned cost = distance(growth, from, to) + fare;
        if (cost < to->cost) {
            to->cost = (uint16_t)cost;
            to->parent = from;
        }
        if (to->cost < least) {
            least = to->cost;
            next = waiting;
        }
    }
    return next;
}

/* Prim's algorithm. The source, as its own target, sends to nobody as that. */
static void grow(struct growth *growth)
{
    struct place *source = &growth->places[growth->count], *from = source, **end = growth->joined + growth->count;
    for (struct place **turn = growth->joined; turn != end; turn++) {
        struct place **next = offer_ways(growth, from, turn, end), *joins = *next;
        for (; next != turn; next--)
            *next = next[-1];
        *turn = joins;
        joins->depth = joins->parent->depth + 1;
        from = joins->word != source->word ? joins : source;
    }
}

/* Lists the children of each site: the largest subtree first, since it takes longest, and of equals the first to join.
 * Whoever joined last has no children that are not listed yet. */
static void list_children(struct growth *growth)
{
    for (unsigned turn = growth->count; turn-- > 0;) {
        struct place *place = growth->joined[turn], *parent = place->parent, **at = &parent->child;
        place->size++;
        parent->size = (uint8_t)(parent->size + place->size);
        while (*at && (*at)->size > place->size)
            at = &(*at)->sibling;
        place->sibling = *at;
        *at = place;
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

static void put(struct growth *growth, struct place *place, uint32_t word, unsigned width)
{
    *place = (struct place){.word = word,
                            .x = (uint16_t)((word & ((1u << width) - 1)) * HOP),
                            .y = (uint16_t)((word >> width) * HOP),
                            .cost = UINT16_MAX,
                            .parent = &growth->places[growth->count]};
    growth->joined[place - growth->places] = place;
}

void pr_relays_plan(const struct pr_here *here, struct pr_packet *packet)
{
    const struct pr_shape *shape = here->ways.shape;
    uint32_t *words = packet->words + packet->first_target;
    unsigned width = pr_shape_coordinate_width(shape);
    struct growth growth;
    const struct place *source, *place;
    growth.shape = shape;
    growth.count = pr_packet_target_words(packet) - packet->first_target;
    growth.size_x = shape->size_x * HOP;
    growth.size_y = shape->size_y * HOP;
    growth.most_tolls = ((shape->size_x - 1) / 2 + (shape->size_y - 1) / 2) * HOP;
    for (unsigned k = 0; k < growth.count; k++)
        put(&growth, &growth.places[k], words[k] & here->addresses.mask, width);
    put(&growth, &growth.places[growth.count], here->identity->address, width);
    packet->info[0] = 0;
    grow(&growth);
    list_children(&growth);
    source = &growth.places[growth.count];
    for (place = next_in_preorder(source, source); place != source; place = next_in_preorder(place, source))
        *words++ = place->word | (place->child ? pr_relay_child_bit(here) : 0) |
                   (place->sibling ? pr_relay_sibling_bit(here) : 0);
    packet->words[pr_packet_target_words(packet) + PR_HEADER_HANDLER] |= 1u << PR_HEADER_RELAY_BIT;
}
