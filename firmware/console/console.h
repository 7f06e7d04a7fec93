/* The console: frames between a host and this site (hw/protocol/console.ini), over any byte stream (the UART, or
 * natively a socket).
 *
 * Bytes that are no whole, correct frame are counted and dropped. A line of printable text that ends with CR or LF is a
 * shell command, which is answered in plain text, so that a terminal program is enough to use the shell.
 *
 * Back-pressure: while the output has no room for another answer, the console takes no input. An event for which there
 * is no room is dropped and counted.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CONSOLE_CONSOLE_H
#define POSTROAD_CONSOLE_CONSOLE_H

#include "console/frame_writer.h"
#include "console/remote_service.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_console {
    struct pr_operator *op;
    struct pr_service service;
    uint8_t listen;
    bool input_overflow, holding;
    uint32_t hold_end; /* holding: the clock at which the operator goes on */
    uint16_t input_length;
    uint32_t bad_frames;
    uint8_t input[PR_CONSOLE_FRAME_ENCODED];
    struct pr_frame_output output;
};

/* Becomes the operator's observer, and registers the service handler: 0 or a negated PR_OPERATOR_* error. */
int pr_console_init(struct pr_console *console, struct pr_operator *op);

/* Bytes from the host; commands are executed at once. Returns how many were taken: fewer than length if the output is
 * full. Offer the rest again after pr_console_read. */
size_t pr_console_write(struct pr_console *console, const uint8_t *bytes, size_t length);

/* False while a host listens to deliveries and there is no room for one more. */
bool pr_console_is_ready(const struct pr_console *console);

/* The same, for pr_groups_ask. */
static inline bool pr_console_takes(const void *console)
{
    return pr_console_is_ready((const struct pr_console *)console);
}

/* Bytes for the host, at most length; returns how many. */
size_t pr_console_read(struct pr_console *console, uint8_t *bytes, size_t length);

/* A log line as a frame of its own; dropped and counted if there is no room. */
void pr_console_log(struct pr_console *console, uint8_t level, const char *text);

/* True while pr_operator_poll must not be called (PR_CONSOLE_HOLD). */
bool pr_console_holds(struct pr_console *console);

/* Any PR_COUNTER_* of protocol.h, of hardware, operator or console. */
uint32_t pr_console_counter(struct pr_console *console, unsigned index);

#ifdef __cplusplus
}
#endif

#endif
