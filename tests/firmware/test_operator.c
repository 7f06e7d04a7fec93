/* Rules O1 to O9, each by its name, on an operator without a network.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "fake_interface.h"
#include "operator/operator.h"
#include "operator/target_list.h"
#include "protocol.h"

enum {
    BUFFERS = 12,
    WORDS = 64,
    HERE = 5,
    HANDLER = 7,
    MARK = 1 << PR_SITE_MARK_BIT_16, /* of a site word */
    BUSY_CLOCKS = 65536,             /* for which links are busy after a deferral or an abort */
    END = PR_TAG_END_OF_PACKET,
    LOCAL_END = PR_TAG_LOCAL_END_OF_PACKET
};

static struct fake_interface fake;
static struct pr_site_identity identity;
static struct pr_operator op;
static uint32_t pool[BUFFERS * PR_PACKET_BUFFER_WORDS(WORDS)];
static unsigned deliveries;
static struct pr_delivery last;
static uint32_t last_data[WORDS], last_info[WORDS];
static unsigned events[4];

static void other_handler(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    CHECK_EQUAL(delivery->handler, UINT32_MAX); /* it was another one's */
}

static void on_delivery(void *context, const struct pr_delivery *delivery)
{
    CHECK(context == &op);
    deliveries++;
    last = *delivery;
    memcpy(last_data, delivery->data, delivery->data_words * 4);
    memcpy(last_info, delivery->info, delivery->info_words * 4);
}

static void on_event(void *context, const struct pr_operator_event *event)
{
    (void)context;
    events[event->kind]++;
    if (event->kind == PR_OPERATOR_EVENT_RESENT &&
        fake_sending(&fake) != NULL) /* it may leave at once, before it is delivered */
        fake_sending(&fake)->stamp_first = fake_sending(&fake)->stamp_last = 0xdead;
    CHECK((event->kind == PR_OPERATOR_EVENT_DELIVERED) == (event->delivery != NULL));
}

static int init(unsigned buffers, unsigned packet_words)
{
    const struct pr_operator_size size = {.buffers = buffers, .packet_words = packet_words};
    return pr_operator_init(&op, &fake.interface, &identity, pool, &size);
}

/* What the network can do and what the mesh is like is set between prepare and begin: the operator reads it once. */
static void prepare(void)
{
    fake_init(&fake);
    identity = fake_identity(HERE);
    deliveries = 0;
    memset(events, 0, sizeof events);
}

static void begin(void)
{
    CHECK_EQUAL(init(BUFFERS, WORDS), 0);
    CHECK_EQUAL(pr_operator_register(&op, HANDLER, on_delivery, &op), 0);
    CHECK_EQUAL(pr_operator_observe(&op, on_event, NULL), 0);
}

static void start(void)
{
    prepare();
    begin();
}

static uint32_t address(unsigned site)
{
    return pr_site_identity_address(&identity, site);
}

static uint32_t pr_count(unsigned index)
{
    return pr_operator_counter(&op, index);
}

/* A packet from site 2, sequence 77, with two words of data, to up to four sites. */
static struct pr_packet *receive(uint32_t kind, unsigned tries, const unsigned *sites, unsigned site_count)
{
    uint32_t targets[4];
    const uint32_t data[] = {2, 77, HANDLER | tries << 8, 0xabcd, 0x1234};
    for (unsigned k = 0; k < site_count; k++)
        targets[k] = address(sites[k]);
    return fake_receive(&fake, kind, targets, site_count, data, 5);
}

#define SITES(...) (const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned)

static void check_delivered_once(void)
{
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(last.source, 2);
    CHECK_EQUAL(last.sequence, 77);
    CHECK_EQUAL(last.data_words, 2);
    CHECK_EQUAL(last_data[0], 0xabcd);
    CHECK_EQUAL(last_data[1], 0x1234);
}

static void check_data(const struct pr_packet *packet, unsigned tries)
{
    const uint32_t *data = packet->words + pr_packet_target_words(packet);
    CHECK_EQUAL(pr_packet_data_words(packet), 5);
    CHECK_EQUAL(data[PR_HEADER_SOURCE], 2);
    CHECK_EQUAL(data[PR_HEADER_SEQUENCE], 77);
    CHECK_EQUAL(data[PR_HEADER_HANDLER], HANDLER | tries << 8);
    CHECK_EQUAL(data[3], 0xabcd);
    CHECK_EQUAL(data[4], 0x1234);
}

static void O1_delivers_unicast(void)
{
    start();
    receive(END, 0, SITES(HERE));
    CHECK(pr_operator_poll(&op));
    check_delivered_once();
    CHECK(fake_sending(&fake) == NULL);
    CHECK_EQUAL(pr_count(PR_COUNTER_DELIVERED), 1);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
    CHECK(!pr_operator_poll(&op));
}

/* The node registers the handler of load records before an application can: nobody takes it over. */
static void load_records_stay_with_the_node(void)
{
    start();
    CHECK_EQUAL(pr_operator_register(&op, PR_HANDLER_LOAD, on_delivery, &op), 0);
    CHECK_EQUAL(pr_operator_register(&op, PR_HANDLER_LOAD, other_handler, NULL), -PR_OPERATOR_RESERVED);
}

/* A handler's number keeps all its bits, on its way in and on its way out, and only its own handler is called. */
static void every_handler_number(void)
{
    for (unsigned handler = 0; handler < 256; handler++) {
        const uint32_t to = address(HERE), data[] = {2, 77, handler, 0xabcd, 0x1234};
        const struct pr_target target = {.site = 9};
        start();
        CHECK_EQUAL(pr_operator_register(&op, HANDLER, other_handler, NULL), 0);
        CHECK_EQUAL(pr_operator_register(&op, (uint8_t)handler, on_delivery, &op), 0);
        CHECK_EQUAL(pr_operator_register(&op, (uint8_t)(handler ^ 0x80), other_handler, NULL), 0);
        CHECK(fake_receive(&fake, END, &to, 1, data, 5) != NULL);
        pr_operator_poll(&op);
        CHECK_EQUAL(deliveries, 1);
        CHECK_EQUAL(pr_operator_send(&op, &target, 1, (uint8_t)handler, NULL, 0, NULL), 0);
        CHECK_EQUAL(fake_leaving(&fake)->words[1 + PR_HEADER_HANDLER], handler);
    }
}

static void O1_delivers_strips_and_resends_the_same_buffer(void)
{
    const struct pr_packet *packet, *sent;
    start();
    packet = receive(PR_KIND_MULTICAST | END, 0, SITES(9, HERE, 13));
    pr_operator_poll(&op);
    check_delivered_once();
    CHECK(fake_sending(&fake) == packet);
    sent = fake_leaving(&fake);
    CHECK_EQUAL(pr_packet_target_words(sent), 2);
    CHECK_EQUAL(sent->words[0], address(9) | MARK);
    CHECK_EQUAL(sent->words[1], address(13) | MARK);
    CHECK_EQUAL(sent->kind, PR_KIND_MULTICAST);
    check_data(sent, 1);
    CHECK_EQUAL(pr_count(PR_COUNTER_RESENT_AFTER_ABORT), 1);
    CHECK_EQUAL(events[PR_OPERATOR_EVENT_RESENT], 1);
    fake_sent(&fake);
    pr_operator_poll(&op);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
}

static void O1_resends_what_others_sent_and_has_no_target_here(void)
{
    start();
    receive(PR_KIND_MULTICAST | END, 0, SITES(9, 13));
    pr_operator_poll(&op);
    CHECK_EQUAL(deliveries, 0);
    CHECK_EQUAL(pr_packet_target_words(fake_leaving(&fake)), 2);
    CHECK_EQUAL(pr_count(PR_COUNTER_RESENT_AFTER_ABORT), 1);
    CHECK_EQUAL(pr_count(PR_COUNTER_DISCARDED), 0);
}

static void O1_one_target_left_goes_as_unicast(void)
{
    start();
    receive(PR_KIND_MULTICAST | END, 0, SITES(HERE, 9));
    pr_operator_poll(&op);
    check_delivered_once();
    CHECK_EQUAL(pr_packet_target_words(fake_leaving(&fake)), 1);
    CHECK_EQUAL(fake_leaving(&fake)->kind, 0);
    CHECK_EQUAL(fake_leaving(&fake)->words[0], address(9));
    check_data(fake_leaving(&fake), 0);
}

static void O1_strips_target_info_too(void)
{
    const uint32_t targets[] = {address(9), 0x11, address(HERE), 0x21, 0x22, address(13), 0x31, 0x32, 0x33};
    const uint32_t data[] = {2, 77, HANDLER, 0xabcd, 0x1234};
    struct pr_packet *packet;
    const struct pr_packet *sent;
    start();
    packet = fake_receive(&fake, PR_KIND_MULTICAST | END, targets, 9, data, 5);
    packet->info[0] = 0x1da; /* words 1, 3, 4, 6, 7, 8 */
    pr_operator_poll(&op);
    check_delivered_once();
    CHECK_EQUAL(last.stamp_last - last.stamp_first, 1);
    CHECK_EQUAL(last.info_words, 2);
    CHECK_EQUAL(last_info[0], 0x21);
    CHECK_EQUAL(last_info[1], 0x22);
    sent = fake_leaving(&fake);
    CHECK_EQUAL(pr_packet_target_words(sent), 6);
    CHECK_EQUAL(sent->info[0], 0x3a);
    CHECK_EQUAL(sent->words[1], 0x11);
    CHECK_EQUAL(sent->words[2], address(13) | MARK);
    CHECK_EQUAL(sent->words[5], 0x33);
    check_data(sent, 1);
}

static void O1_forwards_a_diverted_unicast(void)
{
    start();
    receive(END, 2, SITES(9));
    pr_operator_poll(&op);
    CHECK_EQUAL(deliveries, 0);
    CHECK_EQUAL(fake_leaving(&fake)->words[0], address(9));
    check_data(fake_leaving(&fake), 2);
    CHECK_EQUAL(pr_count(PR_COUNTER_FORWARDED), 1);
    CHECK_EQUAL(pr_count(PR_COUNTER_RESENT_AFTER_ABORT), 0);
    CHECK_EQUAL(events[PR_OPERATOR_EVENT_FORWARDED], 1);
}

/* Bits that only the sender set: a path that was diverted whole, and a deferral before the abort. */
static void O1_sends_on_whatever_is_marked(void)
{
    struct pr_packet *packet;
    start();
    packet = receive(PR_KIND_MULTICAST | END, 0, SITES(9, 13, HERE));
    packet->words[1] |= MARK;
    packet->words[2] |= MARK;
    pr_operator_poll(&op);
    check_delivered_once();
    CHECK_EQUAL(pr_packet_target_words(fake_leaving(&fake)), 2);
    CHECK_EQUAL(fake_leaving(&fake)->words[0], address(9) | MARK);
    CHECK_EQUAL(fake_leaving(&fake)->words[1], address(13) | MARK);

    start();
    packet = receive(PR_KIND_MULTICAST | END, 0, SITES(9));
    packet->words[0] |= MARK;
    pr_operator_poll(&op);
    CHECK_EQUAL(fake_leaving(&fake)->words[0], address(9)); /* a unicast has no mark */
}

static void O2_delivers_and_never_resends(void)
{
    start();
    receive(PR_KIND_MULTICAST | LOCAL_END, 0, SITES(1, HERE, 9));
    pr_operator_poll(&op);
    check_delivered_once();
    CHECK(fake_sending(&fake) == NULL);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
}

static void O2_sends_on_the_deferred_targets_alone(void)
{
    struct pr_packet *packet;
    const struct pr_packet *sent;
    start();
    packet = receive(PR_KIND_MULTICAST | LOCAL_END, 0, SITES(9, 1, HERE, 13));
    packet->words[0] |= MARK;
    packet->words[3] |= MARK;
    pr_operator_poll(&op);
    check_delivered_once();
    sent = fake_leaving(&fake);
    CHECK_EQUAL(sent->kind, PR_KIND_MULTICAST);
    CHECK_EQUAL(pr_packet_target_words(sent), 2);
    CHECK_EQUAL(sent->words[0], address(9) | MARK);
    CHECK_EQUAL(sent->words[1], address(13) | MARK);
    check_data(sent, 1); /* a deferral is a try */
    CHECK_EQUAL(pr_count(PR_COUNTER_RESENT_AFTER_ABORT), 1);
    CHECK_EQUAL(events[PR_OPERATOR_EVENT_RESENT], 1);

    start();
    packet = receive(PR_KIND_MULTICAST | LOCAL_END, 0, SITES(9, 1, 13)); /* none is at home */
    packet->words[1] |= MARK;
    pr_operator_poll(&op);
    CHECK_EQUAL(deliveries, 0);
    CHECK_EQUAL(fake_leaving(&fake)->kind, 0);
    CHECK_EQUAL(fake_leaving(&fake)->words[0], address(1));
    check_data(fake_leaving(&fake), 0);
    CHECK_EQUAL(pr_count(PR_COUNTER_DISCARDED), 0);
}

static void O3_discards_an_aborted_packet(void)
{
    start();
    receive(PR_KIND_MULTICAST | PR_TAG_ABORT_PACKET, 0, SITES(1, HERE));
    pr_operator_poll(&op);
    CHECK_EQUAL(deliveries, 0);
    CHECK(fake_sending(&fake) == NULL);
    CHECK_EQUAL(pr_count(PR_COUNTER_DISCARDED), 1);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
}

static unsigned posted_in_handler;

static void count_posted(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    (void)delivery;
    posted_in_handler = fake_posted(&fake);
}

static void O4_waits_only_while_no_buffer_is_free(void)
{
    start();
    pr_operator_register(&op, HANDLER, count_posted, NULL);
    CHECK(fake_posted(&fake) >= PR_OPERATOR_RECEIVE_RESERVE);
    for (unsigned k = 0; k < BUFFERS - 1; k++) {
        CHECK(receive(END, 0, SITES(9)) != NULL);
        pr_operator_poll(&op);
    }
    CHECK(receive(PR_KIND_MULTICAST | END, 0, SITES(HERE, 9)) != NULL);
    fake_sent(&fake);
    pr_operator_poll(&op);
    CHECK_EQUAL(posted_in_handler, 1); /* posted before the handler ran */
    CHECK(receive(END, 0, SITES(9)) != NULL);
    pr_operator_poll(&op);
    CHECK_EQUAL(fake_queued(&fake), BUFFERS); /* all storage is foreign packets: the network waits */
    CHECK(receive(END, 0, SITES(9)) == NULL);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), 0);
    CHECK_EQUAL(pr_count(PR_COUNTER_FEWEST_FREE_BUFFERS), 0);
    fake_sent(&fake);
    pr_operator_poll(&op);
    CHECK_EQUAL(fake_posted(&fake), 1); /* and goes on with the first buffer there is */
}

static int send_to(const unsigned *sites, unsigned site_count)
{
    struct pr_target targets[20] = {0};
    const uint32_t data[] = {0xabcd, 0x1234};
    for (unsigned k = 0; k < site_count; k++)
        targets[k].site = (uint16_t)sites[k];
    return pr_operator_send(&op, targets, site_count, HANDLER, data, 2, NULL);
}

static void O4_sends_leave_buffers_to_receive(void)
{
    unsigned sent = 0;
    start();
    CHECK_EQUAL(pr_operator_send_room(&op), BUFFERS - BUFFERS * 3 / 4);
    while (pr_operator_send_room(&op) > 0) {
        CHECK_EQUAL(send_to(SITES(9)), 0);
        sent++;
    }
    CHECK_EQUAL(sent, BUFFERS - BUFFERS * 3 / 4);
    CHECK_EQUAL(pr_operator_send(&op, &(struct pr_target){9, 0, NULL}, 1, PR_HANDLER_SERVICE, NULL, 0, NULL), 0);
    sent++;
    CHECK_EQUAL(send_to(SITES(9)), -PR_OPERATOR_NO_BUFFER);
    for (unsigned k = sent; k < BUFFERS; k++) {
        CHECK(receive(END, 0, SITES(9)) != NULL);
        pr_operator_poll(&op);
    }
    CHECK_EQUAL(fake_queued(&fake), BUFFERS);
    CHECK_EQUAL(init(3, WORDS), 0);
    CHECK_EQUAL(pr_operator_send_room(&op), 1);
}

static void O6_counts_tries_then_goes_as_unicasts(void)
{
    const struct pr_packet *packet, *sent;
    const unsigned rest[] = {9, 13, 15};
    start();
    receive(PR_KIND_MULTICAST | END, 1, SITES(9, 13));
    pr_operator_poll(&op);
    check_data(fake_leaving(&fake), 2);
    CHECK_EQUAL(fake_leaving(&fake)->kind, PR_KIND_MULTICAST);
    CHECK_EQUAL(pr_count(PR_COUNTER_UNICAST_FALLBACKS), 0);

    start();
    packet = receive(PR_KIND_MULTICAST | END, 2, SITES(9, HERE, 13, 15)); /* the third try: retry_limit */
    pr_operator_poll(&op);
    check_delivered_once();
    for (unsigned k = 0; k < 3; k++) {
        CHECK(fake_sending(&fake) == packet);
        CHECK_EQUAL(fake_queued(&fake), 1);
        sent = fake_leaving(&fake);
        CHECK_EQUAL(sent->kind, 0);
        CHECK_EQUAL(pr_packet_target_words(sent), 1);
        CHECK_EQUAL(sent->words[0], address(rest[k]));
        check_data(sent, 3);
        fake_sent(&fake);
        pr_operator_poll(&op);
    }
    CHECK(fake_sending(&fake) == NULL);
    CHECK_EQUAL(pr_count(PR_COUNTER_UNICAST_FALLBACKS), 1);
    CHECK_EQUAL(events[PR_OPERATOR_EVENT_FALLBACK], 1);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
}

static void O6_tries_do_not_wrap(void)
{
    start();
    identity.retry_limit = 255;
    receive(PR_KIND_MULTICAST | END, 255, SITES(1, 9));
    pr_operator_poll(&op);
    check_data(fake_leaving(&fake), 255);
    CHECK_EQUAL(pr_count(PR_COUNTER_UNICAST_FALLBACKS), 1);
}

static void O7_removes_duplicates_and_the_first_stays(void)
{
    const uint32_t first = 0x11, second = 0x22;
    const struct pr_target targets[] = {{9, 1, &first}, {3, 0, NULL}, {9, 1, &second}, {3, 0, NULL}};
    const struct pr_packet *packet;
    start();
    CHECK_EQUAL(pr_operator_send(&op, targets, 4, HANDLER, NULL, 0, NULL), 0);
    packet = fake_leaving(&fake);
    CHECK_EQUAL(pr_packet_target_words(packet), 3);
    CHECK_EQUAL(packet->words[0], address(9));
    CHECK_EQUAL(packet->words[1], 0x11);
    CHECK_EQUAL(packet->words[2], address(3)); /* a column further away */
    CHECK_EQUAL(packet->info[0] & 7, 2);
    CHECK_EQUAL(packet->kind, PR_KIND_MULTICAST);
    CHECK_EQUAL(pr_packet_data_words(packet), PR_HEADER_WORDS);

    start();
    CHECK_EQUAL(send_to(SITES(9, 9, 9)), 0);
    CHECK_EQUAL(fake_leaving(&fake)->kind, 0);
}

static void O7_refuses_bad_sets_and_packets(void)
{
    uint32_t data[WORDS] = {0};
    const uint32_t wide = 0x10000;
    const struct pr_target one = {9, 0, NULL}, with_info = {9, 1, &wide};
    start();
    CHECK_EQUAL(send_to(NULL, 0), -PR_OPERATOR_NO_TARGETS);
    CHECK_EQUAL(send_to(SITES(9, 16)), -PR_OPERATOR_UNKNOWN_SITE);
    CHECK_EQUAL(pr_operator_send(&op, &with_info, 1, HANDLER, data, 0, NULL), -PR_OPERATOR_BAD_DATA);
    CHECK_EQUAL(pr_operator_send(&op, &one, 1, HANDLER, &wide, 1, NULL), -PR_OPERATOR_BAD_DATA);
    CHECK_EQUAL(pr_operator_send(&op, &one, 1, HANDLER, data, 64 - 1 - 3 + 1, NULL), -PR_OPERATOR_TOO_LONG);
    identity.max_packet = 4; /* shorter than a buffer, and the header alone makes it too long */
    CHECK_EQUAL(send_to(SITES(9)), -PR_OPERATOR_TOO_LONG);
    CHECK_EQUAL(pr_operator_send(&op, (struct pr_target[]){{9, 0, NULL}, {8, 0, NULL}}, 2, HANDLER, data, 0, NULL),
                -PR_OPERATOR_TOO_LONG);
    identity.max_packet = 64;
    CHECK(fake_sending(&fake) == NULL);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
    CHECK_EQUAL(pr_operator_send(&op, &one, 1, HANDLER, data, 64 - 1 - 3, NULL), 0);
}

static void O8_carries_source_and_sequence(void)
{
    uint16_t first, second;
    const struct pr_target target = {9, 0, NULL};
    const uint32_t *data;
    start();
    op.window.next = 0xffff;
    CHECK_EQUAL(pr_operator_send(&op, &target, 1, HANDLER, NULL, 0, &first), 0);
    CHECK_EQUAL(pr_operator_send(&op, &target, 1, HANDLER, NULL, 0, &second), 0);
    CHECK_EQUAL(first, 0xffff);
    CHECK_EQUAL(second, 0);
    data = fake_leaving(&fake)->words + 1;
    CHECK_EQUAL(data[PR_HEADER_SOURCE], HERE);
    CHECK_EQUAL(data[PR_HEADER_SEQUENCE], 0xffff);
    CHECK_EQUAL(data[PR_HEADER_HANDLER], HANDLER);
}

/* The packet that leaves next has these targets, in this order, all marked or none. */
static void check_leaves(uint32_t kind, uint32_t mark, const unsigned *sites, unsigned site_count)
{
    const struct pr_packet *packet = fake_leaving(&fake);
    CHECK_EQUAL(packet->kind, kind);
    CHECK_EQUAL(pr_packet_target_words(packet), site_count);
    for (unsigned k = 0; k < site_count; k++)
        CHECK_EQUAL(packet->words[k], address(sites[k]) | mark);
    CHECK_EQUAL(packet->words[site_count + PR_HEADER_SEQUENCE], 0); /* one number for all groups */
    CHECK_EQUAL(pr_packet_data_words(packet), PR_HEADER_WORDS + 2);
    fake_sent(&fake);
    pr_operator_poll(&op);
}

/* Seen from site 5: column by column from it to the east, then to the west; in a column to the north, then south. */
static void O9_one_packet_while_links_are_calm(void)
{
    start();
    CHECK_EQUAL(send_to(SITES(0, 1, 4, 6, 7, 9, 13, 14)), 0);
    check_leaves(PR_KIND_MULTICAST, 0, SITES(9, 13, 1, 6, 14, 7, 4, 0));
    CHECK(fake_sending(&fake) == NULL);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
}

static void O9_paths_while_links_are_busy(void)
{
    const struct pr_packet *packet;
    start();
    fake.deferrals = 1;
    CHECK_EQUAL(send_to(SITES(0, 1, 4, 6, 7, 9, 13, 14)), 0);
    packet = fake_sending(&fake);
    check_leaves(PR_KIND_MULTICAST, MARK, SITES(9, 13));
    CHECK_EQUAL(fake_queued(&fake), 1);
    CHECK(fake_sending(&fake) == packet);
    check_leaves(0, 0, SITES(1));
    check_leaves(PR_KIND_MULTICAST, MARK, SITES(6, 14));
    check_leaves(0, 0, SITES(7));
    check_leaves(PR_KIND_MULTICAST, MARK, SITES(4, 0));
    CHECK(fake_sending(&fake) == NULL);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
}

/* How many targets the first packet to a column of three has. */
static unsigned targets_of_a_path(unsigned data_words)
{
    const struct pr_target column[] = {{6, 0, NULL}, {10, 0, NULL}, {14, 0, NULL}};
    static const uint32_t data[4];
    start();
    fake.deferrals = 1;
    CHECK_EQUAL(pr_operator_send(&op, column, 3, HANDLER, data, data_words, NULL), 0);
    return pr_packet_sent_targets(fake_leaving(&fake));
}

/* Two, and one more for four data words: short packets go in short paths. */
static void O9_paths_are_as_long_as_data_pay(void)
{
    CHECK_EQUAL(targets_of_a_path(0), 2);
    CHECK_EQUAL(targets_of_a_path(3), 2);
    CHECK_EQUAL(targets_of_a_path(4), 3);
}

/* What a path carries of its targets, and what a site at its first target is: the path begins here. */
static void O9_groups_have_their_info(void)
{
    const uint32_t info[] = {0x11, 0x12, 0x21, 0x31, 0x32, 0x33}, data[4] = {0};
    const struct pr_target targets[] = {{13, 1, info + 2}, {HERE, 2, info}, {4, 3, info + 3}, {9, 0, NULL}};
    const struct pr_packet *packet;
    start();
    fake.deferrals = 1;
    CHECK_EQUAL(pr_operator_send(&op, targets, 4, HANDLER, data, 4, NULL), 0);
    packet = fake_leaving(&fake);
    CHECK_EQUAL(packet->kind, PR_KIND_MULTICAST);
    CHECK_EQUAL(pr_packet_target_words(packet), 6);
    CHECK_EQUAL(packet->info[0], 0x26);
    CHECK_EQUAL(packet->words[0], address(HERE) | MARK);
    CHECK_EQUAL(packet->words[2], 0x12);
    CHECK_EQUAL(packet->words[3], address(9) | MARK);
    CHECK_EQUAL(packet->words[4], address(13) | MARK);
    CHECK_EQUAL(packet->words[5], 0x21);
    fake_sent(&fake);
    pr_operator_poll(&op);
    packet = fake_leaving(&fake);
    CHECK_EQUAL(packet->kind, 0);
    CHECK_EQUAL(packet->info[0], 0xe);
    CHECK_EQUAL(packet->words[0], address(4));
    CHECK_EQUAL(packet->words[3], 0x33);
}

/* Sends a packet that shows how the links are judged, so many clocks later. */
static void judge(unsigned clocks, bool busy)
{
    fake.clock += clocks;
    CHECK_EQUAL(send_to(SITES(9, 13)), 0);
    CHECK_EQUAL(fake_leaving(&fake)->words[0], address(9) | (busy ? MARK : 0));
    fake_sent(&fake);
    pr_operator_poll(&op);
}

static void O9_links_are_busy_after_a_deferral_or_an_abort(void)
{
    start();
    judge(0, false);
    judge(10 * BUSY_CLOCKS, false);
    fake.deferrals++;
    judge(1, true);
    judge(BUSY_CLOCKS, true);
    judge(1, false);
    judge(1, false);
    fake.aborts++;
    judge(100, true);
    judge(BUSY_CLOCKS - 1, true);
    fake.aborts += 3;
    judge(1, true); /* the time begins anew */
    judge(BUSY_CLOCKS, true);
    judge(1, false);
    fake.clock = UINT32_MAX - 10; /* the clock wraps round */
    fake.deferrals = UINT32_MAX;
    judge(0, true);
    judge(BUSY_CLOCKS, true);
    judge(1, false);
}

static void sends_to_all_sites_and_itself(void)
{
    unsigned all[16];
    start();
    for (unsigned k = 0; k < 16; k++)
        all[k] = k;
    CHECK_EQUAL(send_to(all, 16), 0);
    CHECK_EQUAL(pr_packet_target_words(fake_leaving(&fake)), 16);
    CHECK_EQUAL(send_to(SITES(HERE)), 0);
    CHECK_EQUAL(fake_queued(&fake), 2); /* through the fabric like any other */
    CHECK_EQUAL(deliveries, 0);
}

static void check_unicasts(void)
{
    CHECK_EQUAL(send_to(SITES(1, 9)), 0);
    CHECK_EQUAL(fake_leaving(&fake)->kind, 0);
    CHECK_EQUAL(fake_leaving(&fake)->words[0], address(1));
    fake_sent(&fake);
    pr_operator_poll(&op);
    CHECK_EQUAL(fake_leaving(&fake)->words[0], address(9));
    fake_sent(&fake);
    pr_operator_poll(&op);
    CHECK(fake_sending(&fake) == NULL);
}

static void without_hardware_multicast_sends_unicasts(void)
{
    prepare();
    fake.interface.capabilities.multicast = false;
    begin();
    check_unicasts();
}

static void where_packets_never_divert_sends_unicasts(void)
{
    prepare();
    identity.divert_threshold = PR_NODE_DIVERT_NEVER;
    begin();
    check_unicasts();
}

static void check_discarded(uint32_t kind, uint32_t target, unsigned target_words, unsigned data_words)
{
    const uint32_t data[] = {2, 77, HANDLER, 0xabcd, 0x1234};
    struct pr_packet *packet;
    start();
    packet = fake_receive(&fake, kind, &target, 1, data, 5);
    pr_packet_set_counts(packet, target_words, data_words);
    CHECK(pr_operator_poll(&op));
    CHECK_EQUAL(deliveries, 0);
    CHECK(fake_sending(&fake) == NULL);
    CHECK_EQUAL(pr_count(PR_COUNTER_DISCARDED), 1);
    CHECK_EQUAL(pr_count(PR_COUNTER_FREE_BUFFERS), BUFFERS);
}

static void hostile_packets_are_discarded(void)
{
    check_discarded(END, address(HERE), 1, 2);     /* no header */
    check_discarded(END, address(HERE), 0, 5);     /* no target */
    check_discarded(END, address(HERE), 1, WORDS); /* more than a buffer holds */
    check_discarded(END, address(HERE), 0xffff, 0xffff);
    check_discarded(END | PR_KIND_OVERSIZE, address(HERE), 1, 5);
    check_discarded(PR_TAG_DATA, address(HERE), 1, 5);      /* no terminator at all */
    check_discarded(PR_KIND_MULTICAST | END, 0x3fff, 1, 5); /* outside the mesh: it would block a link */
    check_discarded(LOCAL_END, address(9), 1, 5);           /* says it is ours, is not */
}

static void outside_targets_are_dropped_and_the_rest_goes_on(void)
{
    const uint32_t targets[] = {0x3fff, address(9), address(HERE), 4, address(HERE)};
    const uint32_t data[] = {2, 77, HANDLER, 0xabcd, 0x1234};
    start();
    fake_receive(&fake, PR_KIND_MULTICAST | END, targets, 5, data, 5);
    pr_operator_poll(&op);
    check_delivered_once(); /* named twice, delivered once */
    CHECK_EQUAL(pr_packet_target_words(fake_leaving(&fake)), 1);
    CHECK_EQUAL(fake_leaving(&fake)->words[0], address(9));
    CHECK_EQUAL(pr_count(PR_COUNTER_DISCARDED), 1);
}

static void refuses_what_cannot_work(void)
{
    start();
    CHECK_EQUAL(init(2, WORDS), -PR_OPERATOR_NO_BUFFER);
    CHECK_EQUAL(init(BUFFERS, 63), -PR_OPERATOR_TOO_LONG);
    start();
    for (unsigned k = 1; k < PR_OPERATOR_HANDLERS; k++)
        CHECK_EQUAL(pr_operator_register(&op, (uint8_t)(100 + k), on_delivery, NULL), 0);
    CHECK_EQUAL(pr_operator_register(&op, 200, on_delivery, NULL), -PR_OPERATOR_FULL);
    CHECK_EQUAL(pr_operator_register(&op, HANDLER, on_delivery, NULL), 0);
    CHECK_EQUAL(pr_operator_observe(&op, on_event, NULL), 0);
    CHECK_EQUAL(pr_operator_observe(&op, on_event, NULL), -PR_OPERATOR_FULL);
}

static unsigned answers;

static void answer(void *context, const struct pr_delivery *delivery)
{
    const struct pr_target back = {delivery->source, 0, NULL};
    (void)context;
    answers += pr_operator_send(&op, &back, 1, HANDLER, delivery->data, delivery->data_words, NULL) == 0;
}

static void a_handler_may_send(void)
{
    start();
    answers = 0;
    pr_operator_register(&op, HANDLER, answer, NULL);
    receive(END, 0, SITES(HERE));
    pr_operator_poll(&op);
    CHECK_EQUAL(answers, 1);
    CHECK_EQUAL(fake_leaving(&fake)->words[0], address(2));
}

static void O1_discards_a_foreign_unicast_where_the_fabric_never_diverts(void)
{
    prepare();
    fake.interface.capabilities.diverts = false;
    begin();
    receive(END, 0, SITES(9));
    CHECK(pr_operator_poll(&op));
    CHECK(fake_sending(&fake) == NULL);
    CHECK_EQUAL(pr_count(PR_COUNTER_DISCARDED), 1);
    receive(PR_KIND_MULTICAST | END, 0, SITES(9));
    CHECK(pr_operator_poll(&op));
    CHECK(fake_sending(&fake) != NULL);
    CHECK_EQUAL(pr_count(PR_COUNTER_RESENT_AFTER_ABORT), 1);
}

int main(void)
{
    RUN(O1_delivers_unicast);
    RUN(load_records_stay_with_the_node);
    RUN(every_handler_number);
    RUN(O1_delivers_strips_and_resends_the_same_buffer);
    RUN(O1_resends_what_others_sent_and_has_no_target_here);
    RUN(O1_one_target_left_goes_as_unicast);
    RUN(O1_strips_target_info_too);
    RUN(O1_forwards_a_diverted_unicast);
    RUN(O1_discards_a_foreign_unicast_where_the_fabric_never_diverts);
    RUN(O1_sends_on_whatever_is_marked);
    RUN(O2_delivers_and_never_resends);
    RUN(O2_sends_on_the_deferred_targets_alone);
    RUN(O3_discards_an_aborted_packet);
    RUN(O4_waits_only_while_no_buffer_is_free);
    RUN(O4_sends_leave_buffers_to_receive);
    RUN(O6_counts_tries_then_goes_as_unicasts);
    RUN(O6_tries_do_not_wrap);
    RUN(O7_removes_duplicates_and_the_first_stays);
    RUN(O7_refuses_bad_sets_and_packets);
    RUN(O8_carries_source_and_sequence);
    RUN(O9_one_packet_while_links_are_calm);
    RUN(O9_paths_while_links_are_busy);
    RUN(O9_paths_are_as_long_as_data_pay);
    RUN(O9_groups_have_their_info);
    RUN(O9_links_are_busy_after_a_deferral_or_an_abort);
    RUN(sends_to_all_sites_and_itself);
    RUN(without_hardware_multicast_sends_unicasts);
    RUN(where_packets_never_divert_sends_unicasts);
    RUN(hostile_packets_are_discarded);
    RUN(outside_targets_are_dropped_and_the_rest_goes_on);
    RUN(refuses_what_cannot_work);
    RUN(a_handler_may_send);
    return 0;
}
