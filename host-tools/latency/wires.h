/* The wires of a capture: a channel of it shows a line between boards, or a strobe, a pin that changes its level at an
 * event.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_WIRES_H
#define POSTROAD_LATENCY_WIRES_H

#include "board/testbed.h"
#include "latency/line_decoder.h"
#include "latency/strobe.h"
#include "latency/wire_pairs.h"

enum { WIRES_MAX = 64, WIRE_NAME = 64 };
enum { WIRES_CLOCKS_A_BIT = 4 }; /* of a board's links */

struct wire {
    char name[WIRE_NAME]; /* "left.east", of a strobe "left east.head" */
    char channel[WIRE_NAME];
    unsigned board, link;
    int far_board; /* at the other end of the cable at this connector, and its connector; -1: there is none */
    unsigned far_link;
    bool level, seen;
    struct line_decoder *line; /* one of the two is NULL */
    struct strobe *strobe;
};

struct wires {
    const struct testbed *testbed;
    double rate;  /* samples a second */
    double exact; /* samples by which an edge may have been earlier than it was seen: 1, or more */
    bool exact_guessed;
    unsigned count;
    struct wire *wires;
    struct wire_pairs pairs;
};

/* 0, or -1 with a reason: no wires, too many, or a rate that is too low for a board. All that the testbed's section
 * [analyser] names; without one, each line between its boards. */
int wires_begin(struct wires *wires, const struct testbed *testbed, double rate, char *error, size_t error_size);
void wires_free(struct wires *wires);

/* Before the first edge: the samples are parts of the analyser's, of which one is so many. guessed: or of what may be
 * one, as the capture does not say it. */
void wires_exact(struct wires *wires, double exact, bool guessed);

/* The wire that a channel of the capture shows, by the analyser's name (D0) or that of the line (left.east); -1: none.
 */
int wires_find(const struct wires *wires, const char *channel);

/* The level with which a wire begins: before its first edge. */
void wires_level(struct wires *wires, unsigned wire, bool level);

/* Samples of a bit on the links of a board, as the testbed says. */
double wires_bit(const struct wires *wires, unsigned board);

/* When what was seen in this sample was: half of a sample on either side, and what jitter may add without being seen.
 */
struct uncertain wires_time(const struct wires *wires, uint64_t sample);

/* Is it captured, and a line, or a strobe of this event? */
bool wire_is_line(const struct wire *wire);
bool wire_is_strobe(const struct wire *wire, enum testbed_strobe event);

/* Is the line captured that a board drives at a connector? */
bool wires_have_line(const struct wires *wires, unsigned board, unsigned link);

#endif
