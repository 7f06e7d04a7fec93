/* See console_text.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/console_text.h"

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
