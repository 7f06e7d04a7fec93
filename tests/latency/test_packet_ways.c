/* The ways of packets in made captures (line_capture.h) of a row of boards: gaps, packets that are sent again, aborted
 * or lost.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "latency/packet_ways.h"
#include "made_testbed.h"
#include "wire/header.h"

#include <math.h>
#include <string.h>

enum { BOARDS = 5, LINES = BOARDS - 1, SOURCE = 0, TARGET = BOARDS - 1, SEQUENCE = 7 };

static const double rate = 24e6, bit_rate = 3e6, hop = 60 / 3e6, pause_time = 300e-6;

/* A capture of a row, of which some lines have no channel. */
struct row {
    struct made_testbed made;
    struct line_capture capture;
    struct wire_traffic traffic;
    struct packet_ways ways;
    double end;
};

static const struct made_packet plain = {.target = TARGET, .source = SOURCE, .sequence = SEQUENCE, .data_words = 4};

static void begin(struct row *row)
{
    static const char mesh[] = "[mesh]\nfabric = cutthrough\ntopology = grid\nsize = 5x1\n[links]\nboard = yes\n"
                               "[buffers]\nmax_packet = 56\n";
    char error[300];
    make_testbed(&row->made, BOARDS, LINES);
    row->made.testbed.has_mesh = true;
    CHECK(mesh_config_parse("made.mesh", mesh, strlen(mesh), &row->made.testbed.mesh, error, sizeof error) == 0);
    line_capture_begin(&row->capture, 3);
    for (unsigned i = 0; i < LINES; i++)
        line_capture_add(&row->capture, (struct true_clock){bit_rate, 10 * i, i * 1e-7 + 2e-8}, i, 0);
    row->end = 0;
}

/* A packet over the lines from `first` to `last`; times[], unless NULL, are when it began on each. */
static void send_over(struct row *row, const struct made_packet *packet, unsigned first, unsigned last, double *times)
{
    double sent = row->end + pause_time;
    for (unsigned i = first; i <= last; i++) {
        sent = line_capture_send(&row->capture, i, i > first ? sent + hop : sent, packet);
        if (times)
            times[i] = sent;
    }
    row->end = sent;
}

/* channels: a bit for each line that the capture shows. */
static void look(struct row *row, unsigned channels)
{
    struct analyser_model analyser = {rate, 0, 0};
    char error[300];
    line_capture_sample(&row->capture, &analyser, row->end + 1e-3);
    CHECK(packet_ways_begin(&row->ways, &row->made.testbed, SOURCE, TARGET, error, sizeof error) == 0);
    struct wires_watch watch = packet_ways_watch(&row->ways);
    CHECK(wire_traffic_begin(&row->traffic, &row->made.testbed, rate, error, sizeof error) == 0);
    row->traffic.watch = &watch;
    watch.begin(watch.context, &row->traffic.wires);
    for (unsigned i = 0; i < LINES; i++)
        if (channels >> i & 1)
            wires_level(&row->traffic.wires, i, false);
    for (size_t i = 0; i < row->capture.edge_count; i++) {
        const struct made_edge *edge = &row->capture.edges[i];
        if (channels >> edge->line & 1)
            wire_traffic_edge(&row->traffic, edge->line, edge->sample, edge->level);
    }
    wire_traffic_end(&row->traffic, row->capture.samples);
    packet_ways_end(&row->ways);
}

static void end(struct row *row)
{
    packet_ways_free(&row->ways);
    wire_traffic_free(&row->traffic);
    line_capture_free(&row->capture);
}

/* The way has all lines of the row, and was seen on these and on no others. */
static void expect_way(const struct row *row, size_t index, unsigned attempt, unsigned seen, unsigned aborted)
{
    struct way_leg *legs;
    const struct packet_way *way = &row->ways.ways[index];
    check(index < row->ways.way_count, "way %zu of %zu", index, row->ways.way_count);
    if (index >= row->ways.way_count)
        return;
    size_t count = packet_ways_legs(&row->ways, way, &legs);
    check(way->attempt == attempt, "way %zu is attempt %u: %u", index, attempt, way->attempt);
    check(count == LINES, "way %zu has %d lines: %zu", index, LINES, count);
    for (size_t i = 0; i < count; i++) {
        check(legs[i].board == i && legs[i].link == 0 && legs[i].reader == (int)i + 1, "line %zu is in its place", i);
        check((legs[i].passage != NULL) == (seen >> i & 1), "way %zu, line %zu: seen?", index, i);
        check(!legs[i].passage || legs[i].passage->aborted == (aborted >> i & 1), "way %zu, line %zu: aborted?", index,
              i);
    }
    free(legs);
}

static void whole(void)
{
    struct row row;
    double times[LINES];
    struct made_packet other = plain;
    begin(&row);
    send_over(&row, &plain, 0, LINES - 1, times);
    other.target = TARGET - 1;
    send_over(&row, &other, 0, LINES - 2, NULL);
    other = plain;
    other.source = 1;
    send_over(&row, &other, 1, LINES - 1, NULL);
    look(&row, 0xf);
    check(row.ways.way_count == 1, "packets of other sites are none: %zu", row.ways.way_count);
    expect_way(&row, 0, 1, 0xf, 0);
    if (row.ways.way_count == 0)
        exit(verdict("packet ways"));
    struct way_leg *legs;
    size_t count = packet_ways_legs(&row.ways, &row.ways.ways[0], &legs);
    for (size_t i = 0; i < count; i++) {
        const struct uncertain *began = &legs[i].passage->began;
        check(fabs(began->value - times[i] * rate) <= began->error && began->error < 1.2,
              "line %zu: %g +- %g, truth %g", i, began->value, began->error, times[i] * rate);
        check(legs[i].passage->words == plain.data_words && !row.ways.ways[0].control, "line %zu: data words", i);
    }
    check(row.ways.ways[0].sequence == SEQUENCE, "its sequence number: %u", row.ways.ways[0].sequence);
    free(legs);
    end(&row);
}

/* Each set of channels: gaps at the beginning, within, at the end. */
static void gaps(void)
{
    for (unsigned channels = 1; channels < 1 << LINES; channels++) {
        struct row row;
        begin(&row);
        send_over(&row, &plain, 0, LINES - 1, NULL);
        look(&row, channels);
        check(row.ways.way_count == 1, "channels %#x: one way: %zu", channels, row.ways.way_count);
        expect_way(&row, 0, 1, channels, 0);
        end(&row);
    }
}

/* The packet is lost behind its second line, sent again, and arrives. */
static void sent_again(void)
{
    static const unsigned all[] = {0xf, 0xe, 0xb}; /* channels */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct row row;
        begin(&row);
        send_over(&row, &plain, 0, 1, NULL);
        send_over(&row, &plain, 0, LINES - 1, NULL);
        look(&row, all[i]);
        check(row.ways.way_count == 2, "channels %#x: two ways: %zu", all[i], row.ways.way_count);
        expect_way(&row, 0, 1, all[i] & 3, 0);
        expect_way(&row, 1, 2, all[i], 0);
        end(&row);
    }
}

/* Of the first try only the second line was seen: what leaves the source's board is another try all the same. */
static void begins_anew(void)
{
    struct row row;
    begin(&row);
    send_over(&row, &plain, 1, 1, NULL);
    send_over(&row, &plain, 0, 0, NULL);
    look(&row, 0xf);
    check(row.ways.way_count == 2, "two ways: %zu", row.ways.way_count);
    expect_way(&row, 0, 1, 2, 0);
    expect_way(&row, 1, 2, 1, 0);
    end(&row);
}

static void aborted(void)
{
    struct row row;
    struct made_packet cut = plain;
    cut.aborted = true;
    begin(&row);
    send_over(&row, &plain, 0, 0, NULL);
    cut.data_words = 3;
    row.end += hop - pause_time;
    send_over(&row, &cut, 1, LINES - 1, NULL);
    look(&row, 0xf);
    check(row.ways.way_count == 1, "aborted on its way: one way: %zu", row.ways.way_count);
    expect_way(&row, 0, 1, 0xf, 0xe);
    end(&row);
}

/* Sequence numbers come again: after a second that is another packet. */
static void later(void)
{
    struct row row;
    begin(&row);
    send_over(&row, &plain, 0, 1, NULL);
    row.end += 1.2;
    send_over(&row, &plain, 2, LINES - 1, NULL);
    look(&row, 0xf);
    check(row.ways.way_count == 2, "a second apart: two packets: %zu", row.ways.way_count);
    expect_way(&row, 0, 1, 3, 0);
    expect_way(&row, 1, 1, 0xc, 0);
    end(&row);
}

/* Control packets are told apart by their data. */
static void control(void)
{
    struct row row;
    struct made_packet packet = plain;
    packet.source = SOURCE | pr_header_kind_bit(16);
    begin(&row);
    send_over(&row, &packet, 0, LINES - 1, NULL);
    packet.data_words++;
    send_over(&row, &packet, 0, LINES - 1, NULL);
    look(&row, 0xf);
    check(row.ways.way_count == 2 && row.ways.ways[0].control, "two control packets: %zu", row.ways.way_count);
    expect_way(&row, 0, 1, 0xf, 0);
    expect_way(&row, 1, 1, 0xf, 0);
    end(&row);
}

/* A gap leads over cables without a channel, even where that is longer: the packet was not on the line that was looked
 * at. */
static void detour(void)
{
    struct row row;
    struct way_leg *legs;
    begin(&row);
    struct testbed *testbed = &row.made.testbed;
    row.made.cables[testbed->cable_count++] = (struct testbed_cable){.ends = {{0, 2}, {2, 3}}}; /* a.north to c.south */
    row.made.cables[testbed->cable_count++] = (struct testbed_cable){.ends = {{2, 2}, {1, 3}}}; /* c.north to b.south */
    send_over(&row, &plain, 1, LINES - 1, NULL);
    look(&row, 0xf);
    size_t count = packet_ways_legs(&row.ways, &row.ways.ways[0], &legs);
    check(row.ways.way_count == 1 && count == LINES + 1, "one line more than the row has: %zu", count);
    check(count > 1 && legs[0].link == 2 && !legs[0].wire && legs[1].board == 2 && !legs[1].wire,
          "a.north, c.north: neither has a channel");
    free(legs);
    end(&row);
}

static void refused(void)
{
    struct row row;
    char error[300];
    begin(&row);
    check(packet_ways_begin(&row.ways, &row.made.testbed, 2, 2, error, sizeof error) == -1 &&
              strstr(error, "both on board c"),
          "one board: %s", error);
    row.made.testbed.board_count--;
    check(packet_ways_begin(&row.ways, &row.made.testbed, 0, TARGET, error, sizeof error) == -1 &&
              strstr(error, "no board has site 4"),
          "no board: %s", error);
    row.made.testbed.has_mesh = false;
    check(packet_ways_begin(&row.ways, &row.made.testbed, 0, 1, error, sizeof error) == -1 && strstr(error, "no sites"),
          "no mesh: %s", error);
    line_capture_free(&row.capture);
}

int main(void)
{
    RUN(whole);
    RUN(gaps);
    RUN(sent_again);
    RUN(begins_anew);
    RUN(aborted);
    RUN(later);
    RUN(control);
    RUN(detour);
    RUN(refused);
    return verdict("packet ways");
}
