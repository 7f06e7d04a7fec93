/* Native operators over an ideal network that moves words, stalls at random, aborts multicasts or
 * defers some of their targets, and diverts unicasts: every packet arrives exactly once at each target, with its
 * content (O1 to O9 and the native network_interface).
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "network_interface/ni_model.h"
#include "operator/operator.h"
#include "protocol.h"

enum {
    SITES = 9,
    SIZE = 3,
    BUFFERS = 12,
    WORDS = 48,
    WIDTH = 16,
    HANDLER = 9,
    MARK = 1 << PR_SITE_MARK_BIT_16, /* of a site word */
    COPIES = 4096,
    WORDS_MAX = WORDS + 2,
    SEQUENCES = 1 << 16,
    BUSY_FROM = 30000 /* clocks */
};

/* A copy of a packet on its way to one site: tagged words. */
struct copy {
    uint64_t words[2 * WORDS_MAX];
    unsigned length, site;
    struct copy *next;
};

struct port {
    struct ni_model native;
    struct pr_operator op;
    struct pr_site_identity identity;
    uint32_t pool[BUFFERS * PR_PACKET_BUFFER_WORDS(WORDS)];
    uint64_t building[WORDS_MAX]; /* what it is sending */
    unsigned built;
    struct copy *arriving, **arriving_end;
    unsigned arrived; /* words of the first copy that have moved */
};

static struct port ports[SITES];
static uint64_t now, random_state;
static struct copy copies[COPIES], *spare;
static uint16_t expected[SITES][SEQUENCES]; /* bit map of targets that still wait for this packet */
static unsigned long accepted, delivered, aborted, deferred_some, diverted, refused;

static uint64_t tagged(unsigned tag, uint32_t word)
{
    return (uint64_t)tag << WIDTH | word;
}

static unsigned tag_of(uint64_t word)
{
    return (unsigned)(word >> WIDTH);
}

static unsigned site_of(uint64_t word)
{
    return ((unsigned)word >> PR_SITE_COORD_WIDTH_16 & 0x7f) * SIZE + ((unsigned)word & 0x7f);
}

static uint32_t content(unsigned source, unsigned sequence, unsigned index)
{
    return (source * 7919 + sequence * 31 + index * 257) & 0xffff;
}

static void on_delivery(void *context, const struct pr_delivery *delivery)
{
    struct port *port = context;
    unsigned site = port->identity.site;
    uint16_t *waiting = &expected[delivery->source][delivery->sequence];
    CHECK(*waiting & 1u << site);
    *waiting &= (uint16_t) ~(1u << site);
    for (unsigned k = 0; k < delivery->data_words; k++)
        CHECK_EQUAL(delivery->data[k], content(delivery->source, delivery->sequence, k));
    CHECK_EQUAL(delivery->info_words, site % 3);
    for (unsigned k = 0; k < delivery->info_words; k++)
        CHECK_EQUAL(delivery->info[k], content(delivery->source, site, k));
    CHECK(delivery->stamp_last - delivery->stamp_first >= delivery->data_words);
    delivered++;
}

/* Random targets; the info of a target depends on the site, so that it can be checked. */
static void send_one(struct port *port)
{
    uint32_t info[SITES][2], data[32];
    struct pr_target targets[SITES + 2];
    unsigned source = port->identity.site;
    unsigned count = 1 + (check_below(&random_state, 2) ? check_below(&random_state, SITES + 1) : 0);
    unsigned words = check_below(&random_state, 12);
    uint16_t sequence = (uint16_t)port->op.window.next, all = 0;
    for (unsigned k = 0; k < count; k++) {
        unsigned site = check_below(&random_state, SITES);
        for (unsigned i = 0; i < 2; i++)
            info[site][i] = content(source, site, i);
        targets[k] = (struct pr_target){(uint16_t)site, (uint16_t)(site % 3), info[site]};
        all |= (uint16_t)(1u << site);
    }
    for (unsigned k = 0; k < words; k++)
        data[k] = content(source, sequence, k);
    if (pr_operator_send(&port->op, targets, count, HANDLER, data, words, &sequence) != 0) {
        refused++;
        return;
    }
    CHECK_EQUAL(expected[source][sequence], 0);
    expected[source][sequence] = all;
    accepted += (unsigned)__builtin_popcount(all);
}

/* marks: bit k is the mark of word k in this copy. */
static void deliver_copy(const struct port *from, unsigned site, unsigned terminator, uint64_t marks)
{
    struct copy *copy = spare;
    CHECK(copy != NULL);
    spare = copy->next;
    copy->length = 0;
    copy->site = site;
    copy->next = NULL;
    for (unsigned k = 0; k < from->built; k++) {
        if (check_below(&random_state, 8) == 0)
            copy->words[copy->length++] = tagged(PR_TAG_NULL_TARGET, 0);
        copy->words[copy->length] = from->building[k];
        if (tag_of(from->building[k]) == PR_TAG_MULTICAST_SITE)
            copy->words[copy->length] = (from->building[k] & ~(uint64_t)MARK) | (marks >> k & 1) * MARK;
        copy->length++;
    }
    copy->words[copy->length++] = tagged(terminator, 0);
    *ports[site].arriving_end = copy;
    ports[site].arriving_end = &copy->next;
}

/* Each target gets its copy. */
static void deliver_to_targets(const struct port *from)
{
    for (unsigned k = 0; k < from->built; k++) {
        unsigned tag = tag_of(from->building[k]);
        if (tag == PR_TAG_MULTICAST_SITE)
            deliver_copy(from, site_of(from->building[k] & 0x3fff), PR_TAG_LOCAL_END_OF_PACKET, 0);
        else if (tag == PR_TAG_UNICAST_SITE)
            deliver_copy(from, site_of(from->building[k] & 0x3fff), PR_TAG_END_OF_PACKET, 0);
    }
}

/* The targets that a site defers. That site is a target itself, or none is at home there. */
static void defer(const struct port *from)
{
    uint64_t multicasts = 0, deferred;
    unsigned home = check_below(&random_state, SITES);
    for (unsigned k = 0; k < from->built; k++) {
        if (tag_of(from->building[k]) == PR_TAG_MULTICAST_SITE && site_of(from->building[k] & 0x3fff) != home)
            multicasts |= UINT64_C(1) << k;
    }
    deferred = multicasts & (check_random(&random_state) | (uint64_t)check_random(&random_state) << 32);
    if (deferred == 0)
        deferred = multicasts;
    deliver_copy(from, home, PR_TAG_LOCAL_END_OF_PACKET, deferred);
    for (unsigned k = 0; k < from->built; k++) {
        if (multicasts & ~deferred & UINT64_C(1) << k)
            deliver_copy(from, site_of(from->building[k] & 0x3fff), PR_TAG_LOCAL_END_OF_PACKET, 0);
    }
}

/* What a fabric may do with a whole packet. */
static void route(const struct port *from)
{
    bool multicast = tag_of(from->building[0]) == PR_TAG_MULTICAST_SITE;
    unsigned fate = check_below(&random_state, 4), victim = check_below(&random_state, SITES);
    for (unsigned k = 0; k < from->built; k++)
        CHECK(!(multicast && tag_of(from->building[k]) == PR_TAG_UNICAST_SITE));
    if (check_below(&random_state, 16) == 0)
        deliver_copy(from, victim, PR_TAG_ABORT_PACKET, 0); /* a copy nobody may see */
    if (multicast && fate == 0) {
        aborted++;
        deliver_copy(from, victim, PR_TAG_END_OF_PACKET, check_random(&random_state)); /* it keeps all of it (M7) */
    } else if (multicast && fate == 1) {
        deferred_some++;
        defer(from);
    } else if (!multicast && fate == 0) {
        diverted++;
        deliver_copy(from, victim, PR_TAG_END_OF_PACKET, 0);
    } else {
        deliver_to_targets(from);
    }
}

static void take_sent(struct port *port, uint64_t word)
{
    unsigned tag = tag_of(word);
    CHECK(tag != PR_TAG_ABORT_PACKET && tag != PR_TAG_LOCAL_END_OF_PACKET && tag <= PR_TAG_UNICAST_SITE); /* O5 */
    if (tag != PR_TAG_END_OF_PACKET) {
        CHECK(port->built < WORDS_MAX);
        port->building[port->built++] = word;
        return;
    }
    route(port);
    port->built = 0;
}

static uint64_t next_word(struct port *port)
{
    if (!port->arriving || check_below(&random_state, 4) == 0)
        return 0;
    return port->arriving->words[port->arrived];
}

static void word_moved(struct port *port)
{
    struct copy *copy = port->arriving;
    if (++port->arrived < copy->length)
        return;
    port->arrived = 0;
    port->arriving = copy->next;
    if (!copy->next)
        port->arriving_end = &port->arriving;
    copy->next = spare;
    spare = copy;
}

static void run_clock(unsigned load)
{
    for (unsigned site = 0; site < SITES; site++) {
        struct port *port = &ports[site];
        uint64_t sent, received = next_word(port);
        bool wait, send_wait = check_below(&random_state, 3) == 0;
        if (check_below(&random_state, 100) < load)
            send_one(port);
        if (check_below(&random_state, 4) != 0)
            pr_operator_poll(&port->op);
        sent = ni_model_offer(&port->native);
        wait = ni_model_wait(&port->native);
        if (sent != 0 && !send_wait)
            take_sent(port, sent);
        ni_model_clock(&port->native, send_wait, received);
        if (received != 0 && (!wait || tag_of(received) == PR_TAG_NULL_TARGET))
            word_moved(port);
    }
    now++;
}

/* A target is deferred in the middle, as the operator sees it: trees leave before, and paths from then on. */
static uint32_t counter(void *context, unsigned index)
{
    (void)context;
    return index == PR_COUNTER_DEFERRALS ? now >= BUSY_FROM : 0;
}

static void start(void)
{
    static const struct pr_operator_size size = {.buffers = BUFFERS, .packet_words = WORDS};
    spare = NULL;
    for (unsigned k = 0; k < COPIES; k++) {
        copies[k].next = spare;
        spare = &copies[k];
    }
    memset(expected, 0, sizeof expected);
    for (unsigned site = 0; site < SITES; site++) {
        struct port *port = &ports[site];
        memset(port, 0, sizeof *port);
        port->arriving_end = &port->arriving;
        port->identity = (struct pr_site_identity){
            .site = site,
            .size_x = SIZE,
            .size_y = SIZE,
            .word_width = WIDTH,
            .max_packet = WORDS,
            .retry_limit = 3,
        };
        port->identity.address = pr_site_identity_address(&port->identity, site);
        ni_model_init(&port->native, WIDTH, &now, WORDS);
        port->native.fabric_counter = counter;
        CHECK_EQUAL(pr_operator_init(&port->op, &port->native.interface, &port->identity, port->pool, &size), 0);
        CHECK_EQUAL(pr_operator_register(&port->op, HANDLER, on_delivery, port), 0);
    }
}

static bool all_at_rest(void)
{
    for (unsigned site = 0; site < SITES; site++) {
        const struct port *port = &ports[site];
        if (port->arriving || ni_model_active(&port->native) ||
            port->native.receive.consumed != port->native.receive.moved ||
            pr_operator_counter(&port->op, PR_COUNTER_FREE_BUFFERS) != BUFFERS)
            return false;
    }
    return true;
}

static void every_packet_arrives_exactly_once(void)
{
    unsigned long clocks = 0;
    unsigned fallbacks = 0;
    for (; clocks < 60000; clocks++)
        run_clock(clocks % 2000 < 1000 ? 2 : 0);
    while (!all_at_rest()) {
        run_clock(0);
        CHECK(++clocks < 2000000);
    }
    CHECK_EQUAL(delivered, accepted);
    for (unsigned site = 0; site < SITES; site++)
        fallbacks += pr_operator_counter(&ports[site].op, PR_COUNTER_UNICAST_FALLBACKS);
    printf("%lu deliveries, %lu aborted, %lu with deferred targets, %lu diverted, %u fallbacks, %lu sends refused, "
           "%lu clocks\n",
           delivered, aborted, deferred_some, diverted, fallbacks, refused, clocks);
    CHECK(aborted > 100 && deferred_some > 100 && diverted > 100 && fallbacks > 0);
}

/* One packet, word by word, with the clocks it is stamped with. */
static void words_move_one_a_clock(void)
{
    const struct pr_target targets[] = {{1, 1, (const uint32_t[]){0x77}}, {2, 0, NULL}};
    const uint64_t words[] = {
        tagged(PR_TAG_MULTICAST_SITE, 1), tagged(PR_TAG_TARGET_INFO, 0x77), tagged(PR_TAG_MULTICAST_SITE, 2),
        tagged(PR_TAG_DATA, 0),           tagged(PR_TAG_DATA, 0),           tagged(PR_TAG_DATA, HANDLER),
        tagged(PR_TAG_DATA, 0x55),        tagged(PR_TAG_END_OF_PACKET, 0),
    };
    struct ni_model *native = &ports[0].native;
    struct pr_packet *packet;
    start();
    CHECK(!ni_model_active(native));
    CHECK_EQUAL(pr_operator_send(&ports[0].op, targets, 2, HANDLER, (const uint32_t[]){0x55}, 1, NULL), 0);
    packet = native->send.slots[0];
    now = 100;
    for (unsigned k = 0; k < 8; k++, now++) {
        CHECK(ni_model_active(native));
        CHECK_EQUAL(ni_model_offer(native), words[k]);
        ni_model_clock(native, true, 0);
        now++;
        CHECK_EQUAL(ni_model_offer(native), words[k]);
        ni_model_clock(native, false, 0);
    }
    CHECK_EQUAL(ni_model_offer(native), 0);
    CHECK_EQUAL(packet->stamp_first, 101);
    CHECK_EQUAL(packet->stamp_last, 115);
    CHECK_EQUAL(pr_network_interface_counter(&native->interface, PR_COUNTER_SENT_WAITS), 8);
    CHECK_EQUAL(pr_network_interface_counter(&native->interface, PR_COUNTER_SENT_PACKETS), 1);
    CHECK(!ni_model_active(native));
}

static void receive_word(struct ni_model *native, unsigned tag, uint32_t word)
{
    ni_model_offer(native);
    CHECK(!ni_model_wait(native));
    ni_model_clock(native, false, tagged(tag, word));
}

static void O3_aborted_packets_reuse_their_buffer(void)
{
    struct ni_model *native = &ports[0].native;
    start();
    for (unsigned k = 0; k < 3 * BUFFERS; k++) {
        receive_word(native, PR_TAG_MULTICAST_SITE, 0);
        receive_word(native, PR_TAG_ABORT_PACKET, 0);
    }
    CHECK_EQUAL(pr_network_interface_counter(&native->interface, PR_COUNTER_RECEIVED_ABORTED), 3 * BUFFERS);
    CHECK(!pr_operator_poll(&ports[0].op));
}

static void oversize_packets_are_dropped_whole(void)
{
    struct port *port = &ports[0];
    start();
    receive_word(&port->native, PR_TAG_UNICAST_SITE, 0);
    for (unsigned k = 0; k < WORDS; k++)
        receive_word(&port->native, PR_TAG_DATA, 0);
    receive_word(&port->native, PR_TAG_END_OF_PACKET, 0);
    CHECK(pr_operator_poll(&port->op));
    CHECK_EQUAL(pr_operator_counter(&port->op, PR_COUNTER_DISCARDED), 1);
    CHECK_EQUAL(pr_network_interface_counter(&port->native.interface, PR_COUNTER_RECEIVED_OVERSIZE), 1);
}

static void O4_waits_without_a_buffer(void)
{
    struct ni_model *native = &ports[0].native;
    unsigned packets = 0;
    start();
    while (!ni_model_wait(native)) {
        receive_word(native, PR_TAG_UNICAST_SITE, 0);
        receive_word(native, PR_TAG_DATA, 0);
        receive_word(native, PR_TAG_END_OF_PACKET, 0);
        packets++;
    }
    CHECK(packets >= PR_OPERATOR_RECEIVE_RESERVE);
    ni_model_clock(native, false, tagged(PR_TAG_UNICAST_SITE, 0));
    CHECK_EQUAL(pr_network_interface_counter(&native->interface, PR_COUNTER_RECEIVE_WAITS), 1);
    CHECK_EQUAL(pr_network_interface_counter(&native->interface, PR_COUNTER_RECEIVED_PACKETS), packets);
    pr_operator_poll(&ports[0].op);
    CHECK(!ni_model_wait(native));
}

int main(void)
{
    random_state = check_seed();
    RUN(words_move_one_a_clock);
    RUN(O3_aborted_packets_reuse_their_buffer);
    RUN(O4_waits_without_a_buffer);
    RUN(oversize_packets_are_dropped_whole);
    start();
    RUN(every_packet_arrives_exactly_once);
    return 0;
}
