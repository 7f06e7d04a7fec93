/* Memory of the model. A run that gets none cannot go on: it ends the program with status 2.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORMLAN_LAN_MEMORY_H
#define POSTROAD_WORMLAN_LAN_MEMORY_H

#include <stdio.h>
#include <stdlib.h>

enum { LAN_EXIT_MEMORY = 2 };

static inline void *lan_memory_checked(void *memory)
{
    if (memory)
        return memory;
    fprintf(stderr, "wormlan: no memory\n");
    exit(LAN_EXIT_MEMORY);
}

/* As calloc and realloc. */
static inline void *lan_memory(size_t count, size_t size)
{
    return lan_memory_checked(calloc(count, size));
}

static inline void *lan_memory_again(void *memory, size_t size)
{
    return lan_memory_checked(realloc(memory, size));
}

#endif
