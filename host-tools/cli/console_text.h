/* Text on a console that is no frame: what a boot program, a golden image or a trap writes.
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

#endif
