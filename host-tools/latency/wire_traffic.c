/* See wire_traffic.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/wire_traffic.h"
#include "support/or_abort.h"

#include <math.h>
#include <stdlib.h>

static const double block_seconds = 0.01, memory_seconds = 2; /* of blocks: more than a packet is remembered */

static uint64_t block_samples(const struct wire_traffic *traffic)
{
    return (uint64_t)(traffic->wires.rate * block_seconds) + 1;
}

static void collect(void *context, const struct line_packet *packet)
{
    struct wire_traffic *traffic = context;
    struct packet_batch *batch = &traffic->batch;
    if (batch->count == batch->room) {
        batch->room = batch->room ? 2 * batch->room : 256;
        batch->packets = or_abort(realloc(batch->packets, batch->room * sizeof *batch->packets));
        batch->wires = or_abort(realloc(batch->wires, batch->room * sizeof *batch->wires));
    }
    batch->wires[batch->count] = (uint8_t)traffic->collecting;
    batch->packets[batch->count++] = *packet;
}

static void take_jump(void *context, uint64_t from, uint64_t until)
{
    struct wire_traffic *traffic = context;
    wire_pairs_jump(&traffic->wires.pairs, from, until);
}

int wire_traffic_begin(struct wire_traffic *traffic, const struct testbed *testbed, double rate, char *error,
                       size_t error_size)
{
    *traffic = (struct wire_traffic){.watch = NULL};
    struct wires *wires = &traffic->wires;
    if (wires_begin(wires, testbed, rate, error, error_size) != 0)
        return -1;
    hops_begin(&traffic->hops, wires);
    traffic->block_end = block_samples(traffic);
    for (unsigned i = 0; i < wires->count; i++)
        if (wires->wires[i].line) {
            double bit = wires_bit(wires, wires->wires[i].board);
            line_decoder_begin(wires->wires[i].line, bit, false, collect, traffic);
            wires->wires[i].line->jump = take_jump;
        }
    return 0;
}

void wire_traffic_free(struct wire_traffic *traffic)
{
    wires_free(&traffic->wires);
    hops_free(&traffic->hops);
    free(traffic->batch.packets);
    free(traffic->batch.wires);
    *traffic = (struct wire_traffic){.watch = NULL};
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

static void look_at_packet(struct wire_traffic *traffic, const struct line_packet *packet, unsigned wire)
{
    struct passage_before before = {.wire = -1};
    if (traffic->watch)
        traffic->watch->see(traffic->watch->context, packet, wire);
    if (!packet->aborted)
        before = hops_packet(&traffic->hops, packet, wire);
    strobes_packet(&traffic->wires, packet, wire, before);
}

static void look_at_batch(struct wire_traffic *traffic)
{
    struct packet_batch *batch = &traffic->batch;
    struct batch_entry *entries = or_abort(calloc(batch->count + 1, sizeof *entries));
    for (size_t i = 0; i < batch->count; i++)
        entries[i] = (struct batch_entry){(double)batch->packets[i].origin + batch->packets[i].began.value, i};
    qsort(entries, batch->count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < batch->count; i++)
        look_at_packet(traffic, &batch->packets[entries[i].index], batch->wires[entries[i].index]);
    batch->count = 0;
    free(entries);
}

static void close_block(struct wire_traffic *traffic, uint64_t sample)
{
    struct wires *wires = &traffic->wires;
    for (unsigned i = 0; i < wires->count; i++)
        if (wires->wires[i].line) {
            traffic->collecting = i;
            line_decoder_close(wires->wires[i].line, sample);
        }
    look_at_batch(traffic);
    strobes_close(wires, sample);
    traffic->block_end = sample + block_samples(traffic);
    hops_forget(&traffic->hops, (double)sample - memory_seconds * wires->rate);
}

void wire_traffic_edge(struct wire_traffic *traffic, unsigned index, uint64_t sample, bool level)
{
    struct wire *wire = &traffic->wires.wires[index];
    if (sample >= traffic->block_end)
        close_block(traffic, sample);
    traffic->last = sample;
    if (wire->line) {
        line_decoder_edge(wire->line, sample, level);
        if (line_decoder_is_full(wire->line))
            close_block(traffic, sample);
    } else if (level != wire->level) {
        strobes_event(&traffic->wires, index, sample);
    }
    wire->level = level;
}

void wire_traffic_end(struct wire_traffic *traffic, uint64_t sample)
{
    close_block(traffic, sample);
    strobes_end(&traffic->wires);
    traffic->last = sample;
    hops_forget(&traffic->hops, INFINITY);
}
