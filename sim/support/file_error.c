/* See file_error.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "support/file_error.h"

#include "support/shown_text.h"

#include <stdio.h>

void file_error(char *error, size_t error_size, const char *path, int line, const char *format, va_list arguments)
{
    int used = snprintf(error, error_size, "%s:%d: ", path, line);
    if (used >= 0 && (size_t)used < error_size)
        vsnprintf(error + used, error_size - (size_t)used, format, arguments);
    if (error_size)
        shown_text_line(error); /* it quotes the file, which others may have written */
}
