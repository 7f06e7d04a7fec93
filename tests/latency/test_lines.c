/* Lines, packets and what is said of broken captures: made captures whose truth is known (line_capture.h).
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "made_testbed.h"

#include <math.h>
#include <string.h>

enum { PACKETS = 200, SEQUENCE = 1000 };

static const double rate = 24e6, bit_rate = 3e6, tolerance = 100, hop = 50 / 3e6, jitter_free = 0;

/* A row of boards with a clock of its own each, and packets that pass all of its lines. */
struct row {
    struct made_testbed made;
    struct line_capture capture;
    struct wire_traffic traffic;
    struct analysis analysis;
    double sum[MADE_BOARDS]; /* of true latencies from the first line to this one */
    double end;
};

static void begin(struct row *row, unsigned boards, const double *ppm)
{
    make_testbed(&row->made, boards, boards - 1);
    line_capture_begin(&row->capture, 7);
    for (unsigned i = 0; i + 1 < boards; i++)
        line_capture_add(&row->capture, (struct true_clock){bit_rate, ppm ? ppm[i] : 10 * i, i * 1e-7 + 2e-8}, i, 0);
    memset(row->sum, 0, sizeof row->sum);
    row->end = 0;
}

/* Packets from the first board to ends by turns: the last one, or the one before it. */
static void send_packets(struct row *row, unsigned packets, bool by_turns)
{
    unsigned lines = row->capture.line_count;
    for (unsigned k = 0; k < packets; k++) {
        struct made_packet packet = {.target = k, .source = 1, .sequence = SEQUENCE + k, .data_words = 4};
        unsigned way = by_turns && k % 2 ? lines - 1 : lines;
        double first = 0, sent = row->end + 100e-6;
        for (unsigned i = 0; i < way; i++) {
            sent = line_capture_send(&row->capture, i, i ? sent + hop : sent, &packet);
            first = i ? first : sent;
            row->sum[i] += sent - first;
        }
        row->end = sent;
    }
}

static void finish(struct row *row, double samples_a_second)
{
    struct analyser_model analyser = {samples_a_second, -30, jitter_free};
    line_capture_sample(&row->capture, &analyser, row->end + 1e-3);
}

static void look(struct row *row)
{
    replay(&row->capture, &row->made.testbed, rate, tolerance, &row->traffic, &row->analysis);
}

static void end(struct row *row)
{
    analysis_free(&row->analysis);
    wire_traffic_free(&row->traffic);
    line_capture_free(&row->capture);
}

static bool contains(const struct figure *figure, double truth)
{
    return figure->low <= truth && truth <= figure->high;
}

static void clean(void)
{
    struct row row;
    begin(&row, 4, NULL);
    send_packets(&row, PACKETS, false);
    finish(&row, rate);
    look(&row);
    const struct analysis *analysis = &row.analysis;
    check(analysis->notes.count == 0, "no notes, but '%s'", analysis->notes.texts[0]);
    check(analysis->hop_count == 2 && analysis->way_count == 1, "2 hops and 1 way: %zu, %zu", analysis->hop_count,
          analysis->way_count);
    for (size_t i = 0; i < analysis->hop_count; i++)
        check(analysis->hops[i].figures.count == PACKETS &&
                  contains(&analysis->hops[i].figures.mean, (row.sum[i + 1] - row.sum[i]) / PACKETS),
              "all packets at hop %zu: %zu, and their mean", i, analysis->hops[i].figures.count);
    const struct latency_row *way = &analysis->ways[0];
    check(way->pair->from == 0 && way->pair->to == 2 && way->pair->hops == 2,
          "the way from the first line to the last");
    check(contains(&way->figures.mean, row.sum[2] / PACKETS), "the mean way: %g not in %g..%g", row.sum[2] / PACKETS,
          way->figures.mean.low, way->figures.mean.high);
    const struct latency_fit *fit = &analysis->fit;
    double second = (row.sum[2] - row.sum[1]) / PACKETS;
    check(fit->valid && contains(&fit->slope, second) && contains(&fit->intercept, row.sum[1] / PACKETS - second),
          "one number of hops: slope %g in %g..%g, and intercept", second, fit->slope.low, fit->slope.high);
    check(isinf(way->figures.p99.high) && !isinf(way->figures.p99.low), "%d readings leave p99 open above", PACKETS);
    check(analysis->clock_count == 3, "three clocks");
    for (size_t i = 0; i < analysis->clock_count; i++)
        check(fabs(analysis->clocks[i].offset.value - (10.0 * (double)i + 30)) <= analysis->clocks[i].offset.error,
              "clock %zu: %g +- %g", i, analysis->clocks[i].offset.value, analysis->clocks[i].offset.error);
    check(analysis->slowest <= -30 && analysis->fastest >= -30 && analysis->fastest < 55, "the analyser: %g to %g ppm",
          analysis->slowest, analysis->fastest);
    end(&row);
}

static void fit(void)
{
    struct row row;
    begin(&row, 5, NULL);
    send_packets(&row, PACKETS, true);
    finish(&row, rate);
    look(&row);
    const struct latency_fit *fit = &row.analysis.fit;
    double near = row.sum[2] / PACKETS, far = row.sum[3] / (PACKETS / 2), slope; /* line 3 has every second packet */
    slope = far - near;
    check(fit->valid && fit->least == 2 && fit->most == 3 && fit->count == PACKETS, "2 and 3 hops, %zu ways",
          fit->count);
    check(contains(&fit->slope, slope), "slope %g in %g..%g", slope, fit->slope.low, fit->slope.high);
    check(fit->slope.high - fit->slope.low < 1e-6, "slope within a microsecond");
    check(contains(&fit->intercept, near - 2 * slope), "intercept %g in %g..%g", near - 2 * slope, fit->intercept.low,
          fit->intercept.high);
    end(&row);
}

/* The same packet twice on the first line, the second time at `again`, and once on the second line, so long behind
 * that. */
static void look_at_copies(struct row *row, double again, double behind)
{
    struct made_packet packet = {.source = 1, .sequence = 5, .data_words = 3};
    begin(row, 3, NULL);
    for (unsigned i = 0; i < 20; i++) {
        packet.sequence++;
        line_capture_send(&row->capture, 0, row->end + 1e-4, &packet);
        double second = line_capture_send(&row->capture, 0, row->end + again, &packet);
        row->end = line_capture_send(&row->capture, 1, second + behind, &packet);
    }
    finish(row, rate);
    look(row);
}

/* The later copy is the one that went on. */
static void sent_again(void)
{
    struct row row;
    look_at_copies(&row, 1e-3, hop);
    check(row.analysis.hop_count == 1 && row.analysis.hops[0].figures.count == 20, "20 readings");
    check(row.analysis.hops[0].figures.max.high < 20e-6, "from the later copy: %g",
          row.analysis.hops[0].figures.max.high);
    end(&row);
}

static void aborted(void)
{
    struct row row;
    struct made_packet packet = {.source = 1, .sequence = 5, .data_words = 3, .aborted = true};
    begin(&row, 3, NULL);
    for (unsigned i = 0; i < 20; i++)
        row.end = line_capture_send(&row.capture, 0, row.end + 1e-4, &packet);
    finish(&row, rate);
    look(&row);
    check(row.traffic.wires.wires[0].line->counts.aborted == 20 && row.traffic.hops.sighting_count == 0,
          "aborted packets are none");
    end(&row);
}

static void mid_packet(void)
{
    struct row row;
    begin(&row, 3, NULL);
    send_packets(&row, PACKETS, false);
    finish(&row, rate);
    size_t lost = 0;
    uint64_t first = 0, packets = 0;
    while (packets < 150) /* edges: behind the start of the first packet, which begins at 100 us */
        packets += row.capture.edges[lost++].sample > (uint64_t)(100e-6 * rate);
    first = row.capture.edges[lost].sample;
    memmove(row.capture.edges, row.capture.edges + lost, (row.capture.edge_count - lost) * sizeof *row.capture.edges);
    row.capture.edge_count -= lost;
    for (size_t i = 0; i < row.capture.edge_count; i++)
        row.capture.edges[i].sample -= first;
    row.capture.samples -= first;
    look(&row);
    expect_note(&row.analysis, "whose beginning is missing or damaged");
    check(row.analysis.hops[0].figures.count >= PACKETS - 3, "all packets but the first: %zu",
          row.analysis.hops[0].figures.count);
    end(&row);
}

/* A capture that begins near the end of a pulse: how long that was is not known, and a pulse behind it is a glitch. */
static void mid_pulse(void)
{
    static struct line_decoder decoder;
    line_decoder_begin(&decoder, 8, true, NULL, NULL);
    line_decoder_edge(&decoder, 1, false);
    check(decoder.counts.edges == 1 && decoder.counts.glitches == 0, "the rest of a pulse is no glitch");
    line_decoder_edge(&decoder, 20, true);
    line_decoder_edge(&decoder, 21, false);
    check(decoder.counts.glitches == 1, "a whole one as short is");
}

/* Each 50th pulse is stretched, shortened, or has a glitch behind it. */
static void damage(void)
{
    struct row row;
    begin(&row, 3, NULL);
    send_packets(&row, PACKETS, false);
    finish(&row, rate);
    for (size_t i = 1000; i + 1 < row.capture.edge_count; i += 501)
        if (row.capture.edges[i + 1].sample > row.capture.edges[i].sample + 8)
            row.capture.edges[i].sample += 7;
    look(&row);
    expect_note(&row.analysis, "frames are damaged");
    check(row.analysis.notes.mute == 0 && row.analysis.hops[0].figures.count > PACKETS / 2, "most packets remain");
    check(row.analysis.hops[0].figures.max.high < 18e-6 && row.analysis.hops[0].figures.min.low > 16e-6,
          "no wrong reading: %g to %g", row.analysis.hops[0].figures.min.low, row.analysis.hops[0].figures.max.high);
    end(&row);
}

static void glitches(void)
{
    struct row row;
    begin(&row, 3, NULL);
    send_packets(&row, PACKETS, false);
    finish(&row, rate);
    struct made_edge *all = calloc(row.capture.edge_count + 200, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < row.capture.edge_count; i++) {
        const struct made_edge *edge = &row.capture.edges[i];
        all[count++] = *edge;
        if (i % 997 == 0 && !edge->level && i + 1 < row.capture.edge_count &&
            row.capture.edges[i + 1].sample > edge->sample + 4) {
            all[count++] = (struct made_edge){edge->sample + 2, edge->line, true};
            all[count++] = (struct made_edge){edge->sample + 3, edge->line, false};
        }
    }
    free(row.capture.edges);
    row.capture.edges = all;
    row.capture.edge_count = count;
    look(&row);
    expect_note(&row.analysis, "too short for a bit");
    check(row.analysis.hops[0].figures.max.high < 18e-6, "no wrong reading");
    check(row.analysis.hops[0].figures.count > PACKETS / 2, "most packets remain");
    end(&row);
}

static void wrong_rate(void)
{
    struct row row;
    begin(&row, 3, NULL);
    send_packets(&row, PACKETS, false);
    finish(&row, 36e6); /* the file says 24 MS/s */
    look(&row);
    check(row.analysis.notes.mute == 2 && row.analysis.hop_count == 0, "no frames");
    expect_note(&row.analysis, "the capture looks like 36 MS/s, or the link like 2 Mbit/s");
    end(&row);
}

static void too_slow(void)
{
    struct made_testbed made;
    struct wire_traffic traffic;
    char error[200];
    make_testbed(&made, 3, 2);
    check(wire_traffic_begin(&traffic, &made.testbed, 5e6, error, sizeof error) == -1 &&
              strstr(error, "too slow for a.east"),
          "5 MS/s are refused: %s", error);
}

static void swapped(void)
{
    struct row row;
    begin(&row, 3, NULL);
    send_packets(&row, PACKETS, false);
    finish(&row, rate);
    for (size_t i = 0; i < row.capture.edge_count; i++)
        row.capture.edges[i].line ^= 1;
    look(&row);
    expect_note(&row.analysis, "channel D0 shows b.east, expected a.east: the two channels are swapped");
    expect_note(&row.analysis, "channel D1 shows a.east, expected b.east");
    end(&row);
}

static void wrong_pin(void)
{
    struct row row;
    begin(&row, 3, NULL);
    row.capture.lines[1].port = 3;
    send_packets(&row, PACKETS, false);
    finish(&row, rate);
    look(&row);
    expect_note(&row.analysis, "channel D1 shows the link south of site 1, expected b.east");
    end(&row);
}

static void missing(void)
{
    struct row row;
    char error[200];
    begin(&row, 3, NULL);
    send_packets(&row, PACKETS, false);
    finish(&row, rate);
    wire_traffic_begin(&row.traffic, &row.made.testbed, rate, error, sizeof error);
    wires_level(&row.traffic.wires, 0, false);
    for (size_t i = 0; i < row.capture.edge_count; i++)
        if (row.capture.edges[i].line == 0)
            wire_traffic_edge(&row.traffic, 0, row.capture.edges[i].sample, row.capture.edges[i].level);
    wire_traffic_end(&row.traffic, row.capture.samples);
    analyse(&row.analysis, &row.traffic, tolerance);
    expect_note(&row.analysis, "the capture has no channel D1, which shows b.east");
    end(&row);
}

static void quiet_line(void)
{
    struct row row;
    begin(&row, 3, NULL);
    send_packets(&row, PACKETS, false);
    finish(&row, rate);
    for (size_t i = 0; i < row.capture.edge_count; i++)
        row.capture.edges[i].line = 0;
    row.capture.edge_count = 100;
    look(&row);
    expect_note(&row.analysis, "channel D1 (b.east) never changes");
    end(&row);
}

static void slow_clock(void)
{
    static const double ppm[] = {0, 200, 0, 0};
    struct row row;
    begin(&row, 5, ppm);
    send_packets(&row, PACKETS, false);
    finish(&row, rate);
    look(&row);
    expect_note(&row.analysis, "b: its clock is +200 ppm from the median of the others");
    check(row.analysis.hops[0].figures.count == PACKETS, "and all packets are found");
    check(!says(&row.analysis, "c: its clock"), "the others are not blamed");
    end(&row);
}

/* The head of a unicast that went straight on by mistake has a check byte of its own, and is no damage. */
static void dead_heads(void)
{
    struct row row;
    struct made_packet packet = {.target = 3, .dead = true};
    begin(&row, 3, NULL);
    for (unsigned i = 0; i < 20; i++) {
        row.end = line_capture_send(&row.capture, 0, row.end + 1e-4, &packet);
        send_packets(&row, 1, false);
    }
    finish(&row, rate);
    look(&row);
    const struct line_counts *counts = &row.traffic.wires.wires[0].line->counts;
    check(counts->dead == 20 && counts->damaged == 0 && counts->packets == 20, "20 dead heads, no damage: %llu, %llu",
          (unsigned long long)counts->dead, (unsigned long long)counts->damaged);
    end(&row);
}

static void locked(void)
{
    static const double ppm[] = {-30, -30};
    struct row row;
    begin(&row, 3, ppm);
    send_packets(&row, PACKETS, false);
    finish(&row, rate);
    look(&row);
    check(row.analysis.clocks[0].locked && row.analysis.clocks[1].locked, "the clocks are the analyser's");
    check(row.analysis.hops[0].resolution_limited, "the sample period decides");
    const struct figure *min = &row.analysis.hops[0].figures.min;
    check(min->high - min->low > 1.9 / rate && min->high - min->low < 2.4 / rate, "two samples wide: %g",
          (min->high - min->low) * rate);
    end(&row);
}

/* Clocks far off are measured, and the figures hold; every board has its line. */
static void far_clock(void)
{
    static const double offsets[] = {-9000, -3000, 1500, 5000, 9000};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        double ppm[] = {0, offsets[i], 0, 0};
        struct row row;
        begin(&row, 5, ppm);
        send_packets(&row, PACKETS, false);
        finish(&row, rate);
        look(&row);
        const struct clock_row *clock = &row.analysis.clocks[1];
        check(row.analysis.clock_count == 4 && row.analysis.unmeasured_count == 0, "four clocks");
        check(fabs(clock->offset.value - offsets[i] - 30) <= clock->offset.error + 0.5, "b: %g within %g, truth %g",
              clock->offset.value, clock->offset.error, offsets[i] + 30);
        check(clock->jitter < 0.2 / rate, "no jitter, but %g ns", clock->jitter * 1e9);
        const struct figures *figures = &row.analysis.hops[0].figures;
        check(figures->count >= PACKETS - 4, "%+g ppm: %zu packets", offsets[i], figures->count);
        if (figures->count == PACKETS)
            check(contains(&figures->mean, row.sum[1] / PACKETS), "the mean of a to b");
        end(&row);
    }
}

static void unmeasured(void)
{
    struct row row;
    begin(&row, 3, NULL);
    send_packets(&row, 2, false);
    row.capture.lines[1].next = (uint64_t)(row.end * bit_rate); /* silent from here on */
    struct analyser_model analyser = {rate, 0, jitter_free};
    line_capture_sample(&row.capture, &analyser, row.end + 1e-4);
    look(&row);
    check(row.analysis.clock_count == 0 && row.analysis.unmeasured_count == 2,
          "no clock is measured in %g ms: %zu, %zu", row.end * 1e3, row.analysis.clock_count,
          row.analysis.unmeasured_count);
    end(&row);
}

/* An edge of line 1 is seen earlier: it was recorded by another analyser. */
static void move_line(struct row *row, uint64_t earlier)
{
    struct line_capture *capture = &row->capture;
    for (size_t i = 0; i < capture->edge_count; i++)
        if (capture->edges[i].line == 1)
            capture->edges[i].sample -= capture->edges[i].sample < earlier ? capture->edges[i].sample : earlier;
    for (size_t i = 1; i < capture->edge_count; i++) /* back in order */
        for (size_t at = i; at > 0 && capture->edges[at - 1].sample > capture->edges[at].sample; at--) {
            struct made_edge edge = capture->edges[at];
            capture->edges[at] = capture->edges[at - 1];
            capture->edges[at - 1] = edge;
        }
}

static void short_hops(void)
{
    struct row row;
    begin(&row, 3, NULL);
    for (unsigned k = 0; k < PACKETS; k++) {
        struct made_packet packet = {.target = k, .source = 1, .sequence = k, .data_words = 4};
        double sent = line_capture_send(&row.capture, 0, row.end + 100e-6, &packet);
        row.end = line_capture_send(&row.capture, 1, sent + (k % 2 ? hop : 2 * hop), &packet);
    }
    finish(&row, rate);
    move_line(&row, 240); /* 10 us of 17, or of 33 */
    look(&row);
    check(row.analysis.notes.contradictory && row.analysis.hop_count == 0 && row.analysis.way_count == 0, "no figures");
    expect_note(&row.analysis, "packets left b.east sooner behind a.east than a frame takes");
    end(&row);
}

/* Boards with eager links say so in their status frames, and need no whole frame. */
static void eager_hops(void)
{
    struct row row;
    struct made_packet packet = {.source = 1, .data_words = 4};
    begin(&row, 3, NULL);
    row.capture.lines[1].site |= 0x8000;
    for (unsigned k = 0; k < PACKETS; k++) {
        packet.sequence = k;
        double sent = line_capture_send(&row.capture, 0, row.end + 1e-4, &packet);
        row.end = line_capture_send(&row.capture, 1, sent + 2 / bit_rate, &packet);
    }
    finish(&row, rate);
    look(&row);
    check(!row.analysis.notes.contradictory && row.analysis.hop_count == 1 &&
              row.analysis.hops[0].figures.max.high < 4 / bit_rate,
          "hops of two bits");
    expect_note(&row.analysis, "(b.east): its links are eager, those of type");
    end(&row);
}

/* Frames of eager links begin at any clock of theirs, a quarter of a bit apart: that is no jitter, also with so few
 * samples a bit that a quarter is hardly seen. */
static void eager_phases(void)
{
    struct row row;
    begin(&row, 4, NULL);
    for (unsigned line = 0; line < 3; line++) {
        row.capture.lines[line].site |= 0x8000;
        row.made.testbed.boards[line].eager_links = true;
    }
    send_packets(&row, PACKETS, false);
    finish(&row, rate);
    look(&row);
    check(row.analysis.notes.count == 0, "no notes, but '%s'", row.analysis.notes.texts[0]);
    check(row.analysis.hop_count == 2, "2 hops: %zu", row.analysis.hop_count);
    for (size_t i = 0; i < row.analysis.hop_count; i++) {
        const struct figure *mean = &row.analysis.hops[i].figures.mean;
        double truth = (row.sum[i + 1] - row.sum[i]) / PACKETS;
        check(contains(mean, truth) && mean->high - mean->low < 6 / rate,
              "the mean of hop %zu: %g in %g..%g, less than 6 samples wide", i, truth, mean->low, mean->high);
    }
    end(&row);
}

/* The first copy leaves the next board just behind the second one's arrival there: it goes with the first. */
static void late_copy(void)
{
    struct row row;
    look_at_copies(&row, 3e-4, 5 / bit_rate);
    check(!row.analysis.notes.contradictory && row.analysis.hop_count == 1 &&
              row.analysis.hops[0].figures.min.low > 150e-6,
          "from the first copy");
    end(&row);
}

/* Samples that are lost while a packet is on its way: its readings are left out. */
static void lost_bits(void)
{
    struct row row;
    unsigned lost = 0;
    begin(&row, 4, NULL);
    send_packets(&row, PACKETS, false);
    finish(&row, rate);
    struct line_capture *capture = &row.capture;
    for (size_t i = capture->edge_count / 3; i + 1 < capture->edge_count && lost < 10; i++)
        if (capture->edges[i + 1].sample > capture->edges[i].sample + 12) { /* no edge for more than a bit */
            for (size_t k = i + 1; k < capture->edge_count; k++)
                capture->edges[k].sample -= 8;
            capture->samples -= 8;
            lost++;
            i += 3001;
        }
    look(&row);
    expect_note(&row.analysis, "frames left their places");
    check(row.traffic.wires.pairs.jumps.count > 0 && lost == 10, "%llu jumps, %u pieces",
          (unsigned long long)row.traffic.wires.pairs.jumps.count, lost);
    for (size_t i = 0; i < row.analysis.hop_count; i++) {
        const struct figures *figures = &row.analysis.hops[i].figures;
        check(figures->min.low > hop - 1 / rate && figures->max.high < hop + 1 / bit_rate + 3 / rate,
              "hop %zu: %g to %g us of %g and a bit", i, figures->min.low * 1e6, figures->max.high * 1e6, hop * 1e6);
    }
    end(&row);
}

/* Packets whose latency grows: the boards' clocks pass each other too fast for it. */
static void trend(void)
{
    struct row row;
    begin(&row, 3, NULL);
    for (unsigned k = 0; k < PACKETS; k++) {
        struct made_packet packet = {.target = k, .source = 1, .sequence = k, .data_words = 4};
        double sent = line_capture_send(&row.capture, 0, row.end + 100e-6, &packet);
        row.end = line_capture_send(&row.capture, 1, sent + hop + k * 50e-9, &packet);
    }
    finish(&row, rate);
    look(&row);
    expect_note(&row.analysis, "the latency from a.east to b.east changes by");
    end(&row);
}

/* Two lines of one board, of which one was recorded by another analyser. */
static void two_clocks(void)
{
    static const double ppm[] = {10, 60};
    struct row row;
    begin(&row, 3, ppm);
    row.made.testbed.channels[1].board = 0;
    row.made.testbed.channels[1].link = 2;
    row.capture.lines[1].site = 0;
    row.capture.lines[1].port = 2;
    send_packets(&row, PACKETS, false);
    finish(&row, rate);
    look(&row);
    check(row.analysis.notes.contradictory, "there are no figures");
    expect_note(&row.analysis, "the lines of a show clocks of");
    end(&row);
}

/* The probability that fewer than `rank` of n readings are below a quantile. */
static double chance_below(unsigned n, double share, size_t rank)
{
    double term = pow(1 - share, n), sum = 0;
    for (unsigned k = 0; k < rank; k++) {
        sum += term;
        term *= (double)(n - k) / (k + 1) * share / (1 - share);
    }
    return sum;
}

/* The ranks are as near as 0.15 % on each side allow. */
static void ranks(void)
{
    static const unsigned counts[] = {5, 40, 100, 150};
    static const double shares[] = {0.5, 0.9};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < 2; k++) {
            size_t low, high, n = counts[i];
            readings_ranks(n, shares[k], &low, &high);
            check(chance_below(counts[i], shares[k], low) <= 0.0015 &&
                      chance_below(counts[i], shares[k], low + 1) > 0.0015,
                  "%zu readings, quantile %g: rank %zu", n, shares[k], low);
            check(high == n + 1 || 1 - chance_below(counts[i], shares[k], high) <= 0.0015, "rank %zu above", high);
            check(1 - chance_below(counts[i], shares[k], high - 1) > 0.0015, "rank %zu above is the nearest", high);
        }
}

int main(void)
{
    RUN(ranks);
    RUN(clean);
    RUN(fit);
    RUN(sent_again);
    RUN(aborted);
    RUN(mid_packet);
    RUN(mid_pulse);
    RUN(damage);
    RUN(glitches);
    RUN(wrong_rate);
    RUN(too_slow);
    RUN(swapped);
    RUN(wrong_pin);
    RUN(missing);
    RUN(quiet_line);
    RUN(slow_clock);
    RUN(dead_heads);
    RUN(locked);
    RUN(far_clock);
    RUN(unmeasured);
    RUN(short_hops);
    RUN(eager_hops);
    RUN(eager_phases);
    RUN(late_copy);
    RUN(lost_bits);
    RUN(trend);
    RUN(two_clocks);
    return verdict("lines");
}
