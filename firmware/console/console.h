/* The console: frames between a host and this site, over any byte stream (the UART, or natively a socket).
 *
 * A frame is 0x00, COBS(type, id, payload, CRC-16 little-endian), 0x00. Whatever is not a whole, correct
 * frame is counted and dropped. A line of printable text that ends with CR or LF is a shell command too,
 * and is answered in plain text, so that a bare terminal is of use.
 *
 * When the output has no room for another answer, no further input is taken; events are dropped and
 * counted.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CONSOLE_CONSOLE_H
#define POSTROAD_CONSOLE_CONSOLE_H

#include "console/remote_service.h"

/* Sizes the buffers below. Set by an image's build; natively always this, for all who see struct pr_console. */
#ifndef PR_PACKET_WORDS
#define PR_PACKET_WORDS 128
#endif

enum {
    /* The longest frame before COBS: a DELIVERED or SEND of a full packet. */
    PR_CONSOLE_FRAME_BYTES = 4 * PR_PACKET_WORDS + 64,
    PR_CONSOLE_FRAME_ENCODED = PR_CONSOLE_FRAME_BYTES + PR_CONSOLE_FRAME_BYTES / 254 + 4,
    PR_CONSOLE_OUTPUT_BYTES = 4 * PR_CONSOLE_FRAME_ENCODED
};

/* Frame types. An answer is its command + 0x80. */
enum {
    PR_CONSOLE_IDENTIFY = 0x01,
    PR_CONSOLE_PING = 0x02,
    PR_CONSOLE_SEND = 0x03,
    PR_CONSOLE_LISTEN = 0x04,
    PR_CONSOLE_COUNTERS = 0x05,
    PR_CONSOLE_SHELL = 0x06,
    PR_CONSOLE_TEXT = 0x07,          /* not a frame: a shell command typed as plain text, answered the same way */
    PR_CONSOLE_HOLD = 0x08,          /* for tests: the operator is not polled for so many clocks */
    PR_CONSOLE_IDENTIFY_PART = 0x09, /* some words of the ID block: all of them may not fit a packet */
    PR_CONSOLE_ANSWER = 0x80,
    PR_CONSOLE_DELIVERED = 0xc0,
    PR_CONSOLE_LOG = 0xc1,
    PR_CONSOLE_EVENT = 0xc2
};

enum {
    PR_CONSOLE_OK,
    PR_CONSOLE_BAD_REQUEST,
    PR_CONSOLE_NO_BUFFER,
    PR_CONSOLE_TOO_LONG,
    PR_CONSOLE_NO_TARGETS,
    PR_CONSOLE_UNKNOWN_SITE,
    PR_CONSOLE_UNSUPPORTED,
    PR_CONSOLE_BAD_DATA,
    PR_CONSOLE_WINDOW_FULL
};

enum {
    PR_CONSOLE_THIS_SITE = 0xffff,
    PR_CONSOLE_COUNTERS_MAX = 16,    /* in one answer */
    PR_CONSOLE_HOLD_MOST = 100000000 /* clocks */
};

/* Outcomes: those events that say what became of a packet of this site, failed and settled. */
enum {
    PR_CONSOLE_LISTEN_DELIVERED = 1,
    PR_CONSOLE_LISTEN_EVENTS = 2,
    PR_CONSOLE_LISTEN_OUTCOMES = 4,
    PR_CONSOLE_LISTEN_ALL = 7
};

struct pr_console {
    struct pr_operator *op;
    struct pr_service service;
    uint8_t listen;
    bool input_overflow, holding;
    uint32_t hold_end; /* holding: the clock at which the operator goes on */
    uint16_t input_length;
    uint16_t output_start, output_end;
    uint32_t bad_frames, events_dropped;
    uint8_t input[PR_CONSOLE_FRAME_ENCODED];
    uint8_t output[PR_CONSOLE_OUTPUT_BYTES];
};

/* Becomes the operator's observer, and registers the service handler: 0 or a negated OPERATOR_* error. */
int pr_console_init(struct pr_console *console, struct pr_operator *op);

/* Bytes from the host; commands are done at once. Returns how many were taken: fewer than length when the
 * output is full; offer the rest again after pr_console_read. */
size_t pr_console_write(struct pr_console *console, const uint8_t *bytes, size_t length);

/* False while a host listens to deliveries and there is no room for one more. */
bool pr_console_is_ready(const struct pr_console *console);

/* Bytes for the host, at most length; returns how many. */
size_t pr_console_read(struct pr_console *console, uint8_t *bytes, size_t length);

/* A log line as a frame of its own; dropped and counted if there is no room. */
void pr_console_log(struct pr_console *console, uint8_t level, const char *text);

/* True while pr_operator_poll must not be called (PR_CONSOLE_HOLD). */
bool pr_console_holds(struct pr_console *console);

/* Any COUNTER_* of protocol.h, whoever keeps it. */
uint32_t pr_console_counter(struct pr_console *console, unsigned index);

#endif
