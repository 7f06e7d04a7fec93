/* See packet_ways.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/packet_ways.h"

#include "support/or_abort.h"
#include "wire/header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_WIDTH = 16 }; /* of board links */

static const double memory_seconds = 1; /* a packet is not on its way for longer */

/* The board of a site; -1: none. */
static int board_of(const struct testbed *testbed, unsigned site)
{
    for (unsigned board = 0; board < testbed->board_count; board++)
        for (unsigned i = 0; i < testbed->boards[board].site_count; i++)
            if (testbed->boards[board].sites[i] == site)
                return (int)board;
    return -1;
}

int packet_ways_begin(struct packet_ways *ways, const struct testbed *testbed, unsigned source, unsigned target,
                      char *error, size_t error_size)
{
    int from = board_of(testbed, source), to = board_of(testbed, target);
    *ways = (struct packet_ways){.testbed = testbed, .source = source};
    if (!testbed->has_mesh) {
        snprintf(error, error_size, "%s: its boards have no sites, expected a mesh in its section [testbed]",
                 testbed->path);
        return -1;
    }
    if (from < 0 || to < 0) {
        snprintf(error, error_size, "%s: no board has site %u", testbed->path, from < 0 ? source : target);
        return -1;
    }
    if (from == to) {
        snprintf(error, error_size, "sites %u and %u are both on board %s, expected sites with a cable between them",
                 source, target, testbed->boards[from].name);
        return -1;
    }
    ways->from = (unsigned)from;
    ways->to = (unsigned)to;
    ways->target = (uint32_t)mesh_address(&testbed->mesh, (int)target);
    ways->passages = or_abort(calloc(PASSAGES_MAX, sizeof *ways->passages));
    ways->ways = or_abort(calloc(PASSAGES_MAX, sizeof *ways->ways));
    return 0;
}

void packet_ways_free(struct packet_ways *ways)
{
    free(ways->passages);
    free(ways->ways);
    *ways = (struct packet_ways){0};
}

/* ---- From packets to ways. */

static void begin(void *context, const struct wires *wires)
{
    struct packet_ways *ways = context;
    ways->wires = wires;
    ways->passage_count = ways->way_count = ways->left_out = 0;
}

static bool is_of_packet(const struct packet_way *way, const struct packet_way *packet)
{
    return way->control == packet->control &&
           (way->control ? way->identity == packet->identity : way->sequence == packet->sequence);
}

/* Can a way, as far as it was seen, go on over this wire? Behind a gap anywhere, but for where it begins and ends. */
static bool leads_to(const struct packet_ways *ways, const struct packet_way *way, unsigned index)
{
    const struct wire *wire = &ways->wires->wires[index];
    int at = ways->wires->wires[ways->passages[way->last].wire].far_board;
    bool gap = wire->board != ways->from && at != (int)ways->to;
    return !(way->lines >> index & 1) && ((int)wire->board == at || gap);
}

/* The latest way of this packet; NULL: none in the last second. */
static struct packet_way *latest_way(const struct packet_ways *ways, const struct packet_way *packet, double now)
{
    for (size_t i = ways->way_count; i-- > 0;) {
        struct packet_way *way = &ways->ways[i];
        if (ways->passages[way->last].began.value < now - memory_seconds * ways->wires->rate)
            continue;
        if (is_of_packet(way, packet))
            return way;
    }
    return NULL;
}

static void add_passage(struct packet_ways *ways, const struct packet_way *packet, const struct passage *passage)
{
    size_t place = ways->passage_count++;
    struct packet_way *way = latest_way(ways, packet, passage->began.value);
    unsigned attempt = way ? way->attempt + 1 : 1;
    ways->passages[place] = *passage;
    if (way && leads_to(ways, way, passage->wire)) {
        ways->passages[way->last].next = place;
    } else {
        way = &ways->ways[ways->way_count++];
        *way = *packet;
        way->attempt = attempt;
        way->first = place;
    }
    way->last = place;
    way->lines |= 1ull << passage->wire;
}

static void see(void *context, const struct line_packet *packet, unsigned wire)
{
    struct packet_ways *ways = context;
    const uint32_t control = pr_header_kind_bit(WORD_WIDTH);
    struct packet_way seen = {.identity = packet->identity,
                              .control = packet->header[PR_HEADER_SOURCE] & control,
                              .sequence = packet->header[PR_HEADER_SEQUENCE]};
    unsigned least = packet->aborted ? PR_HEADER_SEQUENCE + 1 : PR_HEADER_WORDS;
    if (packet->multicast || packet->target != ways->target || packet->words < least ||
        (packet->header[PR_HEADER_SOURCE] & ~control) != ways->source)
        return;
    struct passage passage = {.wire = wire, .words = packet->words, .aborted = packet->aborted};
    passage.began = (struct uncertain){(double)packet->origin + packet->began.value, packet->began.error};
    if (ways->passage_count < PASSAGES_MAX)
        add_passage(ways, &seen, &passage);
    else
        ways->left_out++;
}

struct wires_watch packet_ways_watch(struct packet_ways *ways)
{
    return (struct wires_watch){.begin = begin, .see = see, .context = ways};
}

static int compare_ways(const void *left, const void *right)
{
    size_t a = ((const struct packet_way *)left)->first, b = ((const struct packet_way *)right)->first;
    return (a > b) - (a < b);
}

void packet_ways_end(struct packet_ways *ways)
{
    qsort(ways->ways, ways->way_count, sizeof *ways->ways, compare_ways);
}

/* ---- Lines of a way. */

struct way_legs {
    struct way_leg *legs;
    size_t count;
};

static void add_leg(struct way_legs *legs, const struct way_leg *leg)
{
    legs->legs = or_abort(realloc(legs->legs, (legs->count + 1) * sizeof *legs->legs));
    legs->legs[legs->count++] = *leg;
}

/* A line and its channel. */
static struct way_leg leg_of(const struct packet_ways *ways, const struct testbed_end *end,
                             const struct testbed_end *far)
{
    struct way_leg leg = {.board = end->board, .link = end->link, .reader = (int)far->board};
    for (unsigned i = 0; i < ways->wires->count; i++) {
        const struct wire *wire = &ways->wires->wires[i];
        if (wire_is_line(wire) && wire->board == end->board && wire->link == end->link)
            leg.wire = wire;
    }
    return leg;
}

/* The lines with which the shortest ways from a board reach each other one: searched breadth first. */
struct search {
    struct way_leg into[TESTBED_BOARDS];
    bool reached[TESTBED_BOARDS];
    unsigned queue[TESTBED_BOARDS], head, tail;
};

static void search_cable(const struct packet_ways *ways, struct search *search, unsigned cable, int side, bool unseen)
{
    const struct testbed_end *end = &ways->testbed->cables[cable].ends[side],
                             *far = &ways->testbed->cables[cable].ends[!side];
    if (end->board != search->queue[search->head] || search->reached[far->board])
        return;
    struct way_leg leg = leg_of(ways, end, far);
    if (unseen && leg.wire)
        return;
    search->reached[far->board] = true;
    search->into[far->board] = leg;
    search->queue[search->tail++] = far->board;
}

/* unseen: over lines without channels only. */
static bool find_gap(const struct packet_ways *ways, struct search *search, unsigned from, unsigned to, bool unseen)
{
    *search = (struct search){.queue = {from}, .tail = 1};
    search->reached[from] = true;
    for (; search->head < search->tail && !search->reached[to]; search->head++)
        for (unsigned i = 0; i < ways->testbed->cable_count; i++)
            for (int side = 0; side < 2; side++)
                search_cable(ways, search, i, side, unseen);
    return search->reached[to];
}

static void add_gap(const struct packet_ways *ways, struct way_legs *legs, unsigned from, unsigned to)
{
    struct search search;
    struct way_leg back[TESTBED_BOARDS];
    size_t count = 0;
    if (from == to || (!find_gap(ways, &search, from, to, true) && !find_gap(ways, &search, from, to, false)))
        return;
    for (unsigned board = to; board != from; board = search.into[board].board)
        back[count++] = search.into[board];
    while (count > 0)
        add_leg(legs, &back[--count]);
}

size_t packet_ways_legs(const struct packet_ways *ways, const struct packet_way *way, struct way_leg **legs)
{
    struct way_legs all = {NULL, 0};
    unsigned at = ways->from;
    for (size_t i = way ? way->first : 0; way; i = ways->passages[i].next) {
        const struct wire *wire = &ways->wires->wires[ways->passages[i].wire];
        add_gap(ways, &all, at, wire->board);
        add_leg(&all, &(struct way_leg){wire->board, wire->link, wire->far_board, wire, &ways->passages[i]});
        at = wire->far_board < 0 ? ways->to : (unsigned)wire->far_board;
        if (i == way->last)
            break;
    }
    add_gap(ways, &all, at, ways->to);
    *legs = all.legs;
    return all.count;
}
