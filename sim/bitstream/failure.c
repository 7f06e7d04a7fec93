/* See failure.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/failure.h"

#include <stdarg.h>
#include <stdio.h>

bool fail(struct failure *failure, const char *format, ...)
{
    if (failure->failed)
        return false;
    failure->failed = true;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    return false;
}
