/* The clock behind a line, in samples of the analyser. The rising edges of a line lie on a grid of bit times of the
 * board that drives it, and an edge seen in sample n was between the samples n - 1 and n. All straight lines (time of
 * bit 0, length of a bit) that pass between these bounds form a polygon: what is known of the clock.
 *
 * Where it is not known how often the analyser sampled, an edge may have been more than one sample earlier.
 *
 *   sample      |      |      |      |      |
 *   lower       |---x      |---x        |---x       x: upper, the sample in which the edge was seen
 *   bit         0          5            11
 *
 * If the clocks of board and analyser differ, the polygon becomes small. If they are locked, it stays a sample wide.
 * Edges that no straight line fits were moved by jitter: the bounds are then widened until one does.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_LINE_CLOCK_H
#define POSTROAD_LATENCY_LINE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { LINE_CLOCK_EDGES = 8192, LINE_CLOCK_KNOTS = 9 };

/* A value and how far the truth may be from it. */
struct uncertain {
    double value, error;
};

struct line_clock {
    double bit;                      /* samples a bit, as expected */
    double exact;                    /* samples by which an edge may have been earlier than it was seen: 1, or more */
    uint64_t origin;                 /* sample of the first edge */
    unsigned count;                  /* of edges since */
    unsigned bits[LINE_CLOCK_EDGES]; /* since the first edge */
    double samples[LINE_CLOCK_EDGES];
};

/* What a block of edges says. */
struct line_clock_fit {
    uint64_t origin;
    double first, step;                       /* bits: place of the first knot, and between two */
    struct uncertain knots[LINE_CLOCK_KNOTS]; /* samples since origin */
    struct uncertain bit;                     /* samples a bit */
    double jitter;                            /* samples that the bounds have to be widened by; 0: none is visible */
    double exact;                             /* of the line_clock */
};

/* Jitter that is only just visible hides its full extent, and what is too small to be seen at all can still turn a line
 * that few edges hold: so the bounds are widened by this factor of what would do, and by this part of a sample. */
#define LINE_CLOCK_WIDENING      1.25
#define LINE_CLOCK_WIDENING_FEW  40. /* more by this, over the number of edges */
#define LINE_CLOCK_HIDDEN_JITTER 0.05

/* An end of a latency is never said to be more exact than this, in samples: a part for all that the model above leaves
 * out, such as oscillators that wander, and a share of the visible jitter. README.md has the reasons. */
#define LINE_CLOCK_FLOOR        0.25
#define LINE_CLOCK_JITTER_SHARE 0.5

void line_clock_begin(struct line_clock *clock, double bit, double exact);

/* Adds an edge; bits never go back, and the first is 0. Without room it is left out. */
void line_clock_add(struct line_clock *clock, unsigned bits, uint64_t sample);

/* count > 0. */
void line_clock_fit(const struct line_clock *clock, struct line_clock_fit *fit);

/* When bit number `bits` began, in samples since fit->origin. seen: the edge there, in the same. If the edges lie on no
 * straight line, because samples were lost, this edge is believed as well. */
struct uncertain line_clock_time(const struct line_clock_fit *fit, double bits, double seen);

#endif
