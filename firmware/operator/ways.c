/* See ways.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/ways.h"

#include "operator/target_list.h"
#include "wire/hints.h"

void pr_ways_init(struct pr_ways *ways, const struct pr_capabilities *can, const struct pr_shape *shape, unsigned site,
                  struct pr_route *routes)
{
    ways->shape = shape;
    ways->order = pr_dimension_order_from(shape, site);
    ways->site = site;
    if (!can->source_routed)
        return;
    ways->routes = routes;
    if (pr_ways_make_trees())
        ways->tree = routes;
    ways->sites = pr_shape_sites(shape);
    for (unsigned k = 0; k <= ways->sites; k++)
        routes[k].count = 0;
}

bool pr_ways_learn(struct pr_ways *ways, unsigned site, const uint8_t *ports, unsigned count)
{
    struct pr_route *route;
    if (!ways->routes || site > ways->sites || count > PR_ROUTE_PORTS_MAX)
        return false;
    route = &ways->routes[site];
    route->count = (uint8_t)count;
    for (unsigned k = 0; k < count; k++)
        route->ports[k] = ports[k];
    return true;
}

/* ---- one route to several targets ---- */

/* Ports of the route from a site to the root, of which the same number leads down again. */
static unsigned height(const struct pr_ways *ways)
{
    return ways->tree[ways->site].count / 2;
}

/* A route, of which the first `up` ports lead up. */
struct way {
    const struct pr_route *route;
    unsigned up;
};

static const struct pr_route here = {.count = 1, .ports = {0}};

static struct way way_to(const struct pr_ways *ways, uint32_t site_word)
{
    unsigned site = pr_shape_site(ways->shape, site_word), up = 0;
    struct way way = {.route = site == ways->site ? &here : &ways->tree[site]};
    const struct pr_route *home = &ways->tree[ways->site];
    while (up < height(ways) && up < way.route->count && way.route->ports[up] == home->ports[up])
        up++;
    way.up = up;
    return way;
}

/* The same way by a switch that is `top` above here, not below the highest one of its own. */
static unsigned length_over(struct way way, unsigned top)
{
    return 2 * (top - way.up) + way.route->count;
}

static unsigned port_over(const struct pr_ways *ways, struct way way, unsigned top, unsigned k)
{
    const struct pr_route *home = &ways->tree[ways->site];
    unsigned down = top - way.up;
    if (k < top)
        return home->ports[k];
    if (k < top + down)
        return home->ports[2 * height(ways) - 2 * top + k];
    return way.route->ports[k - 2 * down];
}

static unsigned shared_ports(const struct pr_ways *ways, struct way one, struct way other, unsigned top)
{
    unsigned most = length_over(one, top), k = 0;
    if (length_over(other, top) < most)
        most = length_over(other, top);
    while (k < most && port_over(ways, one, top, k) == port_over(ways, other, top, k))
        k++;
    return k;
}

bool pr_route_precedes(const struct pr_ways *ways, uint32_t first, uint32_t second)
{
    struct way one = way_to(ways, first), other = way_to(ways, second);
    unsigned top = one.up > other.up ? one.up : other.up, shared = shared_ports(ways, one, other, top);
    return shared < length_over(one, top) && shared < length_over(other, top) &&
           port_over(ways, one, top, shared) < port_over(ways, other, top, shared);
}

/* Targets in their order (pr_route_precedes), of which those that share ports are neighbours. */
struct tree {
    const struct pr_ways *ways;
    const struct pr_packet *packet;
    unsigned end, top; /* the target word behind the last one; the height over which all go */
};

static struct way way_of(const struct tree *tree, unsigned entry)
{
    return way_to(tree->ways, tree->packet->words[entry]);
}

static struct tree tree_of(const struct pr_ways *ways, const struct pr_packet *packet, unsigned first, unsigned end)
{
    struct tree tree = {.ways = ways, .packet = packet, .end = end, .top = 0};
    for (unsigned entry = first; entry < end; entry = pr_packet_end_of_entry(packet, entry)) {
        unsigned up = way_of(&tree, entry).up;
        tree.top = up > tree.top ? up : tree.top;
    }
    return tree;
}

/* A bit for each of an entry's ports, from `shared` on, at which a way to one behind it parts from its own. */
static uint32_t forks_of(const struct tree *tree, unsigned entry, unsigned shared)
{
    struct way way = way_of(tree, entry);
    uint32_t forks = 0;
    while ((entry = pr_packet_end_of_entry(tree->packet, entry)) < tree->end) {
        unsigned common = shared_ports(tree->ways, way, way_of(tree, entry), tree->top);
        if (common < shared)
            break;
        forks |= 1u << common;
    }
    return forks;
}

/* Ports that the way to an entry shares with that to the next one; 0 behind the last one. */
static unsigned shared_with_next(const struct tree *tree, unsigned entry)
{
    unsigned next = pr_packet_end_of_entry(tree->packet, entry);
    return next < tree->end ? shared_ports(tree->ways, way_of(tree, entry), way_of(tree, next), tree->top) : 0;
}

static unsigned words_of(const struct tree *tree, unsigned first)
{
    unsigned words = 0, shared = 0;
    for (unsigned entry = first; entry < tree->end; entry = pr_packet_end_of_entry(tree->packet, entry)) {
        uint32_t forks = forks_of(tree, entry, shared) >> (entry > first ? shared + 1 : 0);
        words += length_over(way_of(tree, entry), tree->top) - shared;
        for (; forks; forks &= forks - 1)
            words++;
        shared = shared_with_next(tree, entry);
    }
    return words;
}

/* The packet while its targets are moved up: what stands before `to` is finished. */
struct weaver {
    struct pr_packet *packet;
    unsigned to, from;
    uint8_t entries[32]; /* of the forks that are open, by port: the place of the last entry */
};

static void weave(struct weaver *weaver, uint32_t word, bool is_info)
{
    weaver->packet->words[weaver->to] = word;
    pr_packet_set_info(weaver->packet, weaver->to++, is_info);
}

static void weave_ports(struct weaver *weaver, const struct tree *tree, unsigned shared, uint32_t forks)
{
    struct way way = way_of(tree, weaver->from);
    for (unsigned k = shared; k < length_over(way, tree->top); k++) {
        bool is_fork = forks >> k & 1;
        weaver->entries[k] = (uint8_t)weaver->to;
        weave(weaver, port_over(tree->ways, way, tree->top, k) | (is_fork ? PR_TREE_ENTRY : PR_TREE_PORT), true);
    }
}

static void weave_target(struct weaver *weaver)
{
    unsigned end = pr_packet_end_of_entry(weaver->packet, weaver->from);
    weave(weaver, weaver->packet->words[weaver->from++], false);
    while (weaver->from < end)
        weave(weaver, weaver->packet->words[weaver->from++], true);
}

static void end_subtree(struct weaver *weaver, unsigned port)
{
    unsigned entry = weaver->entries[port];
    weaver->packet->words[entry] |= (weaver->to - entry - 1) << PR_TREE_COUNT_SHIFT;
}

static void put_tree(const struct pr_ways *ways, struct pr_packet *packet)
{
    struct tree tree = tree_of(ways, packet, packet->first_target, pr_packet_end_target(packet));
    unsigned words = words_of(&tree, packet->first_target), shared = 0;
    struct weaver weaver = {.packet = packet, .to = packet->first_target, .from = packet->first_target + words};
    uint32_t open = 0;
    pr_packet_insert_info(packet, packet->first_target, words);
    tree.end += words;
    while (weaver.from < tree.end) {
        unsigned next = shared_with_next(&tree, weaver.from);
        bool is_last = pr_packet_end_of_entry(packet, weaver.from) == tree.end;
        open |= forks_of(&tree, weaver.from, shared);
        weave_ports(&weaver, &tree, shared, open);
        weave_target(&weaver);
        for (unsigned k = 32; k-- > (is_last ? 0 : next + 1);) {
            if (!(open >> k & 1))
                continue;
            end_subtree(&weaver, k);
            weave(&weaver, PR_TREE_END, true);
            open &= ~(1u << k);
        }
        if (!is_last)
            end_subtree(&weaver, next);
        shared = next;
    }
}

static void take_tree_off(struct pr_packet *packet)
{
    unsigned end = pr_packet_end_target(packet), end_of_subtree = 0;
    struct weaver weaver = {.packet = packet, .to = packet->first_target, .from = packet->first_target};
    while (weaver.from < end) {
        uint32_t word = packet->words[weaver.from];
        bool is_info = pr_packet_is_info(packet, weaver.from++);
        if (is_info && (word & PR_TREE_PORT) == PR_TREE_ENTRY)
            end_of_subtree = weaver.from + (word >> PR_TREE_COUNT_SHIFT);
        if (is_info)
            continue;
        weave(&weaver, word, false);
        while (weaver.from < end_of_subtree)
            weave(&weaver, packet->words[weaver.from++], true);
    }
    pr_packet_remove_info(packet, weaver.to, end - weaver.to);
}

static unsigned end_of_targets(const struct pr_packet *packet, unsigned first, unsigned targets)
{
    unsigned end = first;
    while (targets-- > 0)
        end = pr_packet_end_of_entry(packet, end);
    return end;
}

unsigned pr_route_targets(const struct pr_ways *ways, const struct pr_packet *packet, unsigned first, unsigned room)
{
    unsigned words = pr_packet_target_words(packet), targets = 0;
    for (unsigned entry = first; entry < words; entry = pr_packet_end_of_entry(packet, entry))
        targets++;
    for (; targets > 1; targets /= 2) {
        struct tree tree = tree_of(ways, packet, first, end_of_targets(packet, first, targets));
        unsigned more = words_of(&tree, first);
        if (words + more < PR_PACKET_TARGET_WORDS_MAX && words + pr_packet_data_words(packet) + more <= room)
            break;
    }
    return targets;
}

/* ---- what leaves ---- */

PR_NOT_INLINED void pr_route_put(const struct pr_ways *ways, struct pr_packet *packet)
{
    unsigned at = packet->first_target;
    const struct pr_route *route = &ways->routes[pr_shape_site(ways->shape, packet->words[at])];
    if (pr_ways_make_trees() && packet->kind_bits & PR_KIND_MULTICAST) {
        put_tree(ways, packet);
        return;
    }
    pr_packet_insert_info(packet, at, route->count);
    for (unsigned k = 0; k < route->count; k++)
        packet->words[at + k] = route->ports[k];
}

PR_NOT_INLINED void pr_route_take_off(struct pr_packet *packet)
{
    unsigned words = 0;
    if (pr_ways_make_trees() && packet->kind_bits & PR_KIND_MULTICAST) {
        take_tree_off(packet);
        return;
    }
    while (pr_packet_is_info(packet, packet->first_target + words))
        words++;
    pr_packet_remove_info(packet, packet->first_target, words);
}
