/* See console_text.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _DEFAULT_SOURCE /* strsep */
#include "cli/console_text.h"

#include "support/shown_text.h"
#include "wire/console_messages.h"

#include <ctype.h>
#include <string.h>

void console_text_line(const struct pr_frame *text, char out[CONSOLE_TEXT_LINE])
{
    char line[CONSOLE_TEXT_LINE];
    size_t length = text->length < sizeof line - 1 ? text->length : sizeof line - 1;
    for (size_t k = 0; k < length; k++)
        line[k] = isprint(text->payload[k]) ? (char)text->payload[k] : ' ';
    while (length > 0 && line[length - 1] == ' ')
        length--;
    line[length] = 0;
    if (length > 0)
        memcpy(out, line, length + 1);
}

void console_text_lines(const char *text, size_t length, console_text_show *show, void *context)
{
    char copy[PR_FRAMES_PAYLOAD_MAX + 1], *rest = copy, *line;
    memcpy(copy, text, length);
    for (size_t k = 0; k < length; k++)
        copy[k] = copy[k] ? copy[k] : '?'; /* it would hide what is behind it */
    copy[length] = 0;
    while ((line = strsep(&rest, "\r\n"))) {
        shown_text_line(line);
        if (*line)
            show(context, line);
    }
}

void console_text_frame(const struct pr_frame *frame, console_text_show *show, void *context)
{
    size_t length;
    const char *text = pr_message_text(frame, &length);
    if (text)
        console_text_lines(text, length, show, context);
}
