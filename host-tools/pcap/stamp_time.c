/* See stamp_time.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "pcap/stamp_time.h"

static const uint64_t second = 1000000000; /* nanoseconds */
static const unsigned restart_seconds = 10;

/* What an own clock counts from: a stamp from before the first one is above 0, too. */
static const uint64_t clock_base = (uint64_t)1 << 32;

void stamp_time_anchor(struct stamp_time *time, uint64_t clock, uint64_t nanoseconds)
{
    time->clock = clock;
    time->nanoseconds = nanoseconds;
}

uint64_t stamp_time_unwrap(uint32_t low, uint64_t expected)
{
    int32_t ahead = (int32_t)(low - (uint32_t)expected);
    return expected + (uint64_t)(int64_t)ahead;
}

/* a * b / c without an overflow of a * b. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
    return a / c * b + a % c * b / c;
}

uint64_t stamp_time_of(const struct stamp_time *time, uint64_t clock)
{
    return clock >= time->clock ? time->nanoseconds + scale(clock - time->clock, second, time->clock_hz)
                                : time->nanoseconds - scale(time->clock - clock, second, time->clock_hz);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

uint64_t stamp_time_own(struct stamp_time *time, uint32_t low, uint64_t now)
{
    if (!time->clock_hz)
        return now;
    if (time->clock) {
        uint64_t passed = now > time->nanoseconds ? now - time->nanoseconds : 0;
        uint64_t expected = time->clock + scale(passed, time->clock_hz, second);
        uint64_t clock = stamp_time_unwrap(low, expected);
        if (distance(clock, expected) <= restart_seconds * time->clock_hz)
            return stamp_time_of(time, clock);
    }
    stamp_time_anchor(time, clock_base + low, now);
    return now;
}
