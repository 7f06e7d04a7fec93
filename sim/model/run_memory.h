/* Memory of what belongs to a run of `postroad sim`: its traffic, scoreboard, simulated mesh and results.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MODEL_RUN_MEMORY_H
#define POSTROAD_MODEL_RUN_MEMORY_H

#include <stddef.h>

/* As calloc, realloc and free. */
void *run_memory_allocate(size_t count, size_t size);
void *run_memory_resize(void *memory, size_t size);
void run_memory_free(void *memory);

/* A copy of a text; NULL of NULL, or without memory. */
char *run_memory_text(const char *text);

#endif
