/* Events of probe pins: readings are of the packets that they are said to be of, and none is guessed. Made captures
 * whose truth is known (line_capture.h). Where in its frame a word leaves the fabric is as the simulated bitstream of
 * tests/bitstream/probes shows it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "made_testbed.h"

#include <math.h>
#include <string.h>

enum { PACKETS = 150, DATA = 4, WORDS = DATA + 2, EAST = 0, WEST = 1, PLACE = 36, TRUTHS = 400 };

static const double rate = 24e6, bit_rate = 3e6, tolerance = 100, analyser_ppm = -30;
static const double leaving = 24.3,
                    arriving = 46.2; /* bit times from the start bit to the strobe, and at the operator */

/* Boards a, b, c in a row. A channel is also a line of the capture. */
struct bench {
    struct made_testbed made;
    struct line_capture capture;
    struct wire_traffic traffic;
    struct analysis analysis;
    double end;
};

/* What is true of the latency between two channels. */
struct truth {
    unsigned count;
    double values[TRUTHS]; /* seconds */
};

static struct bench bench;

static void begin(void)
{
    memset(&bench, 0, sizeof bench);
    make_testbed(&bench.made, 3, 0);
    line_capture_begin(&bench.capture, 5);
}

static unsigned add(unsigned board, unsigned link, enum testbed_strobe strobe)
{
    struct testbed *testbed = &bench.made.testbed;
    struct testbed_channel *channel = &testbed->channels[testbed->channel_count];
    *channel = (struct testbed_channel){.board = board, .link = link, .probe = -1, .strobe = strobe};
    snprintf(channel->name, sizeof channel->name, "D%u", testbed->channel_count++);
    if (strobe != TESTBED_LINE)
        return line_capture_add_pin(&bench.capture);
    return line_capture_add(&bench.capture, (struct true_clock){bit_rate, 20 * board, 1.3e-7 * (board + 1)}, board,
                            link);
}

static void sample(void)
{
    struct analyser_model analyser = {rate, analyser_ppm, 0};
    line_capture_sample(&bench.capture, &analyser, bench.end + 2e-3);
}

static void look(void)
{
    replay(&bench.capture, &bench.made.testbed, rate, tolerance, &bench.traffic, &bench.analysis);
}

static void finish(void)
{
    analysis_free(&bench.analysis);
    wire_traffic_free(&bench.traffic);
    line_capture_free(&bench.capture);
}

static double bits(double count)
{
    return count / bit_rate;
}

static double chance(double most)
{
    return most * random_unit(&bench.capture.random);
}

static void note_truth(struct truth *truth, double value)
{
    truth->values[truth->count++] = value;
}

static const struct wire_pair *pair_of(unsigned from, unsigned to)
{
    for (size_t i = 0; i < bench.analysis.strobe_count; i++) {
        const struct wire_pair *pair = bench.analysis.strobes[i].pair;
        if (pair->from == from && pair->to == to)
            return pair;
    }
    return NULL;
}

/* Each reading has a packet's true latency in it. */
static void check_readings(unsigned from, unsigned to, const struct truth *truth, size_t least)
{
    static const struct readings none;
    const struct wire_pair *pair = pair_of(from, to);
    const struct readings *readings = pair ? &pair->readings : &none;
    unsigned wrong = 0;
    check(readings->count >= least && readings->count <= truth->count, "%u -> %u: %zu readings, expected %zu to %u",
          from, to, readings->count, least, truth->count);
    for (size_t i = 0; i < readings->count; i++) {
        bool found = false;
        for (unsigned k = 0; k < truth->count; k++)
            found |= fabs(truth->values[k] * rate * (1 + analyser_ppm * 1e-6) - readings->values[i]) <=
                     (double)readings->errors[i] + 0.01;
        wrong += !found;
    }
    check(wrong == 0, "%u -> %u: %u of %zu readings are of no packet", from, to, wrong, readings->count);
}

/* From a over b to c: the line into b, the line and the pins of b's port east, and the operator of c. Some packets are
 * aborted. */
static void ports(void)
{
    static struct truth to_head, from_before, to_end, turn, ejection, at_operator;
    begin();
    to_head = from_before = to_end = turn = ejection = at_operator = (struct truth){0};
    unsigned first = add(0, EAST, TESTBED_LINE), last = add(1, EAST, TESTBED_LINE), head = add(1, EAST, STROBE_HEAD),
             end = add(1, EAST, STROBE_TERMINATOR), local = add(2, TESTBED_LOCAL, STROBE_HEAD),
             over = add(2, TESTBED_LOCAL, STROBE_TERMINATOR);
    for (unsigned k = 0; k < PACKETS; k++) {
        struct made_packet packet = {
            .target = 2, .source = 1, .sequence = k, .data_words = DATA, .aborted = k % 10 == 9};
        double sent = line_capture_send(&bench.capture, first, bench.end + chance(100e-6), &packet);
        double began = line_capture_send(&bench.capture, last, sent + bits(50 + chance(20)), &packet);
        double left = began + bits(leaving), ended = began + bits(PLACE * (WORDS - 1) + leaving);
        double arrived = began + bits(arriving + chance(30)), done = arrived + bits(PLACE * (WORDS - 1));
        line_capture_event(&bench.capture, head, left);
        line_capture_event(&bench.capture, end, ended);
        line_capture_event(&bench.capture, local, arrived);
        line_capture_event(&bench.capture, over, done);
        bench.end = done;
        note_truth(&turn, ended - left);
        note_truth(&at_operator, done - arrived);
        if (packet.aborted)
            continue;
        note_truth(&to_head, left - began);
        note_truth(&from_before, left - sent);
        note_truth(&to_end, ended - began);
        note_truth(&ejection, arrived - began);
    }
    sample();
    look();
    check_readings(last, head, &to_head, to_head.count);
    check_readings(first, head, &from_before, from_before.count);
    check_readings(last, end, &to_end, to_end.count);
    check_readings(head, end, &turn, PACKETS);
    check_readings(last, local, &ejection, ejection.count);
    check_readings(local, over, &at_operator, PACKETS);
    check(bench.analysis.strobe_count == 6, "6 rows: %zu", bench.analysis.strobe_count);
    check(bench.analysis.notes.count == 0, "no notes, but '%s'", bench.analysis.notes.texts[0]);
    check(bench.traffic.wires.wires[local].strobe->counts.matched == PACKETS &&
              bench.traffic.wires.wires[head].strobe->counts.matched == PACKETS,
          "all are matched");
    finish();
}

/* Pins that show an event too many, or one too few, now and then. */
static void glitches(void)
{
    static struct truth to_head, to_end, turn;
    begin();
    to_head = to_end = turn = (struct truth){0};
    unsigned line = add(0, EAST, TESTBED_LINE), head = add(0, EAST, STROBE_HEAD), end = add(0, EAST, STROBE_TERMINATOR);
    for (unsigned k = 0; k < PACKETS; k++) {
        struct made_packet packet = {.target = 1, .source = 1, .sequence = k, .data_words = DATA};
        double began = line_capture_send(&bench.capture, line, bench.end + chance(100e-6), &packet);
        double left = began + bits(leaving), ended = began + bits(PLACE * (WORDS - 1) + leaving);
        note_truth(&to_head, left - began);
        note_truth(&to_end, ended - began);
        note_truth(&turn, ended - left);
        if (k % 11 != 5)
            line_capture_event(&bench.capture, head, left);
        if (k % 11 != 5 && k % 7 == 3)
            line_capture_event(&bench.capture, head, left + bits(5));
        line_capture_event(&bench.capture, end, ended);
        if (k % 5 == 2)
            line_capture_event(&bench.capture, end, ended + bits(20));
        bench.end = ended + bits(PLACE);
    }
    sample();
    look();
    const struct wire *pins = bench.traffic.wires.wires;
    check(pins[head].strobe->counts.ambiguous > 30 && pins[end].strobe->counts.ambiguous == 60,
          "two events a packet are left out: %llu, %llu", (unsigned long long)pins[head].strobe->counts.ambiguous,
          (unsigned long long)pins[end].strobe->counts.ambiguous);
    check_readings(line, head, &to_head, PACKETS / 2);
    check_readings(line, end, &to_end, 120);
    check_readings(head, end, &turn, PACKETS / 2);
    expect_note(&bench.analysis, "events may each be of several packets");
    expect_note(&bench.analysis, "events do not follow just one head");
    finish();
}

struct delivery {
    unsigned line;
    double began, ended, arrived; /* ended: its terminator is on the line */
    bool here;
};

static int compare_deliveries(const void *left, const void *right)
{
    const struct delivery *a = left, *b = right;
    return (a->began > b->began) - (a->began < b->began);
}

/* Packets on both lines into b: most for b, some for a or c, some multicasts that may be for b. Its operator takes one
 * at a time, and keeps some waiting. */
static unsigned send_crowd(struct delivery deliveries[2 * PACKETS], unsigned east, unsigned west, double gap)
{
    unsigned count = 0;
    for (unsigned side = 0; side < 2; side++) {
        double next = 0;
        for (unsigned k = 0; k < PACKETS; k++) {
            bool multicast = chance(1) < 0.05, elsewhere = chance(1) < 0.2;
            struct made_packet packet = {.target = elsewhere && !multicast ? 2 * !side : 1,
                                         .source = side + 1,
                                         .sequence = k,
                                         .data_words = DATA,
                                         .multicast = multicast};
            unsigned line = side ? west : east;
            double began = line_capture_send(&bench.capture, line, next + chance(gap), &packet);
            double ended = began + bits(PLACE * (WORDS - 1) + leaving);
            deliveries[count++] = (struct delivery){line, began, ended, 0, !elsewhere};
            next = ended + bits(PLACE);
            bench.end = fmax(bench.end, next);
        }
    }
    qsort(deliveries, count, sizeof *deliveries, compare_deliveries);
    return count;
}

static void deliver_crowd(struct delivery *deliveries, unsigned count, unsigned local, double wait)
{
    double free_from = 0;
    for (unsigned i = 0; i < count; i++) {
        struct delivery *delivery = &deliveries[i];
        if (!delivery->here)
            continue;
        delivery->arrived = fmax(delivery->began + bits(arriving), free_from) + chance(bits(10));
        if (chance(1) < 0.1)
            delivery->arrived += chance(wait);
        free_from = fmax(delivery->ended, delivery->arrived) + bits(25);
        line_capture_event(&bench.capture, local, delivery->arrived);
        bench.end = fmax(bench.end, delivery->arrived);
    }
}

/* Each `every`th edge is moved: the frame is damaged. */
static void damage_edges(size_t every)
{
    struct line_capture *capture = &bench.capture;
    for (size_t i = 1000; i + 1 < capture->edge_count; i += every)
        if (capture->edges[i].line < 2 && capture->edges[i + 1].sample > capture->edges[i].sample + 8)
            capture->edges[i].sample += 7;
}

static void crowd(double gap, double wait, size_t damage, size_t least)
{
    static struct delivery deliveries[2 * PACKETS];
    static struct truth truths[2];
    begin();
    unsigned east = add(0, EAST, TESTBED_LINE), west = add(2, WEST, TESTBED_LINE),
             local = add(1, TESTBED_LOCAL, STROBE_HEAD);
    unsigned count = send_crowd(deliveries, east, west, gap), here = 0;
    deliver_crowd(deliveries, count, local, wait);
    memset(truths, 0, sizeof truths);
    for (unsigned i = 0; i < count; i++)
        if (deliveries[i].here)
            note_truth(&truths[deliveries[i].line == west], deliveries[i].arrived - deliveries[i].began);
    here = truths[0].count + truths[1].count;
    sample();
    if (damage)
        damage_edges(damage);
    look();
    check_readings(east, local, &truths[0], least);
    check_readings(west, local, &truths[1], least);
    const struct strobe_counts *pin = &bench.traffic.wires.wires[local].strobe->counts;
    check(pin->events == here && pin->matched + pin->ambiguous + pin->strays == here,
          "each of %u events is counted once: %llu, %llu, %llu", here, (unsigned long long)pin->matched,
          (unsigned long long)pin->ambiguous, (unsigned long long)pin->strays);
    check(damage || (pin->strays == 0 && pin->missing == 0), "no strays: %llu, and none missing: %llu",
          (unsigned long long)pin->strays, (unsigned long long)pin->missing);
    finish();
}

static void quiet_crowd(void)
{
    crowd(30e-3, 0, 0, PACKETS / 2);
}

static void busy_crowd(void)
{
    crowd(8e-3, 1e-3, 0, PACKETS / 8);
}

static void damaged_crowd(void)
{
    crowd(6e-3, 300e-6, 5003, PACKETS / 15);
}

/* A packet whose frames are damaged in the capture holds one back that comes by the other line: its event is not taken
 * for that of the other one. */
static void unseen(void)
{
    static struct truth truth;
    static double damaged[PACKETS];
    unsigned count = 20, next = 0;
    begin();
    truth.count = 0;
    unsigned east = add(0, EAST, TESTBED_LINE), west = add(2, WEST, TESTBED_LINE),
             local = add(1, TESTBED_LOCAL, STROBE_HEAD);
    for (unsigned k = 0; k < count; k++) {
        struct made_packet first = {.target = 1, .source = 1, .sequence = k, .data_words = DATA}, second = first;
        second.source = 2;
        damaged[k] = line_capture_send(&bench.capture, east, bench.end + 10e-3, &first);
        double began = line_capture_send(&bench.capture, west, damaged[k] + bits(5), &second);
        double arrived = damaged[k] + bits(PLACE * WORDS + 40);
        line_capture_event(&bench.capture, local, damaged[k] + bits(arriving));
        line_capture_event(&bench.capture, local, arrived);
        note_truth(&truth, arrived - began);
        bench.end = arrived;
    }
    sample();
    for (size_t i = 0; i < bench.capture.edge_count && next < count; i++) {
        struct made_edge *edge = &bench.capture.edges[i];
        double word = (damaged[next] + bits(PLACE + 2)) * rate;
        if (edge->line == east && (double)edge->sample > word) {
            edge->level = !edge->level; /* a pulse less */
            next++;
        }
    }
    look();
    check(bench.traffic.wires.wires[east].line->counts.packets < count, "packets are damaged");
    check_readings(west, local, &truth, 0);
    finish();
}

/* Not all lines into b are captured: nothing is said of its operator. */
static void lines_missing(void)
{
    static struct truth none;
    begin();
    unsigned east = add(0, EAST, TESTBED_LINE), local = add(1, TESTBED_LOCAL, STROBE_HEAD);
    for (unsigned k = 0; k < 20; k++) {
        struct made_packet packet = {.target = 1, .source = 1, .sequence = k, .data_words = DATA};
        bench.end = line_capture_send(&bench.capture, east, bench.end + 300e-6, &packet);
        line_capture_event(&bench.capture, local, bench.end + bits(arriving));
    }
    sample();
    look();
    check_readings(east, local, &none, 0);
    expect_note(&bench.analysis, "is not matched: expected all lines into this board");
    finish();
}

/* Packets between two boards: one at a time; at times two, or one that leaves by another port; events that are too
 * near to be of one packet. */
enum order { IN_TURN, CROSSING, ASIDE, TOO_NEAR };

/* A channel for each pin, and no line. */
static void pins_alone(enum order order)
{
    static struct truth truth;
    begin();
    truth.count = 0;
    unsigned head = add(0, EAST, STROBE_HEAD), onward = add(1, EAST, STROBE_HEAD),
             local = add(1, TESTBED_LOCAL, STROBE_HEAD);
    for (unsigned k = 0; k < PACKETS; k++) {
        double left = bench.end + bits(100 + chance(100)), arrived = left + bits(22 + chance(20));
        line_capture_event(&bench.capture, head, order == TOO_NEAR ? left + bits(18) : left);
        if ((order == CROSSING || order == ASIDE) && k % 50 == 49)
            line_capture_event(&bench.capture, head, left + bits(9));
        line_capture_event(&bench.capture, k % 3 ? local : onward, arrived);
        if (order == CROSSING && k % 50 == 49)
            line_capture_event(&bench.capture, local, arrived + bits(15));
        if (k % 3)
            note_truth(&truth, arrived - left);
        bench.end = arrived;
    }
    sample();
    look();
    if (order == IN_TURN) {
        check_readings(head, local, &truth, truth.count);
        check(pair_of(head, onward) && pair_of(head, onward)->readings.count == PACKETS - truth.count,
              "packets that go on");
        check(!says(&bench.analysis, "D0"), "no notes of the first pin");
    } else {
        check(bench.analysis.strobe_count == 0, "no figures: %zu", bench.analysis.strobe_count);
        expect_note(&bench.analysis, "do not take turns");
    }
    check(pair_of(local, onward) == NULL, "nothing between pins of one board");
    finish();
}

static void pins_in_turn(void)
{
    pins_alone(IN_TURN);
}

static void pins_crossing(void)
{
    pins_alone(CROSSING);
}

static void pins_aside(void)
{
    pins_alone(ASIDE);
}

static void pins_too_near(void)
{
    pins_alone(TOO_NEAR);
}

int main(void)
{
    RUN(ports);
    RUN(glitches);
    RUN(quiet_crowd);
    RUN(busy_crowd);
    RUN(damaged_crowd);
    RUN(unseen);
    RUN(lines_missing);
    RUN(pins_in_turn);
    RUN(pins_crossing);
    RUN(pins_aside);
    RUN(pins_too_near);
    return verdict("strobes");
}
