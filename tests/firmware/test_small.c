/* The small operator (firmware/small) by itself, rule by rule: each of its images, with a fake network_interface and
 * the host's end of its console. Then hostile packets and console bytes. test_small_soak.c has whole meshes.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "fake_interface.h"
#include "small_site.h"
#include "wire/console_messages.h"
#include "wire/header.h"
#include "wire/site_geometry.h"

enum {
    HERE = 5, /* at (1, 1) of a 4x4 grid */
    SITES = 16,
    MARK = 1 << PR_SITE_MARK_BIT_16,
    KIND_BIT = 1 << PR_HEADER_KIND_BIT_16,
    HANDLER = 9,
    END = PR_TAG_END_OF_PACKET,
    LOCAL_END = PR_TAG_LOCAL_END_OF_PACKET,
    MULTICAST = PR_KIND_MULTICAST,
    ROUNDS = 500 /* of hostile packets, between two resets */
};

static struct fake_interface fake;
static struct pr_site_identity identity;
static struct small_site site;
static const struct small_functions *functions;
static uint64_t random_state;

/* What the application saw. */
static struct {
    unsigned count;
    struct pr_small_delivery last;
    uint32_t data[64], info[64];
} delivered;

/* The host's end of the console. */
static struct {
    uint8_t to[PR_FRAMES_WIRE_MAX];
    size_t to_length, to_at;
    bool stuck;        /* nobody reads */
    unsigned slowness; /* of 8 */
    struct pr_frames_reader reader;
    struct pr_frame last;
    unsigned frames, bad, deliveries;
    struct pr_message_delivery delivery;
} host;

static unsigned below(unsigned limit)
{
    return check_below(&random_state, limit);
}

static bool has_byte(void *context)
{
    (void)context;
    return host.to_at < host.to_length;
}

static uint8_t get_byte(void *context)
{
    (void)context;
    return host.to[host.to_at++];
}

static bool has_room(void *context)
{
    (void)context;
    return !host.stuck && below(8) >= host.slowness;
}

static void put_byte(void *context, uint8_t byte)
{
    static struct pr_frame frame;
    enum pr_frames_result result = pr_frames_push(&host.reader, byte, &frame);
    (void)context;
    host.bad += result == PR_FRAMES_BAD || result == PR_FRAMES_TEXT;
    if (result != PR_FRAMES_READY)
        return;
    host.frames++;
    if (frame.type == PR_CONSOLE_DELIVERED) {
        host.deliveries++;
        CHECK(pr_message_read_delivery(&frame, &host.delivery));
    } else {
        host.last = frame;
    }
}

static void on_delivery(void *context, const struct pr_small_delivery *delivery)
{
    (void)context;
    delivered.count++;
    delivered.last = *delivery;
    memcpy(delivered.data, delivery->data, delivery->data_words * sizeof(uint32_t));
    memcpy(delivered.info, delivery->info, delivery->info_words * sizeof(uint32_t));
}

static const struct port_console console = {has_byte, get_byte, has_room, put_byte, NULL};

static void describe(bool reliable, unsigned epoch)
{
    identity = fake_identity(HERE);
    identity.max_packet = 56;
    identity.reliable = reliable;
    identity.epoch = epoch;
    fake_init(&fake);
    memset(&host, 0, sizeof host);
    memset(&delivered, 0, sizeof delivered);
    pr_frames_reader_init(&host.reader);
    if (site.object)
        small_site_unload(&site);
}

static void start(const char *image, unsigned epoch)
{
    describe(strcmp(image, "raw") != 0, epoch);
    site = small_site_load(image);
    functions = site.functions;
    functions->set_application(on_delivery, NULL);
    CHECK(functions->start(&fake.interface, &identity, &console));
    CHECK_EQUAL(fake_posted(&fake), functions->buffers);
}

static uint32_t address(unsigned number)
{
    return pr_site_identity_address(&identity, number);
}

/* Until it would sleep, and nothing would wake it. */
static void rounds(void)
{
    for (unsigned k = 0; k < 2000 && (functions->round() || has_byte(NULL)); k++)
        ;
}

static uint32_t counter(unsigned index)
{
    return functions->counter(index);
}

/* A packet arrives: DATA of the reliable service's epoch 0, or raw. */
static struct pr_packet *arrive(unsigned kind, const uint32_t *targets, unsigned count, unsigned source,
                                unsigned sequence, unsigned words)
{
    uint32_t data[64] = {source, sequence, HANDLER};
    for (unsigned k = 0; k < words; k++)
        data[PR_HEADER_WORDS + k] = 100 + k;
    return fake_receive(&fake, kind, targets, count, data, PR_HEADER_WORDS + words);
}

static void arrive_here(unsigned source, unsigned sequence)
{
    uint32_t target = address(HERE);
    CHECK(arrive(END, &target, 1, source, sequence, 2) != NULL);
    rounds();
}

static void arrive_header(unsigned source, const struct pr_header *header)
{
    uint32_t target = address(HERE), data[PR_HEADER_WORDS_MAX];
    struct pr_header written = *header;
    written.source = (uint16_t)source;
    pr_header_encode(&written, data, KIND_BIT);
    CHECK(fake_receive(&fake, END, &target, 1, data, written.words) != NULL);
    rounds();
}

/* The next packet leaves: a unicast to this site. */
static const struct pr_packet *leave(unsigned to)
{
    const struct pr_packet *packet = fake_leaving(&fake);
    CHECK(packet != NULL);
    CHECK_EQUAL(packet->kind, 0);
    CHECK_EQUAL(packet->words[0], address(to));
    fake_sent(&fake);
    rounds();
    return packet;
}

static struct pr_header leave_header(unsigned to, enum pr_header_kind kind)
{
    const struct pr_packet *packet = leave(to);
    struct pr_header header;
    CHECK_EQUAL(pr_header_decode(&header, packet->words + pr_packet_target_words(packet), pr_packet_data_words(packet),
                                 KIND_BIT),
                kind);
    return header;
}

static void nothing_leaves(void)
{
    CHECK(fake_sending(&fake) == NULL);
}

static void all_is_back(void)
{
    nothing_leaves();
    CHECK_EQUAL(fake_posted(&fake), functions->buffers);
    CHECK_EQUAL(counter(PR_COUNTER_FREE_BUFFERS), functions->buffers);
}

static void acknowledge(unsigned from, unsigned sequence, unsigned epoch)
{
    arrive_header(from,
                  &(struct pr_header){.kind = PR_HEADER_KIND_ACKNOWLEDGEMENT,
                                      .acknowledgement = {.sequence = (uint16_t)sequence, .epoch = (uint8_t)epoch}});
}

/* ---- what arrives for other sites ---- */

static void check_sending_on(const char *image)
{
    uint32_t one = address(6), several[] = {address(9), address(HERE), 77, 78, address(6), 79, address(2)};
    uint32_t marked[] = {address(9) | MARK, address(6), address(HERE) | MARK, address(2) | MARK};
    uint32_t outside[] = {address(3) + 1, address(6)};
    const struct pr_packet *packet;
    struct pr_packet *arrived;
    bool reliable = strcmp(image, "raw") != 0;
    start(image, 0);

    arrive(END, &one, 1, 1, 4, 3); /* O1: a diverted unicast */
    rounds();
    packet = leave(6);
    CHECK_EQUAL(pr_packet_data_words(packet), PR_HEADER_WORDS + 3);
    CHECK_EQUAL(packet->words[1 + PR_HEADER_WORDS + 2], 102);
    CHECK_EQUAL(counter(PR_COUNTER_FORWARDED), 1);
    all_is_back();

    one |= MARK; /* of a path */
    arrive(END | MULTICAST, &one, 1, 1, 5, 3);
    rounds();
    leave(6);
    CHECK_EQUAL(counter(PR_COUNTER_RESENT_AFTER_ABORT), 1);

    arrived = arrive(END | MULTICAST, several, 7, 1, 6, 1); /* with target_info, here too: O1, O6 */
    arrived->info[0] = 1 << 2 | 1 << 3 | 1 << 5;
    rounds();
    if (reliable) {
        packet = leave(9);
        leave_header(1, PR_HEADER_KIND_ACKNOWLEDGEMENT);
    } else {
        packet = leave(9);
    }
    CHECK_EQUAL(pr_packet_target_words(packet), 1);
    packet = leave(6);
    CHECK_EQUAL(pr_packet_target_words(packet), 2);
    CHECK(pr_packet_is_info(packet, 1) && packet->words[1] == 79);
    CHECK_EQUAL(packet->words[2 + PR_HEADER_WORDS], 100);
    packet = leave(2);
    CHECK_EQUAL(pr_packet_target_words(packet), 1);
    CHECK_EQUAL(delivered.count, 1);
    CHECK(delivered.last.info_words == 2 && delivered.info[0] == 77 && delivered.info[1] == 78);
    CHECK(delivered.last.data_words == 1 && delivered.data[0] == 100 && delivered.last.handler == HANDLER);
    CHECK_EQUAL(counter(PR_COUNTER_UNICAST_FALLBACKS), 1);
    all_is_back();

    arrive(LOCAL_END | MULTICAST, marked, 4, 2, 1, 1); /* O2, M11 */
    rounds();
    leave(9);
    if (reliable)
        leave_header(2, PR_HEADER_KIND_ACKNOWLEDGEMENT);
    leave(2);
    CHECK_EQUAL(delivered.count, 2);
    all_is_back();

    marked[0] &= ~(uint32_t)MARK;
    marked[3] &= ~(uint32_t)MARK;
    arrive(LOCAL_END | MULTICAST, marked, 4, 2, 2, 1); /* none is deferred */
    rounds();
    if (reliable)
        leave_header(2, PR_HEADER_KIND_ACKNOWLEDGEMENT);
    CHECK_EQUAL(delivered.count, 3);
    all_is_back();

    arrive(END | MULTICAST, outside, 2, 1, 9, 1); /* a target that does not exist would block a link */
    rounds();
    leave(6);
    CHECK_EQUAL(counter(PR_COUNTER_DISCARDED), 1);
    all_is_back();
    CHECK(delivered.last.stamp_last - delivered.last.stamp_first == 1);
}

static void sends_on(void)
{
    check_sending_on("reliable");
    check_sending_on("receiver");
    check_sending_on("raw");
}

/* O3, and what no operator sends. */
static void check_rubbish(const char *image)
{
    bool reliable = strcmp(image, "raw") != 0;
    uint32_t target = address(HERE), data[8] = {1, 0, HANDLER};
    struct pr_packet *packet;
    unsigned discarded = 0;
    start(image, 0);
#define RUBBISH(...)                                             \
    do {                                                         \
        packet = arrive(END, &target, 1, 1, 0, 2);               \
        __VA_ARGS__;                                             \
        rounds();                                                \
        CHECK_EQUAL(counter(PR_COUNTER_DISCARDED), ++discarded); \
        CHECK_EQUAL(delivered.count, 0);                         \
        all_is_back();                                           \
    } while (0)
    RUBBISH(packet->kind = PR_TAG_ABORT_PACKET);
    RUBBISH(packet->kind = END | PR_KIND_OVERSIZE);
    RUBBISH(packet->target_words = 0);
    RUBBISH(packet->info[0] = 1);
    RUBBISH(packet->info[0] = 1, packet->target_words = 2, packet->data_words = 4, packet->words[1] = target,
            packet->words[2] = 1);
    RUBBISH(packet->data_words = 2);
    RUBBISH(packet->data_words = 60);
    RUBBISH(packet->words[1] = SITES);
    RUBBISH(packet->words[0] = address(3) + 1);
    RUBBISH(packet->kind = LOCAL_END, packet->words[0] = address(6));
    if (reliable) {
        RUBBISH(packet->words[1] = 1 | KIND_BIT); /* neither an acknowledgement nor a control packet */
        RUBBISH(packet->words[1] = SITES | KIND_BIT, packet->data_words = 3);
        RUBBISH(packet->words[3] = HANDLER | 1 << PR_HEADER_CARRIES_BIT, packet->data_words = 4);
        data[0] |= KIND_BIT;
        data[1] = 3; /* no type of a control packet */
        RUBBISH(packet->data_words = 6, memcpy(packet->words + 1, data, 24));
    }
}

static void discards_rubbish(void)
{
    check_rubbish("reliable");
    check_rubbish("receiver");
    check_rubbish("raw");
}

/* Reliable: the last buffer is kept for receiving; raw: none. Relief is requested meanwhile, and not longer (R1). */
static void keeps_a_buffer(void)
{
    uint32_t other = address(6);
    start("reliable", 0);
    for (unsigned k = 0; k < functions->buffers; k++) {
        CHECK(arrive(END, &other, 1, 1, k, 1) != NULL);
        rounds();
    }
    CHECK_EQUAL(fake_queued(&fake), functions->buffers - 1);
    CHECK_EQUAL(counter(PR_COUNTER_FOREIGN_DISCARDED), 1);
    CHECK_EQUAL(counter(PR_COUNTER_FEWEST_FREE_BUFFERS), 1);
    CHECK(fake.native.relief);
    while (fake_sending(&fake) != NULL)
        leave(6);
    CHECK(!fake.native.relief);
    all_is_back();

    start("raw", 0);
    for (unsigned k = 0; k < functions->buffers; k++) {
        CHECK(arrive(END, &other, 1, 1, k, 1) != NULL);
        rounds();
    }
    CHECK_EQUAL(fake_queued(&fake), functions->buffers);
    CHECK_EQUAL(fake_posted(&fake), 0);
}

/* A packet of another site that was held for too long does not go on to its next target. */
static void forgets_the_old(void)
{
    uint32_t others[] = {address(6), address(9), address(2)};
    start("reliable", 0);
    arrive(END | MULTICAST, others, 3, 1, 1, 1);
    rounds();
    leave(6);
    fake.clock += (1 << 17) + 2;
    leave(9); /* was given away before */
    all_is_back();
}

/* ---- the reliable service, as a target ---- */

static void acknowledges(void)
{
    struct pr_header header;
    start("reliable", 0);
    arrive_here(1, 0);
    header = leave_header(1, PR_HEADER_KIND_ACKNOWLEDGEMENT);
    CHECK(header.source == HERE && header.acknowledgement.sequence == 0 && header.acknowledgement.epoch == 0);
    CHECK_EQUAL(delivered.count, 1);
    arrive_here(1, 0); /* the same again */
    header = leave_header(1, PR_HEADER_KIND_ACKNOWLEDGEMENT);
    CHECK_EQUAL(delivered.count, 1);
    CHECK_EQUAL(counter(PR_COUNTER_DUPLICATES), 1);
    arrive_here(1, 3);
    leave(1);
    arrive_here(1, 2);
    leave(1);
    arrive_here(1, 4);
    header = leave_header(1, PR_HEADER_KIND_ACKNOWLEDGEMENT);
    CHECK(header.acknowledgement.sequence == 4 && (header.acknowledgement.bitmap & 0xf) == 0xb);
    arrive_here(1, 40); /* 1 is too old to be told from a new one */
    leave(1);
    arrive_here(1, 1);
    CHECK_EQUAL(delivered.count, 5);
    arrive_here(1, 39);
    leave(1);
    arrive_here(1, 39);
    leave(1);
    CHECK_EQUAL(delivered.count, 6);
    arrive_here(HERE, 7); /* a forgery */
    CHECK_EQUAL(delivered.count, 6);
    arrive_here(2, 0); /* both small buffers are on their way: the third is not acknowledged */
    arrive_here(2, 1);
    arrive_here(2, 2);
    leave(2);
    leave(2);
    CHECK_EQUAL(delivered.count, 9);
    all_is_back();
    fake.clock++;
    uint32_t target = address(HERE);
    arrive(END, &target, 1, 2, 3, 1);
    fake.clock += 1 << 19; /* stood for too long: its number may be another packet's by now */
    rounds();
    CHECK_EQUAL(delivered.count, 10);
    all_is_back();
}

/* An acknowledgement in front of the data is not the application's. */
static void takes_piggybacked(void)
{
    uint32_t target = address(HERE), data[] = {1, 0, HANDLER | 1 << PR_HEADER_CARRIES_BIT, 0, 0, 55};
    start("receiver", 0);
    fake_receive(&fake, END, &target, 1, data, 6);
    rounds();
    leave(1);
    CHECK(delivered.last.data_words == 1 && delivered.data[0] == 55);
}

static struct pr_header base_0_of_epoch(unsigned epoch, unsigned mine)
{
    return (struct pr_header){.kind = PR_HEADER_KIND_CONTROL,
                              .control = PR_CONTROL_TYPE_BASE,
                              .epoch = (uint16_t)epoch,
                              .peer_epoch = (uint16_t)mine};
}

/* A peer restarts: what it sends counts only after a control packet, and its sequence numbers begin anew. */
static void follows_restarts(void)
{
    uint32_t target = address(HERE), data[] = {1, 0, HANDLER | 1 << PR_HEADER_EPOCH_SHIFT};
    struct pr_header header;
    start("reliable", 0);
    arrive_here(1, 0);
    leave(1);
    fake_receive(&fake, END, &target, 1, data, 3); /* data alone do not change an epoch */
    rounds();
    nothing_leaves();
    CHECK_EQUAL(delivered.count, 1);
    arrive_header(
        1, &(struct pr_header){.kind = PR_HEADER_KIND_CONTROL, .control = PR_CONTROL_TYPE_RESTARTED, .epoch = 1});
    header = leave_header(1, PR_HEADER_KIND_CONTROL);
    CHECK(header.control == PR_CONTROL_TYPE_BASE && header.epoch == 0 && header.peer_epoch == 1 && header.base == 0);
    CHECK_EQUAL(counter(PR_COUNTER_PEERS_RESTARTED), 1);
    fake_receive(&fake, END, &target, 1, data, 3);
    rounds();
    header = leave_header(1, PR_HEADER_KIND_ACKNOWLEDGEMENT);
    CHECK_EQUAL(header.acknowledgement.epoch, 1);
    CHECK_EQUAL(delivered.count, 2);
    arrive_here(1, 1); /* of its old epoch */
    nothing_leaves();
    CHECK_EQUAL(delivered.count, 2);
    header = base_0_of_epoch(1, 0); /* an old base changes nothing */
    arrive_header(1, &header);
    header = leave_header(1, PR_HEADER_KIND_ACKNOWLEDGEMENT);
    CHECK_EQUAL(header.acknowledgement.sequence, 0);
    fake_receive(&fake, END, &target, 1, data, 3);
    rounds();
    leave(1);
    CHECK_EQUAL(delivered.count, 2);
    header = base_0_of_epoch(1, 0);
    header.base = 0x12345; /* numbers may have wrapped */
    arrive_header(1, &header);
    header = leave_header(1, PR_HEADER_KIND_ACKNOWLEDGEMENT);
    CHECK_EQUAL(header.acknowledgement.sequence, 0x2344);
    header = base_0_of_epoch(1, 7); /* it takes this site for a restarted one */
    arrive_header(1, &header);
    header = leave_header(1, PR_HEADER_KIND_CONTROL);
    CHECK_EQUAL(header.control, PR_CONTROL_TYPE_RESTARTED);
    arrive_header(
        1, &(struct pr_header){.kind = PR_HEADER_KIND_CONTROL, .control = PR_CONTROL_TYPE_RESTARTED, .epoch = 0});
    nothing_leaves(); /* an older epoch */
}

/* This site has restarted: it tells all others, takes data of none that has not named a base, and asks before it sends.
 */
static void announces_restart(void)
{
    uint32_t word = 5;
    struct pr_header header;
    start("reliable", 3);
    rounds();
    for (unsigned other = 0; other < SITES; other++) {
        if (other == HERE)
            continue;
        header = leave_header(other, PR_HEADER_KIND_CONTROL);
        CHECK(header.control == PR_CONTROL_TYPE_RESTARTED && header.epoch == 3);
    }
    nothing_leaves();
    arrive_here(1, 4);
    CHECK_EQUAL(delivered.count, 0);
    CHECK_EQUAL(leave_header(1, PR_HEADER_KIND_CONTROL).control, PR_CONTROL_TYPE_RESTARTED);
    header = base_0_of_epoch(0, 3);
    header.base = 4;
    arrive_header(1, &header);
    header = leave_header(1, PR_HEADER_KIND_CONTROL); /* and asks it */
    CHECK(header.control == PR_CONTROL_TYPE_BASE && header.epoch == 3 && header.peer_epoch == 0);
    CHECK_EQUAL(leave_header(1, PR_HEADER_KIND_ACKNOWLEDGEMENT).acknowledgement.sequence, 3);
    arrive_here(1, 3);
    leave(1);
    CHECK_EQUAL(delivered.count, 0);
    arrive_here(1, 4);
    leave(1);
    CHECK_EQUAL(delivered.count, 1);
    CHECK(functions->send(2, HANDLER, &word, 1));
    header = leave_header(2, PR_HEADER_KIND_CONTROL); /* a base, not the packet */
    CHECK(header.control == PR_CONTROL_TYPE_BASE && header.base == 0);
    acknowledge(2, 0, 3); /* a forgery: the packet was never sent */
    CHECK(!functions->can_send());
    header = leave_header(2, PR_HEADER_KIND_DATA);
    CHECK(header.sequence == 0 && header.epoch == 3 && header.handler == HANDLER);
}

/* ---- the reliable service, as a source ---- */

static void time_passes(void)
{
    uint32_t clock;
    CHECK(functions->wake(&clock));
    fake.clock += (uint32_t)(clock - (uint32_t)fake.clock);
    rounds();
}

static void sends_until_acknowledged(void)
{
    uint32_t words[64] = {1, 2, 3}, clock;
    uint64_t before;
    const struct pr_packet *packet;
    start("reliable", 0);
    CHECK(!functions->send(HERE, HANDLER, words, 1) && !functions->send(SITES, HANDLER, words, 1));
    CHECK(!functions->send(2, HANDLER, words, 53)); /* one word too long */
    CHECK(functions->send(2, HANDLER, words, 52));
    packet = leave(2);
    CHECK_EQUAL(pr_packet_data_words(packet), 55);
    CHECK(packet->words[1] == HERE && packet->words[2] == 0 && packet->words[3] == HANDLER && packet->words[6] == 3);
    CHECK(!functions->can_send() && !functions->send(3, HANDLER, words, 1));
    acknowledge(3, 0, 0); /* not from its target, not its number, not this epoch */
    acknowledge(2, 1, 0);
    acknowledge(2, 0, 1);
    CHECK(!functions->can_send());
    acknowledge(2, 0, 0);
    CHECK(functions->can_send() && !functions->wake(&clock));
    CHECK(functions->send(3, HANDLER, words, 1)); /* lost: eight tries, ever later */
    for (unsigned k = 0; k < 8; k++) {
        CHECK_EQUAL(leave_header(3, PR_HEADER_KIND_DATA).sequence, 1);
        before = fake.clock;
        time_passes();
        CHECK(fake.clock - before >= 8192u << (k < 2 ? k + 1 : 3));
    }
    nothing_leaves();
    CHECK(functions->can_send());
    CHECK_EQUAL(counter(PR_COUNTER_TARGETS_FAILED), 1);
    CHECK_EQUAL(counter(PR_COUNTER_TIME_OUTS), 7);
    CHECK(functions->send(4, HANDLER, words, 1)); /* acknowledged while it leaves again */
    leave(4);
    time_passes();
    acknowledge(4, 2, 0);
    CHECK(!functions->can_send()); /* the network_interface still has the buffer */
    leave(4);
    CHECK(functions->can_send());
    CHECK(functions->send(4, HANDLER, words, 1)); /* busy, and alive: not given up, but not for ever */
    for (unsigned k = 0; k < 40; k++) {
        leave(4);
        acknowledge(4, 2, 0);
        time_passes();
    }
    CHECK(!functions->can_send());
    fake.clock += 1 << 24;
    for (unsigned k = 0; k < 8 && !functions->can_send(); k++) {
        rounds();
        while (fake_sending(&fake) != NULL)
            leave(4);
        acknowledge(4, 2, 0);
        time_passes();
    }
    CHECK(functions->can_send());
    CHECK(functions->send(6, HANDLER, words, 1)); /* its target restarts: whether it was delivered is not known */
    leave(6);
    arrive_header(
        6, &(struct pr_header){.kind = PR_HEADER_KIND_CONTROL, .control = PR_CONTROL_TYPE_RESTARTED, .epoch = 1});
    CHECK_EQUAL(leave_header(6, PR_HEADER_KIND_CONTROL).base, 5);
    CHECK(functions->can_send());
    CHECK_EQUAL(counter(PR_COUNTER_TARGETS_FAILED), 3);
}

/* A base names the packet that is not settled, to its target alone. */
static void names_bases(void)
{
    uint32_t word = 1;
    struct pr_header restarted = {.kind = PR_HEADER_KIND_CONTROL, .control = PR_CONTROL_TYPE_RESTARTED};
    start("reliable", 0);
    CHECK(functions->send(2, HANDLER, &word, 1));
    leave(2);
    arrive_header(2, &restarted);
    CHECK_EQUAL(leave_header(2, PR_HEADER_KIND_CONTROL).base, 0);
    arrive_header(3, &restarted);
    CHECK_EQUAL(leave_header(3, PR_HEADER_KIND_CONTROL).base, 1);
}

/* A site that was silent while 16384 packets were sent is asked before it is sent data. */
static void asks_the_silent(void)
{
    uint32_t word = 1;
    struct pr_header header;
    start("reliable", 0);
    for (unsigned k = 0; k < 16400; k++) {
        CHECK(functions->send(2, HANDLER, &word, 1));
        CHECK_EQUAL(leave_header(2, PR_HEADER_KIND_DATA).sequence, k);
        acknowledge(2, k, 0);
    }
    CHECK(functions->send(3, HANDLER, &word, 1));
    header = leave_header(3, PR_HEADER_KIND_CONTROL);
    CHECK(header.control == PR_CONTROL_TYPE_BASE && header.base == 16400);
    acknowledge(3, 5, 0); /* an old number: it does not follow */
    nothing_leaves();
    acknowledge(3, 16399, 0);
    CHECK_EQUAL(leave_header(3, PR_HEADER_KIND_DATA).sequence, 16400);
    acknowledge(3, 16400, 0);
    CHECK(functions->send(6, HANDLER, &word, 1)); /* bases do not count as tries */
    leave(6);
    time_passes();
    leave(6);
    acknowledge(6, 16400, 0);
    for (unsigned k = 0; k < 8; k++) {
        CHECK_EQUAL(leave_header(6, PR_HEADER_KIND_DATA).sequence, 16401);
        time_passes();
    }
    nothing_leaves();
    CHECK(functions->can_send());
    CHECK(functions->send(4, HANDLER, &word, 1)); /* one that does not answer is given up */
    for (unsigned k = 0; k < 8; k++) {
        CHECK_EQUAL(leave_header(4, PR_HEADER_KIND_CONTROL).base, 16402);
        time_passes();
    }
    CHECK(functions->can_send());
    nothing_leaves();
}

/* ---- services ---- */

static void request(unsigned source, unsigned sequence, const uint32_t *words, unsigned count)
{
    uint32_t target = address(HERE), data[64] = {source, sequence, PR_HANDLER_SERVICE};
    memcpy(data + PR_HEADER_WORDS, words, count * sizeof *words);
    CHECK(fake_receive(&fake, END, &target, 1, data, PR_HEADER_WORDS + count) != NULL);
    rounds();
}

static void answers(void)
{
    uint32_t ping[] = {1, 2, 33, 0x1111, 0x2222, 7, 8}, identify[] = {0, 1, 34, 1, 2}, counters[] = {2, 5, 35, 64, 1};
    const struct pr_packet *packet;
    const uint32_t *data;
    start("reliable", 0);
    request(3, 0, ping, 7);
    leave(3); /* the acknowledgement */
    packet = leave(3);
    data = packet->words + 1 + PR_HEADER_WORDS;
    CHECK_EQUAL(pr_packet_data_words(packet), PR_HEADER_WORDS + 11);
    CHECK(data[0] == 0x81 && data[1] == 2 && data[2] == 33 && data[3] == 0x1111 && data[4] == 0x2222);
    CHECK(data[9] == 7 && data[10] == 8);
    CHECK_EQUAL(delivered.count, 0);
    request(3, 1, counters, 5); /* the last answer is not settled */
    leave(3);
    nothing_leaves();
    CHECK_EQUAL(counter(PR_COUNTER_ANSWERS_LOST), 1);
    acknowledge(3, 0, 0);
    request(3, 2, identify, 5);
    leave(3);
    packet = leave(3);
    data = packet->words + 1 + PR_HEADER_WORDS;
    CHECK_EQUAL(pr_packet_data_words(packet), PR_HEADER_WORDS + 5 + 4);
    CHECK(data[0] == 0x80 && data[3] == 1 && data[4] == 2 && data[5] == HERE && data[7] == address(HERE));
    acknowledge(3, 1, 0);
    request(3, 3, counters, 5);
    leave(3);
    data = leave(3)->words + 1 + PR_HEADER_WORDS;
    CHECK(data[4] == 1 && data[5] == counter(PR_COUNTER_DELIVERED));
    acknowledge(3, 2, 0);
    identify[3] = 20; /* beyond the block: no values */
    request(3, 4, identify, 5);
    leave(3);
    CHECK_EQUAL(leave(3)->words[1 + PR_HEADER_WORDS + 4], 0);
    acknowledge(3, 3, 0);
    identify[0] = 3; /* no request */
    request(3, 5, identify, 5);
    leave(3);
    request(3, 6, counters, 4); /* too short */
    leave(3);
    nothing_leaves();

    describe(true, 0); /* answers that do not fit a packet of this mesh are lost */
    identity.max_packet = 31;
    site = small_site_load("reliable");
    functions = site.functions;
    CHECK(functions->start(&fake.interface, &identity, NULL));
    identify[0] = 0;
    identify[3] = 0;
    identify[4] = 21;
    request(3, 0, identify, 5);
    leave(3);
    nothing_leaves();
    CHECK(functions->can_send());
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
    rounds();
}

/* Raw: a packet of this site's to itself passes the fabric. */
static void to_itself(void)
{
    const struct pr_packet *leaving = leave(HERE);
    struct pr_packet *packet;
    uint32_t target = address(HERE);
    packet = fake_receive(&fake, END, &target, 1, leaving->words + 1, pr_packet_data_words(leaving));
    CHECK(packet != NULL);
    rounds();
}

static void console_of_receiver(void)
{
    static struct pr_frame frame;
    struct pr_site_identity read;
    struct pr_message_counters counters;
    unsigned of;
    start("receiver", 0);
    pr_message_identify(&frame, PR_CONSOLE_THIS_SITE);
    ask(&frame, 7);
    CHECK(host.last.id == 7 && pr_message_read_identity(&host.last, &of, &read) && of == HERE);
    CHECK(memcmp(&read, &identity, sizeof read) == 0);
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
    uint32_t targets[] = {address(HERE), 41, 42};
    struct pr_packet *packet;
    start("receiver", 0);
    pr_message_listen(&frame, PR_CONSOLE_LISTEN_DELIVERED);
    ask(&frame, 1);
    CHECK_EQUAL(pr_message_status(&host.last), PR_CONSOLE_OK);
    packet = arrive(END, targets, 3, 1, 0, 4);
    packet->info[0] = 6;
    rounds();
    leave(1);
    CHECK(host.deliveries == 1 && host.delivery.source == 1 && host.delivery.handler == HANDLER);
    CHECK(host.delivery.info_words == 2 && host.delivery.info[1] == 42);
    CHECK(host.delivery.data_words == 4 && host.delivery.data[3] == 103);
    host.stuck = true;
    arrive_here(1, 1);
    leave(1);
    arrive_here(1, 2);
    CHECK_EQUAL(leave_header(1, PR_HEADER_KIND_ACKNOWLEDGEMENT).acknowledgement.sequence, 1); /* alive */
    CHECK_EQUAL(counter(PR_COUNTER_REFUSED), 1);
    arrive_here(1, 1); /* a duplicate is not refused */
    CHECK_EQUAL(leave_header(1, PR_HEADER_KIND_ACKNOWLEDGEMENT).acknowledgement.sequence, 1);
    CHECK_EQUAL(counter(PR_COUNTER_REFUSED), 1);
    host.stuck = false;
    rounds();
    arrive_here(1, 2);
    CHECK_EQUAL(leave_header(1, PR_HEADER_KIND_ACKNOWLEDGEMENT).acknowledgement.sequence, 2);
    CHECK_EQUAL(host.deliveries, 3);
    CHECK_EQUAL(host.delivery.sequence, 2);
}

/* The console has its turn in every round, however fast the sources send again: its output leaves, and is not refused
 * for ever. */
static void console_is_not_starved(void)
{
    static struct pr_frame frame;
    unsigned round = 0, sequence = 0;
    uint32_t target = address(HERE);
    start("receiver", 0);
    pr_message_listen(&frame, PR_CONSOLE_LISTEN_DELIVERED);
    ask(&frame, 1);
    host.slowness = 6;
    for (; round < 8000 && sequence < 10; round++) {
        while (fake_posted(&fake) > 0) /* there is always another packet */
            arrive(END, &target, 1, 1, sequence, 4);
        functions->round();
        while (fake_sending(&fake) != NULL)
            fake_sent(&fake);
        sequence = delivered.count;
    }
    CHECK_EQUAL(sequence, 10);
    rounds();
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
    start("raw", 0);
    pr_message_listen(&frame, PR_CONSOLE_LISTEN_DELIVERED);
    ask(&frame, 1);
    pr_message_identify(&frame, PR_CONSOLE_THIS_SITE);
    ask(&frame, 2);
    to_itself();
    to_itself();
    CHECK(pr_message_read_identity(&host.last, &of, &read) && of == HERE && host.last.id == 2);
    CHECK(memcmp(&read, &identity, sizeof read) == 0);
    pr_message_counters(&frame, 3, 64, 2);
    ask(&frame, 3);
    packet = leave(3);
    CHECK_EQUAL(packet->words[1 + PR_HEADER_WORDS], 2);
    request(3, 0, (uint32_t[]){0x82, 5, 3, 64, 2, 11, 0, 12, 1}, 9);
    CHECK(pr_message_read_counters(&host.last, &counters) && counters.site == 3 && counters.values[1] == 0x1000c);
    host.frames = 0;
    request(3, 0, (uint32_t[]){0x82, 5, 3, 64, 2, 11, 0}, 7); /* fewer values than it claims */
    CHECK_EQUAL(host.frames, 0);
    pr_message_ping(&frame, 3, 1);
    ask(&frame, 4);
    leave(3);
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
    packet = leave(6);
    CHECK(packet->words[1 + PR_HEADER_WORDS + 1] == 0xffff && packet->words[1] == HERE);
    leave(9);
    to_itself(); /* each target once (O7) */
    CHECK(host.deliveries == 1 && host.delivery.source == HERE && host.delivery.data[1] == 0xffff);
    all_is_back();
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
    CHECK(functions->can_send());
}

/* A mesh that does not suit the image. */
static void check_refused(const char *image, void (*spoil)(void))
{
    describe(strcmp(image, "raw") != 0, 0);
    spoil();
    site = small_site_load(image);
    CHECK(!site.functions->start(&fake.interface, &identity, NULL));
}

static void other_service(void)
{
    identity.reliable ^= 1;
}

static void other_topology(void)
{
    identity.topology = PR_TOPOLOGY_HYPERCUBE;
}

static void other_width(void)
{
    identity.word_width = 32;
}

static void long_packets(void)
{
    identity.max_packet = 57;
}

static void many_sites(void)
{
    identity.size_x = 13;
    identity.size_y = 5;
}

static void other_map(void)
{
    identity.map_version++;
}

static void refuses_meshes(void)
{
    static void (*const spoils[])(void) = {other_service, other_topology, other_width, long_packets, other_map};
    for (unsigned k = 0; k < sizeof spoils / sizeof *spoils; k++) {
        check_refused("reliable", spoils[k]);
        check_refused("raw", spoils[k]);
    }
    check_refused("receiver", many_sites);
}

/* ---- whatever arrives ---- */

static unsigned maybe(unsigned likely, unsigned limit)
{
    return below(4) ? likely : below(limit);
}

static void hostile_packet(bool reliable)
{
    static const unsigned ends[] = {END, LOCAL_END, PR_TAG_ABORT_PACKET};
    static const unsigned lengths[] = {1 + PR_ACKNOWLEDGEMENT_WORDS, 1 + PR_CONTROL_WORDS};
    uint32_t targets[16], data[40];
    unsigned count = 1 + below(below(2) ? 2 : 12), words = maybe(PR_HEADER_WORDS + below(12), 34);
    struct pr_packet *packet;
    for (unsigned k = 0; k < count; k++)
        targets[k] = maybe(address(below(3) ? HERE : below(SITES)) | (below(4) == 0 ? MARK : 0), 0x10000);
    for (unsigned k = 0; k < 40; k++)
        data[k] = maybe(below(20), 0x10000);
    data[PR_HEADER_SOURCE] = maybe(below(SITES), 0x10000);
    data[PR_HEADER_HANDLER] = maybe(PR_HANDLER_SERVICE, 0x10000);
    data[PR_HEADER_WORDS] = maybe(below(3) | (below(2) ? 0x80 : 0), 0x10000);
    if (reliable && below(3) == 0) {
        data[PR_HEADER_SOURCE] |= KIND_BIT;
        words = maybe(lengths[below(2)], 34);
    }
    packet = fake_receive(&fake, maybe(ends[below(3)], 16) | (below(2) ? MULTICAST : 0), targets, count, data, words);
    if (!packet)
        return;
    if (below(8) == 0)
        packet->kind = check_random(&random_state);
    if (below(16) == 0) /* no network_interface gives counts beyond its buffer, but a small operator checks */
        packet->counts = check_random(&random_state) & (below(2) ? 0x7f007f : 0xffffffff);
    for (unsigned k = 0; k < PR_PACKET_INFO_WORDS; k++)
        packet->info[k] = below(2) ? 0 : check_random(&random_state) & check_random(&random_state);
}

static void check_fit_to_send(const struct pr_packet *packet)
{
    const struct pr_site_addresses addresses = pr_site_identity_addresses(&identity);
    unsigned targets = pr_packet_target_words(packet);
    CHECK(targets > 0 && targets + pr_packet_data_words(packet) <= identity.max_packet);
    CHECK(packet->kind == 0 && !pr_packet_is_info(packet, 0) && !(packet->words[0] & MARK));
    CHECK(pr_site_addresses_have(&addresses, packet->words[0]));
    for (unsigned k = 1; k < targets; k++)
        CHECK(pr_packet_is_info(packet, k));
    CHECK((packet->words[targets] & ~(uint32_t)(identity.reliable ? KIND_BIT : 0)) < SITES);
}

static void hostile_bytes(void)
{
    static struct pr_frame frame;
    if (host.to_at < host.to_length || below(20))
        return;
    host.to_at = 0;
    frame.type = (uint8_t)(maybe(1 + below(9), 256) & ~0x40); /* whose answers have the types of events */
    frame.length = (uint16_t)below(below(2) ? 8 : 240);
    for (unsigned k = 0; k < frame.length; k++)
        frame.payload[k] = (uint8_t)maybe(below(6), 256);
    host.to_length = pr_frames_encode(&frame, host.to, sizeof host.to);
    if (below(4) == 0)
        host.to[below((unsigned)host.to_length)] ^= (uint8_t)(1 << below(8));
}

/* Nothing crashes, what leaves is fit to be sent, frames are whole, and no buffer is lost. */
static void check_hostile(const char *image)
{
    double began = 0;
    unsigned long packets = 0, sent = 0;
    uint32_t clock;
    uint32_t delivered_all = 0, discarded = 0;
    unsigned frames = 0;
    for (; packets < 20000 || check_time_left(&began, 1); packets++) {
        if (packets % ROUNDS == 0) { /* forged restarts leave nobody whose data are taken */
            delivered_all += packets ? counter(PR_COUNTER_DELIVERED) : 0;
            discarded += packets ? counter(PR_COUNTER_DISCARDED) : 0;
            frames += host.frames;
            CHECK_EQUAL(host.bad, 0);
            start(image, below(2));
            host.slowness = 3;
        }
        hostile_packet(identity.reliable);
        hostile_bytes();
        functions->round();
        for (; fake_sending(&fake) != NULL && below(3); sent++) {
            check_fit_to_send(fake_leaving(&fake));
            fake_sent(&fake);
        }
        fake.clock += below(200);
    }
    host.to_at = host.to_length;
    for (unsigned k = 0; k < 1000; k++) {
        while (functions->round() || fake_sending(&fake) != NULL) {
            if (fake_sending(&fake) != NULL)
                fake_sent(&fake);
        }
        if (!functions->wake(&clock))
            break;
        fake.clock += (uint32_t)(clock - (uint32_t)fake.clock);
    }
    CHECK(!functions->wake(&clock));
    all_is_back();
    CHECK_EQUAL(host.bad, 0);
    printf("%s: %lu packets, %lu sent, %u delivered, %u discarded, %u frames\n", image, packets, sent, delivered_all,
           discarded, frames);
    CHECK(sent > 1000 && delivered_all > 500 && discarded > 1000);
    CHECK(frames > 100 || strcmp(image, "reliable") == 0);
}

static void survives_everything(void)
{
    check_hostile("reliable");
    check_hostile("receiver");
    check_hostile("raw");
}

int main(void)
{
    random_state = check_seed();
    identity = fake_identity(HERE); /* for the addresses of its sites */
    RUN(sends_on);
    RUN(discards_rubbish);
    RUN(keeps_a_buffer);
    RUN(forgets_the_old);
    RUN(acknowledges);
    RUN(takes_piggybacked);
    RUN(follows_restarts);
    RUN(announces_restart);
    RUN(sends_until_acknowledged);
    RUN(names_bases);
    RUN(asks_the_silent);
    RUN(answers);
    RUN(console_of_receiver);
    RUN(console_refuses);
    RUN(console_is_not_starved);
    RUN(console_of_raw);
    RUN(refuses_meshes);
    RUN(survives_everything);
    small_site_unload(&site);
    return 0;
}
