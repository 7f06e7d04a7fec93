/* Between the files of the console. */
#ifndef OPERATOR_CONSOLE_PRIVATE_H
#define OPERATOR_CONSOLE_PRIVATE_H

#include "console/frame_writer.h"

/* Does one command that arrived as a correct frame. */
void console_command(struct console *console, uint8_t type, uint8_t id, struct frame_reader *reader);

/* An answer from another site (service.h). */
void console_service_answer(void *context, const struct service_answer *answer);

/* Does one line of shell text (not terminated by 0). type: CONSOLE_SHELL or CONSOLE_TEXT, the form of the
 * answer. */
void console_shell(struct console *console, uint8_t type, uint8_t id, const uint8_t *line, size_t length);

/* Starts and ends an answer in text of either form. False: no room. */
bool console_begin_text(struct frame_writer *writer, struct console *console, enum frame_priority priority,
                        uint8_t type, uint8_t id, uint8_t status);
void console_end_text(struct frame_writer *writer);

/* The operator is not polled for so many clocks: the status of the answer. */
uint8_t console_hold(struct console *console, uint32_t clocks);

/* Status of a negated OPERATOR_* error. */
uint8_t console_status(int error);

/* Round trip, way out and way back of an answered ping, in clocks. */
struct console_ping {
    uint32_t round_trip, out, back;
};

struct console_ping console_ping_clocks(const struct service_answer *answer);

/* The ping answer of a shell. */
void console_shell_ping(struct console *console, const struct service_answer *answer);

#endif
