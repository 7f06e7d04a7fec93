/* The state of the machines of some rows of nodes, bit-sliced: a `lanes` for each bit of a machine.
 *
 * All nodes share the clock, so what a machine counts is kept as the clock modulo the bits of a flit in which it comes
 * round: `slot[k]` has the machines whose flits begin in clocks that are k modulo the bits of a flit. No counter moves,
 * and a shift register is a ring of what the line has shown.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTMAN_MACHINE_H
#define POSTROAD_POSTMAN_MACHINE_H

#include "postman/lanes.h"
#include "postman/oracle.h"
#include "postman/postman_model.h"
#include "postman/transit.h"

enum { MACHINE_MOST_BITS = POSTMAN_MOST_FLIT_BITS + 1, MACHINE_COORDINATE_BITS = POSTMAN_MOST_FLIT_BITS - 1 };

struct machine {
    /* The packet on the line. A machine that is active and nothing else swallows the rest of it or passes it on. */
    lanes active, leading; /* leading: the decision is still to come */
    lanes turning, arriving, buffering;
    lanes adapt_second, adapt_first, adapt_rest; /* what adapt sends: the second flit, the first one, those behind */
    lanes passing; /* has its own output; with vct, and where it is late, up to a flit longer than `active` */
    lanes late;    /* of those: a flit behind the line (late_pass) */
    lanes slot[MACHINE_MOST_BITS], pass_slot[MACHINE_MOST_BITS], adapt_slot[MACHINE_MOST_BITS];
    lanes history[2 * MACHINE_MOST_BITS]; /* what the line has shown */

    /* A dead flit that has run past its target (shrinking): the coordinate of the leading flit is so far that of this
     * node, or that of the node upstream; cut: the flit has ended there, so that a 0 is next, on the output or line. */
    lanes same_here, same_upstream, cut_here, cut_upstream;

    /* The packet that waits longest in the transit buffers, and the one that the source sends. full: no buffer is left.
     */
    lanes waits, full, across, two_addresses, first_written, second_written;
    lanes injected, injected_across, injected_two, injected_next; /* likewise in the injection buffer; it is next */
    lanes sourcing, source_across, source_injected;
    lanes requested, settled, granted, writing; /* an operator's load (R12); writing: its flits, this machine's first */
    lanes source_slot[MACHINE_MOST_BITS], source_bits[MACHINE_MOST_BITS];

    lanes arrived;
    lanes busy, line_out; /* the flops of this dimension */
    lanes other_next;     /* of two sources that want its output: the other dimension's is next */

    lanes own[MACHINE_COORDINATE_BITS], upstream[MACHINE_COORDINATE_BITS]; /* coordinates of this node, and of that */
};

static inline lanes machine_adapts(const struct machine *machine)
{
    return machine->adapt_second | machine->adapt_first | machine->adapt_rest;
}

/* The nodes of LANES_ROWS rows. */
struct chunk {
    struct machine machines[2];
    struct transits transits[2][LANES_ROWS][POSTMAN_MOST_SIDE];
    struct transit injections[2][LANES_ROWS][POSTMAN_MOST_SIDE];
    struct targets targets;
    struct postman_arrival arrivals[2][LANES_ROWS][POSTMAN_MOST_SIDE];
    struct postman_load loads[2][LANES_ROWS][POSTMAN_MOST_SIDE]; /* what operators have requested a buffer for */
    uint8_t written[2][LANES_ROWS][POSTMAN_MOST_SIDE];           /* flits of it */
    lanes line_in[2], blocked[2]; /* what the neighbours drive: lines, and `busy` of those downstream */
    unsigned awake;               /* clocks until nothing is left of the last packet in any history */
};

/* What is the same for all chunks in a clock. */
struct machine_clock {
    const struct postman_options *options;
    unsigned bits;             /* of a flit, header included */
    unsigned slot, slot_after; /* of this clock and the next one, modulo the bits of a flit */
    unsigned slot_before;
    unsigned now;                         /* this clock modulo the length of a history */
    const struct targets *targets_before; /* of the rows above; NULL: none */
    struct postman_counts *counts;
    lanes ended[2]; /* written: the arrivals that are complete with this clock */
};

/* What waits in the transit buffers of these machines has changed. */
void chunk_show(struct chunk *chunk, unsigned number, const struct postman_options *options, lanes changed);

void chunk_clock(struct chunk *chunk, struct machine_clock *clock);

#endif
