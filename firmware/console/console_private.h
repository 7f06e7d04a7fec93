/* Between the files of the console.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CONSOLE_CONSOLE_PRIVATE_H
#define POSTROAD_CONSOLE_CONSOLE_PRIVATE_H

#include "console/console.h"

/* Console.c calls the commands and the shell, both call the actions, and all write frames (frame_writer.h):
 *
 *   console.c  --->  console_command.c  --->  console_actions.c
 *             '--->  console_shell.c    --->
 */

/* Does one command that arrived as a correct frame; not PR_CONSOLE_SHELL. */
void pr_console_command(struct pr_console *console, uint8_t type, uint8_t id, struct pr_payload_reader *request);

/* The answer of another site to a command. */
void pr_console_command_answer(struct pr_console *console, const struct pr_service_answer *answer);

/* Does one line of shell text (not terminated by 0). type: PR_CONSOLE_SHELL or PR_CONSOLE_TEXT, the form of the
 * answer. */
void pr_console_shell(struct pr_console *console, uint8_t type, uint8_t id, const uint8_t *line, size_t length);

/* The answer of another site to a ping of the shell. */
void pr_console_shell_ping(struct pr_console *console, const struct pr_service_answer *answer);

/* Actions. */

/* The operator is not polled for so many clocks: the status of the answer. */
uint8_t pr_console_hold(struct pr_console *console, uint32_t clocks);

/* Status of a negated PR_OPERATOR_* error. */
uint8_t pr_console_status(int error);

/* Round trip, way out and way back of an answered ping, in clocks. */
struct pr_console_ping {
    uint32_t round_trip, out, back;
};

struct pr_console_ping pr_console_ping_clocks(const struct pr_service_answer *answer);

#endif
