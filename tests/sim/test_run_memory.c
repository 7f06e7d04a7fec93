/* Fixed run memory against a plain list of blocks: random allocations, growths and releases. What is allocated is zero,
 * and what is written stays, in the block, in the bytes that a checkpoint stores, and through a growth.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "support/run_memory.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 200, STEPS = 20000, MOST = 1 << 17 };

static struct {
    uint8_t *bytes;
    size_t size;
    uint8_t content;
} blocks[BLOCKS];

static uint64_t random_state;

static unsigned draw(unsigned limit)
{
    return check_below(&random_state, limit);
}

static bool is_filled(const uint8_t *bytes, size_t size, uint8_t content)
{
    return size == 0 || (bytes[0] == content && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Most are small. */
static size_t draw_size(void)
{
    return draw(1u << draw(18)) % MOST + 1;
}

static void fill(unsigned i)
{
    blocks[i].content = (uint8_t)(1 + draw(255));
    memset(blocks[i].bytes, blocks[i].content, blocks[i].size);
}

static void step(unsigned i)
{
    CHECK(is_filled(blocks[i].bytes, blocks[i].size, blocks[i].content));
    size_t before = blocks[i].size, size = draw_size();
    if (!blocks[i].bytes) {
        blocks[i].bytes = run_memory_allocate(size, 1);
        CHECK(is_filled(blocks[i].bytes, size, 0));
    } else if (draw(2)) {
        blocks[i].bytes = run_memory_resize(blocks[i].bytes, size);
        CHECK(is_filled(blocks[i].bytes, before < size ? before : size, blocks[i].content));
    } else {
        run_memory_free(blocks[i].bytes);
        blocks[i].bytes = NULL;
        size = 0;
    }
    CHECK((uintptr_t)blocks[i].bytes % 16 == 0);
    blocks[i].size = size;
    if (size)
        fill(i);
}

static void check_bytes(unsigned i)
{
    size_t size;
    const uint8_t *bytes = run_memory_bytes(&size);
    size_t at = (size_t)((uintptr_t)blocks[i].bytes - RUN_MEMORY_BASE);
    CHECK((uintptr_t)bytes == RUN_MEMORY_BASE);
    CHECK(!blocks[i].bytes || at + blocks[i].size <= size);
}

static void test_blocks(void)
{
    for (unsigned i = 0; i < STEPS; i++)
        step(draw(BLOCKS));
    for (unsigned i = 0; i < BLOCKS; i++) {
        CHECK(is_filled(blocks[i].bytes, blocks[i].size, blocks[i].content));
        check_bytes(i);
    }
}

/* What is released is used again: memory does not grow with the length of a run. Its pages become zero. */
static void test_reuse(void)
{
    size_t before, after;
    uint8_t *first = run_memory_allocate(1000, 100);
    run_memory_bytes(&before);
    memset(first, 1, 100000);
    for (unsigned i = 0; i < 1000; i++) {
        run_memory_free(first);
        first = run_memory_allocate(1000, 100);
    }
    run_memory_bytes(&after);
    CHECK_EQUAL(after, before);
    memset(first, 1, 100000);
    run_memory_free(first);
    CHECK(is_filled(first + 4096, 80000, 0));
}

static void test_limits(void)
{
    CHECK(run_memory_allocate(SIZE_MAX / 2, 3) == NULL);
    CHECK(run_memory_allocate(RUN_MEMORY_MOST, 1) == NULL);
    void *block = run_memory_allocate(1, 1);
    CHECK(run_memory_resize(block, SIZE_MAX) == NULL);
    run_memory_free(block);
    run_memory_free(NULL);
    CHECK(run_memory_text(NULL) == NULL);
}

/* A block of libc's lives on when run memory becomes fixed. */
static void test_change(void)
{
    char *text = run_memory_text("before");
    size_t size;
    CHECK(run_memory_bytes(&size) == NULL);
    CHECK(run_memory_fix(0));
    run_memory_set_root(blocks);
    CHECK(run_memory_root() == blocks);
    text = run_memory_resize(text, 1000);
    CHECK(strcmp(text, "before") == 0);
    run_memory_free(text);
    text = run_memory_text("behind");
    CHECK((uintptr_t)text >= RUN_MEMORY_BASE && strcmp(text, "behind") == 0);
    run_memory_free(text);
}

int main(void)
{
    random_state = check_seed();
    RUN(test_change);
    RUN(test_blocks);
    RUN(test_reuse);
    RUN(test_limits);
    return 0;
}
