/* See run_memory.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model/run_memory.h"

#include <stdlib.h>
#include <string.h>

void *run_memory_allocate(size_t count, size_t size)
{
    return calloc(count, size);
}

void *run_memory_resize(void *memory, size_t size)
{
    return realloc(memory, size);
}

void run_memory_free(void *memory)
{
    free(memory);
}

char *run_memory_text(const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? run_memory_allocate(size, 1) : NULL;
    return copy ? memcpy(copy, text, size) : NULL;
}
