/* A pin that changes its level at an event: what is counted of it, and what waits for its packets.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_STROBE_H
#define POSTROAD_LATENCY_STROBE_H

#include "board/testbed.h"
#include "latency/line_clock.h"

enum { STROBE_EVENTS = 4096, STROBE_ARRIVALS = 4096 };

struct strobe_counts {
    uint64_t events;
    uint64_t matched, ambiguous, strays; /* with the lines: of one packet, of several, of none */
    uint64_t missing;                    /* packets without an event */
    uint64_t unpaired;                   /* terminators that do not take turns with heads */
    uint64_t disorder;                   /* heads that do not take turns with those of the next board */
};

/* For strobe_turns.h. */
struct strobe_turns {
    double began;              /* the last event */
    unsigned heads;            /* since the last terminator */
    unsigned under_way, early; /* heads since the last one at the next board; those there before all heads here */
};

/* The last packet on the line of a terminator. */
struct strobe_packet {
    struct uncertain began;
    bool open, aborted; /* open: there is one, whose terminator was not looked for yet */
};

/* A packet that is expected at a board's operator. */
struct arrival {
    struct uncertain began; /* on the last line */
    uint8_t line;
    bool certain, aborted; /* certain: it is for this board, and whole */
    bool doubtful;         /* an event may have been its own */
};

struct strobe {
    enum testbed_strobe event;
    struct strobe_counts counts;
    struct strobe_turns turns;
    struct strobe_packet packet;
    unsigned event_count;
    uint64_t events[STROBE_EVENTS];           /* samples of those that wait for packets */
    unsigned arrival_count, doubted;          /* doubted: events of packets that were `doubtful` */
    struct arrival arrivals[STROBE_ARRIVALS]; /* packets that wait for events */
    uint64_t damage;                          /* frames into the board, so far */
    double doubtful_until;                    /* no event before this is matched */
};

#endif
