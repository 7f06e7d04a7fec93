/* COBS, CRC-16, envelopes, payloads, numbers in text, and changes to a packet in place, against plain models on random
 * input.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "console/frame_writer.h"
#include "operator/target_list.h"
#include "wire/cobs.h"
#include "wire/crc16.h"

static uint64_t random_state;

static void crc_of_the_standard_text(void)
{
    CHECK_EQUAL(pr_crc16((const uint8_t *)"123456789", 9), 0x29b1);
    CHECK_EQUAL(pr_crc16(NULL, 0), 0xffff);
}

static void cobs_of_known_frames(void)
{
    static const struct {
        uint8_t length, plain[4], encoded_length, encoded[5];
    } frames[] = {
        {0, {0}, 1, {1}},
        {1, {0}, 2, {1, 1}},
        {4, {0x11, 0x22, 0, 0x33}, 5, {3, 0x11, 0x22, 2, 0x33}},
        {4, {0x11, 0, 0, 0}, 5, {2, 0x11, 1, 1, 1}},
    };
    uint8_t out[8];

    for (unsigned k = 0; k < sizeof frames / sizeof frames[0]; k++) {
        CHECK_EQUAL(pr_cobs_encode(frames[k].plain, frames[k].length, out), frames[k].encoded_length);
        CHECK(memcmp(out, frames[k].encoded, frames[k].encoded_length) == 0);
    }
}

/* Random lengths, zero bytes rare or frequent; encoded in place the way the console does it. */
static void cobs_round_trip(void)
{
    static uint8_t plain[1200], buffer[1200 + PR_COBS_OVERHEAD(1200)], decoded[1400];
    for (unsigned round = 0; round < 20000; round++) {
        size_t length = check_below(&random_state, round % 2 ? 1200 : 20);
        unsigned zeros = 1 + check_below(&random_state, 600);
        size_t encoded;
        for (size_t k = 0; k < length; k++)
            plain[k] = check_below(&random_state, zeros) == 0 ? 0 : (uint8_t)check_random(&random_state);
        memcpy(buffer + PR_COBS_OVERHEAD(length), plain, length);
        encoded = pr_cobs_encode(buffer + PR_COBS_OVERHEAD(length), length, buffer);
        CHECK(encoded <= length + PR_COBS_OVERHEAD(length));
        CHECK(memchr(buffer, 0, encoded) == NULL);
        CHECK_EQUAL(pr_cobs_decode(buffer, encoded, decoded), length);
        CHECK(memcmp(decoded, plain, length) == 0);
        CHECK_EQUAL(pr_cobs_decode(buffer, encoded, buffer), length);
        CHECK(memcmp(buffer, plain, length) == 0);
    }
}

static void cobs_refuses_broken_frames(void)
{
    uint8_t out[8];
    CHECK(pr_cobs_decode((const uint8_t[]){5, 1, 2}, 3, out) == PR_COBS_BAD);
    CHECK(pr_cobs_decode((const uint8_t[]){3, 1, 0}, 3, out) == PR_COBS_BAD);
    CHECK(pr_cobs_decode((const uint8_t[]){0}, 1, out) == PR_COBS_BAD);
    for (unsigned round = 0; round < 200000; round++) {
        uint8_t *garbage = malloc(64), *decoded = malloc(64);
        size_t length = check_below(&random_state, 65);
        for (size_t k = 0; k < length; k++)
            garbage[k] = (uint8_t)(check_random(&random_state) >> check_below(&random_state, 8));
        size_t result = pr_cobs_decode(garbage, length, decoded);
        CHECK(result == PR_COBS_BAD || result <= length);
        free(garbage);
        free(decoded);
    }
}

enum { WORDS = 300, ENTRIES = 40 };

/* The same packet as separate entries. */
struct model_entry {
    uint32_t words[8];
    unsigned length;
};

struct model {
    struct model_entry entries[ENTRIES];
    unsigned count, data_words;
    uint32_t data[WORDS];
};

static struct pr_packet *random_packet(struct model *model)
{
    static uint32_t buffer[PR_PACKET_BUFFER_WORDS(WORDS)];
    struct pr_packet *packet = (struct pr_packet *)buffer;
    unsigned position = 0;
    for (unsigned k = 0; k < PR_PACKET_INFO_WORDS; k++)
        packet->info[k] = check_random(&random_state); /* whatever the last packet left there */
    packet->kind = PR_KIND_MULTICAST;
    const bool plain = check_below(&random_state, 2); /* no target_info */
    model->count = 1 + check_below(&random_state, ENTRIES);
    model->data_words = check_below(&random_state, 50);
    for (unsigned k = 0; k < model->count; k++) {
        model->entries[k].length = 1 + (!plain && check_below(&random_state, 2) ? check_below(&random_state, 5) : 0);
        for (unsigned i = 0; i < model->entries[k].length; i++) {
            model->entries[k].words[i] = check_random(&random_state) & 0x7fff;
            packet->words[position] = model->entries[k].words[i];
            pr_packet_set_info(packet, position++, i > 0);
        }
    }
    pr_packet_set_counts(packet, position, model->data_words);
    for (unsigned k = 0; k < model->data_words; k++)
        packet->words[position + k] = model->data[k] = check_random(&random_state);
    return packet;
}

/* Of the packet exactly the entries of the model go, and its data. */
static void check_same(const struct pr_packet *packet, const struct model *model)
{
    unsigned position = packet->first_target;
    for (unsigned k = 0; k < model->count; k++) {
        for (unsigned i = 0; i < model->entries[k].length; i++) {
            CHECK_EQUAL(packet->words[position], model->entries[k].words[i]);
            CHECK_EQUAL(pr_packet_is_info(packet, position++), i > 0);
        }
    }
    CHECK_EQUAL(pr_packet_end_target(packet), position);
    CHECK_EQUAL(pr_packet_data_words(packet), model->data_words);
    CHECK(memcmp(packet->words + pr_packet_target_words(packet), model->data, 4 * model->data_words) == 0);
}

static bool has_none_of(const void *context, uint32_t site_word)
{
    return (site_word & *(const uint32_t *)context) == 0;
}

static unsigned model_leave_out(struct model *model, uint32_t bits)
{
    unsigned left = 0;
    for (unsigned k = 0; k < model->count; k++) {
        if ((model->entries[k].words[0] & bits) == 0)
            model->entries[left++] = model->entries[k];
    }
    model->count = left;
    return left;
}

/* An entry lies somewhere in front of target word `end`. */
static bool lies_in_front(const struct pr_packet *packet, const struct model *model, unsigned entry, unsigned end)
{
    for (unsigned at = 0; at < end; at++) {
        unsigned i = 0;
        while (i < model->entries[entry].length && packet->words[at + i] == model->entries[entry].words[i] &&
               pr_packet_is_info(packet, at + i) == (i > 0))
            i++;
        if (i == model->entries[entry].length)
            return true;
    }
    return false;
}

/* Once, and some of the others once more. What is left out stays in the packet, in front. */
static void entries_are_left_out_whole(void)
{
    static struct model model, whole;
    for (unsigned round = 0; round < 20000; round++) {
        struct pr_packet *packet = random_packet(&model);
        unsigned words = pr_packet_target_words(packet);
        whole = model;
        for (uint32_t bits = 1; bits < 4 && model.count > 0; bits++) {
            unsigned left = pr_packet_leave_out(packet, has_none_of, &bits);
            CHECK_EQUAL(left, model_leave_out(&model, bits));
            CHECK_EQUAL(pr_packet_target_words(packet), words);
            if (left > 0)
                check_same(packet, &model);
        }
        for (unsigned k = 0; k < whole.count && model.count > 0; k++)
            CHECK((whole.entries[k].words[0] & 3) == 0 || lies_in_front(packet, &whole, k, packet->first_target));
    }
}

/* By insertion, as a whole and with equal site words in their order. */
static void model_sort(struct model *model)
{
    for (unsigned k = 1; k < model->count; k++) {
        struct model_entry entry = model->entries[k];
        unsigned place = k;
        for (; place > 0 && model->entries[place - 1].words[0] > entry.words[0]; place--)
            model->entries[place] = model->entries[place - 1];
        model->entries[place] = entry;
    }
}

static bool is_smaller(const void *context, uint32_t first, uint32_t second)
{
    (void)context;
    return first < second;
}

static void sorting_keeps_entries_whole(void)
{
    static struct model model;
    for (unsigned round = 0; round < 20000; round++) {
        struct pr_packet *packet = random_packet(&model);
        const uint32_t bits = check_below(&random_state, 4);
        pr_packet_leave_out(packet, has_none_of, &bits);
        if (model_leave_out(&model, bits) == 0)
            continue;
        pr_packet_sort_targets(packet, is_smaller, NULL);
        model_sort(&model);
        check_same(packet, &model);
    }
}

static void data_is_inserted_and_removed(void)
{
    static struct model model;
    for (unsigned round = 0; round < 5000; round++) {
        struct pr_packet *packet = random_packet(&model);
        unsigned at = check_below(&random_state, model.data_words + 1), words = check_below(&random_state, 3);
        pr_packet_insert_data(packet, at, words);
        CHECK_EQUAL(pr_packet_data_words(packet), model.data_words + words);
        for (unsigned k = 0; k < words; k++)
            packet->words[pr_packet_target_words(packet) + at + k] = 0xdead;
        pr_packet_remove_data(packet, at, words);
        check_same(packet, &model);
    }
}

/* Fields where console.ini has them; nothing beyond the end, in either direction. */
static void payload_stays_in_its_bytes(void)
{
    enum { GUARD = 0xa5 };
    uint8_t bytes[8] = {[PR_MESSAGE_PING_BYTES] = GUARD};
    struct pr_payload_writer writer = {.bytes = bytes, .limit = PR_MESSAGE_PING_BYTES};
    struct pr_payload_reader reader = {.bytes = bytes, .length = PR_MESSAGE_PING_BYTES};
    pr_payload_put(&writer, PR_MESSAGE_PING_SITE, 0xbeef);
    pr_payload_put(&writer, PR_MESSAGE_PING_DATA_WORDS, 0x0102);
    CHECK_EQUAL(writer.length, PR_MESSAGE_PING_BYTES);
    CHECK(!writer.overrun);
    pr_payload_append(&writer, 1, 0xff);
    CHECK(writer.overrun);
    CHECK_EQUAL(bytes[PR_MESSAGE_PING_BYTES], GUARD);
    CHECK_EQUAL(pr_payload_get(&reader, PR_MESSAGE_PING_DATA_WORDS), 0x0102);
    CHECK(pr_payload_is_complete(&reader));
    CHECK_EQUAL(pr_payload_get(&reader, PR_MESSAGE_PING_SITE), 0xbeef);
    CHECK(!pr_payload_is_complete(&reader));
    CHECK_EQUAL(pr_payload_next(&reader, 4), 0);
    CHECK(reader.overrun);
}

/* Envelopes of random contents, made in the buffer in which they lie, come back; one flipped bit does not. */
static void envelopes_are_checked(void)
{
    enum { MOST = 600 };
    static uint8_t buffer[PR_ENVELOPE_WIRE(MOST) + PR_ENVELOPE_HEADROOM(MOST)], plain[MOST], out[sizeof buffer];
    for (unsigned round = 0; round < 5000; round++) {
        size_t length = check_below(&random_state, round % 2 ? MOST : 20);
        uint8_t *contents = buffer + PR_ENVELOPE_HEADROOM(length);
        for (size_t k = 0; k < length; k++)
            plain[k] = contents[k] = check_below(&random_state, 3) == 0 ? 0 : (uint8_t)check_random(&random_state);
        size_t wire = pr_envelope_encode(contents, length, buffer);
        CHECK(wire <= PR_ENVELOPE_WIRE(length) && buffer[0] == 0 && buffer[wire - 1] == 0);
        CHECK_EQUAL(pr_envelope_decode(buffer + 1, wire - 2, out), length);
        CHECK(memcmp(out, plain, length) == 0);
        buffer[1 + check_below(&random_state, (unsigned)wire - 2)] ^= (uint8_t)(1 << round % 8);
        CHECK(pr_envelope_decode(buffer + 1, wire - 2, out) == PR_ENVELOPE_BAD);
    }
    CHECK(pr_envelope_decode(plain, 0, out) == PR_ENVELOPE_BAD);
}

static void numbers_are_decimal(void)
{
    uint8_t raw[12];
    char expected[12];
    for (unsigned round = 0; round < 20000; round++) {
        struct pr_frame_writer writer = {.payload = {.bytes = raw, .limit = sizeof raw}};
        uint32_t value = check_random(&random_state) >> round % 32;
        if (round < 4)
            value = (uint32_t[]){0, 9, 1000000000, UINT32_MAX}[round];
        pr_frame_put_number(&writer, value);
        CHECK_EQUAL(writer.payload.length, (unsigned)snprintf(expected, sizeof expected, "%u", (unsigned)value));
        CHECK(memcmp(raw, expected, writer.payload.length) == 0);
    }
}

int main(void)
{
    random_state = check_seed();
    RUN(crc_of_the_standard_text);
    RUN(cobs_of_known_frames);
    RUN(cobs_round_trip);
    RUN(cobs_refuses_broken_frames);
    RUN(payload_stays_in_its_bytes);
    RUN(envelopes_are_checked);
    RUN(numbers_are_decimal);
    RUN(entries_are_left_out_whole);
    RUN(sorting_keeps_entries_whole);
    RUN(data_is_inserted_and_removed);
    return 0;
}
