/* Console frames: COBS(type, id, payload, CRC-16 little-endian) between zero bytes. What a node and its host say to
 * each other over a byte stream (UART, socket). A reader survives garbage: it takes up again at the next zero byte.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_CONSOLE_FRAME_H
#define POSTROAD_WIRE_CONSOLE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PR_FRAMES_PAYLOAD_MAX = 8192, /* bytes; longer frames are dropped and counted as bad */
    PR_FRAMES_WIRE_MAX = PR_FRAMES_PAYLOAD_MAX + PR_FRAMES_PAYLOAD_MAX / 254 + 16,
};

struct pr_frame {
    uint8_t type, id;
    uint16_t length;
    uint8_t payload[PR_FRAMES_PAYLOAD_MAX];
};

enum pr_frames_result {
    PR_FRAMES_NONE,  /* nothing complete yet */
    PR_FRAMES_READY, /* out holds a frame */
    PR_FRAMES_TEXT,  /* out->payload holds raw text: printable bytes that are no frame (start-up, a trap) */
    PR_FRAMES_BAD,   /* garbage was dropped: wrong CRC, or too long */
};

struct pr_frames_reader {
    size_t used;
    bool overflow;
    unsigned long frames, bad;
    uint8_t raw[PR_FRAMES_WIRE_MAX];
};

/* Writes the frame as it goes on the wire, zero bytes before and after included. Returns the number of bytes, or 0
 * when the payload is too long or size is less than PR_FRAMES_WIRE_MAX.
 */
size_t pr_frames_encode(const struct pr_frame *frame, uint8_t *out, size_t size);

void pr_frames_reader_init(struct pr_frames_reader *reader);

/* Takes one byte of the stream. A line of printable text is reported at its newline already, since whoever prints
 * it (a trap handler) may never send a zero byte.
 */
enum pr_frames_result pr_frames_push(struct pr_frames_reader *reader, uint8_t byte, struct pr_frame *out);

/* For when the stream has come to rest: text without a newline, if that is what has been read. */
enum pr_frames_result pr_frames_flush(struct pr_frames_reader *reader, struct pr_frame *out);

/* Building and reading payloads, little-endian. A write past the end of the payload, or a read past its length,
 * does nothing (reads give 0) and sets `overrun`: check it once, at the end.
 */
struct pr_frames_cursor {
    size_t at;
    bool overrun;
};

void pr_frames_begin(struct pr_frame *frame, struct pr_frames_cursor *cursor, uint8_t type, uint8_t id);
void pr_frames_put(struct pr_frame *frame, struct pr_frames_cursor *cursor, unsigned bytes, uint32_t value);
uint32_t pr_frames_get(const struct pr_frame *frame, struct pr_frames_cursor *cursor, unsigned bytes);

#endif
