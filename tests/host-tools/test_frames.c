/* Frames: what is encoded is read back, whatever noise surrounds it; noise is never taken for a frame. */
#include "check.h"
#include "wire/console_frame.h"
#include "wire/crc16.h"

#include <string.h>

enum { ROUNDS = 3000 };

static struct frame random_frame(size_t limit)
{
    static struct frame frame;
    frame.type = (uint8_t)(0x80 + rand() % 8);
    frame.id = (uint8_t)rand();
    frame.length = (uint16_t)((size_t)rand() % (limit + 1));
    for (unsigned i = 0; i < frame.length; i++)
        frame.payload[i] = (uint8_t)(rand() % 4 ? rand() : 0);
    return frame;
}

static bool same(const struct frame *a, const struct frame *b)
{
    return a->type == b->type && a->id == b->id && a->length == b->length &&
           memcmp(a->payload, b->payload, a->length) == 0;
}

/* Feeds bytes; returns how many frames came out, the last one in *out. */
static unsigned feed(struct frames_reader *reader, const uint8_t *bytes, size_t count, struct frame *out)
{
    unsigned frames = 0;
    static struct frame found;
    for (size_t i = 0; i < count; i++)
        if (frames_push(reader, bytes[i], &found) == FRAMES_READY) {
            *out = found;
            frames++;
        }
    return frames;
}

static void test_round_trip(void)
{
    static struct frames_reader reader;
    static struct frame out;
    uint8_t wire[FRAMES_WIRE_MAX];
    frames_reader_init(&reader);
    for (int i = 0; i < ROUNDS; i++) {
        struct frame frame = random_frame(i % 100 ? 300 : FRAMES_PAYLOAD_MAX);
        size_t length = frames_encode(&frame, wire, sizeof wire);
        CHECK(length > 0 && wire[0] == 0 && wire[length - 1] == 0 && !memchr(wire + 1, 0, length - 2));
        CHECK(feed(&reader, wire, length, &out) == 1 && same(&frame, &out));
    }
    CHECK(reader.bad == 0);
}

/* Half frames, flipped bits and random bytes between good frames: every good frame arrives, nothing else does. */
static void test_noise(void)
{
    static struct frames_reader reader;
    static struct frame out;
    uint8_t wire[FRAMES_WIRE_MAX], noise[400];
    frames_reader_init(&reader);
    for (int i = 0; i < ROUNDS; i++) {
        struct frame frame = random_frame(300);
        size_t length = frames_encode(&frame, wire, sizeof wire), count = (size_t)rand() % sizeof noise;
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
    static struct frames_reader reader;
    static struct frame frame, out;
    uint8_t wire[FRAMES_WIRE_MAX];
    frames_reader_init(&reader);
    for (unsigned i = 0; i < 3 * FRAMES_WIRE_MAX; i++)
        CHECK(frames_push(&reader, (uint8_t)(0x80 | i), &out) == FRAMES_NONE);
    CHECK(frames_push(&reader, 0, &out) == FRAMES_BAD);
    frame = random_frame(100);
    size_t length = frames_encode(&frame, wire, sizeof wire);
    CHECK(feed(&reader, wire, length, &out) == 1 && same(&frame, &out));
    frame.length = FRAMES_PAYLOAD_MAX + 1;
    CHECK(frames_encode(&frame, wire, sizeof wire) == 0);
    frame.length = 1;
    CHECK(frames_encode(&frame, wire, FRAMES_WIRE_MAX - 1) == 0);
}

static void test_text(void)
{
    static struct frames_reader reader;
    static struct frame out;
    static const char line[] = "trap: cause 5\r\n", half[] = "no newline";
    enum frames_result last = FRAMES_NONE;
    frames_reader_init(&reader);
    for (size_t i = 0; i < strlen(line); i++)
        last = frames_push(&reader, (uint8_t)line[i], &out);
    CHECK(last == FRAMES_TEXT && out.length == strlen(line) && memcmp(out.payload, line, out.length) == 0);
    for (size_t i = 0; i < strlen(half); i++)
        CHECK(frames_push(&reader, (uint8_t)half[i], &out) == FRAMES_NONE);
    CHECK(frames_push(&reader, 0, &out) == FRAMES_TEXT && out.length == strlen(half));
    CHECK(frames_flush(&reader, &out) == FRAMES_NONE);
    frames_push(&reader, '!', &out);
    CHECK(frames_flush(&reader, &out) == FRAMES_TEXT && out.length == 1 && out.payload[0] == '!');
    frames_push(&reader, 0x81, &out);
    CHECK(frames_flush(&reader, &out) == FRAMES_NONE);
}

static void test_cursor(void)
{
    static struct frame frame;
    struct frames_cursor cursor;
    frames_begin(&frame, &cursor, 1, 2);
    frames_put(&frame, &cursor, 4, 0x12345678);
    frames_put(&frame, &cursor, 2, 0xabcd);
    frames_put(&frame, &cursor, 1, 0xef);
    frame.length = (uint16_t)cursor.at;
    CHECK(frame.length == 7 && frame.payload[0] == 0x78 && !cursor.overrun);
    cursor.at = 0;
    CHECK(frames_get(&frame, &cursor, 4) == 0x12345678 && frames_get(&frame, &cursor, 2) == 0xabcd);
    CHECK(frames_get(&frame, &cursor, 2) == 0 && cursor.overrun);
    frames_begin(&frame, &cursor, 1, 2);
    for (unsigned i = 0; i < FRAMES_PAYLOAD_MAX / 4; i++)
        frames_put(&frame, &cursor, 4, i);
    CHECK(!cursor.overrun);
    frames_put(&frame, &cursor, 1, 0);
    CHECK(cursor.overrun);
}

int main(void)
{
    check_seed();
    test_round_trip();
    test_noise();
    test_too_long();
    test_text();
    test_cursor();
    return 0;
}
