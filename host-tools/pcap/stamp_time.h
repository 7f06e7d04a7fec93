/* Times of a clock's stamps. A node reports the low 32 bits of its clock; at 12 MHz they begin again every 358 seconds.
 *
 *   host's clock   ----o-------------------o----->     anchor: a moment whose clock and whose time are both known.
 *                      |                   |           Time of a stamp: that of the anchor, and the clocks between.
 *   clock          ----A-----wrap-----s----E----->     s is the clock nearest to E with the stamp's low bits,
 *                                                      E what the clock is expected to be now
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_PCAP_STAMP_TIME_H
#define POSTROAD_PCAP_STAMP_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* All zeroes: no anchor. */
struct stamp_time {
    uint64_t clock_hz;    /* clocks a second; 0: stamps have no times */
    uint64_t clock;       /* of the anchor; not 0 if there is one */
    uint64_t nanoseconds; /* of the anchor, since 1970 */
};

/* Sets the anchor. */
void stamp_time_anchor(struct stamp_time *time, uint64_t clock, uint64_t nanoseconds);

/* The clock with these low bits that is nearest to `expected`. */
uint64_t stamp_time_unwrap(uint32_t low, uint64_t expected);

/* The time of a clock, in nanoseconds since 1970. There is an anchor, and clock_hz is not 0. */
uint64_t stamp_time_of(const struct stamp_time *time, uint64_t clock);

/* The time of a stamp of a clock of its own, which is not seen but by its stamps. It came in at `now` of the host's
 * clock, nanoseconds since 1970. The first stamp sets the anchor to `now`; so does one that is more than ten seconds
 * from what is expected, since its node must have restarted. Without clock_hz: `now`. */
uint64_t stamp_time_own(struct stamp_time *time, uint32_t low, uint64_t now);

#endif
