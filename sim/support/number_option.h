/* Options of programs that take a number: a double, an unsigned or a uint64_t, in a range.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SUPPORT_NUMBER_OPTION_H
#define POSTROAD_SUPPORT_NUMBER_OPTION_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* One of the three pointers is set. expected: the range, for the error. */
struct number_option {
    const char *name, *expected;
    double *real;
    unsigned *whole;
    uint64_t *count;
    double least, most;
};

/* False: the text is no such number, and nothing is set. */
static inline bool number_option_read(const struct number_option *number, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= number->least && value <= number->most))
        return false;
    if (number->real)
        *number->real = value;
    else if (value != floor(value))
        return false;
    else if (number->whole)
        *number->whole = (unsigned)value;
    else
        *number->count = (uint64_t)value;
    return true;
}

#endif
