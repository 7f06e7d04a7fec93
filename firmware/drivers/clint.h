/* CLINT timer: the time of the mesh, and the one moment at which the timer wakes a sleeping node.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DRIVERS_CLINT_H
#define POSTROAD_DRIVERS_CLINT_H

#include "drivers/mmio.h"
#include "protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline uint64_t pr_clint_time(void)
{
    uint32_t high, low;
    do {
        high = pr_mmio_read(PR_CLINT_BASE + PR_CLINT_MTIME_HIGH);
        low = pr_mmio_read(PR_CLINT_BASE + PR_CLINT_MTIME_LOW);
    } while (high != pr_mmio_read(PR_CLINT_BASE + PR_CLINT_MTIME_HIGH));
    return (uint64_t)high << 32 | low;
}

/* UINT64_MAX: never. The halves are written in this order so that the comparison is never true too early. */
static inline void pr_clint_wake_at(uint64_t time)
{
    pr_mmio_write(PR_CLINT_BASE + PR_CLINT_MTIMECMP_HIGH, UINT32_MAX);
    pr_mmio_write(PR_CLINT_BASE + PR_CLINT_MTIMECMP_LOW, (uint32_t)time);
    pr_mmio_write(PR_CLINT_BASE + PR_CLINT_MTIMECMP_HIGH, (uint32_t)(time >> 32));
}

/* The time at which the low half is `clock`, at most half a turn of the low half ahead of `now`; `now` itself if that
 * time has passed. */
static inline uint64_t pr_clint_time_of_clock(uint64_t now, uint32_t clock)
{
    int32_t ahead = (int32_t)(clock - (uint32_t)now);
    return ahead > 0 ? now + (uint32_t)ahead : now;
}

#ifdef __cplusplus
}
#endif

#endif
