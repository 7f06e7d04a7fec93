/* Times of clock stamps: stamps that begin again, in both directions, large rates and spans, restarts.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "pcap/stamp_time.h"

static const uint64_t second = 1000000000, start = 1700000000u * (uint64_t)1000000000;

static void check_unwrap(void)
{
    CHECK(stamp_time_unwrap(5, 0x1fffffff0u) == 0x200000005u);
    CHECK(stamp_time_unwrap(0xfffffff0u, 0x200000005u) == 0x1fffffff0u);
    CHECK(stamp_time_unwrap(7, 7) == 7);
}

/* A clock of 100 MHz begins again every 43 s. A year at a time, no nanosecond is lost. */
static void check_mesh_clock(void)
{
    struct stamp_time time = {.clock_hz = 100000000};
    const uint64_t year = (uint64_t)365 * 24 * 3600;
    stamp_time_anchor(&time, 1000, start);
    CHECK(stamp_time_of(&time, 1000) == start);
    CHECK(stamp_time_of(&time, 1003) == start + 30);
    CHECK(stamp_time_of(&time, 900) == start - 1000);
    CHECK(stamp_time_of(&time, 1000 + year * time.clock_hz + 1) == start + year * second + 10);
}

/* Records of a board come a little late, at random moments, for longer than the stamps last. Its crystal is 100 ppm
 * off. */
static void check_own_clock(uint64_t seed)
{
    struct stamp_time time = {.clock_hz = 12000000};
    uint64_t clock = 0xfffff000u, host = start, first = 0, began = 0;
    for (unsigned i = 0; i < 2000; i++) {
        uint64_t step = (uint64_t)check_below(&seed, 12000000) * (i % 3 == 0 ? 400 : 1);
        clock += step;
        host += (uint64_t)((double)step * (1e9 / 12e6) * 1.0001) + check_below(&seed, 2000000);
        uint64_t shown = stamp_time_own(&time, (uint32_t)clock, host);
        if (i == 0) {
            first = shown;
            began = clock;
        }
        uint64_t wanted = first + (clock - began) / 12 * 1000 + (clock - began) % 12 * 1000 / 12;
        if (host - start > (uint64_t)80000 * second) /* the crystals have come apart by 8 s: nearly a restart */
            break;
        CHECK(shown >= wanted - 2 && shown <= wanted + 2);
    }
}

static void check_restart(void)
{
    struct stamp_time time = {.clock_hz = 12000000}, without = {.clock_hz = 0};
    CHECK(stamp_time_own(&time, 4000000000u, start) == start);
    CHECK(stamp_time_own(&time, 500, start + 60 * second) == start + 60 * second);
    CHECK(stamp_time_own(&time, 512, start + 61 * second) == start + 60 * second + 1000);
    CHECK(stamp_time_own(&without, 7, start + 3) == start + 3);
}

int main(void)
{
    check_unwrap();
    check_mesh_clock();
    check_own_clock(check_seed());
    check_restart();
    return verdict("test_stamp_time");
}
