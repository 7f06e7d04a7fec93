/* What every program here does about memory that it does not get: it ends.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SUPPORT_OR_ABORT_H
#define POSTROAD_SUPPORT_OR_ABORT_H

#include <stdio.h>
#include <stdlib.h>

/* The memory, or the end of the program if an allocation had none: or_abort(calloc(count, size)). */
static inline void *or_abort(void *memory)
{
    if (!memory) {
        fputs("no memory\n", stderr);
        abort();
    }
    return memory;
}

#endif
