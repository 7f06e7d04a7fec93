/* The fast model of one virtual plane of discipline `postman`: every line and every `busy` clock by clock, as
 * hw/postman has them, for packets that obey the rules (at least two flits, no longer than a buffer).
 *
 * A plane is seen in its own directions: machine X of a node sends to the node with the next higher column, machine Y
 * to that with the next higher row. `flip_x` and `flip_y` make the coordinates that packets are compared with count
 * backwards, as in the planes with negative directions. Node numbers count in the plane's own directions: row * size_x
 * + column.
 *
 * A plane of a torus has two layers (R17): a packet begins in layer 0, and goes on in layer 1 from the cut on. A way
 * that crosses the cut twice loses the packet: no side of a minimal way is longer than half the ring.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTMAN_POSTMAN_MODEL_H
#define POSTROAD_POSTMAN_POSTMAN_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    POSTMAN_MOST_SIDE = 32,
    POSTMAN_LEAST_FLIT_BITS = 3,
    POSTMAN_MOST_FLIT_BITS = 16,
    POSTMAN_MOST_BUFFERS = 255,
    POSTMAN_MOST_FLITS = 31 /* of a packet: a length latch of all ones is unused */
};

enum postman_dimension { POSTMAN_X, POSTMAN_Y };

struct postman_options {
    unsigned size_x, size_y;
    unsigned flit_bits;     /* without the header bit */
    bool torus;             /* sides of two nodes at least */
    bool vct;               /* virtual cut-through: no packet passes before its leading flit is known */
    bool adaptive_routing;  /* a packet that cannot go on may turn before its column or row is reached */
    bool adaptive_sourcing; /* a buffered one likewise */
    bool pass_first;        /* packets on lines win an output against buffered ones */
    bool arrivals_apart;    /* an arrival buffer never shows busy (R11) */
    bool late_pass; /* a head that was blocked, and whose output is free when its flit is in, passes then (R5); not
                       with vct */
    /* For experiments; hw/postman has none of these. */
    unsigned buffers;       /* transit buffers of a machine, sent from in the order in which they were filled; 0: one */
    bool ample_buffers;     /* as many as it takes, instead: no busy is ever shown */
    bool injection_buffers; /* operators load a buffer of each machine's own; its source takes from both in turn */
    bool no_dead_flits;     /* an oracle: no head goes on that has arrived or turns; not on a torus */
    bool shrinking; /* a node that a dead flit has run past its target to cuts it; not on a torus, not with vct */

    bool flip_x, flip_y;
};

struct postman_counts {
    uint64_t dead, turn, adapt, buffer, source;
    unsigned deepest; /* packets that have waited in transit buffers of one machine at once */
};

/* A packet in a buffer: its data flits alone, as the operator reads them. */
struct postman_arrival {
    unsigned node;
    enum postman_dimension machine;
    uint64_t
        clock; /* in which the line showed that the packet has ended: so many clocks have passed with the last bit */
    unsigned count;
    uint16_t flits[POSTMAN_MOST_FLITS];
};

struct postman_load {
    unsigned node;
    enum postman_dimension machine; /* whose buffer */
    bool across;                    /* to be sent by the output of the other dimension */
    unsigned count;
    uint16_t flits[POSTMAN_MOST_FLITS]; /* the address flits first */
};

struct postman_plane;

/* NULL without memory, with sizes out of range, or with options that exclude each other. */
struct postman_plane *postman_plane_create(const struct postman_options *options);
void postman_plane_free(struct postman_plane *plane);

/* Puts a packet into the buffer that operators load; sourcing may begin in clock 0. False if the buffer has a packet,
 * or if a clock has been run. */
bool postman_plane_load(struct postman_plane *plane, const struct postman_load *load);

/* The operator requests the buffer from the clock to be run next on (R12), and writes a flit a clock as soon as it is
 * granted, to one machine of the node at a time. False if it has requested it for another packet that is not in it yet.
 */
bool postman_plane_request(struct postman_plane *plane, const struct postman_load *load);

/* One clock. An arrival buffer is emptied in the clock in which it shows its packet. */
void postman_plane_clock(struct postman_plane *plane);

/* Clocks run. */
uint64_t postman_plane_now(const struct postman_plane *plane);

/* Nothing is in flight, nothing is buffered. */
bool postman_plane_quiet(const struct postman_plane *plane);

/* The packets whose end the last clock has seen, one a call; false if there is no other. */
bool postman_plane_arrival(struct postman_plane *plane, struct postman_arrival *arrival);

/* What a node drives in the clock to be run next: bit 0 x_out, 1 y_out, 2 busy of machine X, 3 busy of machine Y. Nodes
 * of layer 1 have the numbers behind those of layer 0. */
unsigned postman_plane_lines(const struct postman_plane *plane, unsigned node);

const struct postman_counts *postman_plane_counts(const struct postman_plane *plane);

#endif
