/* Frames: what is encoded is read back, whatever noise surrounds it; noise is never taken for a frame.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "wire/console_frame.h"
#include "wire/crc16.h"

#include <string.h>

enum { ROUNDS = 3000 };

static struct pr_frame random_frame(size_t limit)
{
    static struct pr_frame frame;
    frame.type = (uint8_t)(0x80 + rand() % 8);
    frame.id = (uint8_t)rand();
    frame.length = (uint16_t)((size_t)rand() % (limit + 1));
    for (unsigned i = 0; i < frame.length; i++)
        frame.payload[i] = (uint8_t)(rand() % 4 ? rand() : 0);
    return frame;
}

static bool same(const struct pr_frame *a, const struct pr_frame *b)
{
    return a->type == b->type && a->id == b->id && a->length == b->length &&
           memcmp(a->payload, b->payload, a->length) == 0;
}

/* Feeds bytes; returns how many frames came out, the last one in *out. */
static unsigned feed(struct pr_frames_reader *reader, const uint8_t *bytes, size_t count, struct pr_frame *out)
{
    unsigned frames = 0;
    static struct pr_frame found;
    for (size_t i = 0; i < count; i++)
        if (pr_frames_push(reader, bytes[i], &found) == PR_FRAMES_READY) {
            *out = found;
            frames++;
        }
    return frames;
}

static void test_round_trip(void)
{
    static struct pr_frames_reader reader;
    static struct pr_frame out;
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    pr_frames_reader_init(&reader);
    for (int i = 0; i < ROUNDS; i++) {
        struct pr_frame frame = random_frame(i % 100 ? 300 : PR_FRAMES_PAYLOAD_MAX);
        size_t length = pr_frames_encode(&frame, wire, sizeof wire);
        CHECK(length > 0 && wire[0] == 0 && wire[length - 1] == 0 && !memchr(wire + 1, 0, length - 2));
        CHECK(feed(&reader, wire, length, &out) == 1 && same(&frame, &out));
    }
    CHECK(reader.bad == 0);
}

/* Half frames, flipped bits and random bytes between good frames: every good frame arrives, nothing else does. */
static void test_noise(void)
{
    static struct pr_frames_reader reader;
    static struct pr_frame out;
    uint8_t wire[PR_FRAMES_WIRE_MAX], noise[400];
    pr_frames_reader_init(&reader);
    for (int i = 0; i < ROUNDS; i++) {
        struct pr_frame frame = random_frame(300);
        size_t length = pr_frames_encode(&frame, wire, sizeof wire), count = (size_t)rand() % sizeof noise;
        for (size_t k = 0; k < count; k++)
            noise[k] = (uint8_t)rand();
        if (i % 3 == 1 && count < length - 1)
            memcpy(noise, wire, count); /* half a frame, the same that comes whole next */
        bool damaged = i % 3 == 2;
        if (damaged)
            wire[1 + (size_t)rand() % (length - 2)] ^= (uint8_t)(1 << rand() % 8);
        feed(&reader, noise, count, &out);
        unsigned frames = feed(&reader, wire, length, &out);
        CHECK(damaged ? frames == 0 : frames == 1 && same(&frame, &out));
    }
}

static void test_too_long(void)
{
    static struct pr_frames_reader reader;
    static struct pr_frame frame, out;
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    pr_frames_reader_init(&reader);
    for (unsigned i = 0; i < 3 * PR_FRAMES_WIRE_MAX; i++)
        CHECK(pr_frames_push(&reader, (uint8_t)(0x80 | i), &out) == PR_FRAMES_NONE);
    CHECK(pr_frames_push(&reader, 0, &out) == PR_FRAMES_BAD);
    frame = random_frame(100);
    size_t length = pr_frames_encode(&frame, wire, sizeof wire);
    CHECK(feed(&reader, wire, length, &out) == 1 && same(&frame, &out));
    frame.length = PR_FRAMES_PAYLOAD_MAX + 1;
    CHECK(pr_frames_encode(&frame, wire, sizeof wire) == 0);
    frame.length = 1;
    CHECK(pr_frames_encode(&frame, wire, PR_FRAMES_WIRE_MAX - 1) == 0);
}

static void test_text(void)
{
    static struct pr_frames_reader reader;
    static struct pr_frame out;
    static const char line[] = "trap: cause 5\r\n", half[] = "no newline";
    enum pr_frames_result last = PR_FRAMES_NONE;
    pr_frames_reader_init(&reader);
    for (size_t i = 0; i < strlen(line); i++)
        last = pr_frames_push(&reader, (uint8_t)line[i], &out);
    CHECK(last == PR_FRAMES_TEXT && out.length == strlen(line) && memcmp(out.payload, line, out.length) == 0);
    for (size_t i = 0; i < strlen(half); i++)
        CHECK(pr_frames_push(&reader, (uint8_t)half[i], &out) == PR_FRAMES_NONE);
    CHECK(pr_frames_push(&reader, 0, &out) == PR_FRAMES_TEXT && out.length == strlen(half));
    CHECK(pr_frames_flush(&reader, &out) == PR_FRAMES_NONE);
    pr_frames_push(&reader, '!', &out);
    CHECK(pr_frames_flush(&reader, &out) == PR_FRAMES_TEXT && out.length == 1 && out.payload[0] == '!');
    pr_frames_push(&reader, 0x81, &out);
    CHECK(pr_frames_flush(&reader, &out) == PR_FRAMES_NONE);
}

static void test_payload(void)
{
    static struct pr_frame frame;
    struct pr_payload_writer writer = pr_frames_begin(&frame, 1, 2);
    pr_payload_append(&writer, 4, 0x12345678);
    pr_payload_append(&writer, 2, 0xabcd);
    pr_payload_append(&writer, 1, 0xef);
    CHECK(pr_frames_end(&frame, &writer));
    CHECK(frame.length == 7 && frame.payload[0] == 0x78 && !writer.overrun);
    struct pr_payload_reader reader = pr_frames_payload(&frame);
    CHECK(pr_payload_next(&reader, 4) == 0x12345678 && pr_payload_next(&reader, 2) == 0xabcd);
    CHECK(!pr_payload_is_complete(&reader) && !reader.overrun);
    CHECK(pr_payload_next(&reader, 2) == 0 && reader.overrun);
    writer = pr_frames_begin(&frame, 1, 2);
    for (unsigned i = 0; i < PR_FRAMES_PAYLOAD_MAX / 4; i++)
        pr_payload_append(&writer, 4, i);
    CHECK(!writer.overrun);
    pr_payload_append(&writer, 1, 0);
    CHECK(writer.overrun && !pr_frames_end(&frame, &writer));
}

/* Fields by name: where console.ini has them, whatever was read before; and nothing beyond the end. */
static void test_fields(void)
{
    static struct pr_frame frame = {.length = 11, .payload = {5, 0x34, 0x12, 0x78, 0x56, 9, 0, 4, 3, 2, 1}};
    struct pr_payload_reader reader = pr_frames_payload(&frame);
    CHECK(pr_payload_get(&reader, PR_MESSAGE_EVENT_CLOCK) == 0x01020304 && pr_payload_is_complete(&reader));
    CHECK(pr_payload_get(&reader, PR_MESSAGE_EVENT_SOURCE) == 0x1234 && reader.at == 3);
    CHECK(pr_payload_next(&reader, 2) == 0x5678 && !reader.overrun);
    CHECK(pr_payload_get(&reader, PR_MESSAGE_EVENT_SITE) == 0 && reader.overrun);
    uint8_t bytes[4] = {0};
    struct pr_payload_writer writer = {.bytes = bytes, .limit = 3};
    pr_payload_put(&writer, PR_MESSAGE_PING_SITE, 0xbeef);
    pr_payload_put(&writer, PR_MESSAGE_PING_DATA_WORDS, 1);
    CHECK(writer.overrun && bytes[0] == 0xef && bytes[1] == 0xbe && !bytes[2] && !bytes[3]);
}

int main(void)
{
    srand((unsigned)check_seed());
    test_round_trip();
    test_noise();
    test_too_long();
    test_text();
    test_payload();
    test_fields();
    return 0;
}
