/* Console frames at the host's end: type, id and payload (hw/protocol/console.ini) in an envelope (envelope.h), over a
 * byte stream (UART, socket). The reader survives garbage: it resynchronises at the next zero byte.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_CONSOLE_FRAME_H
#define POSTROAD_WIRE_CONSOLE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/envelope.h"
#include "wire/payload.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PR_FRAMES_PAYLOAD_MAX = 8192, /* bytes; longer frames are dropped and counted as bad */
    PR_FRAMES_WIRE_MAX = PR_ENVELOPE_WIRE(PR_MESSAGE_FRAME_BYTES + PR_FRAMES_PAYLOAD_MAX),
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

/* Takes one byte of the stream. A line of printable text is reported at its newline already, since the code that prints
 * it (a trap handler) may never send a zero byte.
 */
enum pr_frames_result pr_frames_push(struct pr_frames_reader *reader, uint8_t byte, struct pr_frame *out);

/* For a stream that has come to rest: text without a newline, if that is what has been read. */
enum pr_frames_result pr_frames_flush(struct pr_frames_reader *reader, struct pr_frame *out);

/* Starts a frame: its payload is written through what this returns, and ends with pr_frames_end. False: the payload
 * did not fit. */
struct pr_payload_writer pr_frames_begin(struct pr_frame *frame, uint8_t type, uint8_t id);
bool pr_frames_end(struct pr_frame *frame, const struct pr_payload_writer *writer);

/* Reads a frame's payload from its start. Valid as long as the frame. */
struct pr_payload_reader pr_frames_payload(const struct pr_frame *frame);

#ifdef __cplusplus
}
#endif

#endif
