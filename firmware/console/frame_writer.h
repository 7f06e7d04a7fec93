/* The bytes that a console has for its host, and writing frames straight into them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CONSOLE_FRAME_WRITER_H
#define POSTROAD_CONSOLE_FRAME_WRITER_H

#include "postroad_config.h"
#include "wire/envelope.h"
#include "wire/payload.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /* The longest frame before COBS, CRC included: a DELIVERED or SEND of a full packet. */
    PR_CONSOLE_FRAME_BYTES = 4 * PR_PACKET_WORDS + 64,
    PR_CONSOLE_FRAME_ENCODED = PR_ENVELOPE_WIRE(PR_CONSOLE_FRAME_BYTES - PR_ENVELOPE_CHECK),
    PR_CONSOLE_OUTPUT_BYTES = 4 * PR_CONSOLE_FRAME_ENCODED
};

/* bytes[start] to bytes[end - 1] wait for the host. All zeroes is an empty output. */
struct pr_frame_output {
    uint16_t start, end;
    uint32_t dropped; /* frames for which there was no room */
    uint8_t bytes[PR_CONSOLE_OUTPUT_BYTES];
};

/* A frame while it is built: its contents lie at the end of the output, a little above the place of their envelope. */
struct pr_frame_writer {
    struct pr_frame_output *output;
    struct pr_payload_writer payload; /* what the caller writes, the payload of the frame or plain text */
    bool plain;                       /* text without framing */
};

enum pr_frame_priority {
    PR_FRAME_EVENT,         /* leaves room for answers */
    PR_FRAME_REMOTE_ANSWER, /* cannot wait, as an event cannot, but may use that room */
    PR_FRAME_ANSWER
};

/* True if a command may be done now: there is room for its answer and for one that comes from another
 * site. */
bool pr_frame_room_for_command(const struct pr_frame_output *output);

/* True if there is room for the longest event. */
bool pr_frame_room_for_event(const struct pr_frame_output *output);

/* Starts a frame with a payload of `payload` bytes at most: what is written beyond them is left out. False: no room;
 * counted as dropped. */
bool pr_frame_begin(struct pr_frame_writer *writer, struct pr_frame_output *output, enum pr_frame_priority priority,
                    uint8_t type, uint8_t id, size_t payload);

/* The same for plain text. */
bool pr_frame_begin_plain(struct pr_frame_writer *writer, struct pr_frame_output *output, size_t length);

void pr_frame_put_text(struct pr_frame_writer *writer, const char *text);
void pr_frame_put_number(struct pr_frame_writer *writer, uint32_t value);

/* Hands the frame, or the text, to the host. */
void pr_frame_end(struct pr_frame_writer *writer);

/* Moves at most `length` bytes to the host; returns how many. */
size_t pr_frame_take_output(struct pr_frame_output *output, uint8_t *bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
