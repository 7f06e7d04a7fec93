/* Text that a site has written on its console: log text, and what is no frame, of a boot program, a golden image or a
 * trap.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_CONSOLE_TEXT_H
#define POSTROAD_CLI_CONSOLE_TEXT_H

#include <stddef.h>

#include "wire/console_frame.h"

enum { CONSOLE_TEXT_LINE = 120 };

/* The line of raw text in `text`, for a message: what is not printable is a blank, and blanks at its end are left out.
 * An empty line leaves `out` as it is. */
void console_text_line(const struct pr_frame *text, char out[CONSOLE_TEXT_LINE]);

/* Calls `show` with each line of a text that is not empty, such that it can be printed (support/shown_text.h). Whoever
 * prints text of sites puts the site before every line: otherwise a site could write lines in the name of others. */
typedef void console_text_show(void *context, const char *line);
void console_text_lines(const char *text, size_t length, console_text_show *show, void *context);

/* The same for a frame, if it has text. */
void console_text_frame(const struct pr_frame *frame, console_text_show *show, void *context);

#endif
