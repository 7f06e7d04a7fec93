/* What is counted of a line, and what the counts say.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_LINE_COUNTS_H
#define POSTROAD_LATENCY_LINE_COUNTS_H

#include <stdint.h>

enum { LINE_PORTS = 4, LINE_PULSES = 2048 };

struct line_counts {
    uint64_t edges, frames, words, packets, aborted;
    uint64_t damaged;   /* frames whose check byte does not fit, behind the first good one: captures begin in a frame */
    uint64_t unchecked; /* words of packets whose beginning was not seen, or which were damaged before */
    uint64_t dead;      /* heads that went straight on by mistake (eager links) */
    uint64_t glitches;  /* pulses that are no bit */
    uint64_t statuses, eager;   /* status frames; of these, with the mark of eager links */
    uint64_t ports[LINE_PORTS]; /* good frames, by the connector which they say that they come from */
    unsigned site;              /* that most status frames say that they come from, while site_votes > 0 */
    uint64_t site_votes;
    uint64_t pulses[LINE_PULSES]; /* 1s, by their length in samples; the last: all that are longer */
};

/* Good frames of all ports. */
uint64_t line_counts_good(const struct line_counts *counts);

/* The kind of links at the sending end, as most of its status frames say (hw/board_link/eager.md). */
enum line_links { LINE_LINKS_UNKNOWN, LINE_LINKS_SHARED, LINE_LINKS_EAGER };
enum line_links line_counts_links(const struct line_counts *counts);
const char *line_links_name(enum line_links links); /* "shared" or "eager"; NULL: unknown */

/* Samples a bit as the lengths of pulses suggest; 0: there are too few. For captures in which no frame is found. */
double line_counts_bit(const struct line_counts *counts);

#endif
