/* The scoreboard must notice what it is there for: each kind of damage is done to a delivery on purpose, each way to
 * account for a packet that did not arrive is gone, with the reports that must not be believed, and every packet of a
 * long run with random order of deliveries must come out right.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "workload/scoreboard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct mesh_config mesh, reliable_mesh;

static struct scoreboard *create_for(const struct mesh_config *service)
{
    struct scoreboard *board = scoreboard_create(service, 5, 4);
    if (!board)
        exit(1);
    return board;
}

static struct scoreboard *create(void)
{
    return create_for(&mesh);
}

/* Generates and accepts one packet of site 2 to sites 3, 1, 2 with 5 data words; its index. */
static int32_t start_packet(struct scoreboard *board, uint16_t sequence, uint64_t clock)
{
    static const uint32_t targets[] = {3, 1, 2};
    struct traffic_packet packet = {
        .clock = clock, .source = 2, .data_words = 5, .target_count = 3, .targets = targets};
    scoreboard_generate(board, &packet);
    int32_t index = scoreboard_waiting(board, 2);
    check(scoreboard_accept(board, index, clock + 1, sequence) == 0, "accept");
    scoreboard_inject(board, index, clock + 2);
    return index;
}

static enum scoreboard_verdict deliver_epoch(struct scoreboard *board, uint32_t site, unsigned epoch, uint16_t sequence,
                                             const uint32_t *words, unsigned count)
{
    struct scoreboard_delivery delivery = {.site = site,
                                           .source = 2,
                                           .sequence = sequence,
                                           .epoch = (uint8_t)epoch,
                                           .data = words,
                                           .data_words = count,
                                           .clock_arrived = 110,
                                           .clock_delivered = 120};
    return scoreboard_deliver(board, &delivery);
}

static enum scoreboard_verdict deliver(struct scoreboard *board, uint32_t site, uint16_t sequence,
                                       const uint32_t *words, unsigned count)
{
    return deliver_epoch(board, site, 0, sequence, words, count);
}

static void test_damage(void)
{
    struct scoreboard *board = create();
    uint32_t words[8], wrong[8];
    unsigned count = scoreboard_data(board, start_packet(board, 0, 100), words);
    const struct scoreboard_totals *totals = scoreboard_totals(board);
    check(count == 5, "length");
    check(deliver(board, 3, 0, words, 5) == SCOREBOARD_GOOD, "good");
    check(*scoreboard_complaint(board) == 0, "no complaint yet");
    check(deliver(board, 3, 0, words, 5) == SCOREBOARD_DUPLICATED, "twice");
    check(*scoreboard_complaint(board) != 0, "complaint");
    check(deliver(board, 0, 0, words, 5) == SCOREBOARD_STRAY, "no target");
    check(deliver(board, 1, 1, words, 5) == SCOREBOARD_UNKNOWN, "never sent");
    memcpy(wrong, words, sizeof wrong);
    wrong[4] ^= 1;
    check(deliver(board, 1, 0, wrong, 5) == SCOREBOARD_CORRUPTED, "one bit");
    check(deliver(board, 2, 0, words, 4) == SCOREBOARD_CORRUPTED, "too short");
    check(totals->completed == 1 && totals->deliveries == 3 && totals->expected == 3, "complete");
    check(deliver(board, 2, 0, words, 5) == SCOREBOARD_DUPLICATED, "after it was complete");
    check(totals->duplicated == 2 && totals->corrupted == 2 && totals->stray == 1, "counts");
    check(scoreboard_latency(board)->count == 1 && scoreboard_latency(board)->max == 20, "latency");
    check(scoreboard_network_latency(board)->max == 8, "network latency");
    scoreboard_free(board);
}

/* A packet to sites 3 and 1, with two words of target_info for each; into `info` those of site 3. */
static int32_t start_with_info(struct scoreboard *board, uint32_t info[2])
{
    static const uint32_t targets[] = {1, 3};
    struct traffic_packet packet = {.clock = 100, .source = 2, .target_count = 2, .info_words = 2, .targets = targets};
    scoreboard_generate(board, &packet);
    int32_t index = scoreboard_waiting(board, 2);
    scoreboard_accept(board, index, 101, 0);
    check(scoreboard_info(board, index, 1, info) == 2, "two words of target_info");
    return index;
}

static void test_info(void)
{
    static const uint32_t none;
    struct scoreboard *board = create();
    uint32_t info[2], other[2];
    int32_t packet = start_with_info(board, info);
    scoreboard_info(board, packet, 0, other);
    check(info[0] != other[0] && info[1] != other[1] && info[0] != info[1], "each target has its own");
    struct scoreboard_delivery delivery = {.site = 1, .source = 2, .data = &none, .info = info, .info_words = 2};
    check(scoreboard_deliver(board, &delivery) == SCOREBOARD_CORRUPTED, "another target's target_info");
    delivery = (struct scoreboard_delivery){.site = 3, .source = 2, .data = &none, .info = info, .info_words = 1};
    check(scoreboard_deliver(board, &delivery) == SCOREBOARD_CORRUPTED, "too little target_info");
    check(strstr(scoreboard_complaint(board), "wrong target_info"), "complaint about target_info");
    scoreboard_free(board);

    board = create();
    start_with_info(board, info);
    delivery = (struct scoreboard_delivery){.site = 3, .source = 2, .data = &none, .info = info, .info_words = 2};
    check(scoreboard_deliver(board, &delivery) == SCOREBOARD_GOOD, "the right target_info");
    delivery.site = 1;
    delivery.info = other;
    delivery.stamps_wrong = true;
    check(scoreboard_deliver(board, &delivery) == SCOREBOARD_CORRUPTED, "wrong stamps");
    check(strstr(scoreboard_complaint(board), "wrong stamps"), "complaint about stamps");
    scoreboard_free(board);
}

static void test_swapped_packets(void)
{
    struct scoreboard *board = create();
    uint32_t first[8], second[8];
    scoreboard_data(board, start_packet(board, 7, 100), first);
    scoreboard_data(board, start_packet(board, 8, 100), second);
    check(memcmp(first, second, 5 * sizeof *first) != 0, "packets differ");
    check(deliver(board, 1, 7, second, 5) == SCOREBOARD_CORRUPTED, "content of another packet");
    check(scoreboard_on_their_way(board, 2) == 2, "on their way");
    scoreboard_free(board);
}

static void test_sequence_reuse(void)
{
    struct scoreboard *board = create();
    uint32_t words[8];
    for (long i = 0; i < 3 * 65536; i++) {
        scoreboard_data(board, start_packet(board, (uint16_t)i, 100), words);
        for (uint32_t site = 1; site <= 3; site++)
            check(deliver(board, site, (uint16_t)i, words, 5) == SCOREBOARD_GOOD, "sequence numbers come again");
    }
    check(*scoreboard_complaint(board) == 0, "no complaint");
    start_packet(board, 9, 100);
    start_packet(board, 9, 100);
    check(*scoreboard_complaint(board) != 0, "a packet that is lost for 65536 packets");
    scoreboard_free(board);
}

static void test_window(void)
{
    struct scoreboard *board = create();
    uint32_t words[8];
    scoreboard_set_window(board, (struct scoreboard_window){100, 200});
    for (uint16_t i = 0; i < 4; i++) {
        scoreboard_data(board, start_packet(board, i, 50 + 50 * i), words); /* 50, 100, 150, 200 */
        for (uint32_t site = 1; site <= 3; site++)
            deliver(board, site, i, words, 5);
    }
    check(scoreboard_latency(board)->count == 6, "latency of packets generated within the window");
    check(scoreboard_totals(board)->generated_words == 2 * 12, "words generated within the window");
    check(scoreboard_totals(board)->accepted_words == 4 * 12, "words completed within the window");
    scoreboard_free(board);
}

static bool content(struct scoreboard *board)
{
    return *scoreboard_complaint(board) == 0;
}

/* A packet ends when its source knows; a report and a delivery of the same target do not exclude each other. */
static void test_failures(void)
{
    struct scoreboard *board = create_for(&reliable_mesh);
    const struct scoreboard_totals *totals = scoreboard_totals(board);
    uint32_t words[8];
    scoreboard_data(board, start_packet(board, 0, 100), words);
    deliver(board, 3, 0, words, 5);
    deliver(board, 1, 0, words, 5);
    check(scoreboard_lost(board) == 1, "one target has no fate yet");
    scoreboard_fail(board, 2, 0, 2);
    check(scoreboard_lost(board) == 0 && totals->finished == 0, "reported, not settled");
    check(scoreboard_on_their_way(board, 2) == 1, "on its way until settled");
    scoreboard_settle(board, 2, 0, 500, true);
    check(totals->finished == 1 && totals->completed == 0 && totals->failed == 1, "finished, not complete");
    check(totals->longest_silence == 400 && scoreboard_settling(board)->max == 399, "silence and settling");
    check(deliver(board, 2, 0, words, 5) == SCOREBOARD_GOOD && totals->failed_delivered == 1, "reported, comes late");
    check(deliver(board, 2, 0, words, 5) == SCOREBOARD_DUPLICATED, "comes late twice");
    scoreboard_free(board);

    board = create_for(&reliable_mesh);
    totals = scoreboard_totals(board);
    scoreboard_data(board, start_packet(board, 0, 100), words);
    for (uint32_t site = 1; site <= 3; site++)
        deliver(board, site, 0, words, 5);
    check(totals->completed == 1 && totals->finished == 0, "complete, but the source does not know");
    scoreboard_fail(board, 2, 0, 3);
    scoreboard_settle(board, 2, 0, 200, true);
    check(totals->failed_delivered == 1 && totals->finished == 1 && scoreboard_lost(board) == 0,
          "reported though it had "
          "come");
    check(content(board), "no complaint of an honest report");
    scoreboard_free(board);
}

static void expect_complaint(struct scoreboard *board, const char *what)
{
    check(!content(board), "%s", what);
    scoreboard_free(board);
}

/* What an operator must never say. */
static void test_false_reports(void)
{
    uint32_t words[8];
    struct scoreboard *board = create_for(&reliable_mesh);
    scoreboard_data(board, start_packet(board, 0, 100), words);
    deliver(board, 3, 0, words, 5);
    deliver(board, 1, 0, words, 5);
    scoreboard_settle(board, 2, 0, 200, true);
    check(scoreboard_totals(board)->finished == 0 && scoreboard_lost(board) == 1, "settled, but not delivered: lost");
    expect_complaint(board, "acknowledged before delivery");

    board = create_for(&reliable_mesh);
    scoreboard_settle(board, 2, 0, 200, true);
    expect_complaint(board, "settles what was never sent");

    board = create_for(&reliable_mesh);
    scoreboard_data(board, start_packet(board, 0, 100), words);
    for (uint32_t site = 1; site <= 3; site++)
        deliver(board, site, 0, words, 5);
    scoreboard_settle(board, 2, 0, 200, true);
    check(content(board), "settled once");
    scoreboard_settle(board, 2, 0, 201, true);
    expect_complaint(board, "settled twice");

    board = create_for(&reliable_mesh);
    start_packet(board, 0, 100);
    scoreboard_fail(board, 2, 0, 0);
    expect_complaint(board, "reports a site that is no target");

    board = create_for(&reliable_mesh);
    start_packet(board, 0, 100);
    scoreboard_fail(board, 2, 0, 1);
    check(content(board), "reported once");
    scoreboard_fail(board, 2, 0, 1);
    expect_complaint(board, "reports a target twice");
}

/* The console of a whole site may tell the delivery after the settling. */
static void test_late_news(void)
{
    struct scoreboard *board = create_for(&reliable_mesh);
    uint32_t words[8];
    scoreboard_data(board, start_packet(board, 0, 100), words);
    scoreboard_settle(board, 2, 0, 200, false);
    check(scoreboard_totals(board)->finished == 0, "settled, deliveries still to be told");
    for (uint32_t site = 1; site <= 3; site++)
        check(deliver(board, site, 0, words, 5) == SCOREBOARD_GOOD, "told late");
    check(scoreboard_totals(board)->finished == 1 && content(board), "told in the end");
    scoreboard_free(board);
}

/* A source is reset with two packets on their way and one waiting: the same sequence number in two epochs. */
static void test_reset(void)
{
    struct scoreboard *board = create_for(&reliable_mesh);
    const struct scoreboard_totals *totals = scoreboard_totals(board);
    uint32_t old[8], other[8], new[8];
    scoreboard_data(board, start_packet(board, 0, 100), old);
    scoreboard_data(board, start_packet(board, 1, 100), other);
    deliver(board, 3, 0, old, 5);
    check(scoreboard_restart(board, 2, 150, 1) == 0, "restart");
    check(totals->written_off == 5 && totals->finished == 2 && scoreboard_lost(board) == 0, "written off");
    check(scoreboard_on_their_way(board, 2) == 0, "nothing on its way");
    scoreboard_data(board, start_packet(board, 0, 160), new);
    check(deliver_epoch(board, 1, 1, 0, new, 5) == SCOREBOARD_GOOD, "the new epoch's");
    check(deliver_epoch(board, 1, 0, 0, old, 5) == SCOREBOARD_GOOD && totals->written_off_delivered == 1,
          "written off, comes late");
    check(content(board), "no complaint yet");
    check(deliver_epoch(board, 3, 0, 0, old, 5) == SCOREBOARD_DUPLICATED, "again after the source's reset");
    check(deliver_epoch(board, 2, 2, 0, new, 5) == SCOREBOARD_UNKNOWN, "an epoch to come");
    scoreboard_free(board);

    board = create_for(&reliable_mesh);
    for (unsigned epoch = 0; epoch < 3 * SCOREBOARD_EPOCHS; epoch++) {
        scoreboard_data(board, start_packet(board, 0, 100 + epoch), new);
        check(deliver_epoch(board, 1, epoch % SCOREBOARD_EPOCHS, 0, new, 5) == SCOREBOARD_GOOD, "epochs come again");
        check(scoreboard_restart(board, 2, 100 + epoch, epoch + 1) == 0, "restart again");
    }
    check(content(board) && scoreboard_lost(board) == 0, "many epochs");
    scoreboard_free(board);
}

/* An operator stops for good: what it kept is written off, what waits is abandoned, until a reset. */
static void test_stop(void)
{
    static const uint32_t targets[] = {1};
    struct traffic_packet packet = {.clock = 100, .source = 2, .data_words = 5, .target_count = 1, .targets = targets};
    struct scoreboard *board = create_for(&reliable_mesh);
    const struct scoreboard_totals *totals = scoreboard_totals(board);
    start_packet(board, 0, 100);
    scoreboard_generate(board, &packet);
    scoreboard_stop(board, 2, 300);
    scoreboard_generate(board, &packet);
    check(totals->written_off == 3 && totals->abandoned == 2 && totals->finished == 1, "stopped for good");
    check(totals->finished + totals->abandoned == totals->packets && scoreboard_lost(board) == 0, "all accounted for");
    scoreboard_conclude(board, 100000);
    check(totals->longest_silence == 0, "no silence of who has stopped");
    check(scoreboard_restart(board, 2, 400, 1) == 0 && totals->abandoned == 0, "it has a queue again");
    scoreboard_conclude(board, 1000);
    check(totals->longest_silence == 600, "and is silent");
    check(content(board), "no complaint");
    scoreboard_free(board);
}

static void test_order(void)
{
    struct scoreboard *board = create_for(&reliable_mesh);
    uint32_t first[8], second[8], third[8];
    check(scoreboard_check_order(board) == 0, "order");
    scoreboard_data(board, start_packet(board, 0, 100), first);
    scoreboard_data(board, start_packet(board, 1, 100), second);
    scoreboard_data(board, start_packet(board, 2, 100), third);
    deliver(board, 1, 0, first, 5);
    deliver(board, 1, 1, second, 5);
    deliver(board, 3, 1, second, 5);
    scoreboard_fail(board, 2, 0, 3);
    deliver(board, 3, 0, first, 5);
    check(content(board), "in order; what was reported may come late");
    deliver(board, 2, 2, third, 5);
    deliver(board, 2, 1, second, 5);
    check(scoreboard_totals(board)->disordered == 1, "behind a later one");
    expect_complaint(board, "out of order");
}

/* A group of sites 0, 1 and 3, whose members are the sources behind the sites. */
enum { GROUP_MEMBERS = 3, FIRST_MEMBER = 4 };

static struct scoreboard *create_group(bool ordered)
{
    static const uint16_t sites[GROUP_MEMBERS] = {0, 1, 3};
    struct scoreboard *board = create_for(&reliable_mesh);
    check(scoreboard_add_groups(board, sites, GROUP_MEMBERS, GROUP_MEMBERS, ordered) == 0, "groups");
    check(scoreboard_sources(board) == FIRST_MEMBER + GROUP_MEMBERS && scoreboard_site(board, 6) == 3, "members");
    return board;
}

/* Generates a packet of the group's second member, site 1, to the others, and with `own` to itself. */
static int32_t start_in_group(struct scoreboard *board, uint16_t sequence, bool own, uint32_t *words)
{
    static const uint32_t targets[] = {0, 3, 1};
    struct traffic_packet packet = {
        .clock = 100, .source = 1, .member = 2, .data_words = 5, .target_count = own ? 3 : 2, .targets = targets};
    scoreboard_generate(board, &packet);
    int32_t index = scoreboard_waiting(board, FIRST_MEMBER + 1);
    check(scoreboard_accept(board, index, 101, sequence) == 0, "accept");
    scoreboard_data(board, index, words);
    return index;
}

static enum scoreboard_verdict deliver_in_group(struct scoreboard *board, unsigned member, uint16_t sequence,
                                                uint16_t place, const uint32_t *words)
{
    struct scoreboard_delivery delivery = {.site = scoreboard_site(board, FIRST_MEMBER + member),
                                           .source = FIRST_MEMBER + 1,
                                           .receiver = FIRST_MEMBER + member,
                                           .sequence = sequence,
                                           .place = place,
                                           .data = words,
                                           .data_words = 5,
                                           .clock_delivered = 120};
    return scoreboard_deliver(board, &delivery);
}

/* Packets of a group have numbers, a queue and latencies of their own, and count as packets to one site. */
static void test_group(void)
{
    struct scoreboard *board = create_group(false);
    const struct scoreboard_totals *totals = scoreboard_totals(board);
    uint32_t words[8], others[8];
    scoreboard_data(board, start_packet(board, 0, 100), others);
    start_in_group(board, 0, false, words);
    check(deliver_in_group(board, 0, 0, 0, words) == SCOREBOARD_GOOD, "to the first member");
    check(deliver(board, 1, 0, others, 5) == SCOREBOARD_GOOD, "a packet of the same number to a site");
    check(deliver_in_group(board, 1, 0, 0, words) == SCOREBOARD_STRAY, "to its source");
    check(deliver_in_group(board, 2, 0, 9, words) == SCOREBOARD_GOOD, "places mean nothing without an order");
    check(deliver_in_group(board, 2, 0, 0, words) == SCOREBOARD_DUPLICATED, "twice");
    check(scoreboard_group_latency(board)->count == 2 && scoreboard_group_completion(board)->count == 1 &&
              scoreboard_completion(board)->count == 0 && totals->completed_words == 10,
          "its latencies and its words");
    scoreboard_settle(board, FIRST_MEMBER + 1, 0, 200, true);
    scoreboard_settle(board, FIRST_MEMBER + 1, 0, 201, true);
    check(strstr(scoreboard_complaint(board), "by mistake"), "complaint");
    scoreboard_free(board);

    board = create_group(false);
    start_in_group(board, 0, false, words);
    scoreboard_fail(board, FIRST_MEMBER + 1, 0, 0);
    scoreboard_fail(board, FIRST_MEMBER + 1, 0, 0);
    expect_complaint(board, "without an order, nobody else may have reported it");
}

/* A member that is not in the view is no target. */
static void test_spared(void)
{
    struct scoreboard *board = create_group(false);
    const struct scoreboard_totals *totals = scoreboard_totals(board);
    uint32_t words[8];
    int32_t packet = start_in_group(board, 0, false, words);
    scoreboard_spare(board, packet, 0);
    scoreboard_spare(board, packet, 2);
    check(totals->expected == 1 && totals->accepted_targets == 1, "one target less");
    check(deliver_in_group(board, 2, 0, 0, words) == SCOREBOARD_GOOD, "to the other one");
    scoreboard_settle(board, FIRST_MEMBER + 1, 0, 200, true);
    check(content(board) && totals->finished == 1 && totals->completed == 1, "it is finished");
    check(deliver_in_group(board, 0, 0, 0, words) != SCOREBOARD_GOOD, "to who is no member");
    expect_complaint(board, "stray");
}

/* All members have two packets in one order, but for the last, which gets these, in these places: so many are out of
 * order. */
static void test_places(uint16_t first, uint16_t first_place, uint16_t second_place, unsigned disordered)
{
    struct scoreboard *board = create_group(true);
    uint32_t words[2][8];
    start_in_group(board, 0, true, words[0]);
    start_in_group(board, 1, true, words[1]);
    for (unsigned member = 0; member < 2; member++)
        for (uint16_t number = 0; number < 2; number++)
            deliver_in_group(board, member, number, number, words[number]);
    check(scoreboard_totals(board)->disordered == 0 && content(board), "in order");
    deliver_in_group(board, 2, first, first_place, words[first]);
    deliver_in_group(board, 2, 1 - first, second_place, words[1 - first]);
    check(scoreboard_totals(board)->disordered == disordered, "%u out of order",
          (unsigned)scoreboard_totals(board)->disordered);
    check((disordered == 0) == content(board), "complaint");
    scoreboard_free(board);
}

/* What the leader keeps is lost with it; who keeps it besides may say so, too. */
static void test_keepers(void)
{
    struct scoreboard *board = create_group(true);
    const struct scoreboard_totals *totals = scoreboard_totals(board);
    uint32_t words[8];
    scoreboard_hand_over(board, start_in_group(board, 0, true, words));
    start_in_group(board, 1, true, words);
    check(scoreboard_restart(board, 0, 300, 1) == 0 && totals->written_off == 3 && totals->finished == 1, "the first");
    scoreboard_fail(board, FIRST_MEMBER + 1, 1, 0);
    scoreboard_fail(board, FIRST_MEMBER + 1, 1, 0);
    scoreboard_fail(board, FIRST_MEMBER + 1, 1, 2);
    scoreboard_hand_over(board, scoreboard_find(board, FIRST_MEMBER + 1, 1));
    check(totals->written_off == 5 && totals->finished == 2, "a leader that is gone keeps nothing");
    scoreboard_settle(board, FIRST_MEMBER + 1, 1, 400, true);
    check(content(board) && scoreboard_lost(board) == 0, "reports of both");
    scoreboard_settle(board, FIRST_MEMBER + 1, 2, 400, true);
    expect_complaint(board, "settles what was never sent");

    board = create_group(true);
    totals = scoreboard_totals(board);
    start_in_group(board, 0, true, words);
    struct traffic_packet packet = {.clock = 100, .source = 1, .member = 2, .targets = words};
    scoreboard_generate(board, &packet);
    check(scoreboard_restart(board, 1, 300, 1) == 0 && totals->written_off == 3 && totals->abandoned == 1,
          "its source was reset");
    check(scoreboard_waiting(board, FIRST_MEMBER + 1) == SCOREBOARD_NONE, "which is no member any more");
    scoreboard_generate(board, &packet);
    check(totals->finished + totals->abandoned == totals->packets, "all accounted for");
    scoreboard_free(board);
}

/* Many packets on their way at once, delivered in random order. */
static void test_long_run(void)
{
    enum { FLIGHT = 500, PACKETS = 100000 };
    static struct {
        int32_t index;
        uint16_t sequence;
        uint32_t source, targets[4];
        unsigned left;
    } flight[FLIGHT];
    struct traffic_options options = {
        .load = 1, .length = 6, .geometric = true, .multicast = 0.5, .targets = 4, .seed = 9};
    char error[100];
    struct traffic *traffic = traffic_create(&mesh, &options, error, sizeof error);
    struct scoreboard *board = create();
    struct random random;
    uint16_t sequences[4] = {0};
    unsigned in_flight = 0;
    uint32_t words[256];
    random_seed(&random, 1, 1);
    for (long sent = 0; sent < PACKETS || in_flight;) {
        if (sent < PACKETS && in_flight < FLIGHT && random_below(&random, 2)) {
            struct traffic_packet packet;
            traffic_next(traffic, &packet);
            scoreboard_generate(board, &packet);
            int32_t index = scoreboard_waiting(board, packet.source);
            flight[in_flight].index = index;
            flight[in_flight].source = packet.source;
            flight[in_flight].sequence = sequences[packet.source]++;
            flight[in_flight].left = packet.target_count;
            memcpy(flight[in_flight].targets, packet.targets, packet.target_count * sizeof *packet.targets);
            scoreboard_accept(board, index, packet.clock, flight[in_flight++].sequence);
            sent++;
        } else if (in_flight) {
            unsigned at = random_below(&random, in_flight);
            unsigned count = scoreboard_data(board, flight[at].index, words);
            struct scoreboard_delivery delivery = {
                .site = flight[at].targets[--flight[at].left],
                .source = flight[at].source,
                .sequence = flight[at].sequence,
                .data = words,
                .data_words = count,
                .clock_delivered = UINT64_C(1) << 40,
            };
            check(scoreboard_deliver(board, &delivery) == SCOREBOARD_GOOD, "delivery of the long run");
            if (flight[at].left == 0)
                flight[at] = flight[--in_flight];
        }
    }
    const struct scoreboard_totals *totals = scoreboard_totals(board);
    check(totals->completed == PACKETS && totals->deliveries == totals->expected, "long run complete");
    check(*scoreboard_complaint(board) == 0, "no complaint");
    scoreboard_free(board);
    traffic_free(traffic);
}

int main(void)
{
    static const char text[] = "[mesh]\ntopology=grid\nsize=2x2\n[service]\nreliable=no\n";
    char error[200];
    if (mesh_config_parse("t.mesh", text, sizeof text - 1, &mesh, error, sizeof error) != 0)
        return 1;
    reliable_mesh = mesh;
    mesh_set_reliable(&reliable_mesh, true);
    test_damage();
    test_info();
    test_swapped_packets();
    test_sequence_reuse();
    test_window();
    test_failures();
    test_false_reports();
    test_late_news();
    test_reset();
    test_stop();
    test_order();
    test_group();
    test_spared();
    test_places(0, 0, 1, 0);
    test_places(0, 0, 2, 1); /* another place than elsewhere */
    test_places(1, 1, 0, 1); /* places not one after the other */
    test_places(1, 0, 1, 2); /* an order of its own */
    test_keepers();
    test_long_run();
    return verdict("scoreboard");
}
