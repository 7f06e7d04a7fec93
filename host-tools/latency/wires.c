/* See wires.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/wires.h"

#include "latency/strobes.h"
#include "latency/wire_pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 16 };

static const double block_seconds = 0.01, memory_seconds = 1;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

/* ---- The wires. */

/* The end of the cable at the far side of a board's connector, NULL: there is none. */
static const struct testbed_end *far_end(const struct testbed *testbed, unsigned board, unsigned link)
{
    for (unsigned i = 0; i < testbed->cable_count; i++)
        for (int k = 0; k < 2; k++) {
            const struct testbed_end *end = &testbed->cables[i].ends[k];
            if (end->board == board && end->link == link)
                return &testbed->cables[i].ends[!k];
        }
    return NULL;
}

static void add_wire(struct wires *wires, const char *channel, unsigned board, unsigned link,
                     enum testbed_strobe strobe)
{
    struct wire *wire = &wires->wires[wires->count++];
    const char *name = wires->testbed->boards[board].name;
    *wire = (struct wire){.strobe = strobe, .board = board, .link = link, .reader = -1, .next_board = -1};
    const struct testbed_end *far = far_end(wires->testbed, board, link);
    if (strobe == TESTBED_LINE)
        snprintf(wire->name, sizeof wire->name, "%s.%s", name, testbed_link_name(link));
    else
        snprintf(wire->name, sizeof wire->name, "%s %s.%s", name, testbed_link_name(link), testbed_strobe_name(strobe));
    snprintf(wire->channel, sizeof wire->channel, "%s", channel ? channel : wire->name);
    if (far && strobe == TESTBED_LINE) {
        wire->reader = (int)far->board;
    } else if (far) {
        wire->next_board = (int)far->board;
        wire->next_link = far->link;
    }
}

static int add_wires(struct wires *wires, char *error, size_t error_size)
{
    const struct testbed *testbed = wires->testbed;
    for (unsigned i = 0; i < testbed->channel_count; i++) {
        const struct testbed_channel *channel = &testbed->channels[i];
        add_wire(wires, channel->name, channel->board, channel->link, channel->strobe);
    }
    if (testbed->channel_count)
        return 0;
    if (2 * testbed->cable_count > WIRES_MAX || testbed->cable_count == 0) {
        snprintf(error, error_size, "%s: %u lines between boards, expected 1 to %d, or those to look at in [analyser]",
                 testbed->path, 2 * testbed->cable_count, WIRES_MAX);
        return -1;
    }
    for (unsigned i = 0; i < testbed->cable_count; i++)
        for (int k = 0; k < 2; k++)
            add_wire(wires, NULL, testbed->cables[i].ends[k].board, testbed->cables[i].ends[k].link, TESTBED_LINE);
    return 0;
}

static void collect(void *context, const struct line_packet *packet)
{
    struct wires *wires = context;
    if (wires->batch_count == wires->batch_room) {
        wires->batch_room = wires->batch_room ? 2 * wires->batch_room : 256;
        wires->batch = realloc(wires->batch, wires->batch_room * sizeof *wires->batch);
        wires->batch_wires = realloc(wires->batch_wires, wires->batch_room * sizeof *wires->batch_wires);
        if (!wires->batch || !wires->batch_wires)
            abort();
    }
    wires->batch_wires[wires->batch_count] = (uint8_t)wires->collecting;
    wires->batch[wires->batch_count++] = *packet;
}

static void take_jump(void *context, uint64_t from, uint64_t until)
{
    struct wires *wires = context;
    if (wires->jump_count == 0)
        wires->first_jump = (double)from;
    wires->jumps[wires->jump_count++ % WIRE_JUMPS] = (struct wire_jump){(double)from, (double)until};
}

static int begin_lines(struct wires *wires, char *error, size_t error_size)
{
    for (unsigned i = 0; i < wires->count; i++) {
        struct wire *wire = &wires->wires[i];
        double bit_rate = (double)wires->testbed->boards[wire->board].link_hz / WIRES_CLOCKS_A_BIT;
        if (wire->strobe != TESTBED_LINE)
            continue;
        if (wires->rate < LINE_SAMPLES_A_BIT * bit_rate) {
            snprintf(error, error_size,
                     "%g MS/s are too slow for %s: its bits come at %g MHz, expected %d samples a bit at least",
                     wires->rate / 1e6, wire->name, bit_rate / 1e6, LINE_SAMPLES_A_BIT);
            return -1;
        }
        line_decoder_begin(&wire->decoder, wires->rate / bit_rate, false, collect, wires);
        wire->decoder.jump = take_jump;
    }
    return 0;
}

int wires_begin(struct wires *wires, const struct testbed *testbed, double rate, char *error, size_t error_size)
{
    *wires = (struct wires){.testbed = testbed, .rate = rate, .exact = 1};
    wires->wires = allocate(WIRES_MAX, sizeof *wires->wires);
    wires->sightings = allocate(WIRES_MEMORY, sizeof *wires->sightings);
    wires->buckets = allocate(BUCKETS, sizeof *wires->buckets);
    wires->pairs = allocate(PAIRS_MAX, sizeof *wires->pairs);
    wires->block = (uint64_t)(rate * block_seconds) + 1;
    wires->block_end = wires->block;
    if (add_wires(wires, error, error_size) == 0 && begin_lines(wires, error, error_size) == 0) {
        strobes_begin(wires);
        return 0;
    }
    wires_free(wires);
    return -1;
}

void wires_exact(struct wires *wires, double exact, bool guessed)
{
    wires->exact = exact;
    wires->exact_guessed = guessed;
    for (unsigned i = 0; i < wires->count; i++)
        wires->wires[i].decoder.exact = wires->wires[i].decoder.clock.exact = exact;
}

void wires_free(struct wires *wires)
{
    for (unsigned i = 0; i < wires->count; i++) {
        line_decoder_free(&wires->wires[i].decoder);
        strobes_free(&wires->wires[i]);
    }
    for (unsigned i = 0; i < wires->pair_count; i++)
        readings_free(&wires->pairs[i].readings);
    readings_free(&wires->later_hops);
    readings_free(&wires->first_hops);
    free(wires->wires);
    free(wires->sightings);
    free(wires->buckets);
    free(wires->pairs);
    free(wires->batch);
    free(wires->batch_wires);
    *wires = (struct wires){0};
}

int wires_find(const struct wires *wires, const char *channel)
{
    channel += *channel == '\\'; /* Icarus writes Verilog's escaped names so */
    for (unsigned i = 0; i < wires->count; i++)
        if (strcmp(wires->wires[i].channel, channel) == 0 || strcmp(wires->wires[i].name, channel) == 0)
            return (int)i;
    return -1;
}

void wires_level(struct wires *wires, unsigned wire, bool level)
{
    wires->wires[wire].seen = true;
    wires->wires[wire].level = level;
    wires->wires[wire].decoder.level = level;
}

/* ---- From wire to wire. */

/* The way of a packet that is forgotten ends on its last wire. */
static void forget(struct wires *wires)
{
    struct sighting *seen = &wires->sightings[wires->forgotten++ % WIRES_MEMORY];
    if (seen->moved_on || seen->hops == 0)
        return;
    if (seen->jumped) {
        wires->jumped++;
        return;
    }
    struct uncertain began = {seen->first_began, (double)seen->first_error}, ended = {seen->began, (double)seen->error};
    wire_pairs_add(wires, (struct wire_pair){seen->first_wire, seen->wire, seen->hops, .end_to_end = true}, began,
                   ended);
    if (seen->hops < 2)
        return;
    double hops = seen->hops - 1, later = (seen->began - seen->second_began) / hops;
    double later_error = (double)(seen->error + seen->second_error) / hops;
    readings_add(&wires->later_hops, (struct uncertain){later, later_error});
    readings_add(&wires->first_hops,
                 (struct uncertain){seen->second_began - seen->first_began - later,
                                    (double)(seen->second_error + seen->first_error) + later_error});
}

/* Samples from start bit to start bit that a packet needs to pass from one wire to the next, with clocks as far off as
 * can be read: a whole frame, unless the board between is seen to have eager links; 0: that is not known. */
static double least_hop(const struct wires *wires, unsigned from, unsigned to)
{
    static const double frame_bits = 33 * 0.98, eager_bits = 1.5 * 0.98;
    enum line_links links = line_counts_links(&wires->wires[to].decoder.counts);
    if (links == LINE_LINKS_UNKNOWN)
        return 0;
    return (links == LINE_LINKS_EAGER ? eager_bits : frame_bits) * wires_bit(wires, wires->wires[from].board);
}

static void count_short_hop(struct wires *wires, unsigned from, unsigned to, double hop)
{
    struct short_hops *all = &wires->short_hops;
    if (all->count++ == 0 || hop < all->least) {
        all->from = from;
        all->to = to;
        all->least = hop;
    }
}

/* The latest sighting of the packet on a wire into the board that drives `wire`, which was not followed to `wire` yet.
 * Packets that are sent again are far apart in time, and a first copy may have been lost: the latest is the one that a
 * board can have passed on by now. */
static struct sighting *find_before(struct wires *wires, const struct line_packet *packet, double began, unsigned wire)
{
    unsigned board = wires->wires[wire].board, place = wires->buckets[packet->identity % BUCKETS];
    const struct sighting *too_near = NULL;
    while (place) {
        struct sighting *seen = &wires->sightings[place - 1];
        if (seen->began < began - memory_seconds * wires->rate)
            break;
        if (seen->identity == packet->identity && seen->began < began &&
            wires->wires[seen->wire].reader == (int)board && !(seen->claimed >> wire & 1)) {
            double most = began + packet->began.error - seen->began + (double)seen->error;
            if (most >= least_hop(wires, seen->wire, wire))
                return seen;
            too_near = seen;
        }
        if (seen->older && wires->sightings[seen->older - 1].number > seen->number)
            break; /* overwritten */
        place = seen->older;
    }
    if (too_near)
        count_short_hop(wires, too_near->wire, wire, began - too_near->began);
    return NULL;
}

static bool is_behind_a_wire(const struct wires *wires, unsigned wire)
{
    for (unsigned i = 0; i < wires->count; i++)
        if (wires->wires[i].seen && wires->wires[i].reader == (int)wires->wires[wire].board)
            return true;
    return false;
}

static void see(struct wires *wires, const struct line_packet *packet, unsigned wire)
{
    double began = (double)packet->origin + packet->began.value;
    struct sighting *before = find_before(wires, packet, began, wire);
    struct sighting seen = {.identity = packet->identity, .began = began, .error = (float)packet->began.error};
    seen.wire = seen.first_wire = (uint8_t)wire;
    seen.first_began = began;
    seen.first_error = seen.error;
    if (before) {
        before->claimed |= 1ull << wire;
        before->moved_on = true;
        seen.first_wire = before->first_wire;
        seen.first_began = before->first_began;
        seen.first_error = before->first_error;
        seen.hops = before->hops < HOPS_MAX - 1 ? before->hops + 1 : before->hops;
        seen.second_began = before->hops ? before->second_began : began;
        seen.second_error = before->hops ? before->second_error : seen.error;
        seen.jumped = before->jumped || wires_jump_between(wires, before->began, began);
        wire_pairs_add(wires, (struct wire_pair){before->wire, wire, .hops = 1},
                       (struct uncertain){before->began, (double)before->error},
                       (struct uncertain){began, (double)seen.error});
    }
    wires->matched += before != NULL;
    wires->unmatched += !before && is_behind_a_wire(wires, wire);
    strobes_packet(wires, packet, wire, before);

    if (wires->sighting_count - wires->forgotten == WIRES_MEMORY)
        forget(wires);
    unsigned *bucket = &wires->buckets[seen.identity % BUCKETS], place = wires->sighting_count % WIRES_MEMORY;
    seen.number = wires->sighting_count++;
    seen.older = *bucket;
    wires->sightings[place] = seen;
    *bucket = place + 1;
}

/* ---- Blocks of time, at whose ends the packets of all lines are looked at in order. */

struct batch_entry {
    double began;
    size_t index;
};

static int compare_entries(const void *left, const void *right)
{
    const struct batch_entry *a = left, *b = right;
    return a->began != b->began ? (a->began > b->began) - (a->began < b->began)
                                : (a->index > b->index) - (a->index < b->index);
}

static void look_at_batch(struct wires *wires)
{
    struct batch_entry *entries = allocate(wires->batch_count, sizeof *entries);
    for (size_t i = 0; i < wires->batch_count; i++)
        entries[i] = (struct batch_entry){(double)wires->batch[i].origin + wires->batch[i].began.value, i};
    qsort(entries, wires->batch_count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < wires->batch_count; i++) {
        const struct line_packet *packet = &wires->batch[entries[i].index];
        unsigned wire = wires->batch_wires[entries[i].index];
        if (wires->watch)
            wires->watch->see(wires->watch->context, packet, wire);
        if (packet->aborted)
            strobes_packet(wires, packet, wire, NULL);
        else
            see(wires, packet, wire);
    }
    wires->batch_count = 0;
    free(entries);
}

static void close_block(struct wires *wires, uint64_t sample)
{
    for (unsigned i = 0; i < wires->count; i++)
        if (wires->wires[i].strobe == TESTBED_LINE) {
            wires->collecting = i;
            line_decoder_close(&wires->wires[i].decoder, sample);
        }
    look_at_batch(wires);
    strobes_close(wires, sample);
    wires->block_end = sample + wires->block;
    double oldest = (double)sample - 2 * memory_seconds * wires->rate;
    while (wires->forgotten < wires->sighting_count && wires->sightings[wires->forgotten % WIRES_MEMORY].began < oldest)
        forget(wires);
}

void wires_edge(struct wires *wires, unsigned index, uint64_t sample, bool level)
{
    struct wire *wire = &wires->wires[index];
    if (sample >= wires->block_end)
        close_block(wires, sample);
    wires->last = sample;
    if (wire->strobe == TESTBED_LINE) {
        line_decoder_edge(&wire->decoder, sample, level);
        if (line_decoder_is_full(&wire->decoder))
            close_block(wires, sample);
    } else if (level != wire->level) {
        strobes_event(wires, index, sample);
    }
    wire->level = level;
}

void wires_end(struct wires *wires, uint64_t sample)
{
    close_block(wires, sample);
    strobes_end(wires);
    wires->last = sample;
    while (wires->forgotten < wires->sighting_count)
        forget(wires);
}
