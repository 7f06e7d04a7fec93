/* The reliable service as every operator has it, rule by rule. What an operator alone claims is in its own test:
 * test_reliable.c has send windows, delayed acknowledgements and groups, test_small.c the answers of a small one.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "suite.h"

enum {
    OTHER_TARGET = 9,
    NUMBERS_DELIVERED = 10000,
    BUSY_LONGEST = 1 << 27, /* clocks in which a target that never acknowledges its packet is given up */
    BUSY_TRIES = (1 << 26) / (1 << 16)
};

static const struct node_kind *kind;
static uint64_t rules_seed;

/* The epoch that data of this site carry, and acknowledgements for it. */
static unsigned own_epoch(void)
{
    return identity->epoch & PR_EPOCH_MASK;
}

static void all_is_back(void)
{
    while (leave() || sleep_once())
        ;
    CHECK(is_idle());
    CHECK(node_is_at_rest(&node));
}

/* ---- as a target ---- */

static void a_duplicate_is_acknowledged_again_and_not_delivered(void)
{
    start();
    data_from(2, 0, 0);
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(last.source, 2);
    CHECK_EQUAL(last.epoch, 0);
    CHECK_EQUAL(last.sequence, 0);
    CHECK_EQUAL(last.data_words, 2);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
    for (unsigned k = 0; k < 2; k++) {
        leave_in_time();
        check_acknowledgement(2, 0, 0, BEFORE);
        CHECK(is_idle());
        CHECK_EQUAL(counter(PR_COUNTER_ACKNOWLEDGEMENTS), k + 1);
        CHECK_EQUAL(counter(PR_COUNTER_DUPLICATES), k);
        data_from(2, 0, 0);
        CHECK_EQUAL(deliveries, 1);
    }
    all_is_back();
}

static void a_stale_packet_is_dropped(void)
{
    start();
    data_from(2, 0, 40);
    leave_in_time();
    data_from(2, 0, 40 - PR_PEER_SPAN);
    CHECK_EQUAL(deliveries, 2);
    leave_in_time();
    data_from(2, 0, 40 - PR_PEER_SPAN - 1); /* too old to be told from a new one */
    CHECK_EQUAL(deliveries, 2);
    CHECK(is_idle());
    for (unsigned k = 0; k < 2; k++) { /* it made the others no older */
        data_from(2, 0, 39);
        CHECK_EQUAL(deliveries, 3);
        leave_in_time();
    }
    all_is_back();
}

static void an_acknowledgement_says_what_has_come(void)
{
    static const unsigned numbers[] = {0, 3, 2, 4};
    start();
    for (unsigned k = 0; k < 4; k++) {
        data_from(2, 0, numbers[k]);
        leave_in_time();
    }
    check_acknowledgement(2, 0, 4, 0xb | (BEFORE & ~0xfu));
    all_is_back();
}

static bool arrives_as_new(uint16_t sequence)
{
    unsigned before = deliveries;
    data_from(2, 0, sequence);
    while (leave())
        ;
    return deliveries > before;
}

/* Against a set of all numbers ever received, in any order within the window. */
void every_number_is_taken_once(uint64_t seed, unsigned numbers, bool (*is_new)(uint16_t sequence))
{
    enum { SPAN = PR_PEER_SPAN };
    bool *received = calloc(numbers + 2 * SPAN, sizeof *received);
    uint64_t random = seed;
    uint32_t edge = 0;
    for (unsigned k = 0; edge < numbers; k++) {
        uint32_t number = edge + check_below(&random, SPAN);
        if (check_below(&random, 64) == 0)
            number = edge - check_below(&random, 200); /* a late copy */
        if (number > edge + SPAN)
            continue;
        CHECK_EQUAL(is_new((uint16_t)number), !received[number] && number >= edge);
        received[number] = true;
        if (check_below(&random, 300) == 0 && edge > 200) /* those are given up: they may come late, or not */
            for (unsigned i = 0; i < SPAN; i++)
                received[edge + i] = received[edge + i] || is_new((uint16_t)(edge + i));
        while (received[edge])
            edge++;
    }
    free(received);
}

static void every_number_is_delivered_once(void)
{
    start();
    every_number_is_taken_once(rules_seed, NUMBERS_DELIVERED, arrives_as_new);
    all_is_back();
}

static void a_newer_epoch_begins_anew_and_an_older_one_is_dropped(void)
{
    start();
    data_from(2, 0, 7);
    leave_in_time();
    if (kind->sends)
        send_and_leave(2);
    data_from(2, 3, 0); /* data alone is not believed: its epoch is only 5 bits of one */
    CHECK_EQUAL(deliveries, 1);
    CHECK(!leave());
    control_from(2, PR_CONTROL_TYPE_RESTARTED, 3, 0, 0);
    CHECK(leave());
    check_control(2, PR_CONTROL_TYPE_BASE);
    CHECK_EQUAL(out.header.peer_epoch, 3);
    CHECK_EQUAL(out.header.base, kind->sends);
    data_from(2, 3, 0);
    CHECK_EQUAL(deliveries, 2);
    if (kind->explains)
        CHECK_EQUAL(last.epoch, 3);
    if (kind->sends) {
        CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 1); /* what it was sent before may be lost with its memory */
        CHECK_EQUAL(notes[0].site, 2);
        CHECK(!kind->explains || notes[0].failure == PR_OPERATOR_FAILED_RESTARTED);
        CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
    }
    CHECK_EQUAL(counter(PR_COUNTER_PEERS_RESTARTED), 1);
    leave_in_time();
    check_acknowledgement(2, 3, 0, 0);
    data_from(2, 2, 8);
    data_from(2, 0, 8);
    CHECK_EQUAL(deliveries, 2);
    CHECK(is_idle());
    control_from(2, PR_CONTROL_TYPE_RESTARTED, 2, 0, 0);
    CHECK(is_idle());
    control_from(2, PR_CONTROL_TYPE_RESTARTED, 3 + 32767, 0, 0); /* newer; one more would be older */
    CHECK(leave());
    data_from(2, (3 + 32767) & PR_EPOCH_MASK, 0);
    CHECK_EQUAL(deliveries, 3);
    leave_in_time();
    control_from(2, PR_CONTROL_TYPE_RESTARTED, 3 + 32767 + 32768, 0, 0);
    CHECK(is_idle());
}

/* However many restarts of a site went unnoticed, it takes no acknowledgement for one of its present life. */
static void unnoticed_restarts(void)
{
    start();
    data_from(2, 0, 0);
    leave_in_time();
    for (unsigned epoch = 1; epoch <= 3 * (PR_EPOCH_MASK + 1); epoch++) {
        unsigned before = deliveries;
        control_from(2, PR_CONTROL_TYPE_BASE, epoch, 0,
                     0); /* the first that is heard of this life: it asks before it sends */
        leave_in_time();
        data_from(2, epoch & PR_EPOCH_MASK, 0);
        CHECK_EQUAL(deliveries, before + 1);
        leave_in_time();
        epoch += 15; /* lives of which nothing arrives */
    }
}

static void a_carried_acknowledgement_counts(void)
{
    struct pr_header header = data_header(2, 0, 0);
    start();
    if (kind->sends)
        send_and_leave(2);
    header.carries = true;
    receive(END, HERE, &header, 2);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), kind->sends);
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(last.data_words, 2); /* it is not the application's */
    CHECK_EQUAL(last_data[0], 0x1000);
    CHECK_EQUAL(last_data[1], 0x1001);
    leave_in_time();
    check_acknowledgement(2, 0, 0, BEFORE);
    all_is_back();
}

/* A base only moves forward, and is for this life of this site. */
static void who_was_idle_is_told_where_the_numbers_are(void)
{
    static const unsigned idle[] = {20000, 32767, 32768, 32769, 65535, 65536, 65540, 131072};
    uint32_t sequence = 3;
    start();
    data_from(2, 0, sequence);
    for (unsigned k = 0; k < sizeof idle / sizeof *idle; k++) {
        while (leave() || sleep_once())
            ;
        sequence += idle[k];
        control_from(2, PR_CONTROL_TYPE_BASE, 0, 0, sequence);
        leave_in_time();
        check_acknowledgement(2, 0, sequence - 1, BEFORE);
        CHECK_EQUAL(deliveries, k + 1);
        data_from(2, 0, sequence - 1);
        CHECK_EQUAL(deliveries, k + 1);
        leave_in_time();
        data_from(2, 0, sequence);
        CHECK_EQUAL(deliveries, k + 2);
        leave_in_time();
        control_from(2, PR_CONTROL_TYPE_BASE, 0, 0, sequence); /* once more, late */
        leave_in_time();
        CHECK_EQUAL(out.header.acknowledgement.sequence, sequence & 0xffff);
        data_from(2, 0, sequence);
        CHECK_EQUAL(deliveries, k + 2);
    }
    while (leave() || sleep_once())
        ;
    control_from(2, PR_CONTROL_TYPE_BASE, 0, 7, sequence + 9); /* it takes this site for a restarted one */
    CHECK(leave());
    check_control(2, PR_CONTROL_TYPE_RESTARTED);
    data_from(2, 0, sequence + 1);
    CHECK_EQUAL(deliveries, sizeof idle / sizeof *idle + 2);
}

/* An operator that stood for long: what it was about to acknowledge, or what came meanwhile, may mean another packet by
 * now. */
static void check_long_stop(uint32_t stop, bool polls_before)
{
    const uint32_t here = address(HERE), data[] = {2, 0, HANDLER};
    start();
    CHECK(fake_receive(fake, END, &here, 1, data, 3) != NULL);
    if (polls_before)
        poll_all();
    fake->clock += stop;
    poll_all();
    CHECK_EQUAL(deliveries, 1);
    CHECK(is_idle());
    data_from(2, 0, 0);
    CHECK_EQUAL(deliveries, 1);
    leave_in_time();
    check_acknowledgement(2, 0, 0, BEFORE);
}

static void after_a_long_stop_nothing_old_is_acknowledged(void)
{
    for (uint32_t stop = 1 << 19; stop <= 1 << 22; stop += stop / 3) {
        check_long_stop(stop, false);
        if (kind->delays)
            check_long_stop(stop, true);
    }
}

/* What names this site as its source is a late copy, or a forgery. */
static void a_forged_source_that_is_this_site(void)
{
    start();
    data_from(HERE, 0, 0);
    CHECK_EQUAL(deliveries, 0);
    acknowledge_from(HERE, 0, 0, 0);
    control_from(HERE, PR_CONTROL_TYPE_RESTARTED, 7, 0, 0);
    control_from(HERE, PR_CONTROL_TYPE_BASE, 0, 0, 900);
    CHECK(is_idle());
    CHECK_EQUAL(counter(PR_COUNTER_PEERS_RESTARTED), 0);
    CHECK_EQUAL(counter(PR_COUNTER_DUPLICATES), 4);
    all_is_back();
}

/* ---- as a source ---- */

static void an_acknowledgement_settles_its_packet_alone(void)
{
    start();
    send_and_leave(2);
    check_data(2, 0);
    CHECK_EQUAL(out.words[out.target_words + out.header.words], 0xabcd);
    acknowledge_from(3, 0, 0, 0); /* somebody else, another epoch, other numbers */
    acknowledge_from(2, 1, 0, 0);
    acknowledge_from(2, 0, 1, 0);
    acknowledge_from(2, 0, 0x7ff, 0);
    for (unsigned later = 2; later <= 64; later *= 2) /* numbers that have its slot, when the window has moved on */
        acknowledge_from(2, 0, later, 0);
    CHECK_EQUAL(note_count, 0);
    CHECK(kind->window > 1 || node_send_room(&node) == 0);
    acknowledge_from(2, 0, 0, 0);
    CHECK_EQUAL(note_count, 1);
    CHECK_EQUAL(notes[0].kind, PR_OPERATOR_EVENT_SETTLED);
    CHECK_EQUAL(notes[0].remaining, 0);
    acknowledge_from(2, 0, 0, 0); /* twice the same */
    CHECK_EQUAL(note_count, 1);
    all_is_back();
}

/* The buffer is the network_interface's until it has left, acknowledged or not. */
static void a_packet_that_is_leaving_is_kept(void)
{
    start();
    send_and_leave(2);
    while (fake_sending(fake) == NULL)
        CHECK(sleep_once());
    acknowledge_from(2, 0, 0, 0);
    CHECK(fake_sending(fake) != NULL && !node_is_at_rest(&node));
    if (kind->explains) { /* who has a buffer for its own packets alone counts it not, and tells when it is back */
        CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
        CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers - 1);
    }
    CHECK(leave());
    check_data(2, 0);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
    CHECK(node_is_at_rest(&node));
    CHECK(is_idle());
}

/* Tried so often, ever later, and then given up. Other packets go on. */
static void a_silent_target_is_given_up(void)
{
    start();
    send_and_leave(OTHER_TARGET);
    acknowledge_from(OTHER_TARGET, 0, 0, 0);
    note_count = 0;
    send_and_leave(3);
    for (unsigned k = 1; k < kind->tries; k++) {
        uint32_t after = leave_in_time();
        check_data(3, 1);
        CHECK_EQUAL(out.words[out.target_words + out.header.words + 1], 0x1234);
        CHECK(after >= kind->time_out << (k - 1 < kind->doublings ? k - 1 : kind->doublings));
        CHECK_EQUAL(counter(PR_COUNTER_TIME_OUTS), k);
        CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_TIMED_OUT), k);
    }
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 0);
    while (sleep_once())
        CHECK(!leave());
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 1);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
    CHECK_EQUAL(notes[note_count - 1].remaining, 1);
    CHECK_EQUAL(counter(PR_COUNTER_TARGETS_FAILED), 1);
    all_is_back();
    send_and_leave(OTHER_TARGET);
    check_data(OTHER_TARGET, 2);
}

/* Site 9 answers, but never for this packet: it is busy, not dead, and gets longer, but not for ever. The tries become
 * rare, as rare as the longest time-out has it. */
static void a_busy_site_gets_longer(void)
{
    unsigned tries = 0;
    uint64_t began;
    start();
    began = fake->clock;
    CHECK_EQUAL(send_to(SITES_OF(9)), 0);
    while (count_of(PR_OPERATOR_EVENT_FAILED) == 0) {
        note_count = 0;
        if (leave()) {
            tries++;
            acknowledge_from(9, 0, UINT16_MAX, 0);
        } else {
            CHECK(sleep_once());
        }
        CHECK(fake->clock - began < BUSY_LONGEST);
    }
    CHECK(tries > 4 * kind->tries);
    CHECK(tries < BUSY_TRIES + 4 * kind->tries);
    all_is_back();
}

/* Waits only as long as it said, and no longer; idle it has no wake. */
static void wakes_are_honest(void)
{
    uint32_t clock;
    start();
    CHECK(!node_next_wake(&node, &clock));
    send_and_leave(2);
    CHECK(node_next_wake(&node, &clock));
    fake->clock += (uint32_t)(clock - (uint32_t)fake->clock) - 1;
    CHECK(!node_poll(&node));
    CHECK(fake_sending(fake) == NULL);
    fake->clock++;
    CHECK(node_poll(&node) || !kind->polls_tell);
    CHECK(fake_sending(fake) != NULL);
    CHECK(leave());
    acknowledge_from(2, 0, 0, 0);
    CHECK(!node_next_wake(&node, &clock));
    CHECK(!node_poll(&node));
    data_from(2, 0, 0);
    CHECK_EQUAL(node_next_wake(&node, &clock), kind->delays);
    leave_in_time();
    CHECK(!node_next_wake(&node, &clock));
}

/* To one that was heard lately at once; one that was not is asked first, and told where the numbers are. */
static void an_idle_peer_is_asked_first(void)
{
    static const unsigned idle[] = {100, 16400, 20000, 32768, 65536, 65540};
    uint32_t sequence = 0;
    start();
    for (unsigned k = 0; k < sizeof idle / sizeof *idle; k++) {
        send_many(2, idle[k]);
        sequence += idle[k];
        CHECK_EQUAL(send_to(SITES_OF(3)), 0);
        CHECK(leave());
        if (k > 0) {
            check_control(3, PR_CONTROL_TYPE_BASE);
            CHECK_EQUAL(out.header.base, sequence);
            CHECK(!leave());
            acknowledge_from(3, 0, sequence + 0x7fff, 0xffff); /* an old number: it does not follow */
            CHECK(!leave());
            acknowledge_from(3, 0, sequence - 1, 0xffff);
            leave_in_time();
        }
        check_data(3, sequence);
        acknowledge_from(3, 0, sequence++, 0);
        CHECK(is_idle());
    }
}

static void a_silent_peer_fails_in_bounded_time(void)
{
    unsigned bases = 0;
    start();
    send_many(2, 20000);
    CHECK_EQUAL(send_to(SITES_OF(3)), 0);
    while (count_of(PR_OPERATOR_EVENT_SETTLED) == 0) {
        if (!leave()) {
            CHECK(sleep_once());
            continue;
        }
        check_control(3, PR_CONTROL_TYPE_BASE);
        CHECK_EQUAL(out.header.base, 20000);
        bases++;
    }
    CHECK_EQUAL(bases, kind->bases);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 1);
    all_is_back();
    note_count = 0;
    CHECK_EQUAL(send_to(SITES_OF(2)), 0); /* that one was heard lately, but not any more */
    while (count_of(PR_OPERATOR_EVENT_FAILED) == 0)
        CHECK(leave() || sleep_once());
}

/* What it took to ask a site does not count against it. */
static void bases_are_no_tries(void)
{
    unsigned packets = 0;
    start();
    send_many(2, 20000);
    CHECK_EQUAL(send_to(SITES_OF(3)), 0);
    for (unsigned k = 0; k < 2; k++) {
        leave_in_time();
        check_control(3, PR_CONTROL_TYPE_BASE);
    }
    acknowledge_from(3, 0, 19999, 0);
    for (; count_of(PR_OPERATOR_EVENT_SETTLED) == 0; packets += leave() || !sleep_once())
        CHECK(packets == 0 || out.header.kind == PR_HEADER_KIND_DATA);
    CHECK_EQUAL(packets, kind->tries);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 1);
}

/* ---- restarts ---- */

/* The news for all sites. */
static void announce(unsigned epoch)
{
    unsigned told = 0, packets = 0;
    start_in_epoch(epoch);
    poll_all();
    for (; leave(); told |= 1u << out.site, packets++)
        check_control(out.site, PR_CONTROL_TYPE_RESTARTED);
    CHECK_EQUAL(told, 0xffff & ~(1u << HERE));
    CHECK_EQUAL(packets, SITES - 1);
}

static void who_has_restarted_knows_nobody(void)
{
    announce(3);
    data_from(2, 0, 9);
    CHECK_EQUAL(deliveries, 0);
    CHECK(leave());
    check_control(2, PR_CONTROL_TYPE_RESTARTED);
    control_from(2, PR_CONTROL_TYPE_BASE, 0, 2, 5); /* for an earlier life */
    CHECK(leave());
    check_control(2, PR_CONTROL_TYPE_RESTARTED);
    data_from(2, 0, 9);
    CHECK_EQUAL(deliveries, 0);
    while (leave())
        ;
    control_from(2, PR_CONTROL_TYPE_BASE, 0, 3, 9);
    if (kind->sends) {
        CHECK(leave());
        check_control(2, PR_CONTROL_TYPE_BASE); /* its own, before it sends any data */
        CHECK_EQUAL(out.header.peer_epoch, 0);
        CHECK_EQUAL(out.header.base, 0);
    }
    leave_in_time();
    check_acknowledgement(2, 0, 8, BEFORE);
    data_from(2, 0, 8); /* below the base: had */
    CHECK_EQUAL(deliveries, 0);
    leave_in_time();
    data_from(2, 0, 9);
    CHECK_EQUAL(deliveries, 1);
    leave_in_time();
    control_from(2, PR_CONTROL_TYPE_BASE, 0, 3, 7); /* an old one, late */
    data_from(2, 0, 8);
    data_from(2, 0, 9);
    CHECK_EQUAL(deliveries, 1);
    data_from(3, 0, 0);
    CHECK_EQUAL(deliveries, 1);
    all_is_back();
}

/* A site that restarted sends nobody data before that one has acknowledged a base: only control packets carry all of an
 * epoch. */
static void a_restarted_site_asks_before_it_sends(void)
{
    announce(PR_EPOCH_MASK + 1);
    control_from(2, PR_CONTROL_TYPE_BASE, 0, PR_EPOCH_MASK + 1, 0);
    CHECK(leave());
    check_control(2, PR_CONTROL_TYPE_BASE);
    leave_in_time();
    check_acknowledgement(2, 0, UINT16_MAX, BEFORE);
    send_and_leave(2);
    check_control(2, PR_CONTROL_TYPE_BASE); /* not data, though site 2 has been heard */
    CHECK_EQUAL(out.header.base, 0);
    acknowledge_from(2, own_epoch(), UINT16_MAX, 0);
    CHECK(leave());
    check_data(2, 0); /* its epoch: the low bits */
    acknowledge_from(2, own_epoch(), 0, 0);
    send_and_leave(3);
    check_control(3, PR_CONTROL_TYPE_BASE);
    note_count = 0;
    acknowledge_from(3, own_epoch(), 1, 0); /* a forgery: the packet was never sent */
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), !kind->settles_what_was_sent);
    if (kind->settles_what_was_sent) {
        CHECK(leave());
        check_data(3, 1);
    }
}

/* Two restarts: what it was sent may have been delivered before the second, whichever message tells of it first. */
static void a_first_word_may_be_a_base(void)
{
    announce(1);
    send_and_leave(2);
    check_control(2, PR_CONTROL_TYPE_BASE);
    acknowledge_from(2, 1, UINT16_MAX, 0);
    CHECK(leave());
    check_data(2, 0);
    note_count = 0;
    control_from(2, PR_CONTROL_TYPE_BASE, 1, 1, 4);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 1);
    CHECK(!kind->explains || notes[0].failure == PR_OPERATOR_FAILED_RESTARTED);
}

/* A base names the packet that is not settled, to its target alone. */
static void a_base_is_what_may_still_come(void)
{
    start();
    send_and_leave(2);
    control_from(2, PR_CONTROL_TYPE_RESTARTED, 0, 0, 0);
    CHECK(leave());
    check_control(2, PR_CONTROL_TYPE_BASE);
    CHECK_EQUAL(out.header.base, 0);
    control_from(3, PR_CONTROL_TYPE_RESTARTED, 0, 0, 0);
    CHECK(leave());
    check_control(3, PR_CONTROL_TYPE_BASE);
    CHECK_EQUAL(out.header.base, 1);
    CHECK_EQUAL(note_count, 0);
    control_from(2, PR_CONTROL_TYPE_RESTARTED, 1, 0, 0); /* now it has restarted: that packet will not come again */
    CHECK(leave());
    check_control(2, PR_CONTROL_TYPE_BASE);
    CHECK_EQUAL(out.header.peer_epoch, 1);
    CHECK_EQUAL(out.header.base, 1);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_FAILED), 1);
    CHECK_EQUAL(count_of(PR_OPERATOR_EVENT_SETTLED), 1);
    CHECK_EQUAL(counter(PR_COUNTER_TARGETS_FAILED), 1);
    all_is_back();
}

/* ---- storage ---- */

/* A site keeps a buffer to receive in, and relief is requested while it is short of them, and not longer (R1). */
static void foreign_packets_are_discarded_when_storage_is_short(void)
{
    struct pr_header header = data_header(2, 0, 0);
    unsigned held = 0;
    prepare(0);
    if (!kind->image) {
        node.buffers = 4;
        node.window = 1;
    }
    begin();
    for (; counter(PR_COUNTER_FOREIGN_DISCARDED) == 0; held++) {
        CHECK(held <= node.buffers);
        receive(END, OTHER_TARGET, &header, 2);
        CHECK(fake_posted(fake) > 0);
    }
    CHECK(held >= node.buffers - 2);
    CHECK(fake->native.relief);
    if (kind->image) {
        CHECK_EQUAL(fake_queued(fake), node.buffers - 1);
        CHECK_EQUAL(counter(PR_COUNTER_FEWEST_FREE_BUFFERS), 1);
    }
    data_from(2, 0, 0); /* and what is for this site still comes in */
    CHECK_EQUAL(deliveries, 1);
    if (!kind->image) /* its packets are from the same pool */
        CHECK_EQUAL(send_to(SITES_OF(2)), -PR_OPERATOR_NO_BUFFER);
    for (; fake_sending(fake) != NULL; poll_all())
        fake_sent(fake);
    CHECK(!fake->native.relief);
    CHECK_EQUAL(counter(PR_COUNTER_FORWARDED), held - 1);
    all_is_back();
}

static bool is_acknowledgement(const struct pr_packet *packet)
{
    struct pr_header header;
    return pr_header_decode(&header, packet->words + pr_packet_target_words(packet), pr_packet_data_words(packet),
                            KIND_BIT) == PR_HEADER_KIND_ACKNOWLEDGEMENT;
}

/* For each packet that leaves another one comes: what this site owes leaves among them. */
static void foreign_packets_do_not_hold_up_an_acknowledgement(void)
{
    struct pr_header header = data_header(2, 0, 0);
    start();
    while (fake_queued(fake) < 2)
        receive(END, OTHER_TARGET, &header, 2);
    data_from(3, 0, 0);
    fake->clock += 1000; /* its time has come */
    for (unsigned k = 0; !is_acknowledgement(fake_leaving(fake)); k++) {
        CHECK(k < 4);
        fake_sent(fake);
        receive(END, OTHER_TARGET, &header, 2);
    }
}

static void rules_of_sources(void)
{
    RUN(an_acknowledgement_settles_its_packet_alone);
    RUN(a_packet_that_is_leaving_is_kept);
    RUN(a_silent_target_is_given_up);
    RUN(a_busy_site_gets_longer);
    RUN(wakes_are_honest);
    RUN(an_idle_peer_is_asked_first);
    RUN(a_silent_peer_fails_in_bounded_time);
    RUN(bases_are_no_tries);
    RUN(a_restarted_site_asks_before_it_sends);
    RUN(a_first_word_may_be_a_base);
    RUN(a_base_is_what_may_still_come);
}

void reliable_rules(const struct node_kind *of_kind, uint64_t seed)
{
    rules_seed = seed;
    kind = of_kind;
    suite_of(kind);
    printf("%s\n", kind->name);
    RUN(a_duplicate_is_acknowledged_again_and_not_delivered);
    RUN(a_stale_packet_is_dropped);
    RUN(an_acknowledgement_says_what_has_come);
    RUN(every_number_is_delivered_once);
    RUN(a_newer_epoch_begins_anew_and_an_older_one_is_dropped);
    RUN(unnoticed_restarts);
    RUN(a_carried_acknowledgement_counts);
    RUN(who_was_idle_is_told_where_the_numbers_are);
    RUN(after_a_long_stop_nothing_old_is_acknowledged);
    RUN(a_forged_source_that_is_this_site);
    RUN(who_has_restarted_knows_nobody);
    RUN(foreign_packets_are_discarded_when_storage_is_short);
    RUN(foreign_packets_do_not_hold_up_an_acknowledgement);
    if (kind->sends)
        rules_of_sources();
}
