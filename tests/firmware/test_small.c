/* The small operator (firmware/small): each of its images against the suite, and what it has of its own: the answers to
 * other sites, its console, and which meshes it refuses. test_small_soak.c has whole meshes.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "small_host.h"
#include "suite.h"

static void start_image(const struct node_kind *kind)
{
    suite_of(kind);
    start();
}

/* The next packet leaves: a unicast to this site. */
static const struct pr_packet *leaves(unsigned to)
{
    const struct pr_packet *packet = fake_leaving(fake);
    CHECK(packet != NULL);
    CHECK_EQUAL(packet->kind, 0);
    CHECK_EQUAL(packet->words[0], address(to));
    fake_sent(fake);
    poll_all();
    return packet;
}

static struct pr_header header_leaves(unsigned to, enum pr_header_kind kind)
{
    const struct pr_packet *packet = leaves(to);
    struct pr_header header;
    CHECK_EQUAL(pr_header_decode(&header, packet->words + pr_packet_target_words(packet), pr_packet_data_words(packet),
                                 KIND_BIT),
                kind);
    return header;
}

static void nothing_leaves(void)
{
    CHECK(fake_sending(fake) == NULL);
}

/* Data of epoch 0 arrive. */
static struct pr_packet *arrive(unsigned kind, const uint32_t *targets, unsigned count, unsigned sequence,
                                unsigned words)
{
    uint32_t data[64] = {1, sequence, HANDLER};
    for (unsigned k = 0; k < words; k++)
        data[PR_HEADER_WORDS + k] = 100 + k;
    return fake_receive(fake, kind, targets, count, data, PR_HEADER_WORDS + words);
}

/* A packet of another site that was held for too long does not go on to its next target. */
static void forgets_the_old(void)
{
    uint32_t others[3];
    start_image(&small_reliable);
    for (unsigned k = 0; k < 3; k++)
        others[k] = address(6 + k);
    arrive(END | MULTICAST, others, 3, 1, 1);
    poll_all();
    leaves(6);
    fake->clock += (1 << 17) + 2;
    leaves(7); /* was given away before */
    nothing_leaves();
    CHECK(node_is_at_rest(&node));
}

/* An acknowledgement leaves at once, or not at all: both small buffers are on their way. */
static void third_acknowledgement_is_dropped(void)
{
    start_image(&small_reliable);
    for (unsigned k = 0; k < 3; k++)
        data_from(2, 0, k);
    CHECK_EQUAL(deliveries, 3);
    CHECK_EQUAL(header_leaves(2, PR_HEADER_KIND_ACKNOWLEDGEMENT).acknowledgement.sequence, 0);
    CHECK_EQUAL(header_leaves(2, PR_HEADER_KIND_ACKNOWLEDGEMENT).acknowledgement.sequence, 1);
    nothing_leaves();
    CHECK(node_is_at_rest(&node));
}

static void one_packet_at_a_time_to_another_site(void)
{
    static const uint32_t data[52];
    start_image(&small_reliable);
    CHECK(send_to(SITES_OF(HERE)) != 0);
    CHECK_EQUAL(send_to(SITES_OF(2)), 0);
    CHECK(send_to(SITES_OF(3)) != 0);
    CHECK_EQUAL(counter(PR_COUNTER_WINDOW_FULL), 1);
    leaves(2);
    CHECK(send_to(SITES_OF(3)) != 0);
    acknowledge_from(2, 0, 0, 0);
    CHECK_EQUAL(node_send(&node, &(struct pr_target){.site = 3}, 1, data, 52, NULL), 0);
}

/* Eight sites, whose addresses are their numbers. */
static void sites_of_a_hypercube(void)
{
    suite_of(&small_reliable);
    prepare(0);
    identity->topology = PR_TOPOLOGY_HYPERCUBE;
    identity->size_x = 3;
    identity->size_y = 1;
    begin();
    CHECK(send_to(SITES_OF(8)) != 0);
    CHECK_EQUAL(send_to(SITES_OF(7)), 0);
    leaves(7);
}

/* ---- services ---- */

static void request(unsigned source, unsigned sequence, const uint32_t *words, unsigned count)
{
    uint32_t target = address(HERE), data[64] = {source, sequence, PR_HANDLER_SERVICE};
    memcpy(data + PR_HEADER_WORDS, words, count * sizeof *words);
    CHECK(fake_receive(fake, END, &target, 1, data, PR_HEADER_WORDS + count) != NULL);
    poll_all();
}

static void answers(void)
{
    uint32_t ping[] = {1, 2, 33, 0x1111, 0x2222, 7, 8}, identify[] = {0, 1, 34, 1, 2}, counters[] = {2, 5, 35, 64, 1};
    const struct pr_packet *packet;
    const uint32_t *data;
    start_image(&small_reliable);
    request(3, 0, ping, 7);
    leaves(3); /* the acknowledgement */
    packet = leaves(3);
    data = packet->words + 1 + PR_HEADER_WORDS;
    CHECK_EQUAL(pr_packet_data_words(packet), PR_HEADER_WORDS + 11);
    CHECK(data[0] == 0x81 && data[1] == 2 && data[2] == 33 && data[3] == 0x1111 && data[4] == 0x2222);
    CHECK(data[9] == 7 && data[10] == 8);
    CHECK_EQUAL(deliveries, 0);
    request(3, 1, counters, 5); /* the last answer is not settled */
    leaves(3);
    nothing_leaves();
    CHECK_EQUAL(counter(PR_COUNTER_ANSWERS_LOST), 1);
    acknowledge_from(3, 0, 0, 0);
    request(3, 2, identify, 5);
    leaves(3);
    packet = leaves(3);
    data = packet->words + 1 + PR_HEADER_WORDS;
    CHECK_EQUAL(pr_packet_data_words(packet), PR_HEADER_WORDS + 5 + 4);
    CHECK(data[0] == 0x80 && data[3] == 1 && data[4] == 2 && data[5] == HERE && data[7] == address(HERE));
    acknowledge_from(3, 0, 1, 0);
    request(3, 3, counters, 5);
    leaves(3);
    data = leaves(3)->words + 1 + PR_HEADER_WORDS;
    CHECK(data[4] == 1 && data[5] == counter(PR_COUNTER_DELIVERED));
    acknowledge_from(3, 0, 2, 0);
    identify[3] = 20; /* beyond the block: no values */
    request(3, 4, identify, 5);
    leaves(3);
    CHECK_EQUAL(leaves(3)->words[1 + PR_HEADER_WORDS + 4], 0);
    acknowledge_from(3, 0, 3, 0);
    identify[0] = 3; /* no request */
    request(3, 5, identify, 5);
    leaves(3);
    request(3, 6, counters, 4); /* too short */
    leaves(3);
    nothing_leaves();

    prepare(0); /* answers that do not fit a packet of this mesh are lost */
    identity->max_packet = 31;
    begin();
    identify[0] = 0;
    identify[3] = 0;
    identify[4] = 21;
    request(3, 0, identify, 5);
    leaves(3);
    nothing_leaves();
    CHECK(node_send_room(&node));
    CHECK_EQUAL(counter(PR_COUNTER_ANSWERS_LOST), 1);
}

/* ---- console ---- */

static void ask(struct pr_frame *frame, unsigned id)
{
    uint8_t bytes[PR_FRAMES_WIRE_MAX];
    size_t length;
    frame->id = (uint8_t)id;
    length = pr_frames_encode(frame, bytes, sizeof bytes);
    CHECK(length > 0 && length < sizeof host.to);
    memcpy(host.to, bytes, length);
    host.to_at = 0;
    host.to_length = length;
    poll_all();
}

/* Raw: a packet of this site's to itself passes the fabric. */
static void to_itself(void)
{
    const struct pr_packet *leaving = leaves(HERE);
    struct pr_packet *packet;
    uint32_t target = address(HERE);
    packet = fake_receive(fake, END, &target, 1, leaving->words + 1, pr_packet_data_words(leaving));
    CHECK(packet != NULL);
    poll_all();
}

static void console_of_receiver(void)
{
    static struct pr_frame frame;
    struct pr_site_identity read;
    struct pr_message_counters counters;
    unsigned of;
    start_image(&small_receiver);
    pr_message_identify(&frame, PR_CONSOLE_THIS_SITE);
    ask(&frame, 7);
    CHECK(host.last.id == 7 && pr_message_read_identity(&host.last, &of, &read) && of == HERE);
    CHECK(memcmp(&read, identity, sizeof read) == 0);
    pr_message_identify_part(&frame, HERE, 19, 2);
    ask(&frame, 8);
    memset(&read, 0, sizeof read);
    CHECK(pr_message_read_identity_part(&host.last, &of, &read) && read.reliable == 1 && read.site == 0);
    pr_message_identify_part(&frame, HERE, 20, 2);
    ask(&frame, 9);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_BAD_REQUEST);
    pr_message_counters(&frame, HERE, 9, 2);
    ask(&frame, 10);
    CHECK(pr_message_read_counters(&host.last, &counters) && counters.count == 2 && counters.values[0] == 1009);
    pr_message_identify(&frame, 3);
    ask(&frame, 11);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_UNSUPPORTED);
    pr_message_ping(&frame, HERE, 0);
    ask(&frame, 12);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_UNSUPPORTED);
    pr_message_hold(&frame, 5);
    ask(&frame, 13);
    CHECK(host.last.type == (PR_CONSOLE_HOLD | PR_CONSOLE_ANSWER) && host.last.id == 13);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_UNSUPPORTED);
    frame.type = PR_CONSOLE_ANSWER; /* an answer is never answered */
    host.frames = 0;
    ask(&frame, 14);
    CHECK_EQUAL(host.frames, 0);
    CHECK_EQUAL(counter(PR_COUNTER_BAD_FRAMES), 1);
    pr_message_listen(&frame, 8);
    ask(&frame, 15);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_BAD_REQUEST);
}

/* Deliveries wait at their sources while nobody reads the console, and none is lost. */
static void console_refuses(void)
{
    static struct pr_frame frame;
    uint32_t targets[] = {0, 41, 42};
    struct pr_packet *packet;
    start_image(&small_receiver);
    targets[0] = address(HERE);
    pr_message_listen(&frame, PR_CONSOLE_LISTEN_DELIVERED);
    ask(&frame, 1);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_OK);
    packet = arrive(END, targets, 3, 0, 4);
    packet->info[0] = 6;
    poll_all();
    leaves(1);
    CHECK(host.deliveries == 1 && host.delivery.source == 1 && host.delivery.handler == HANDLER);
    CHECK(host.delivery.info_words == 2 && host.delivery.info[1] == 42);
    CHECK(host.delivery.data_words == 4 && host.delivery.data[3] == 103);
    host.stuck = true;
    data_from(1, 0, 1);
    leaves(1);
    data_from(1, 0, 2);
    CHECK_EQUAL(header_leaves(1, PR_HEADER_KIND_ACKNOWLEDGEMENT).acknowledgement.sequence, 1); /* alive */
    CHECK_EQUAL(counter(PR_COUNTER_REFUSED), 1);
    data_from(1, 0, 1); /* a duplicate is not refused */
    CHECK_EQUAL(header_leaves(1, PR_HEADER_KIND_ACKNOWLEDGEMENT).acknowledgement.sequence, 1);
    CHECK_EQUAL(counter(PR_COUNTER_REFUSED), 1);
    host.stuck = false;
    poll_all();
    data_from(1, 0, 2);
    CHECK_EQUAL(header_leaves(1, PR_HEADER_KIND_ACKNOWLEDGEMENT).acknowledgement.sequence, 2);
    CHECK_EQUAL(host.deliveries, 3);
    CHECK_EQUAL(host.delivery.sequence, 2);
}

/* The console has its turn in every round, however fast the sources send again: its output leaves, and is not refused
 * for ever. */
static void console_is_not_starved(void)
{
    static struct pr_frame frame;
    unsigned round = 0, sequence = 0;
    uint32_t target;
    start_image(&small_receiver);
    target = address(HERE);
    pr_message_listen(&frame, PR_CONSOLE_LISTEN_DELIVERED);
    ask(&frame, 1);
    host.slowness = 6;
    for (; round < 8000 && sequence < 10; round++) {
        while (fake_posted(fake) > 0) /* there is always another packet */
            arrive(END, &target, 1, sequence, 4);
        node_poll(&node);
        while (fake_sending(fake) != NULL)
            fake_sent(fake);
        sequence = deliveries;
    }
    CHECK_EQUAL(sequence, 10);
    poll_all();
    CHECK_EQUAL(host.deliveries, 10);
    CHECK(counter(PR_COUNTER_REFUSED) > 10);
}

static void console_of_raw(void)
{
    static struct pr_frame frame;
    uint16_t to[] = {6, 9, 6, HERE};
    uint32_t words[] = {1, 0xffff}, arrived[] = {0x81, 2, 3, 0, 0, 10, 0, 20, 0, 0};
    struct pr_message_send send = {.handler = HANDLER, .targets = 4, .data_words = 2, .sites = to, .data = words};
    struct pr_message_counters counters;
    struct pr_message_ping ping;
    struct pr_site_identity read;
    const struct pr_packet *packet;
    unsigned of, sequence;
    uint32_t clock;
    start_image(&small_raw);
    pr_message_listen(&frame, PR_CONSOLE_LISTEN_DELIVERED);
    ask(&frame, 1);
    pr_message_identify(&frame, PR_CONSOLE_THIS_SITE);
    ask(&frame, 2);
    to_itself();
    to_itself();
    CHECK(pr_message_read_identity(&host.last, &of, &read) && of == HERE && host.last.id == 2);
    CHECK(memcmp(&read, identity, sizeof read) == 0);
    pr_message_counters(&frame, 3, 64, 2);
    ask(&frame, 3);
    packet = leaves(3);
    CHECK_EQUAL(packet->words[1 + PR_HEADER_WORDS], 2);
    request(3, 0, (uint32_t[]){0x82, 5, 3, 64, 2, 11, 0, 12, 1}, 9);
    CHECK(pr_message_read_counters(&host.last, &counters) && counters.site == 3 && counters.values[1] == 0x1000c);
    host.frames = 0;
    request(3, 0, (uint32_t[]){0x82, 5, 3, 64, 2, 11, 0}, 7); /* fewer values than it claims */
    CHECK_EQUAL(host.frames, 0);
    pr_message_ping(&frame, 3, 1);
    ask(&frame, 4);
    leaves(3);
    arrived[9] = 0xffff; /* what ping_pattern(0) is */
    request(3, 0, arrived, 10);
    CHECK(pr_message_read_ping(&host.last, &ping) && ping.site == 3 && ping.out == 10);
    arrived[9] = 0;
    request(3, 0, arrived, 10);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_BAD_DATA);
    pr_message_send(&frame, &send);
    ask(&frame, 5);
    CHECK_EQUAL(pr_message_status(&host.last), 0);
    CHECK(pr_message_read_send(&host.last, &sequence, &clock));
    CHECK_EQUAL(sequence, 4);
    pr_message_ping(&frame, 3, 0); /* its packet is underway */
    ask(&frame, 6);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_WINDOW_FULL);
    packet = leaves(6);
    CHECK(packet->words[1 + PR_HEADER_WORDS + 1] == 0xffff && packet->words[1] == HERE);
    leaves(9);
    to_itself(); /* each target once (O7) */
    CHECK(host.deliveries == 1 && host.delivery.source == HERE && host.delivery.data[1] == 0xffff);
    nothing_leaves();
    CHECK(node_is_at_rest(&node));
    send.targets = 0;
    pr_message_send(&frame, &send);
    ask(&frame, 7);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_NO_TARGETS);
    send.targets = 1;
    to[0] = SITES;
    pr_message_send(&frame, &send);
    ask(&frame, 8);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_UNKNOWN_SITE);
    to[0] = 3;
    words[1] = 0x10000;
    pr_message_send(&frame, &send);
    ask(&frame, 9);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_BAD_DATA);
    words[1] = 0;
    send.info = &(struct pr_message_info){words, 1};
    pr_message_send(&frame, &send);
    ask(&frame, 10);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_UNSUPPORTED);
    send.info = NULL;
    pr_message_send(&frame, &send);
    frame.payload[frame.length++] = 0; /* more than it claims */
    ask(&frame, 11);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_BAD_REQUEST);
    pr_message_ping(&frame, 3, 60);
    ask(&frame, 11);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_TOO_LONG);
    pr_message_ping(&frame, SITES, 0);
    ask(&frame, 12);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_UNKNOWN_SITE);
    nothing_leaves();
    CHECK(node_send_room(&node));
}

/* ---- meshes that do not suit an image ---- */

static void check_refused(const struct node_kind *kind, unsigned offset, uint32_t value)
{
    suite_of(kind);
    prepare(0);
    (&identity->map_version)[offset / 4] = value;
    CHECK(!node_start(&node));
}

static void refuses_meshes(void)
{
    static const struct node_kind *const kinds[] = {&small_reliable, &small_raw};
    for (unsigned k = 0; k < 2; k++) {
        check_refused(kinds[k], PR_ID_MAP_VERSION, PR_ID_MAP_VERSION_VALUE + 1);
        check_refused(kinds[k], PR_ID_RELIABLE, !kinds[k]->reliable);
        check_refused(kinds[k], PR_ID_WORD_WIDTH, 32);
        check_refused(kinds[k], PR_ID_MAX_PACKET, kinds[k]->packet_words + 1);
    }
    check_refused(&small_raw, PR_ID_TOPOLOGY, PR_TOPOLOGY_HYPERCUBE);
    check_refused(&small_receiver, PR_ID_SIZE_Y, 17); /* 68 sites */
}

int main(void)
{
    const uint64_t seed = check_seed();
    operator_rules(&small_reliable);
    operator_rules(&small_receiver);
    operator_rules(&small_raw);
    reliable_rules(&small_reliable, seed);
    reliable_rules(&small_receiver, seed);
    hostile_rules(&small_reliable, seed);
    hostile_rules(&small_receiver, seed);
    hostile_rules(&small_raw, seed);
    RUN(forgets_the_old);
    RUN(third_acknowledgement_is_dropped);
    RUN(one_packet_at_a_time_to_another_site);
    RUN(sites_of_a_hypercube);
    RUN(answers);
    RUN(console_of_receiver);
    RUN(console_refuses);
    RUN(console_is_not_starved);
    RUN(console_of_raw);
    RUN(refuses_meshes);
    node_end(&node);
    return 0;
}
