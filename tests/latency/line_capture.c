/* See line_capture.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "line_capture.h"

#include "protocol.h"
#include "support/or_abort.h"

#include <math.h>
#include <stdlib.h>

enum { PLACE = 36, REPORT_GO = 1, STATUS_GAP = 144, REST = 1000, EAGER_MARK = 0x8000, CLOCKS_A_BIT = 4 };

static double time_of(const struct made_line *line, uint64_t bit)
{
    return line->clock.phase + ((double)bit + line->shift) / (line->clock.bit_rate * (1 + line->clock.ppm * 1e-6));
}

static void change_at(struct made_line *line, double when)
{
    if (line->change_count == line->change_room) {
        line->change_room = line->change_room ? 2 * line->change_room : 1024;
        line->changes = or_abort(realloc(line->changes, line->change_room * sizeof *line->changes));
    }
    line->changes[line->change_count++] = when;
}

static void change(struct made_line *line, uint64_t bit)
{
    change_at(line, time_of(line, bit));
}

/* The CRC bit by bit, as line_crc.v has it. */
static uint16_t crc_of(uint16_t crc, uint32_t value, int bits)
{
    for (int i = bits - 1; i >= 0; i--) {
        bool feeds = (crc >> 15 ^ value >> i) & 1;
        crc = (uint16_t)(crc << 1);
        if (feeds)
            crc ^= 0x0389;
    }
    return crc;
}

static void send_bits(struct made_line *line, uint64_t start, uint32_t bits)
{
    bool level = true;
    change(line, start);
    for (int i = 31; i >= 0; i--) {
        bool next = bits >> i & 1;
        if (next != level)
            change(line, start + 32 - (uint64_t)i);
        level = next;
    }
    if (level)
        change(line, start + 33);
}

static void send_frame(struct made_line *line, uint64_t start, unsigned tag, bool first, unsigned word, unsigned mark)
{
    uint32_t header = tag << 5 | (unsigned)first << 4 | REPORT_GO << 2 | line->port;
    uint16_t crc = crc_of(tag == 0 || first ? 0xffff : line->crc, header, 8);
    if (tag == PR_TAG_END_OF_PACKET || tag == PR_TAG_ABORT_PACKET)
        word = crc;
    crc = crc_of(crc, word, 16);
    if (tag)
        line->crc = crc;
    if (line->site & EAGER_MARK)
        line->shift = (crc % CLOCKS_A_BIT) / (double)CLOCKS_A_BIT;
    send_bits(line, start, header << 24 | word << 8 | (crc >> 8 ^ mark));
    line->next = start + PLACE;
}

static void send_status(struct made_line *line, uint64_t until)
{
    while (line->next + 2 * PLACE + STATUS_GAP <= until) {
        send_frame(line, line->next + STATUS_GAP, 0, false, line->site, 0);
        line->next += PLACE;
    }
}

void line_capture_begin(struct line_capture *capture, uint64_t seed)
{
    *capture = (struct line_capture){0};
    random_seed(&capture->random, seed, 0x6c61);
}

void line_capture_free(struct line_capture *capture)
{
    for (unsigned i = 0; i < capture->line_count; i++)
        free(capture->lines[i].changes);
    free(capture->edges);
    *capture = (struct line_capture){0};
}

unsigned line_capture_add(struct line_capture *capture, struct true_clock clock, unsigned site, unsigned port)
{
    capture->lines[capture->line_count] = (struct made_line){.clock = clock, .site = site, .port = port};
    return capture->line_count++;
}

double line_capture_send(struct line_capture *capture, unsigned index, double earliest,
                         const struct made_packet *packet)
{
    struct made_line *line = &capture->lines[index];
    double bits = (earliest - line->clock.phase) * line->clock.bit_rate * (1 + line->clock.ppm * 1e-6);
    uint64_t start = bits > 0 ? (uint64_t)ceil(bits - 1e-6) : 0, header[] = {packet->source, packet->sequence, 1};
    send_status(line, start);
    if (start < line->next)
        start = line->next;
    send_frame(line, start, packet->multicast ? PR_TAG_MULTICAST_SITE : PR_TAG_UNICAST_SITE, true, packet->target,
               packet->dead ? PR_LINK_DEAD_MARK : 0);
    double began = time_of(line, start);
    if (packet->dead)
        return began;
    for (unsigned i = 0; i < packet->data_words; i++)
        send_frame(line, line->next, PR_TAG_DATA, false,
                   i < 3 ? (unsigned)header[i] : (packet->sequence * 40503u + i * 977u) & 0xffff, 0);
    send_frame(line, line->next, packet->aborted ? PR_TAG_ABORT_PACKET : PR_TAG_END_OF_PACKET, false, 0, 0);
    line->next += PLACE;
    return began;
}

unsigned line_capture_add_pin(struct line_capture *capture)
{
    capture->lines[capture->line_count] = (struct made_line){.pin = true};
    return capture->line_count++;
}

void line_capture_event(struct line_capture *capture, unsigned pin, double when)
{
    change_at(&capture->lines[pin], when);
}

static double gaussian(struct random *random)
{
    return sqrt(-2 * log(1 - random_unit(random))) * cos(2 * 3.14159265358979 * random_unit(random));
}

/* The next change of a line, as it is sampled. Jitter never brings two changes of a line out of order. */
static struct made_edge next_edge(struct line_capture *capture, unsigned index, size_t change, double rate,
                                  double jitter, uint64_t before)
{
    const struct made_line *line = &capture->lines[index];
    double when = line->changes[change] + (jitter > 0 ? jitter * gaussian(&capture->random) : 0);
    uint64_t sample = when > 0 ? (uint64_t)ceil(when * rate) : 0;
    if (change > 0 && sample <= before)
        sample = before + 1;
    return (struct made_edge){sample, index, change % 2 == 0};
}

/* Merges the lines. */
static void sample_lines(struct line_capture *capture, const struct analyser_model *analyser)
{
    double rate = analyser->rate * (1 + analyser->ppm * 1e-6);
    struct made_edge next[LINE_CAPTURE_LINES];
    size_t done[LINE_CAPTURE_LINES] = {0};
    for (unsigned i = 0; i < capture->line_count; i++)
        if (capture->lines[i].change_count > 0)
            next[i] = next_edge(capture, i, 0, rate, analyser->jitter, 0);
    for (;;) {
        unsigned first = LINE_CAPTURE_LINES;
        for (unsigned i = 0; i < capture->line_count; i++)
            if (done[i] < capture->lines[i].change_count &&
                (first == LINE_CAPTURE_LINES || next[i].sample < next[first].sample))
                first = i;
        if (first == LINE_CAPTURE_LINES)
            return;
        capture->edges[capture->edge_count++] = next[first];
        if (++done[first] < capture->lines[first].change_count)
            next[first] = next_edge(capture, first, done[first], rate, analyser->jitter, next[first].sample);
    }
}

void line_capture_sample(struct line_capture *capture, const struct analyser_model *analyser, double end)
{
    size_t changes = 0;
    for (unsigned i = 0; i < capture->line_count; i++) {
        struct made_line *line = &capture->lines[i];
        if (!line->pin)
            send_status(line, (uint64_t)((end - line->clock.phase) * line->clock.bit_rate));
        changes += line->change_count;
    }
    capture->edges = or_abort(malloc((changes + 1) * sizeof *capture->edges));
    sample_lines(capture, analyser);
    capture->samples = (uint64_t)(end * analyser->rate);
    if (capture->edge_count && capture->samples <= capture->edges[capture->edge_count - 1].sample)
        capture->samples = capture->edges[capture->edge_count - 1].sample + REST;
}
