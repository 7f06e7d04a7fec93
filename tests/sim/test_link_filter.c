/* A link that may fail (sim/engine/link_fault_model.h) between a sender and a receiver that keep the handshake and
 * stall at random, with damage, cuts and resets of either end at random: what the receiver gets is whole packets, each
 * once and in order, or beginnings that end with abort_packet; no packet is missing that no fault has touched; a word
 * that waits stays as it is; and once the faults are over everything passes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/link_fault_model.h"
#include "protocol.h"

enum { WIDTH = 16, RUNS = 400, CLOCKS = 4000, MAX_LENGTH = 9, MAX_PACKETS = CLOCKS };

/* A word says which packet it is of and where in it it stands. */
static uint64_t word_of(unsigned packet, unsigned position, unsigned length)
{
    unsigned tag = position == length - 1 ? PR_TAG_END_OF_PACKET : position == 0 ? PR_TAG_UNICAST_SITE : PR_TAG_DATA;
    return (uint64_t)tag << WIDTH | (packet % 4096) << 4 | position;
}

struct rates {
    unsigned damage, cut, reset, idle, stall; /* one in so many clocks; idle and stall: percent */
};

struct link_test {
    struct link_filter filter;
    const struct rates *rates;
    uint64_t random;
    bool touched[MAX_PACKETS], whole[MAX_PACKETS];
    unsigned lengths[MAX_PACKETS];
    unsigned packet, position; /* the sender's next word */
    bool shows;                /* the sender shows it */
    unsigned cut_left, reset_left, reset_end;
    uint64_t waits;                              /* the word the receiver was shown and did not take */
    unsigned receiver_packet, receiver_position; /* what it is within */
    bool within;
    int newest; /* the last packet that it got the head of */
    unsigned aborted, clock;
    bool calm; /* no faults any more */
};

static bool one_in(struct link_test *test, unsigned rate)
{
    return rate && !test->calm && pick(&test->random, rate) == 0;
}

static void fault_here(struct link_test *test)
{
    if (test->shows || test->position)
        test->touched[test->packet] = true;
    if (test->within)
        test->touched[test->receiver_packet] = true;
    if (test->waits)
        test->touched[test->newest < 0 ? 0 : test->newest] = true;
}

static void reset_end(struct link_test *test)
{
    fault_here(test);
    if (test->reset_end == 0) {
        if (test->shows || test->position)
            test->packet++;
        test->position = 0;
        test->shows = false;
    } else {
        test->within = false;
        test->waits = 0;
    }
}

static void next_faults(struct link_test *test)
{
    if (test->cut_left)
        test->cut_left--;
    else if (one_in(test, test->rates->cut))
        test->cut_left = 1 + pick(&test->random, 20);
    if (test->reset_left) {
        test->reset_left--;
    } else if (one_in(test, test->rates->reset)) {
        test->reset_left = 1 + pick(&test->random, 12);
        test->reset_end = pick(&test->random, 2);
        reset_end(test);
    }
}

/* The sender's part of a clock: what it shows. */
static uint64_t sender_shows(struct link_test *test)
{
    if (test->reset_left && test->reset_end == 0)
        return 0;
    if (!test->shows && (test->calm || pick(&test->random, 100) >= test->rates->idle)) {
        if (test->position == 0)
            test->lengths[test->packet] = 2 + pick(&test->random, MAX_LENGTH - 1);
        test->shows = true;
    }
    return test->shows ? word_of(test->packet, test->position, test->lengths[test->packet]) : 0;
}

static void sender_moves(struct link_test *test, bool wait)
{
    if (!test->shows || wait)
        return;
    test->shows = false;
    if (++test->position == test->lengths[test->packet]) {
        test->packet++;
        test->position = 0;
    }
}

/* The receiver takes a word: does it fit what it has got so far? */
static void receiver_takes(struct link_test *test, uint64_t word)
{
    unsigned tag = (unsigned)(word >> WIDTH), packet = (unsigned)(word >> 4) % 4096, position = (unsigned)word % 16;
    if (tag == PR_TAG_ABORT_PACKET) {
        check(test->within, "clock %u: abort_packet outside a packet", test->clock);
        check(test->touched[test->receiver_packet], "clock %u: packet %u aborted without a fault", test->clock,
              test->receiver_packet);
        test->aborted++;
        test->within = false;
        return;
    }
    if (!test->within) {
        check(position == 0 && (int)packet > test->newest, "clock %u: word %u of packet %u after packet %d",
              test->clock, position, packet, test->newest);
        test->newest = (int)packet;
        test->receiver_packet = packet;
        test->receiver_position = 0;
    }
    check(packet == test->receiver_packet && position == test->receiver_position,
          "clock %u: word %u of packet %u, expected %u of %u", test->clock, position, packet, test->receiver_position,
          test->receiver_packet);
    test->receiver_position++;
    test->within = tag != PR_TAG_END_OF_PACKET;
    if (!test->within)
        test->whole[packet] = true;
}

static void one_clock(struct link_test *test)
{
    struct link_clock clock = {.word = sender_shows(test), .cut = test->cut_left || test->reset_left};
    bool receiver_gone = test->reset_left && test->reset_end == 1;
    clock.wait = receiver_gone || (!test->calm && pick(&test->random, 100) < test->rates->stall);
    if (test->reset_left)
        (test->reset_end ? link_filter_reset_receiver : link_filter_reset_sender)(&test->filter);
    if (!clock.cut && link_filter_new_word(&test->filter, clock.word))
        clock.damaged = one_in(test, test->rates->damage);
    if (clock.cut || clock.damaged)
        fault_here(test);
    uint64_t intact = clock.word;
    link_filter_clock(&test->filter, WIDTH, &clock);
    check(!clock.damaged || clock.shown != intact, "clock %u: a damaged word gets through", test->clock);
    check(!test->waits || clock.shown == test->waits, "clock %u: a word that waits turns from %" PRIx64 " to %" PRIx64,
          test->clock, test->waits, clock.shown);
    check(!receiver_gone || !clock.shown, "clock %u: a word for a site in reset", test->clock);
    test->waits = clock.wait ? clock.shown : 0;
    if (clock.shown && !clock.wait)
        receiver_takes(test, clock.shown);
    sender_moves(test, clock.status);
    test->clock++;
    next_faults(test);
}

/* After the last fault: what was under way ends, and then whole packets come. */
static void calm_down(struct link_test *test)
{
    test->calm = true;
    while (test->cut_left || test->reset_left)
        one_clock(test);
    for (unsigned i = 0; i < 3 * MAX_LENGTH; i++)
        one_clock(test);
    unsigned first = test->packet;
    for (unsigned i = 0; i < 200; i++)
        one_clock(test);
    check(test->packet > first + 200 / MAX_LENGTH - 3, "%u packets in 200 clocks without a fault",
          test->packet - first);
}

static unsigned run(uint64_t seed, const struct rates *rates)
{
    static struct link_test test;
    unsigned whole = 0;
    memset(&test, 0, sizeof test);
    test.rates = rates;
    test.random = seed;
    test.newest = -1;
    for (unsigned i = 0; i < CLOCKS - 400; i++)
        one_clock(&test);
    calm_down(&test);
    for (unsigned i = 0; i < test.packet; i++) {
        bool lost = !test.whole[i] && !test.touched[i];
        check(!lost, "packet %u is missing although no fault has touched it", i);
        whole += test.whole[i];
    }
    check(whole > 20, "%u packets got through, too few for a test", whole);
    return test.aborted;
}

int main(void)
{
    static const struct rates rates[] = {
        {.idle = 20, .stall = 30}, /* a wire */
        {.damage = 40, .idle = 20, .stall = 30},
        {.damage = 4, .idle = 0, .stall = 70},
        {.cut = 60, .idle = 20, .stall = 30},
        {.cut = 30, .idle = 0, .stall = 80},
        {.reset = 60, .idle = 20, .stall = 30},
        {.damage = 30, .cut = 90, .reset = 110, .idle = 10, .stall = 50},
    };
    uint64_t seed = check_seed();
    for (unsigned r = 0; r < sizeof rates / sizeof *rates; r++) {
        unsigned aborted = 0;
        for (unsigned i = 0; i < RUNS; i++)
            aborted += run(seed * 1000003 + r * RUNS + i, &rates[r]);
        check((r == 0) == (aborted == 0), "rates %u: %u packets aborted", r, aborted);
        printf("rates %u: %u packets aborted\n", r, aborted);
    }
    return verdict("test_link_filter");
}
