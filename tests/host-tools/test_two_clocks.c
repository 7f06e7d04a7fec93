/* Bounds of the offset of two clocks, from pings between them.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "cli/two_clocks.h"

/* Pings with random ways, which the clocks do not show: the sums are exact, and the offset lies within the bounds. */
static void check_offset(uint32_t offset, uint64_t *random)
{
    struct two_clocks clocks = {.count = 0};
    uint32_t least = UINT32_MAX, near = check_random(random);
    double sum = 0;
    int64_t low, high;
    CHECK(!two_clocks_offset(&clocks, &low, &high));
    for (unsigned i = 1; i <= 50; i++) {
        uint32_t way_out = check_below(random, 5000), way_back = check_below(random, 5000),
                 held = check_below(random, 900);
        uint32_t come = near + way_out + offset, answered = come + held, returned = near + way_out + held + way_back;
        two_clocks_add(&clocks, come - near, returned - answered);
        near += check_random(random);
        least = way_out + way_back < least ? way_out + way_back : least;
        sum += way_out + way_back;
        CHECK(two_clocks_offset(&clocks, &low, &high));
        CHECK(clocks.least == least && clocks.sum == sum && clocks.count == i);
        CHECK(offset - (uint32_t)low <= (uint32_t)(high - low));
        CHECK(high - low <= least);
        CHECK(low >= INT32_MIN && low <= INT32_MAX);
    }
}

/* 100 clocks a ping: after some pings no one offset fits. */
static void check_apart(void)
{
    struct two_clocks clocks = {.count = 0};
    int64_t low, high;
    for (unsigned i = 0; i < 20; i++)
        two_clocks_add(&clocks, 500 + 100 * i, 500 - 100 * i);
    CHECK(!two_clocks_offset(&clocks, &low, &high));
    CHECK(clocks.least == 1000);
}

int main(void)
{
    uint64_t random = check_seed();
    check_offset(0, &random);
    check_offset(1000, &random);
    check_offset(0x7fffffff, &random);
    check_offset(0x80000000, &random);
    check_offset(0xffffffff, &random);
    for (unsigned i = 0; i < 200; i++)
        check_offset(check_random(&random), &random);
    check_apart();
    return verdict("test_two_clocks");
}
