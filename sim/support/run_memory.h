/* Memory of what belongs to a run of `postroad sim`: its traffic, scoreboard, simulated mesh and results. It is libc's,
 * or it is *fixed*: one stretch of addresses that is the same in every process, for checkpoints. A copy of its bytes at
 * the same address is the same run, because every pointer in it leads into the stretch or into the program.
 *
 *   RUN_MEMORY_BASE                                    + size
 *   | root, free blocks | block | block | block | ...  | not mapped yet
 *
 * The state is the process's own: there is one fixed run in a process.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SUPPORT_RUN_MEMORY_H
#define POSTROAD_SUPPORT_RUN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Far from where Linux places programs, libraries and stacks, and outside of the shadow of the address sanitizer. */
#define RUN_MEMORY_BASE UINT64_C(0x200000000000)
#define RUN_MEMORY_MOST ((size_t)1 << 44)

/* As calloc, realloc and free. What has come from libc before run_memory_fix may be resized and freed behind it. */
void *run_memory_allocate(size_t count, size_t size);
void *run_memory_resize(void *memory, size_t size);
void run_memory_free(void *memory);

/* A copy of a text; NULL of NULL, or without memory. */
char *run_memory_text(const char *text);

/* From here on run memory is fixed, for the life of the process. `size` bytes of it are there at once: 0 for a new run,
 * else as many as run_memory_bytes told of the run whose bytes the caller puts there. False, with errno set: the
 * addresses are not to be had. */
bool run_memory_fix(size_t size);

/* The bytes of fixed run memory, a multiple of a page's; NULL if it is libc's. */
uint8_t *run_memory_bytes(size_t *size);

/* Where the run's own data begin: a pointer into fixed run memory, which stays there. NULL if it is libc's. */
void run_memory_set_root(void *root);
void *run_memory_root(void);

#endif
