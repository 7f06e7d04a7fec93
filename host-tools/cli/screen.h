/* Standard output and standard error of the program. All text that it prints goes through one filter (shown_text.h),
 * because some of it is text of others: of nodes, boards, programmers and files, and their names. What is meant for the
 * terminal to obey is printed with screen_control alone.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_SCREEN_H
#define POSTROAD_CLI_SCREEN_H

#include <stdio.h>

/* Puts the filter behind stdout and stderr. A write that waits for its reader fails with EINTR once a signal has come,
 * so that a reader that stands still does not keep a verb from its end. */
void screen_begin(void);

/* Prints a control sequence, in its place in the stream. */
void screen_control(FILE *out, const char *sequence);

/* Standard output without the filter, for bytes that are no text, and for a library that draws on the terminal. The
 * caller flushes it. */
FILE *screen_raw(void);

#endif
