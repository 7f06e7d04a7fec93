/* See run_memory.h. Blocks are powers of two, with a header before each. A block that is freed waits for the next of
 * its size; a large one gives its pages back, so that a checkpoint does not store what nobody needs.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include "support/run_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, LEAST_ORDER = 5, LARGE_ORDER = 16, ORDERS = 45, MAPPED_AT_ONCE = 1 << 22 };

struct block {
    struct block *next; /* of the free ones of its size */
    uint64_t order;     /* its bytes, these among them: 1 << order */
};

struct fixed {
    size_t used; /* bytes from the base on, these among them */
    void *root;
    struct block *free[ORDERS];
};

static struct fixed *fixed; /* NULL: libc's */
static size_t mapped;       /* bytes from the base on */

static size_t round_up(size_t size, size_t to)
{
    return (size + to - 1) / to * to;
}

static bool map(size_t size)
{
    if (size <= mapped)
        return true;
    size_t more = round_up(size - mapped, MAPPED_AT_ONCE);
    void *wanted = (void *)(uintptr_t)(RUN_MEMORY_BASE + mapped);
    void *got = mmap(wanted, more, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED)
        return false;
    if (got == wanted) {
        mapped += more;
        return true;
    }
    munmap(got, more); /* a kernel that does not know MAP_FIXED_NOREPLACE */
    errno = EEXIST;
    return false;
}

bool run_memory_fix(size_t size)
{
    if (size > RUN_MEMORY_MOST || !map(size ? size : sizeof *fixed))
        return false;
    fixed = (struct fixed *)(uintptr_t)RUN_MEMORY_BASE;
    if (!size)
        fixed->used = round_up(sizeof *fixed, (size_t)1 << LEAST_ORDER);
    return true;
}

uint8_t *run_memory_bytes(size_t *size)
{
    *size = fixed ? round_up(fixed->used, PAGE) : 0;
    return (uint8_t *)fixed;
}

void run_memory_set_root(void *root)
{
    if (fixed)
        fixed->root = root;
}

void *run_memory_root(void)
{
    return fixed ? fixed->root : NULL;
}

static bool is_fixed(const void *memory)
{
    return fixed && (uintptr_t)memory - RUN_MEMORY_BASE < mapped;
}

static struct block *block_of(void *memory)
{
    return (struct block *)memory - 1;
}

static size_t room(const struct block *block)
{
    return ((size_t)1 << block->order) - sizeof *block;
}

static struct block *new_block(unsigned order)
{
    if (fixed->used + ((size_t)1 << order) > RUN_MEMORY_MOST || !map(fixed->used + ((size_t)1 << order)))
        return NULL;
    struct block *block = (struct block *)((char *)fixed + fixed->used);
    fixed->used += (size_t)1 << order;
    block->order = order;
    return block;
}

static void *allocate_fixed(size_t size)
{
    unsigned order = LEAST_ORDER;
    while (order < ORDERS && ((size_t)1 << order) < size + sizeof(struct block))
        order++;
    if (order == ORDERS)
        return NULL;
    struct block *block = fixed->free[order];
    if (!block)
        return (block = new_block(order)) ? block + 1 : NULL;
    fixed->free[order] = block->next;
    return memset(block + 1, 0, size);
}

static void drop_pages(struct block *block)
{
    uintptr_t from = round_up((uintptr_t)(block + 1), PAGE), to = (uintptr_t)(block + 1) + room(block);
    madvise((void *)from, to / PAGE * PAGE - from, MADV_DONTNEED);
}

static void free_fixed(struct block *block)
{
    if (block->order >= LARGE_ORDER)
        drop_pages(block);
    block->next = fixed->free[block->order];
    fixed->free[block->order] = block;
}

static void *resize_fixed(void *memory, size_t size)
{
    struct block *block = block_of(memory);
    if (size <= room(block))
        return memory;
    void *larger = allocate_fixed(size);
    if (!larger)
        return NULL;
    memcpy(larger, memory, room(block));
    free_fixed(block);
    return larger;
}

void *run_memory_allocate(size_t count, size_t size)
{
    size_t bytes;
    if (!fixed)
        return calloc(count, size);
    return __builtin_mul_overflow(count, size, &bytes) || bytes > RUN_MEMORY_MOST ? NULL : allocate_fixed(bytes);
}

void *run_memory_resize(void *memory, size_t size)
{
    if (is_fixed(memory))
        return size > RUN_MEMORY_MOST ? NULL : resize_fixed(memory, size);
    return memory || !fixed ? realloc(memory, size) : run_memory_allocate(1, size);
}

void run_memory_free(void *memory)
{
    if (is_fixed(memory))
        free_fixed(block_of(memory));
    else
        free(memory);
}

char *run_memory_text(const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? run_memory_allocate(size, 1) : NULL;
    return copy ? memcpy(copy, text, size) : NULL;
}
