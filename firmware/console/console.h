/* The console: frames between a host and this site, over any byte stream (the UART, or natively a socket).
 *
 * A frame is 0x00, COBS(type, id, payload, CRC-16 little-endian), 0x00. Whatever is not a whole, correct
 * frame is counted and dropped. A line of printable text that ends with CR or LF is a shell command too,
 * and is answered in plain text, so that a bare terminal is of use.
 *
 * When the output has no room for another answer, no further input is taken; events are dropped and
 * counted.
 */
#ifndef OPERATOR_CONSOLE_H
#define OPERATOR_CONSOLE_H

#include "console/remote_service.h"

/* Sizes the buffers below. Set by an image's build; natively always this, for all who see struct console. */
#ifndef PACKET_WORDS
#define PACKET_WORDS 128
#endif

enum {
    /* The longest frame before COBS: a DELIVERED or SEND of a full packet. */
    CONSOLE_FRAME_BYTES = 4 * PACKET_WORDS + 64,
    CONSOLE_FRAME_ENCODED = CONSOLE_FRAME_BYTES + CONSOLE_FRAME_BYTES / 254 + 4,
    CONSOLE_OUTPUT_BYTES = 4 * CONSOLE_FRAME_ENCODED
};

/* Frame types. An answer is its command + 0x80. */
enum {
    CONSOLE_IDENTIFY = 0x01,
    CONSOLE_PING = 0x02,
    CONSOLE_SEND = 0x03,
    CONSOLE_LISTEN = 0x04,
    CONSOLE_COUNTERS = 0x05,
    CONSOLE_SHELL = 0x06,
    CONSOLE_TEXT = 0x07,             /* not a frame: a shell command typed as plain text, answered the same way */
    CONSOLE_HOLD = 0x08,             /* for tests: the operator is not polled for so many clocks */
    CONSOLE_IDENTIFY_PART = 0x09,    /* some words of the ID block: all of them may not fit a packet */
    CONSOLE_ANSWER = 0x80,
    CONSOLE_DELIVERED = 0xc0,
    CONSOLE_LOG = 0xc1,
    CONSOLE_EVENT = 0xc2
};

enum {
    CONSOLE_OK,
    CONSOLE_BAD_REQUEST,
    CONSOLE_NO_BUFFER,
    CONSOLE_TOO_LONG,
    CONSOLE_NO_TARGETS,
    CONSOLE_UNKNOWN_SITE,
    CONSOLE_UNSUPPORTED,
    CONSOLE_BAD_DATA,
    CONSOLE_WINDOW_FULL
};

enum {
    CONSOLE_THIS_SITE = 0xffff,
    CONSOLE_COUNTERS_MAX = 16,       /* in one answer */
    CONSOLE_HOLD_MOST = 100000000    /* clocks */
};

/* Outcomes: those events that say what became of a packet of this site, failed and settled. */
enum {
    CONSOLE_LISTEN_DELIVERED = 1,
    CONSOLE_LISTEN_EVENTS = 2,
    CONSOLE_LISTEN_OUTCOMES = 4,
    CONSOLE_LISTEN_ALL = 7
};

struct console {
    struct operator *operator;
    struct service service;
    uint8_t listen;
    bool input_overflow, holding;
    uint32_t hold_end;               /* holding: the clock at which the operator goes on */
    uint16_t input_length;
    uint16_t output_start, output_end;
    uint32_t bad_frames, events_dropped;
    uint8_t input[CONSOLE_FRAME_ENCODED];
    uint8_t output[CONSOLE_OUTPUT_BYTES];
};

/* Becomes the operator's observer, and registers the service handler: 0 or a negated OPERATOR_* error. */
int console_init(struct console *console, struct operator *operator);

/* Bytes from the host; commands are done at once. Returns how many were taken: fewer than length when the
 * output is full; offer the rest again after console_read. */
size_t console_write(struct console *console, const uint8_t *bytes, size_t length);

/* False while a host listens to deliveries and there is no room for one more. */
bool console_is_ready(const struct console *console);

/* Bytes for the host, at most length; returns how many. */
size_t console_read(struct console *console, uint8_t *bytes, size_t length);

/* A log line as a frame of its own; dropped and counted if there is no room. */
void console_log(struct console *console, uint8_t level, const char *text);

/* True while operator_poll must not be called (CONSOLE_HOLD). */
bool console_holds(struct console *console);

/* Any COUNTER_* of protocol.h, whoever keeps it. */
uint32_t console_counter(struct console *console, unsigned index);

#endif
