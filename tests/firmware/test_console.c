/* The console of a node: commands and their answers, garbage, half and oversize frames, output nobody
 * reads.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "console/node.h"
#include "fake_interface.h"
#include "protocol.h"
#include "wire/cobs.h"
#include "wire/crc16.h"

enum { BUFFERS = 12, WORDS = 64, WINDOW = 4, SITES = 16, HERE = 5, FRAME_MAX = PR_CONSOLE_FRAME_ENCODED };

static struct fake_interface fake;
static struct pr_site_identity identity;
static struct pr_node node;
static uint32_t memory[PR_OPERATOR_MEMORY_WORDS(BUFFERS, WORDS, SITES)];
static uint64_t random_state;

/* The last frame that came out, decoded, without its CRC. */
static uint8_t answer[FRAME_MAX];
static size_t answer_length;

static void start_service(bool reliable)
{
    static const struct pr_operator_size size = {BUFFERS, WORDS, WINDOW, SITES};
    fake_init(&fake);
    identity = fake_identity(HERE);
    identity.reliable = reliable;
    CHECK_EQUAL(pr_node_init(&node, &fake.interface, &identity, memory, &size), 0);
}

static void start(void)
{
    start_service(false);
}

static void write_bytes(const void *bytes, size_t length)
{
    CHECK_EQUAL(pr_node_console_write(&node, bytes, length), length);
}

static size_t make_frame(uint8_t type, uint8_t id, const uint8_t *payload, size_t length, uint8_t *out)
{
    static uint8_t raw[3 * FRAME_MAX];
    uint16_t crc;
    size_t end;
    raw[0] = type;
    raw[1] = id;
    memcpy(raw + 2, payload, length);
    crc = pr_crc16(raw, length + 2);
    raw[length + 2] = (uint8_t)crc;
    raw[length + 3] = (uint8_t)(crc >> 8);
    out[0] = 0;
    end = 1 + pr_cobs_encode(raw, length + 4, out + 1);
    out[end++] = 0;
    return end;
}

static void command(uint8_t type, uint8_t id, const uint8_t *payload, size_t length)
{
    static uint8_t frame[3 * FRAME_MAX];
    write_bytes(frame, make_frame(type, id, payload, length, frame));
}

#define COMMAND(type, id, ...) command(type, id, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* Takes the next frame; false if there is none. Anything that is no frame fails. */
static bool next_frame(void)
{
    uint8_t byte;
    answer_length = 0;
    while (pr_node_console_read(&node, &byte, 1) == 1) {
        if (byte != 0) {
            CHECK(answer_length < sizeof answer);
            answer[answer_length++] = byte;
        } else if (answer_length > 0) {
            answer_length = pr_cobs_decode(answer, answer_length, answer);
            CHECK(answer_length != PR_COBS_BAD && answer_length >= 4);
            answer_length -= 2;
            CHECK_EQUAL(pr_crc16(answer, answer_length), answer[answer_length] | answer[answer_length + 1] << 8);
            return true;
        }
    }
    CHECK_EQUAL(answer_length, 0);
    return false;
}

static uint16_t u16(size_t offset)
{
    return (uint16_t)(answer[2 + offset] | answer[3 + offset] << 8);
}

static uint32_t u32(size_t offset)
{
    return u16(offset) | (uint32_t)u16(offset + 2) << 16;
}

/* The next frame has this type, id, length of payload, and status. */
static void expect(uint8_t type, uint8_t id, size_t length, uint8_t status)
{
    CHECK(next_frame());
    CHECK_EQUAL(answer[0], type);
    CHECK_EQUAL(answer[1], id);
    CHECK_EQUAL(answer_length - 2, length);
    CHECK_EQUAL(answer[2], status);
}

static void expect_nothing(void)
{
    CHECK(!next_frame());
}

/* What is being sent comes back to its sender as if the site it goes to were this one: services answer
 * themselves. */
static void loop_back(unsigned as_site, unsigned times)
{
    for (; times > 0; times--) {
        const struct pr_packet *sent = fake_leaving(&fake);
        uint32_t targets[PR_PACKET_TARGET_WORDS_MAX], data[WORDS];
        unsigned target_words = pr_packet_target_words(sent), data_words = pr_packet_data_words(sent);
        memcpy(targets, sent->words, 4 * target_words);
        memcpy(data, sent->words + target_words, 4 * data_words);
        targets[0] = identity.address;
        data[PR_HEADER_SOURCE] = as_site;
        fake_sent(&fake);
        pr_node_poll(&node);
        CHECK(fake_receive(&fake, PR_TAG_END_OF_PACKET, targets, 1, data, data_words) != NULL);
        pr_node_poll(&node);
    }
}

static void identify_this_site(void)
{
    start();
    COMMAND(PR_CONSOLE_IDENTIFY, 17, 0xff, 0xff);
    expect(0x81, 17, 3 + 4 * PR_SITE_IDENTITY_WORDS, PR_CONSOLE_OK);
    CHECK_EQUAL(u16(1), HERE);
    CHECK_EQUAL(u32(3), identity.map_version);
    CHECK_EQUAL(u32(3 + 4 * 5), 4);
    CHECK_EQUAL(u32(3 + 4 * 18), identity.retry_limit);
    COMMAND(PR_CONSOLE_IDENTIFY, 18, HERE, 0);
    expect(0x81, 18, 3 + 4 * PR_SITE_IDENTITY_WORDS, PR_CONSOLE_OK);
    COMMAND(PR_CONSOLE_IDENTIFY, 19, 16, 0);
    expect(0x81, 19, 3, PR_CONSOLE_UNKNOWN_SITE);
    COMMAND(PR_CONSOLE_IDENTIFY, 20, 1);
    expect(0x81, 20, 3, PR_CONSOLE_BAD_REQUEST);
    expect_nothing();
}

static void identify_another_site(void)
{
    start();
    COMMAND(PR_CONSOLE_IDENTIFY, 3, 9, 0);
    expect_nothing();
    loop_back(9, 2); /* the request, then the answer */
    expect(0x81, 3, 3 + 4 * PR_SITE_IDENTITY_WORDS, PR_CONSOLE_OK);
    CHECK_EQUAL(u16(1), 9);
    CHECK_EQUAL(u32(3), identity.map_version);
    CHECK_EQUAL(u32(3 + 4 * 15), identity.max_packet);
}

/* A part of the ID block, of this site and of another one. */
static void identify_in_parts(void)
{
    const uint32_t *words = &identity.map_version;
    start();
    for (unsigned site = HERE; site <= 9; site += 9 - HERE) {
        COMMAND(PR_CONSOLE_IDENTIFY_PART, 4, (uint8_t)site, 0, 14, 5);
        loop_back(site, site == HERE ? 0 : 2);
        expect(0x89, 4, 5 + 4 * 5, PR_CONSOLE_OK);
        CHECK_EQUAL(u16(1), site);
        CHECK_EQUAL(answer[2 + 3], 14);
        CHECK_EQUAL(answer[2 + 4], 5);
        for (unsigned k = 0; k < 5; k++)
            CHECK_EQUAL(u32(5 + 4 * k), words[14 + k]);
        COMMAND(PR_CONSOLE_IDENTIFY_PART, 5, (uint8_t)site, 0, PR_SITE_IDENTITY_ALL_WORDS - 1, 2);
        expect(0x89, 5, 3, PR_CONSOLE_BAD_REQUEST);
    }
}

/* The build id of the firmware is behind the ID block. */
static void identify_build_id(void)
{
    start();
    identity.build_id[0] = 0x04030201;
    identity.build_id[1] = 0x08070605;
    for (unsigned site = HERE; site <= 9; site += 9 - HERE) {
        COMMAND(PR_CONSOLE_IDENTIFY_PART, 4, (uint8_t)site, 0, PR_SITE_IDENTITY_WORDS, PR_BUILD_ID_WORDS);
        loop_back(site, site == HERE ? 0 : 2);
        expect(0x89, 4, 5 + 4 * PR_BUILD_ID_WORDS, PR_CONSOLE_OK);
        CHECK_EQUAL(u32(5), 0x04030201);
        CHECK_EQUAL(u32(9), 0x08070605);
    }
}

/* And behind it, what the firmware serves: relays of the reliable service, and groups if it takes their orders. */
static void identify_serves(void)
{
    start_service(true);
    COMMAND(PR_CONSOLE_IDENTIFY_PART, 4, HERE, 0, PR_SITE_IDENTITY_SERVES, 1);
    expect(0x89, 4, 5 + 4, PR_CONSOLE_OK);
    CHECK_EQUAL(u32(5), PR_SERVES_RELAYS);
    for (unsigned groups = 0; groups < 2; groups++) {
        start();
        node.op.common.here.serves |= groups * PR_SERVES_GROUPS;
        for (unsigned site = HERE; site <= 9; site += 9 - HERE) {
            COMMAND(PR_CONSOLE_IDENTIFY_PART, 4, (uint8_t)site, 0, PR_SITE_IDENTITY_SERVES, 1);
            loop_back(site, site == HERE ? 0 : 2);
            expect(0x89, 4, 5 + 4, PR_CONSOLE_OK);
            CHECK_EQUAL(u32(5), groups * PR_SERVES_GROUPS);
        }
    }
}

/* On a mesh with the shortest packets each service still has an answer that fits, and what has none is refused. */
static void shortest_packets(void)
{
    start();
    identity.max_packet = PR_SERVICE_MAX_PACKET_LEAST;
    COMMAND(PR_CONSOLE_IDENTIFY, 1, 9, 0);
    expect(0x81, 1, 3, PR_CONSOLE_TOO_LONG);
    COMMAND(PR_CONSOLE_IDENTIFY_PART, 2, 9, 0, 0, 3);
    expect(0x89, 2, 3, PR_CONSOLE_TOO_LONG);
    COMMAND(PR_CONSOLE_COUNTERS, 3, 9, 0, 0, 3);
    expect(0x85, 3, 3, PR_CONSOLE_TOO_LONG);
    COMMAND(PR_CONSOLE_IDENTIFY_PART, 4, 9, 0, 15, 2);
    loop_back(9, 2);
    expect(0x89, 4, 5 + 8, PR_CONSOLE_OK);
    CHECK_EQUAL(u32(5), PR_SERVICE_MAX_PACKET_LEAST);
    COMMAND(PR_CONSOLE_COUNTERS, 5, 9, 0, 60, 2);
    loop_back(9, 2);
    expect(0x85, 5, 5 + 8, PR_CONSOLE_OK);
    COMMAND(PR_CONSOLE_PING, 6, 9, 0, 0, 0);
    loop_back(9, 2);
    expect(0x82, 6, 15, PR_CONSOLE_OK);
    CHECK_EQUAL(pr_console_counter(&node.console, PR_COUNTER_ANSWERS_LOST), 0);
}

static void ping(void)
{
    start();
    fake.clock = 1000;
    COMMAND(PR_CONSOLE_PING, 200, 9, 0, 4, 0);
    fake.clock = 1100;
    loop_back(9, 1);
    fake.clock = 1300;
    loop_back(9, 1);
    expect(0x82, 200, 15, PR_CONSOLE_OK);
    CHECK_EQUAL(u16(1), 9);
    CHECK_EQUAL(u32(3), 301);
    CHECK_EQUAL(u32(7), 101);
    CHECK_EQUAL(u32(11), 1301 - 1102);
    COMMAND(PR_CONSOLE_PING, 201, 9, 0, 0xff, 0xff);
    expect(0x82, 201, 3, PR_CONSOLE_TOO_LONG);
}

static void ping_notices_damaged_data(void)
{
    struct pr_packet *sent;
    start();
    COMMAND(PR_CONSOLE_PING, 1, 9, 0, 4, 0);
    sent = fake_sending(&fake);
    sent->words[pr_packet_target_words(sent) + pr_packet_data_words(sent) - 1] ^= 1;
    loop_back(9, 2);
    expect(0x82, 1, 15, PR_CONSOLE_BAD_DATA);
}

static void counters(void)
{
    start();
    COMMAND(PR_CONSOLE_COUNTERS, 1, 0xff, 0xff, 5, 2);
    expect(0x85, 1, 13, PR_CONSOLE_OK);
    CHECK_EQUAL(answer[2 + 3], 5);
    CHECK_EQUAL(answer[2 + 4], 2);
    CHECK_EQUAL(u32(5), 1005);
    CHECK_EQUAL(u32(9), 1006);
    COMMAND(PR_CONSOLE_COUNTERS, 2, HERE, 0, PR_COUNTER_FREE_BUFFERS, 1);
    expect(0x85, 2, 9, PR_CONSOLE_OK);
    CHECK_EQUAL(u32(5), BUFFERS);
    COMMAND(PR_CONSOLE_COUNTERS, 3, 9, 0, 60, 16);
    loop_back(9, 2);
    expect(0x85, 3, 5 + 64, PR_CONSOLE_OK);
    CHECK_EQUAL(u16(1), 9);
    CHECK_EQUAL(u32(5), 1060);
    COMMAND(PR_CONSOLE_COUNTERS, 4, HERE, 0, 0, 17);
    expect(0x85, 4, 3, PR_CONSOLE_BAD_REQUEST);
}

static void send_to_a_set(void)
{
    struct pr_packet *packet;
    start();
    COMMAND(PR_CONSOLE_SEND, 9, 7, 0, 2, 0, 1, 0, /* site 1, info */ 1, 0, 1, 0, 0x34, 0x12, 0, 0, /* site 9 */ 9, 0, 0,
            0,
            /* data */ 0xcd, 0xab, 0, 0);
    expect(0x83, 9, 7, PR_CONSOLE_OK);
    packet = fake_sending(&fake);
    CHECK_EQUAL(pr_packet_target_words(packet), 3);
    CHECK_EQUAL(packet->words[2], 0x1234); /* site 9 comes first */
    CHECK_EQUAL(packet->words[3 + PR_HEADER_HANDLER], 7);
    CHECK_EQUAL(packet->words[3 + PR_HEADER_WORDS], 0xabcd);
}

static void send_of_halves(void)
{
    struct pr_packet *packet;
    start();
    COMMAND(PR_CONSOLE_SEND, 9, 7, PR_CONSOLE_SEND_HALVES, 1, 0, 2, 0, 9, 0, 0, 0, /* data */ 0xcd, 0xab, 0xff, 0xff);
    expect(0x83, 9, 7, PR_CONSOLE_OK);
    packet = fake_sending(&fake);
    CHECK_EQUAL(pr_packet_data_words(packet), PR_HEADER_WORDS + 2);
    CHECK_EQUAL(packet->words[1 + PR_HEADER_WORDS], 0xabcd);
    CHECK_EQUAL(packet->words[1 + PR_HEADER_WORDS + 1], 0xffff);
}

static void send_is_refused_for_its_own_reason(void)
{
    start();
    COMMAND(PR_CONSOLE_SEND, 1, 7, 0, 0, 0, 0, 0);
    expect(0x83, 1, 7, PR_CONSOLE_NO_TARGETS);
    COMMAND(PR_CONSOLE_SEND, 2, 7, 0, 1, 0, 0, 0, 16, 0, 0, 0);
    expect(0x83, 2, 7, PR_CONSOLE_UNKNOWN_SITE);
    COMMAND(PR_CONSOLE_SEND, 3, 7, 0, 1, 0, 1, 0, 9, 0, 0, 0, 0, 0, 1, 0);
    expect(0x83, 3, 7, PR_CONSOLE_BAD_DATA);
    COMMAND(PR_CONSOLE_SEND, 4, 7, 0, 1, 0, 0xff, 0xff, 9, 0, 0, 0);
    expect(0x83, 4, 7, PR_CONSOLE_BAD_REQUEST);
    COMMAND(PR_CONSOLE_SEND, 5, 7, 0, 0xff, 0xff, 0, 0, 9, 0, 0xff, 0xff);
    expect(0x83, 5, 7, PR_CONSOLE_BAD_REQUEST);
    COMMAND(PR_CONSOLE_SEND, 6, 7, 0, 1, 0, 0, 0, 9, 0, 0, 0, 0xee);
    expect(0x83, 6, 7, PR_CONSOLE_BAD_REQUEST);
    COMMAND(PR_CONSOLE_SEND, 7, 7, PR_CONSOLE_SEND_HALVES, 1, 0, 1, 0, 9, 0, 0, 0, 1, 0, 0, 0);
    expect(0x83, 7, 7, PR_CONSOLE_BAD_REQUEST);
    COMMAND(PR_CONSOLE_SEND, 8, 7, PR_CONSOLE_SEND_HALVES + 1, 1, 0, 0, 0, 9, 0, 0, 0);
    expect(0x83, 8, 7, PR_CONSOLE_BAD_REQUEST);
    CHECK(fake_sending(&fake) == NULL);
    CHECK_EQUAL(pr_operator_counter(&node.op, PR_COUNTER_FREE_BUFFERS), BUFFERS);
    for (unsigned k = 0; k < BUFFERS; k++)
        COMMAND(PR_CONSOLE_SEND, 7, 7, 0, 1, 0, 0, 0, 9, 0, 0, 0);
    while (next_frame() && answer[2] == PR_CONSOLE_OK)
        ;
    CHECK_EQUAL(answer[2], PR_CONSOLE_NO_BUFFER);
}

static void deliver(unsigned handler)
{
    const uint32_t targets[] = {identity.address, 0x77}, data[] = {2, 300, handler, 0xabcd};
    struct pr_packet *packet = fake_receive(&fake, PR_TAG_LOCAL_END_OF_PACKET, targets, 2, data, 4);
    packet->info[0] = 2;
    pr_node_poll(&node);
}

static void listen(void)
{
    start();
    deliver(7);
    expect_nothing();
    COMMAND(PR_CONSOLE_LISTEN, 1, 1);
    expect(0x84, 1, 1, PR_CONSOLE_OK);
    deliver(7);
    expect(0xc0, 0, 20 + 8, 2);
    CHECK_EQUAL(u16(0), 2);
    CHECK_EQUAL(u16(2), 300);
    CHECK_EQUAL(answer[2 + 4], 7);
    CHECK_EQUAL(answer[2 + 5], 1);
    CHECK_EQUAL(u16(6), 1);
    CHECK_EQUAL(u32(12) - u32(8), 1);
    CHECK_EQUAL(u32(20), 0x77);
    CHECK_EQUAL(u32(24), 0xabcd);
    deliver(PR_HANDLER_SERVICE);
    expect_nothing();
    COMMAND(PR_CONSOLE_LISTEN, 2, 0);
    expect(0x84, 2, 1, PR_CONSOLE_OK);
    deliver(7);
    expect_nothing();
    COMMAND(PR_CONSOLE_LISTEN, 3, 8);
    expect(0x84, 3, 1, PR_CONSOLE_BAD_REQUEST);
    COMMAND(PR_CONSOLE_LISTEN, 4);
    expect(0x84, 4, 1, PR_CONSOLE_BAD_REQUEST);
}

static void events_of_the_operator(void)
{
    const uint32_t targets[] = {pr_site_identity_address(&identity, 1), pr_site_identity_address(&identity, 9)};
    const uint32_t data[] = {2, 300, 7};
    start();
    COMMAND(PR_CONSOLE_LISTEN, 1, 2);
    expect(0x84, 1, 1, PR_CONSOLE_OK);
    fake_receive(&fake, PR_KIND_MULTICAST | PR_TAG_END_OF_PACKET, targets, 2, data, 3);
    pr_node_poll(&node);
    expect(0xc2, 0, 14, PR_OPERATOR_EVENT_RESENT);
    CHECK_EQUAL(u16(1), 2);
    CHECK_EQUAL(u16(3), 300);
    CHECK_EQUAL(u16(5), 2);
    CHECK_EQUAL(u32(7), fake.clock);
    fake_receive(&fake, PR_TAG_END_OF_PACKET, targets, 1, data, 3);
    pr_node_poll(&node);
    expect(0xc2, 0, 14, PR_OPERATOR_EVENT_FORWARDED);
}

/* Every kind there is, as the operator would report it, to every listener there can be. */
static void who_hears_of_which_event(void)
{
    for (uint8_t mask = 0; mask <= PR_CONSOLE_LISTEN_ALL; mask++) {
        start_service(true);
        COMMAND(PR_CONSOLE_LISTEN, 1, mask);
        expect(0x84, 1, 1, PR_CONSOLE_OK);
        for (unsigned kind = PR_OPERATOR_EVENT_RESENT; kind <= PR_OPERATOR_EVENT_SETTLED; kind++) {
            struct pr_operator_event event = {.kind = kind, .source = HERE, .sequence = 0x1234, .remaining = 3};
            bool outcome = kind == PR_OPERATOR_EVENT_FAILED || kind == PR_OPERATOR_EVENT_SETTLED;
            if (kind == PR_OPERATOR_EVENT_FAILED) {
                event.site = 0x109;
                event.failure = PR_OPERATOR_FAILED_RESTARTED;
            }
            pr_events_report(&node.op.common.events, &event);
            if (!(mask & PR_CONSOLE_LISTEN_EVENTS) && !(outcome && mask & PR_CONSOLE_LISTEN_OUTCOMES))
                continue;
            expect(0xc2, 0, 14, (uint8_t)kind);
            CHECK_EQUAL(u16(1), HERE);
            CHECK_EQUAL(u16(3), 0x1234);
            CHECK_EQUAL(u16(5), 3);
            CHECK_EQUAL(u16(11), event.site);
            CHECK_EQUAL(answer[2 + 13], event.failure);
        }
        expect_nothing();
    }
}

/* Sends what there is to send, and jumps to the next time-out; false when nothing more will ever happen. */
static bool go_on(void)
{
    uint32_t wake;
    for (unsigned k = 0; k < 100; k++) {
        if (fake_sending(&fake) != NULL)
            fake_sent(&fake);
        else if (!pr_node_poll(&node))
            break;
    }
    if (!pr_node_next_wake(&node, &wake))
        return false;
    if ((int32_t)(wake - (uint32_t)fake.clock) > 0)
        fake.clock += wake - (uint32_t)fake.clock;
    return true;
}

static void acknowledge(unsigned as_site, uint16_t sequence)
{
    struct pr_header header = {
        .kind = PR_HEADER_KIND_ACKNOWLEDGEMENT, .source = (uint16_t)as_site, .acknowledgement.sequence = sequence};
    uint32_t data[PR_HEADER_WORDS_MAX];
    pr_header_encode(&header, data, pr_header_kind_bit(identity.word_width));
    CHECK(fake_receive(&fake, PR_TAG_END_OF_PACKET, &identity.address, 1, data, header.words) != NULL);
    while (pr_node_poll(&node))
        ;
}

/* Who sent a packet learns what became of it: one target acknowledges, the other never does. */
static void outcome_of_a_packet(void)
{
    unsigned waits = 0;
    start_service(true);
    COMMAND(PR_CONSOLE_LISTEN, 1, PR_CONSOLE_LISTEN_OUTCOMES);
    expect(0x84, 1, 1, PR_CONSOLE_OK);
    COMMAND(PR_CONSOLE_SEND, 2, 7, 0, 2, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0);
    expect(0x83, 2, 7, PR_CONSOLE_OK);
    CHECK_EQUAL(u16(1), 0);
    CHECK(go_on());
    acknowledge(1, 0);
    expect_nothing();
    while (go_on())
        CHECK(waits++ < 1000);
    expect(0xc2, 0, 14, PR_OPERATOR_EVENT_FAILED);
    CHECK_EQUAL(u16(3), 0);
    CHECK_EQUAL(u16(11), 9);
    CHECK_EQUAL(answer[2 + 13], PR_OPERATOR_FAILED_TIME_OUT);
    expect(0xc2, 0, 14, PR_OPERATOR_EVENT_SETTLED);
    CHECK_EQUAL(u16(3), 0);
    CHECK_EQUAL(u16(5), 1);
    expect_nothing();
    CHECK_EQUAL(pr_console_counter(&node.console, PR_COUNTER_TARGETS_FAILED), 1);
    CHECK(pr_console_counter(&node.console, PR_COUNTER_TIME_OUTS) > 0);
}

static void window_full(void)
{
    unsigned taken = 0;
    start_service(true);
    do {
        COMMAND(PR_CONSOLE_SEND, 1, 7, 0, 1, 0, 0, 0, 9, 0, 0, 0);
        CHECK(next_frame());
    } while (answer[2] == PR_CONSOLE_OK && ++taken < 100);
    CHECK(taken > 0 && taken <= WINDOW);
    CHECK_EQUAL(answer[2], PR_CONSOLE_WINDOW_FULL);
    CHECK_EQUAL(pr_console_counter(&node.console, PR_COUNTER_WINDOW_FULL), 1);
    acknowledge(9, 0);
    COMMAND(PR_CONSOLE_SEND, 2, 7, 0, 1, 0, 0, 0, 9, 0, 0, 0);
    expect(0x83, 2, 7, PR_CONSOLE_WINDOW_FULL); /* sequence 0 has not left yet: an answer to it is a lie */
    while (fake_sending(&fake) != NULL) {
        fake_sent(&fake);
        pr_node_poll(&node);
    }
    acknowledge(9, 0);
    COMMAND(PR_CONSOLE_SEND, 3, 7, 0, 1, 0, 0, 0, 9, 0, 0, 0);
    expect(0x83, 3, 7, PR_CONSOLE_OK);
}

/* An answer that finds no buffer is lost, and counted: a host asks again. */
static void answer_without_a_buffer(void)
{
    const uint32_t request[] = {9, 300, PR_HANDLER_SERVICE, 0, PR_CONSOLE_IDENTIFY_PART, 7, 0, 1};
    unsigned requests = 0;
    start();
    do {
        COMMAND(PR_CONSOLE_PING, 1, 9, 0, 0, 0);
        CHECK(requests++ < 2 * BUFFERS);
    } while (!next_frame());
    CHECK_EQUAL(answer[2], PR_CONSOLE_NO_BUFFER);
    while (pr_console_counter(&node.console, PR_COUNTER_ANSWERS_LOST) == 0) {
        CHECK(fake_receive(&fake, PR_TAG_END_OF_PACKET, &identity.address, 1, request, 8) != NULL);
        pr_node_poll(&node);
        CHECK(requests++ < 4 * BUFFERS);
    }
    COMMAND(PR_CONSOLE_COUNTERS, 2, 0xff, 0xff, PR_COUNTER_ANSWERS_LOST, 1);
    expect(0x85, 2, 9, PR_CONSOLE_OK);
    CHECK_EQUAL(u32(5), 1);
}

static void hold(void)
{
    uint32_t wake;
    start();
    COMMAND(PR_CONSOLE_LISTEN, 1, 1);
    expect(0x84, 1, 1, PR_CONSOLE_OK);
    fake.clock = 0xfffffff0;
    CHECK(!pr_node_next_wake(&node, &wake));
    COMMAND(PR_CONSOLE_HOLD, 2, 100, 0, 0, 0);
    expect(0x88, 2, 1, PR_CONSOLE_OK);
    deliver(7);
    CHECK(!pr_node_poll(&node));
    expect_nothing();
    COMMAND(PR_CONSOLE_IDENTIFY, 3, 0xff, 0xff); /* the console goes on */
    expect(0x81, 3, 3 + 4 * PR_SITE_IDENTITY_WORDS, PR_CONSOLE_OK);
    CHECK(pr_node_next_wake(&node, &wake));
    CHECK_EQUAL(wake, 0xfffffff0 + 100u);
    fake.clock = 0xfffffff0 + 99ull;
    CHECK(!pr_node_poll(&node));
    fake.clock++;
    CHECK(pr_node_poll(&node));
    expect(0xc0, 0, 20 + 8, 2);
    CHECK(!pr_node_next_wake(&node, &wake));
    COMMAND(PR_CONSOLE_HOLD, 4, 1, 0xe1, 0xf5, 5); /* one clock too many */
    expect(0x88, 4, 1, PR_CONSOLE_BAD_REQUEST);
    COMMAND(PR_CONSOLE_HOLD, 4, 0, 0, 0, 0x80);
    expect(0x88, 4, 1, PR_CONSOLE_BAD_REQUEST);
    COMMAND(PR_CONSOLE_HOLD, 5, 1, 0, 0);
    expect(0x88, 5, 1, PR_CONSOLE_BAD_REQUEST);
    COMMAND(PR_CONSOLE_HOLD, 6, 0, 0, 0, 0);
    expect(0x88, 6, 1, PR_CONSOLE_OK);
    deliver(7);
    expect(0xc0, 0, 20 + 8, 2);
}

static void expect_text(const char *text)
{
    size_t length = strlen(text);
    CHECK(next_frame());
    CHECK_EQUAL(answer[0], 0x86);
    CHECK_EQUAL(answer_length, length + 3);
    CHECK(memcmp(answer + 3, text, length) == 0);
}

static void shell_in_frames(void)
{
    start();
    command(PR_CONSOLE_SHELL, 1, (const uint8_t *)"echo  a b", 9);
    expect_text("a b");
    command(PR_CONSOLE_SHELL, 2, (const uint8_t *)"id", 2);
    expect_text("site 5 of 16, grid 4 x 4, word width 16, longest packet 64");
    command(PR_CONSOLE_SHELL, 3, (const uint8_t *)"ping 9", 6);
    expect_nothing();
    loop_back(9, 2);
    CHECK(next_frame());
    CHECK_EQUAL(answer[1], 3);
    CHECK(memcmp(answer + 3, "site 9: round trip ", 19) == 0);
    command(PR_CONSOLE_SHELL, 4, (const uint8_t *)"send 1 9 abc", 12);
    expect_text("sequence 2");
    CHECK_EQUAL(pr_packet_target_words(fake_leaving(&fake)), 2);
    CHECK_EQUAL(fake_leaving(&fake)->words[2 + PR_HEADER_WORDS], 'a' | 'b' << 8);
    CHECK_EQUAL(fake_leaving(&fake)->words[2 + PR_HEADER_WORDS + 1], 'c');
    command(PR_CONSOLE_SHELL, 5, (const uint8_t *)"send 77 abc", 11);
    expect_text("send: refused, status 5");
    command(PR_CONSOLE_SHELL, 5, (const uint8_t *)"hold 50", 7);
    expect_text("held");
    fake.clock += 49;
    CHECK(pr_console_holds(&node.console));
    fake.clock++;
    CHECK(!pr_console_holds(&node.console));
    command(PR_CONSOLE_SHELL, 5, (const uint8_t *)"hold 100000001", 14);
    expect_text("hold: how many clocks?");
    command(PR_CONSOLE_SHELL, 5, (const uint8_t *)"hold", 4);
    expect_text("hold: how many clocks?");
    command(PR_CONSOLE_SHELL, 6, (const uint8_t *)"counters receive", 16);
    expect_text("received_packets 1005\r\nreceived_aborted 1006\r\nreceived_oversize 1007\r\nreceive_waits 1008\r\n");
    command(PR_CONSOLE_SHELL, 6, (const uint8_t *)"counters window\0full", 20);
    expect_text("");
    command(PR_CONSOLE_SHELL, 6, (const uint8_t *)"helpless", 8);
    CHECK(next_frame());
    CHECK_EQUAL(answer[2], PR_CONSOLE_BAD_REQUEST);
    command(PR_CONSOLE_SHELL, 7, (const uint8_t *)"", 0);
    CHECK(next_frame());
    CHECK_EQUAL(answer[2], PR_CONSOLE_BAD_REQUEST);
}

static void expect_plain(const char *text)
{
    char bytes[600];
    size_t length = pr_node_console_read(&node, (uint8_t *)bytes, sizeof bytes);
    CHECK_EQUAL(length, strlen(text));
    CHECK(memcmp(bytes, text, length) == 0);
}

static void shell_typed_as_text(void)
{
    start();
    write_bytes("echo hello\r", 11);
    expect_plain("hello\r\n");
    write_bytes("\n\r\necho 1\r\n\r\necho 2\n", 21);
    expect_plain("1\r\n2\r\n");
    write_bytes("\0echo 3\r", 8); /* after a 0x00 a frame might have begun */
    expect_plain("3\r\n");
    write_bytes("\0\recho 4\r", 9);
    expect_plain("4\r\n");
    write_bytes("ping 9\r", 7);
    loop_back(9, 2);
    CHECK(pr_node_console_read(&node, answer, 10) == 10 && memcmp(answer, "site 9: ro", 10) == 0);
    while (pr_node_console_read(&node, answer, sizeof answer) > 0)
        ;
    COMMAND(PR_CONSOLE_LISTEN, 1, 0);
    expect(0x84, 1, 1, PR_CONSOLE_OK);
}

static void several_commands_outstanding(void)
{
    start();
    for (unsigned k = 0; k < 4; k++)
        COMMAND(PR_CONSOLE_PING, (uint8_t)(30 + k), 9, 0, 0, 0);
    COMMAND(PR_CONSOLE_IDENTIFY, 40, 0xff, 0xff);
    expect(0x81, 40, 3 + 4 * PR_SITE_IDENTITY_WORDS, PR_CONSOLE_OK);
    for (unsigned k = 0; k < 8; k++)
        loop_back(9, 1);
    for (unsigned k = 0; k < 4; k++)
        expect(0x82, (uint8_t)(30 + k), 15, PR_CONSOLE_OK);
}

static void bad_frames_are_counted_and_the_next_is_good(void)
{
    static uint8_t frame[3 * FRAME_MAX], long_payload[2 * FRAME_MAX];
    size_t length;
    start();
    length = make_frame(PR_CONSOLE_IDENTIFY, 1, (const uint8_t *)"\xff\xff", 2, frame);
    frame[3] ^= 0x40;
    write_bytes(frame, length); /* damaged */
    CHECK_EQUAL(pr_console_counter(&node.console, PR_COUNTER_BAD_FRAMES), 1);
    write_bytes(frame, length - 3); /* half, ended by the next one's 0x00 */
    COMMAND(PR_CONSOLE_LISTEN, 2, 0);
    expect(0x84, 2, 1, PR_CONSOLE_OK);
    CHECK_EQUAL(pr_console_counter(&node.console, PR_COUNTER_BAD_FRAMES), 2);
    command(PR_CONSOLE_SHELL, 3, long_payload, sizeof long_payload); /* longer than any frame may be */
    CHECK_EQUAL(pr_console_counter(&node.console, PR_COUNTER_BAD_FRAMES), 3);
    COMMAND(0x3f, 4, 0);
    expect(0xbf, 4, 1, PR_CONSOLE_UNSUPPORTED);
    COMMAND(0x81, 5, 0); /* an answer is not answered */
    expect_nothing();
    CHECK_EQUAL(pr_console_counter(&node.console, PR_COUNTER_BAD_FRAMES), 4);
}

/* Nobody reads: commands wait where they are, events are dropped and counted, and nothing is half written. */
static void output_that_nobody_reads(void)
{
    static uint8_t frames[64 * 16];
    size_t length = 0, taken, answered = 0;
    start();
    COMMAND(PR_CONSOLE_LISTEN, 1, 1);
    expect(0x84, 1, 1, PR_CONSOLE_OK);
    for (unsigned k = 0; k < 64; k++)
        length += make_frame(PR_CONSOLE_IDENTIFY, (uint8_t)k, (const uint8_t *)"\xff\xff", 2, frames + length);
    taken = pr_node_console_write(&node, frames, length);
    CHECK(taken > 0 && taken < length);
    CHECK_EQUAL(pr_node_console_write(&node, frames + taken, length - taken), 0);
    for (unsigned k = 0; k < 100; k++)
        deliver(7);
    CHECK(pr_console_counter(&node.console, PR_COUNTER_DROPPED_EVENTS) >= 90);
    while (taken < length || node.console.output.end > node.console.output.start) {
        CHECK(next_frame());
        CHECK_EQUAL(answer[0], 0x81);
        CHECK_EQUAL(answer[1], answered++);
        taken += pr_node_console_write(&node, frames + taken, length - taken);
    }
    CHECK_EQUAL(answered, 64);
}

static void short_or_unknown_service_packets_get_no_answer(void)
{
    static const uint32_t requests[][4] = {
        {0, 0, 0, 2}, {1, 0, 0, 3},    {1, 0, 0, 4},    {2, 0, 0, 3},    {2, 0, 0, 4},     {3, 0, 0, 3},
        {0, 0, 0, 4}, {0x80, 0, 0, 4}, {0x81, 0, 0, 8}, {0x82, 0, 0, 4}, {0x83, 0, 0, 50},
    };
    start();
    for (unsigned k = 0; k < sizeof requests / sizeof requests[0]; k++) {
        uint32_t data[WORDS] = {2, 300, PR_HANDLER_SERVICE, requests[k][0], 0x55, 0x66};
        CHECK(fake_receive(&fake, PR_TAG_END_OF_PACKET, &identity.address, 1, data, PR_HEADER_WORDS + requests[k][3]) !=
              NULL);
        pr_node_poll(&node);
        CHECK(fake_sending(&fake) == NULL);
        expect_nothing();
    }
}

static void log_text_is_a_frame(void)
{
    start();
    pr_console_log(&node.console, 2, "fan stopped");
    expect(0xc1, 0, 12, 2);
    CHECK(memcmp(answer + 3, "fan stopped", 11) == 0);
}

/* Any bytes at all; now and then a whole frame with random content, so that commands are reached too. */
static void garbage_with(bool reliable)
{
    static uint8_t frame[3 * FRAME_MAX], payload[FRAME_MAX];
    const unsigned long rounds = check_rounds(150000);
    start_service(reliable);
    for (unsigned long round = 0; round < rounds; round++) {
        size_t length = check_below(&random_state, check_below(&random_state, 8) ? 40 : sizeof payload);
        unsigned narrow = check_below(&random_state, 8);
        for (size_t k = 0; k < length; k++)
            payload[k] = (uint8_t)((check_random(&random_state) & 0xff) >> narrow);
        if (check_below(&random_state, 4) == 0)
            memcpy(frame, payload, length);
        else
            length = make_frame((uint8_t)check_below(&random_state, 10), (uint8_t)round, payload, length, frame);
        if (check_below(&random_state, 16) == 0)
            length = check_below(&random_state, (unsigned)length + 1);
        pr_node_console_write(&node, frame, length);
        if (fake_sending(&fake) != NULL && check_below(&random_state, 2))
            fake_sent(&fake);
        pr_node_poll(&node);
        while (check_below(&random_state, 3) && pr_node_console_read(&node, payload, sizeof payload) > 0)
            ;
    }
    while (go_on())
        ;
    CHECK_EQUAL(pr_operator_counter(&node.op, PR_COUNTER_FREE_BUFFERS), BUFFERS);
    while (pr_node_console_read(&node, payload, sizeof payload) > 0)
        ;
    write_bytes("", 1);
    while (pr_node_console_read(&node, payload, sizeof payload) > 0)
        ;
    COMMAND(PR_CONSOLE_LISTEN, 99, 0);
    expect(0x84, 99, 1, PR_CONSOLE_OK);
    printf("%lu rounds\n", rounds);
}

static void garbage(void)
{
    garbage_with(false);
}

static void garbage_to_a_reliable_node(void)
{
    garbage_with(true);
}

int main(void)
{
    random_state = check_seed();
    RUN(identify_this_site);
    RUN(identify_another_site);
    RUN(identify_in_parts);
    RUN(identify_build_id);
    RUN(identify_serves);
    RUN(shortest_packets);
    RUN(ping);
    RUN(ping_notices_damaged_data);
    RUN(counters);
    RUN(send_to_a_set);
    RUN(send_of_halves);
    RUN(send_is_refused_for_its_own_reason);
    RUN(listen);
    RUN(events_of_the_operator);
    RUN(who_hears_of_which_event);
    RUN(outcome_of_a_packet);
    RUN(window_full);
    RUN(answer_without_a_buffer);
    RUN(hold);
    RUN(shell_in_frames);
    RUN(shell_typed_as_text);
    RUN(several_commands_outstanding);
    RUN(bad_frames_are_counted_and_the_next_is_good);
    RUN(output_that_nobody_reads);
    RUN(short_or_unknown_service_packets_get_no_answer);
    RUN(log_text_is_a_frame);
    RUN(garbage);
    RUN(garbage_to_a_reliable_node);
    return 0;
}
