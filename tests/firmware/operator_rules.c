/* Rules O1 to O9 for every operator, raw or reliable, full or small, as far as it claims them: groups (O6, O9) are
 * claimed by the full one alone. test_small.c has the packets of a small one's console.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "suite.h"

enum { SOURCE = 2, SEQUENCE = 77 };

static const struct node_kind *kind;
static unsigned acknowledged; /* acknowledgements that have left */

/* What the third word of a header has of the tries of a multicast. */
static uint32_t tries_of(unsigned tries)
{
    return kind->reliable ? (uint32_t)(tries > 0) << PR_HEADER_ABORTED_BIT : tries << 8;
}

static struct pr_packet *arrive_words(uint32_t packet_kind, unsigned tries, const uint32_t *targets, unsigned words)
{
    const uint32_t data[] = {SOURCE, SEQUENCE, HANDLER | tries_of(tries), 0xabcd, 0x1234};
    struct pr_packet *packet = fake_receive(fake, packet_kind, targets, words, data, 5);
    CHECK(packet != NULL);
    return packet;
}

/* A packet from SOURCE with two words of data, to up to four sites. */
static struct pr_packet *arrive(uint32_t packet_kind, unsigned tries, const unsigned *sites, unsigned count)
{
    uint32_t targets[4];
    for (unsigned k = 0; k < count; k++)
        targets[k] = address(sites[k]);
    return arrive_words(packet_kind, tries, targets, count);
}

static void start_anew(void)
{
    start();
    acknowledged = 0;
}

static void leaves(void)
{
    fake_sent(fake);
    poll_all();
}

/* The next packet that leaves, but for acknowledgements, which are let go. */
static const struct pr_packet *leaving(void)
{
    struct pr_header header;
    for (const struct pr_packet *packet; (packet = fake_leaving(fake)) != NULL; leaves()) {
        const uint32_t *data = packet->words + pr_packet_target_words(packet);
        if (!kind->reliable ||
            pr_header_decode(&header, data, pr_packet_data_words(packet), KIND_BIT) != PR_HEADER_KIND_ACKNOWLEDGEMENT)
            return packet;
        CHECK_EQUAL(packet->words[0], address(SOURCE));
        acknowledged++;
    }
    return NULL;
}

/* Nothing is left to be done. A reliable node has acknowledged what was delivered, and nothing else. */
static void all_is_back(void)
{
    do
        CHECK(leaving() == NULL);
    while (sleep_once());
    CHECK_EQUAL(acknowledged, kind->reliable ? deliveries : 0);
    CHECK(node_is_at_rest(&node) || !kind->sends);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
}

static void check_delivered_once(void)
{
    CHECK_EQUAL(deliveries, 1);
    CHECK_EQUAL(last.source, SOURCE);
    CHECK_EQUAL(last.sequence, SEQUENCE);
    CHECK_EQUAL(last.data_words, 2);
    CHECK_EQUAL(last_data[0], 0xabcd);
    CHECK_EQUAL(last_data[1], 0x1234);
    CHECK_EQUAL(last.stamp_last - last.stamp_first, 1);
    CHECK_EQUAL(counter(PR_COUNTER_DELIVERED), 1);
}

/* The data as they came. Who sends multicasts on as multicasts counts the tries. */
static void check_content(const struct pr_packet *packet, unsigned tries)
{
    const uint32_t *data = packet->words + pr_packet_target_words(packet);
    CHECK_EQUAL(pr_packet_data_words(packet), 5);
    CHECK_EQUAL(data[PR_HEADER_SOURCE], SOURCE);
    CHECK_EQUAL(data[PR_HEADER_SEQUENCE], SEQUENCE);
    CHECK_EQUAL(data[PR_HEADER_HANDLER], HANDLER | tries_of(tries));
    CHECK_EQUAL(data[3], 0xabcd);
    CHECK_EQUAL(data[4], 0x1234);
}

/* A target, with its target_info. */
struct entry {
    unsigned site, words;
    uint32_t info[3];
};

/* The packet that leaves next goes to these targets: several as a path. */
static void check_leaves(const struct entry *entries, unsigned count, unsigned tries)
{
    const struct pr_packet *packet = leaving();
    unsigned at = 0;
    CHECK(packet != NULL);
    CHECK_EQUAL(packet->kind, count > 1 ? MULTICAST : 0);
    for (const struct entry *entry = entries; entry < entries + count; entry++) {
        CHECK_EQUAL(packet->words[at], address(entry->site) | (count > 1 ? MARK : 0));
        CHECK(!pr_packet_is_info(packet, at++));
        for (unsigned k = 0; k < entry->words; k++, at++)
            CHECK(pr_packet_is_info(packet, at) && packet->words[at] == entry->info[k]);
    }
    CHECK_EQUAL(pr_packet_target_words(packet), at);
    check_content(packet, tries);
    leaves();
}

/* From the buffer in which it came, a packet goes on to these targets in this order, and then its buffer is back: as
 * one packet, or to one after the other. It was tried `tries` times before. */
static void check_sent_on(const struct pr_packet *from, const struct entry *entries, unsigned count, unsigned tries)
{
    CHECK(count == 0 || (leaving() != NULL && acknowledged == 0)); /* other sites wait for it */
    if (kind->groups && count > 1) {
        CHECK(leaving() != NULL && fake_sending(fake) == from);
        check_leaves(entries, count, tries + 1);
    }
    for (unsigned k = 0; k < count && !(kind->groups && count > 1); k++) {
        CHECK(leaving() != NULL && fake_sending(fake) == from);
        check_leaves(entries + k, 1, tries);
    }
    all_is_back();
    CHECK_EQUAL(counter(PR_COUNTER_UNICAST_FALLBACKS), !kind->groups && count > 1);
}

/* What arrives, and what becomes of it: data are delivered here or not, and it goes on to some targets. */
struct arrival {
    const char *rule;
    uint32_t kind;
    unsigned tries, count, marked, sites[4]; /* marked: set of the targets that have a mark */
    unsigned delivered, on_count, on[2], resent, forwarded, discarded;
};

static const struct arrival arrivals[] = {
    {"O1: a unicast is delivered", END, 0, 1, 0, {HERE}, 1, 0, {0}, 0, 0, 0},
    {"O1: is delivered, stripped and sent on", MULTICAST | END, 0, 3, 0, {9, HERE, 13}, 1, 2, {9, 13}, 1, 0, 0},
    {"O1: what others sent is sent on", MULTICAST | END, 0, 2, 0, {9, 13}, 0, 2, {9, 13}, 1, 0, 0},
    {"O1: one target left is a unicast", MULTICAST | END, 0, 2, 0, {HERE, 9}, 1, 1, {9}, 1, 0, 0},
    {"O1: a diverted unicast goes on", END, 2, 1, 0, {9}, 0, 1, {9}, 0, 1, 0},
    {"O1: marked: a path diverted whole", MULTICAST | END, 0, 3, 6, {9, 13, HERE}, 1, 2, {9, 13}, 1, 0, 0},
    {"O1: marked: a deferral before the abort", MULTICAST | END, 0, 1, 1, {9}, 0, 1, {9}, 1, 0, 0},
    {"O2: never sent on", MULTICAST | LOCAL_END, 0, 3, 0, {1, HERE, 9}, 1, 0, {0}, 0, 0, 0},
    {"O2: but for deferred targets", MULTICAST | LOCAL_END, 0, 4, 9, {9, 1, HERE, 13}, 1, 2, {9, 13}, 1, 0, 0},
    {"O2: and not for this site", MULTICAST | LOCAL_END, 0, 4, 13, {9, 1, HERE, 13}, 1, 2, {9, 13}, 1, 0, 0},
    {"O2: none is at home", MULTICAST | LOCAL_END, 0, 3, 2, {9, 1, 13}, 0, 1, {1}, 1, 0, 0},
    {"O3: an aborted packet is discarded", MULTICAST | PR_TAG_ABORT_PACKET, 0, 2, 0, {1, HERE}, 0, 0, {0}, 0, 0, 1},
};

/* A deferral or an abort is a try. */
static void check_arrival(const struct arrival *row)
{
    struct entry on[2] = {{.site = row->on[0]}, {.site = row->on[1]}};
    struct pr_packet *packet;
    start_anew();
    packet = arrive(row->kind, row->tries, row->sites, row->count);
    for (unsigned k = 0; k < row->count; k++)
        packet->words[k] |= row->marked >> k & 1 ? MARK : 0;
    CHECK(node_poll(&node));
    if (row->delivered)
        check_delivered_once();
    check_sent_on(packet, on, row->on_count, row->tries);
    CHECK(!node_poll(&node));
    CHECK_EQUAL(deliveries, row->delivered);
    CHECK_EQUAL(counter(PR_COUNTER_RESENT_AFTER_ABORT), row->resent);
    CHECK_EQUAL(counter(PR_COUNTER_FORWARDED), row->forwarded);
    CHECK_EQUAL(counter(PR_COUNTER_DISCARDED), row->discarded);
    CHECK_EQUAL(events[PR_OPERATOR_EVENT_RESENT], kind->explains ? row->resent : 0);
    CHECK_EQUAL(events[PR_OPERATOR_EVENT_FORWARDED], kind->explains ? row->forwarded : 0);
}

static void O1_O2_O3_arrivals(void)
{
    for (const struct arrival *row = arrivals; row < arrivals + sizeof arrivals / sizeof *arrivals; row++) {
        printf("    %s\n", row->rule);
        check_arrival(row);
    }
}

static void O1_strips_target_info_too(void)
{
    const uint32_t targets[] = {address(9), 0x11, address(HERE), 0x21, 0x22, address(13), 0x31, 0x32, 0x33};
    struct pr_packet *packet;
    start_anew();
    packet = arrive_words(MULTICAST | END, 0, targets, 9);
    packet->info[0] = 0x1da; /* words 1, 3, 4, 6, 7, 8 */
    node_poll(&node);
    check_delivered_once();
    CHECK_EQUAL(last.info_words, 2);
    CHECK_EQUAL(last_info[0], 0x21);
    CHECK_EQUAL(last_info[1], 0x22);
    check_sent_on(packet, (const struct entry[]){{9, 1, {0x11}}, {13, 3, {0x31, 0x32, 0x33}}}, 2, 0);
}

static unsigned posted_in_handler;

static void count_posted(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    (void)delivery;
    posted_in_handler = fake_posted(fake);
}

/* Raw service: all storage may be packets of other sites. */
static void O4_waits_only_while_no_buffer_is_free(void)
{
    prepare(0);
    node.deliver = count_posted;
    begin();
    CHECK(fake_posted(fake) >= PR_OPERATOR_RECEIVE_RESERVE);
    for (unsigned k = 0; k < node.buffers - 1; k++) {
        arrive(END, 0, SITES_OF(9));
        node_poll(&node);
    }
    arrive(MULTICAST | END, 0, SITES_OF(HERE, 9));
    fake_sent(fake);
    node_poll(&node);
    CHECK_EQUAL(posted_in_handler, 1); /* posted before the handler ran */
    arrive(END, 0, SITES_OF(9));
    node_poll(&node);
    CHECK_EQUAL(fake_queued(fake), node.buffers); /* the network waits */
    CHECK(fake_receiving(fake) == NULL);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), 0);
    CHECK_EQUAL(counter(PR_COUNTER_FEWEST_FREE_BUFFERS), 0);
    fake_sent(fake);
    node_poll(&node);
    CHECK_EQUAL(fake_posted(fake), 1); /* and goes on with the first buffer there is */
}

static void check_refused(int status, int error)
{
    CHECK(status != 0);
    if (kind->explains)
        CHECK_EQUAL(status, -error);
}

static void O7_refuses_bad_packets_and_sends_the_longest(void)
{
    static const struct pr_target one = {9, 0, NULL};
    uint32_t data[SUITE_WORDS] = {0};
    unsigned longest;
    const struct pr_packet *packet;
    start_anew();
    longest = identity->max_packet - 1 - PR_HEADER_WORDS;
    for (unsigned k = 0; k < longest; k++)
        data[k] = k + 1;
    check_refused(send_to(SITES_OF(SITES)), PR_OPERATOR_UNKNOWN_SITE);
    check_refused(node_send(&node, &one, 1, data, longest + 1, NULL), PR_OPERATOR_TOO_LONG);
    identity->max_packet = 4; /* shorter than a buffer, and the header alone makes it too long */
    check_refused(send_to(SITES_OF(9)), PR_OPERATOR_TOO_LONG);
    identity->max_packet = kind->packet_words;
    all_is_back();
    CHECK_EQUAL(node_send(&node, &one, 1, data, longest, NULL), 0);
    packet = leaving();
    CHECK_EQUAL(packet->words[0], address(9));
    CHECK_EQUAL(pr_packet_data_words(packet), PR_HEADER_WORDS + longest);
    CHECK(memcmp(packet->words + 1 + PR_HEADER_WORDS, data, longest * sizeof *data) == 0);
}

/* The numbers of the packets of a site, once round. */
static void O8_carries_source_and_sequence(void)
{
    static const struct pr_target target = {9, 0, NULL};
    uint16_t sequence;
    start_anew();
    for (unsigned k = 0; k <= 0x10000; k++) {
        const struct pr_packet *packet;
        CHECK_EQUAL(node_send(&node, &target, 1, NULL, 0, &sequence), 0);
        CHECK_EQUAL(sequence, k & 0xffff);
        packet = leaving();
        CHECK(packet != NULL && packet->words[0] == address(9));
        CHECK_EQUAL(packet->words[1 + PR_HEADER_SOURCE], HERE);
        CHECK_EQUAL(packet->words[1 + PR_HEADER_SEQUENCE], sequence);
        CHECK_EQUAL(packet->words[1 + PR_HEADER_HANDLER], HANDLER);
        leaves();
        if (kind->reliable)
            acknowledge_from(9, 0, sequence, 0);
    }
    all_is_back();
}

static void other_handler(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    CHECK_EQUAL(delivery->handler, UINT32_MAX); /* it was another one's */
}

/* A handler's number keeps all its bits, on its way in and on its way out, and only its own handler is called. That of
 * the services is not an application's. */
static void every_handler_number(void)
{
    for (unsigned handler = 0; handler < 256; handler++) {
        const uint32_t to = address(HERE), data[] = {SOURCE, SEQUENCE, handler, 0xabcd, 0x1234};
        const struct pr_target target = {.site = 9};
        if (handler == PR_HANDLER_SERVICE && kind->image)
            continue;
        prepare(0);
        node.handler = (uint8_t)handler;
        begin();
        if (!kind->image) {
            CHECK_EQUAL(pr_operator_register(op, (uint8_t)(handler ^ 0x80), other_handler, NULL), 0);
            CHECK_EQUAL(pr_operator_register(op, (uint8_t)(handler ^ 1), other_handler, NULL), 0);
        }
        CHECK(fake_receive(fake, END, &to, 1, data, 5) != NULL);
        node_poll(&node);
        CHECK_EQUAL(deliveries, 1);
        if (!kind->sends)
            continue;
        CHECK_EQUAL(node_send(&node, &target, 1, NULL, 0, NULL), 0);
        CHECK_EQUAL(leaving()->words[1 + PR_HEADER_HANDLER], handler);
    }
}

static void answer(void *context, const struct pr_delivery *delivery)
{
    const struct pr_target back = {delivery->source, 0, NULL};
    (void)context;
    deliveries += node_send(&node, &back, 1, delivery->data, delivery->data_words, NULL) == 0;
}

static void a_handler_may_send(void)
{
    const struct pr_packet *packet;
    prepare(0);
    node.deliver = answer;
    begin();
    arrive(END, 0, SITES_OF(HERE));
    node_poll(&node);
    CHECK_EQUAL(deliveries, 1);
    packet = leaving();
    CHECK(packet != NULL && packet->words[0] == address(SOURCE));
    CHECK_EQUAL(packet->words[pr_packet_target_words(packet) + pr_packet_data_words(packet) - 1], 0x1234);
}

/* A packet that no operator sent: what arrives, and what is changed in it. */
struct rubbish {
    uint32_t kind, target; /* target: 0: this site's */
    unsigned target_words, data_words;
    uint32_t info, data[4]; /* 0: what it has without a change */
};

static void check_discarded(const struct rubbish *rubbish)
{
    uint32_t target = rubbish->target ? rubbish->target : address(HERE);
    struct pr_packet *packet;
    start_anew();
    packet = arrive_words(rubbish->kind, 0, &target, 1);
    packet->info[0] = rubbish->info;
    for (unsigned k = 0; k < 4; k++) {
        if (rubbish->data[k])
            packet->words[1 + k] = rubbish->data[k];
    }
    pr_packet_set_counts(packet, rubbish->target_words, rubbish->data_words);
    CHECK(node_poll(&node));
    CHECK_EQUAL(deliveries, 0);
    all_is_back();
    CHECK_EQUAL(counter(PR_COUNTER_DISCARDED), 1);
}

static void hostile_packets_are_discarded(void)
{
    const struct rubbish any[] = {
        {END, 0, 1, 2, 0, {0}},                        /* no header */
        {END, 0, 0, 5, 0, {0}},                        /* no target */
        {END, 0, 1, kind->packet_words, 0, {0}},       /* more than a buffer holds */
        {END, 0, 0xffff, 0xffff, 0, {0}},              /* */
        {END | PR_KIND_OVERSIZE, 0, 1, 5, 0, {0}},     /* */
        {PR_TAG_DATA, 0, 1, 5, 0, {0}},                /* no terminator at all */
        {PR_TAG_ABORT_PACKET, 0, 1, 5, 0, {0}},        /* */
        {MULTICAST | END, 0x3fff, 1, 5, 0, {0}},       /* outside the mesh: it would block a link */
        {END, address(3) + 1, 1, 5, 0, {0}},           /* */
        {LOCAL_END, address(9), 1, 5, 0, {0}},         /* says it is ours, is not */
        {END, 0, 1, 5, 1, {0}},                        /* target_info in front of a target */
        {END, 0, 2, 4, 1, {address(HERE), 1, 3, 100}}, /* */
        {END, 0, 1, 5, 0, {SITES}},                    /* no site's */
    };
    const struct rubbish reliable[] = {
        {END, 0, 1, 5, 0, {1 | KIND_BIT}},     /* neither an acknowledgement nor a control packet */
        {END, 0, 1, 3, 0, {SITES | KIND_BIT}}, /* an acknowledgement of no site */
        {END, 0, 1, 4, 0, {0, 0, HANDLER | 1 << PR_HEADER_CARRIES_BIT}}, /* carries less than one */
        {END, 0, 1, 1 + PR_CONTROL_WORDS, 0, {1 | KIND_BIT, 3}},         /* a control packet of no type */
    };
    for (unsigned k = 0; k < sizeof any / sizeof *any; k++)
        check_discarded(&any[k]);
    for (unsigned k = 0; kind->reliable && k < sizeof reliable / sizeof *reliable; k++)
        check_discarded(&reliable[k]);
}

static void outside_targets_are_dropped_and_the_rest_goes_on(void)
{
    const uint32_t targets[] = {0x3fff, address(9), address(HERE), address(3) + 1, address(HERE)};
    const struct pr_packet *packet;
    start_anew();
    packet = arrive_words(MULTICAST | END, 0, targets, 5);
    node_poll(&node);
    check_delivered_once(); /* named twice, delivered once */
    check_sent_on(packet, &(const struct entry){.site = 9}, 1, 0);
    CHECK_EQUAL(counter(PR_COUNTER_DISCARDED), 1);
}

/* ---- several targets in one packet, and what the fabric can do ---- */

enum { BUSY_CLOCKS = 65536 }; /* for which links are busy after a deferral or an abort */

static void O4_sends_leave_buffers_to_receive(void)
{
    unsigned sent = 0;
    start_anew();
    CHECK_EQUAL(node_send_room(&node), node.buffers - node.buffers * 3 / 4);
    while (node_send_room(&node) > 0) {
        CHECK_EQUAL(send_to(SITES_OF(9)), 0);
        sent++;
    }
    CHECK_EQUAL(sent, node.buffers - node.buffers * 3 / 4);
    CHECK_EQUAL(pr_operator_send(op, &(struct pr_target){9, 0, NULL}, 1, PR_HANDLER_SERVICE, NULL, 0, NULL), 0);
    sent++;
    CHECK_EQUAL(send_to(SITES_OF(9)), -PR_OPERATOR_NO_BUFFER);
    for (unsigned k = sent; k < node.buffers; k++) {
        CHECK(arrive(END, 0, SITES_OF(9)) != NULL);
        node_poll(&node);
    }
    CHECK_EQUAL(fake_queued(fake), node.buffers);
    prepare(0);
    node.buffers = 3;
    begin();
    CHECK_EQUAL(node_send_room(&node), 1);
}

static void O6_counts_tries_then_goes_as_unicasts(void)
{
    const struct pr_packet *packet, *sent;
    const unsigned rest[] = {9, 13, 15};
    start_anew();
    arrive(MULTICAST | END, 1, SITES_OF(9, 13));
    node_poll(&node);
    check_content(fake_leaving(fake), 2);
    CHECK_EQUAL(fake_leaving(fake)->kind, MULTICAST);
    CHECK_EQUAL(counter(PR_COUNTER_UNICAST_FALLBACKS), 0);

    start_anew();
    packet = arrive(MULTICAST | END, 2, SITES_OF(9, HERE, 13, 15)); /* the third try: retry_limit */
    node_poll(&node);
    check_delivered_once();
    for (unsigned k = 0; k < 3; k++) {
        CHECK(fake_sending(fake) == packet);
        CHECK_EQUAL(fake_queued(fake), 1);
        sent = fake_leaving(fake);
        CHECK_EQUAL(sent->kind, 0);
        CHECK_EQUAL(pr_packet_target_words(sent), 1);
        CHECK_EQUAL(sent->words[0], address(rest[k]));
        check_content(sent, 3);
        fake_sent(fake);
        node_poll(&node);
    }
    CHECK(fake_sending(fake) == NULL);
    CHECK_EQUAL(counter(PR_COUNTER_UNICAST_FALLBACKS), 1);
    CHECK_EQUAL(events[PR_OPERATOR_EVENT_FALLBACK], 1);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
}

static void O6_tries_do_not_wrap(void)
{
    start_anew();
    identity->retry_limit = 255;
    arrive(MULTICAST | END, 255, SITES_OF(1, 9));
    node_poll(&node);
    check_content(fake_leaving(fake), 255);
    CHECK_EQUAL(counter(PR_COUNTER_UNICAST_FALLBACKS), 1);
}

static void O7_removes_duplicates_and_the_first_stays(void)
{
    const uint32_t first = 0x11, second = 0x22;
    const struct pr_target targets[] = {{9, 1, &first}, {3, 0, NULL}, {9, 1, &second}, {3, 0, NULL}};
    const struct pr_packet *packet;
    start_anew();
    CHECK_EQUAL(node_send(&node, targets, 4, NULL, 0, NULL), 0);
    packet = fake_leaving(fake);
    CHECK_EQUAL(pr_packet_target_words(packet), 3);
    CHECK_EQUAL(packet->words[0], address(9));
    CHECK_EQUAL(packet->words[1], 0x11);
    CHECK_EQUAL(packet->words[2], address(3)); /* a column further away */
    CHECK_EQUAL(packet->info[0] & 7, 2);
    CHECK_EQUAL(packet->kind, MULTICAST);
    CHECK_EQUAL(pr_packet_data_words(packet), PR_HEADER_WORDS);

    start_anew();
    CHECK_EQUAL(send_to(SITES_OF(9, 9, 9)), 0);
    CHECK_EQUAL(fake_leaving(fake)->kind, 0);
}

static void O7_refuses_bad_sets_and_words(void)
{
    static const uint32_t data[1], wide = 0x10000;
    const struct pr_target one = {9, 0, NULL}, with_info = {9, 1, &wide};
    start_anew();
    CHECK_EQUAL(send_to(NULL, 0), -PR_OPERATOR_NO_TARGETS);
    CHECK_EQUAL(send_to(SITES_OF(9, SITES)), -PR_OPERATOR_UNKNOWN_SITE);
    CHECK_EQUAL(node_send(&node, &with_info, 1, data, 0, NULL), -PR_OPERATOR_BAD_DATA);
    CHECK_EQUAL(node_send(&node, &one, 1, &wide, 1, NULL), -PR_OPERATOR_BAD_DATA);
    identity->max_packet = 4;
    CHECK_EQUAL(node_send(&node, (struct pr_target[]){{9, 0, NULL}, {8, 0, NULL}}, 2, data, 0, NULL),
                -PR_OPERATOR_TOO_LONG);
    all_is_back();
}

/* The packet that leaves next has these targets, in this order, all marked or none. */
static void check_group(uint32_t of_kind, uint32_t mark, const unsigned *sites, unsigned site_count)
{
    const struct pr_packet *packet = fake_leaving(fake);
    CHECK_EQUAL(packet->kind, of_kind);
    CHECK_EQUAL(pr_packet_target_words(packet), site_count);
    for (unsigned k = 0; k < site_count; k++)
        CHECK_EQUAL(packet->words[k], address(sites[k]) | mark);
    CHECK_EQUAL(packet->words[site_count + PR_HEADER_SEQUENCE], 0); /* one number for all groups */
    CHECK_EQUAL(pr_packet_data_words(packet), PR_HEADER_WORDS + 2);
    fake_sent(fake);
    node_poll(&node);
}

/* Seen from site 5: column by column from it to the east, then to the west; in a column to the north, then south. */
static void O9_one_packet_while_links_are_calm(void)
{
    start_anew();
    CHECK_EQUAL(send_to(SITES_OF(0, 1, 4, 6, 7, 9, 13, 14)), 0);
    check_group(MULTICAST, 0, SITES_OF(9, 13, 1, 6, 14, 7, 4, 0));
    CHECK(fake_sending(fake) == NULL);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
}

static void O9_paths_while_links_are_busy(void)
{
    const struct pr_packet *packet;
    start_anew();
    fake->deferrals = 1;
    CHECK_EQUAL(send_to(SITES_OF(0, 1, 4, 6, 7, 9, 13, 14)), 0);
    packet = fake_sending(fake);
    check_group(MULTICAST, MARK, SITES_OF(9, 13));
    CHECK_EQUAL(fake_queued(fake), 1);
    CHECK(fake_sending(fake) == packet);
    check_group(0, 0, SITES_OF(1));
    check_group(MULTICAST, MARK, SITES_OF(6, 14));
    check_group(0, 0, SITES_OF(7));
    check_group(MULTICAST, MARK, SITES_OF(4, 0));
    CHECK(fake_sending(fake) == NULL);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), node.buffers);
}

/* How many targets the first packet to a column of three has. */
static unsigned targets_of_a_path(unsigned data_words)
{
    const struct pr_target column[] = {{6, 0, NULL}, {10, 0, NULL}, {14, 0, NULL}};
    static const uint32_t data[4];
    start_anew();
    fake->deferrals = 1;
    CHECK_EQUAL(node_send(&node, column, 3, data, data_words, NULL), 0);
    return pr_packet_sent_targets(fake_leaving(fake));
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
    start_anew();
    fake->deferrals = 1;
    CHECK_EQUAL(node_send(&node, targets, 4, data, 4, NULL), 0);
    packet = fake_leaving(fake);
    CHECK_EQUAL(packet->kind, MULTICAST);
    CHECK_EQUAL(pr_packet_target_words(packet), 6);
    CHECK_EQUAL(packet->info[0], 0x26);
    CHECK_EQUAL(packet->words[0], address(HERE) | MARK);
    CHECK_EQUAL(packet->words[2], 0x12);
    CHECK_EQUAL(packet->words[3], address(9) | MARK);
    CHECK_EQUAL(packet->words[4], address(13) | MARK);
    CHECK_EQUAL(packet->words[5], 0x21);
    fake_sent(fake);
    node_poll(&node);
    packet = fake_leaving(fake);
    CHECK_EQUAL(packet->kind, 0);
    CHECK_EQUAL(packet->info[0], 0xe);
    CHECK_EQUAL(packet->words[0], address(4));
    CHECK_EQUAL(packet->words[3], 0x33);
}

/* Sends a packet that shows how the links are judged, so many clocks later. */
static void judge(unsigned clocks, bool busy)
{
    fake->clock += clocks;
    CHECK_EQUAL(send_to(SITES_OF(9, 13)), 0);
    CHECK_EQUAL(fake_leaving(fake)->words[0], address(9) | (busy ? MARK : 0));
    fake_sent(fake);
    node_poll(&node);
}

static void O9_links_are_busy_after_a_deferral_or_an_abort(void)
{
    start_anew();
    judge(0, false);
    judge(10 * BUSY_CLOCKS, false);
    fake->deferrals++;
    judge(1, true);
    judge(BUSY_CLOCKS, true);
    judge(1, false);
    judge(1, false);
    fake->aborts++;
    judge(100, true);
    judge(BUSY_CLOCKS - 1, true);
    fake->aborts += 3;
    judge(1, true); /* the time begins anew */
    judge(BUSY_CLOCKS, true);
    judge(1, false);
    fake->clock = UINT32_MAX - 10; /* the clock wraps round */
    fake->deferrals = UINT32_MAX;
    judge(0, true);
    judge(BUSY_CLOCKS, true);
    judge(1, false);
}

static void sends_to_all_sites_and_itself(void)
{
    unsigned all[16];
    start_anew();
    for (unsigned k = 0; k < 16; k++)
        all[k] = k;
    CHECK_EQUAL(send_to(all, 16), 0);
    CHECK_EQUAL(pr_packet_target_words(fake_leaving(fake)), 16);
    CHECK_EQUAL(send_to(SITES_OF(HERE)), 0);
    CHECK_EQUAL(fake_queued(fake), 2); /* through the fabric like any other */
    CHECK_EQUAL(deliveries, 0);
}

static void check_unicasts(void)
{
    CHECK_EQUAL(send_to(SITES_OF(1, 9)), 0);
    CHECK_EQUAL(fake_leaving(fake)->kind, 0);
    CHECK_EQUAL(fake_leaving(fake)->words[0], address(1));
    fake_sent(fake);
    node_poll(&node);
    CHECK_EQUAL(fake_leaving(fake)->words[0], address(9));
    fake_sent(fake);
    node_poll(&node);
    CHECK(fake_sending(fake) == NULL);
}

static void without_hardware_multicast_sends_unicasts(void)
{
    prepare(0);
    fake->interface.capabilities.multicast = false;
    begin();
    check_unicasts();
}

/* A fabric that copies to subcubes alone. */
static void begin_with_subcubes(void)
{
    prepare(0);
    fake->interface.capabilities.multicast = false;
    fake->interface.capabilities.subcubes = true;
    begin();
    fake->deferrals = 1; /* whatever its links do */
    acknowledged = 0;
}

static void where_the_fabric_copies_to_subcubes_there_is_a_packet_for_each(void)
{
    begin_with_subcubes();
    CHECK_EQUAL(send_to(SITES_OF(0, 1, 4, 6, 7, 9, 13, 14)), 0);
    check_group(MULTICAST, 0, SITES_OF(9, 13));
    check_group(0, 0, SITES_OF(1));
    check_group(MULTICAST, 0, SITES_OF(6, 14));
    check_group(0, 0, SITES_OF(7));
    check_group(MULTICAST, 0, SITES_OF(4, 0));
    CHECK(fake_sending(fake) == NULL);
    begin_with_subcubes();
    CHECK_EQUAL(send_to(SITES_OF(1, 10, 11, 14, 15)), 0);
    check_group(0, 0, SITES_OF(1));
    check_group(MULTICAST, 0, SITES_OF(10, 14, 11, 15));
    CHECK(fake_sending(fake) == NULL);
}

static void targets_with_info_are_no_subcube(void)
{
    const uint32_t info = 0x11;
    const struct pr_target targets[] = {{9, 0, NULL}, {13, 1, &info}};
    begin_with_subcubes();
    CHECK_EQUAL(node_send(&node, targets, 2, NULL, 0, NULL), 0);
    CHECK_EQUAL(fake_leaving(fake)->kind, 0);
    CHECK_EQUAL(pr_packet_sent_targets(fake_leaving(fake)), 1);
}

static void where_packets_never_divert_sends_unicasts(void)
{
    prepare(0);
    identity->divert_threshold = PR_NODE_DIVERT_NEVER;
    begin();
    check_unicasts();
}

static void O1_discards_a_foreign_unicast_where_the_fabric_never_diverts(void)
{
    prepare(0);
    fake->interface.capabilities.diverts = false;
    begin();
    arrive(END, 0, SITES_OF(9));
    CHECK(node_poll(&node));
    CHECK(fake_sending(fake) == NULL);
    CHECK_EQUAL(counter(PR_COUNTER_DISCARDED), 1);
    arrive(MULTICAST | END, 0, SITES_OF(9));
    CHECK(node_poll(&node));
    CHECK(fake_sending(fake) != NULL);
    CHECK_EQUAL(counter(PR_COUNTER_RESENT_AFTER_ABORT), 1);
}

static void group_rules(void)
{
    RUN(O1_discards_a_foreign_unicast_where_the_fabric_never_diverts);
    RUN(O4_sends_leave_buffers_to_receive);
    RUN(O6_counts_tries_then_goes_as_unicasts);
    RUN(O6_tries_do_not_wrap);
    RUN(O7_removes_duplicates_and_the_first_stays);
    RUN(O7_refuses_bad_sets_and_words);
    RUN(O9_one_packet_while_links_are_calm);
    RUN(O9_paths_while_links_are_busy);
    RUN(O9_paths_are_as_long_as_data_pay);
    RUN(O9_groups_have_their_info);
    RUN(O9_links_are_busy_after_a_deferral_or_an_abort);
    RUN(sends_to_all_sites_and_itself);
    RUN(without_hardware_multicast_sends_unicasts);
    RUN(where_packets_never_divert_sends_unicasts);
    RUN(where_the_fabric_copies_to_subcubes_there_is_a_packet_for_each);
    RUN(targets_with_info_are_no_subcube);
}

void operator_rules(const struct node_kind *of_kind)
{
    kind = of_kind;
    suite_of(kind);
    printf("%s\n", kind->name);
    RUN(O1_O2_O3_arrivals);
    RUN(O1_strips_target_info_too);
    if (!kind->reliable)
        RUN(O4_waits_only_while_no_buffer_is_free);
    RUN(every_handler_number);
    RUN(hostile_packets_are_discarded);
    RUN(outside_targets_are_dropped_and_the_rest_goes_on);
    if (!kind->sends)
        return;
    RUN(O7_refuses_bad_packets_and_sends_the_longest);
    RUN(O8_carries_source_and_sequence);
    RUN(a_handler_may_send);
    if (kind->groups && !kind->reliable) /* with the reliable service: test_reliable.c */
        group_rules();
}
