/* Between the files of the console.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CONSOLE_CONSOLE_PRIVATE_H
#define POSTROAD_CONSOLE_CONSOLE_PRIVATE_H

#include "console/frame_writer.h"

/* Does one command that arrived as a correct frame. */
void pr_console_command(struct pr_console *console, uint8_t type, uint8_t id, struct pr_frame_reader *reader);

/* An answer from another site (service.h). */
void pr_console_service_answer(void *context, const struct pr_service_answer *answer);

/* Does one line of shell text (not terminated by 0). type: PR_CONSOLE_SHELL or PR_CONSOLE_TEXT, the form of the
 * answer. */
void pr_console_shell(struct pr_console *console, uint8_t type, uint8_t id, const uint8_t *line, size_t length);

/* Starts and ends an answer in text of either form. False: no room. */
bool pr_console_begin_text(struct pr_frame_writer *writer, struct pr_console *console, enum pr_frame_priority priority,
                           uint8_t type, uint8_t id, uint8_t status);
void pr_console_end_text(struct pr_frame_writer *writer);

/* The operator is not polled for so many clocks: the status of the answer. */
uint8_t pr_console_hold(struct pr_console *console, uint32_t clocks);

/* Status of a negated OPERATOR_* error. */
uint8_t pr_console_status(int error);

/* Round trip, way out and way back of an answered ping, in clocks. */
struct pr_console_ping {
    uint32_t round_trip, out, back;
};

struct pr_console_ping pr_console_ping_clocks(const struct pr_service_answer *answer);

/* The ping answer of a shell. */
void pr_console_shell_ping(struct pr_console *console, const struct pr_service_answer *answer);

#endif
