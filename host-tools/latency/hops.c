/* See hops.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/hops.h"
#include "support/or_abort.h"

#include <stdlib.h>

enum { BUCKETS = 1 << 16 };

static const double memory_seconds = 1;

void hops_begin(struct hops *hops, struct wires *wires)
{
    *hops = (struct hops){.wires = wires,
                          .sightings = or_abort(calloc(HOPS_MEMORY, sizeof *hops->sightings)),
                          .buckets = or_abort(calloc(BUCKETS, sizeof *hops->buckets))};
}

void hops_free(struct hops *hops)
{
    readings_free(&hops->later_hops);
    readings_free(&hops->first_hops);
    free(hops->sightings);
    free(hops->buckets);
}

/* The way of a packet that is forgotten ends on its last line. */
static void forget(struct hops *hops)
{
    struct wire_pairs *pairs = &hops->wires->pairs;
    const struct sighting *seen = &hops->sightings[hops->forgotten++ % HOPS_MEMORY];
    if (seen->moved_on || seen->hops == 0)
        return;
    if (seen->jumped) {
        pairs->jumps.left_out++;
        return;
    }
    struct uncertain began = {seen->first_began, (double)seen->first_error}, ended = {seen->began, (double)seen->error};
    wire_pairs_add(pairs, (struct wire_pair){seen->first_wire, seen->wire, seen->hops, .end_to_end = true}, began,
                   ended);
    if (seen->hops < 2)
        return;
    double behind = seen->hops - 1, later = (seen->began - seen->second_began) / behind;
    double later_error = (double)(seen->error + seen->second_error) / behind;
    readings_add(&hops->later_hops, (struct uncertain){later, later_error});
    readings_add(&hops->first_hops, (struct uncertain){seen->second_began - seen->first_began - later,
                                                       (double)(seen->second_error + seen->first_error) + later_error});
}

/* Samples from start bit to start bit that a packet needs to pass from one line to the next, with clocks as far off as
 * can be read: a whole frame, unless the board between is seen to have eager links; 0: that is not known. */
static double least_hop(const struct wires *wires, unsigned from, unsigned to)
{
    static const double frame_bits = 33 * 0.98, eager_bits = 1.5 * 0.98;
    enum line_links links = line_counts_links(&wires->wires[to].line->counts);
    if (links == LINE_LINKS_UNKNOWN)
        return 0;
    return (links == LINE_LINKS_EAGER ? eager_bits : frame_bits) * wires_bit(wires, wires->wires[from].board);
}

static void count_short_hop(struct short_hops *all, unsigned from, unsigned to, double hop)
{
    if (all->count++ == 0 || hop < all->least) {
        all->from = from;
        all->to = to;
        all->least = hop;
    }
}

/* The latest sighting of the packet on a line into the board that drives `line`, which was not followed to `line` yet.
 * Packets that are sent again are far apart in time, and a first copy may have been lost: the latest is the one that a
 * board can have passed on by now. */
static struct sighting *find_before(struct hops *hops, const struct line_packet *packet, double began, unsigned line)
{
    const struct wires *wires = hops->wires;
    unsigned board = wires->wires[line].board, place = hops->buckets[packet->identity % BUCKETS];
    const struct sighting *too_near = NULL;
    while (place) {
        struct sighting *seen = &hops->sightings[place - 1];
        if (seen->began < began - memory_seconds * wires->rate)
            break;
        if (seen->identity == packet->identity && seen->began < began &&
            wires->wires[seen->wire].far_board == (int)board && !(seen->claimed >> line & 1)) {
            double most = began + packet->began.error - seen->began + (double)seen->error;
            if (most >= least_hop(wires, seen->wire, line))
                return seen;
            too_near = seen;
        }
        if (seen->older && hops->sightings[seen->older - 1].number > seen->number)
            break; /* overwritten */
        place = seen->older;
    }
    if (too_near)
        count_short_hop(&hops->short_hops, too_near->wire, line, began - too_near->began);
    return NULL;
}

static bool is_behind_a_line(const struct wires *wires, unsigned line)
{
    for (unsigned i = 0; i < wires->count; i++)
        if (wire_is_line(&wires->wires[i]) && wires->wires[i].far_board == (int)wires->wires[line].board)
            return true;
    return false;
}

/* The way that led to `before` leads on to `seen`. */
static void follow(struct wires *wires, struct sighting *before, struct sighting *seen)
{
    before->claimed |= 1ull << seen->wire;
    before->moved_on = true;
    seen->first_wire = before->first_wire;
    seen->first_began = before->first_began;
    seen->first_error = before->first_error;
    seen->hops = before->hops < HOPS_MAX - 1 ? before->hops + 1 : before->hops;
    seen->second_began = before->hops ? before->second_began : seen->began;
    seen->second_error = before->hops ? before->second_error : seen->error;
    seen->jumped = before->jumped || wire_pairs_jump_between(&wires->pairs, before->began, seen->began);
    wire_pairs_add(&wires->pairs, (struct wire_pair){before->wire, seen->wire, .hops = 1},
                   (struct uncertain){before->began, (double)before->error},
                   (struct uncertain){seen->began, (double)seen->error});
}

static void remember(struct hops *hops, struct sighting seen)
{
    if (hops->sighting_count - hops->forgotten == HOPS_MEMORY)
        forget(hops);
    unsigned *bucket = &hops->buckets[seen.identity % BUCKETS], place = hops->sighting_count % HOPS_MEMORY;
    seen.number = hops->sighting_count++;
    seen.older = *bucket;
    hops->sightings[place] = seen;
    *bucket = place + 1;
}

struct passage_before hops_packet(struct hops *hops, const struct line_packet *packet, unsigned line)
{
    struct passage_before passage = {.wire = -1};
    double began = (double)packet->origin + packet->began.value;
    struct sighting *before = find_before(hops, packet, began, line);
    struct sighting seen = {.identity = packet->identity, .began = began, .error = (float)packet->began.error};
    seen.wire = seen.first_wire = (uint8_t)line;
    seen.first_began = began;
    seen.first_error = seen.error;
    if (before) {
        passage = (struct passage_before){before->wire, {before->began, (double)before->error}};
        follow(hops->wires, before, &seen);
    }
    hops->matched += before != NULL;
    hops->unmatched += !before && is_behind_a_line(hops->wires, line);
    remember(hops, seen);
    return passage;
}

void hops_forget(struct hops *hops, double oldest)
{
    while (hops->forgotten < hops->sighting_count && hops->sightings[hops->forgotten % HOPS_MEMORY].began < oldest)
        forget(hops);
}
