/* The transit buffers of the machines of some rows of nodes: flits, pointers and the two length latches. What
 * happens once a flit is done here node by node; what happens in every clock is in machine.c, bit-sliced.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTMAN_TRANSIT_H
#define POSTROAD_POSTMAN_TRANSIT_H

#include <stdbool.h>
#include <stdint.h>

#include "postman/oracle.h"
#include "postman/postman_model.h"

struct transit {
    uint16_t flits[POSTMAN_MOST_FLITS];
    uint8_t written, sent;   /* flits of the packet that is being written, or sent */
    uint8_t lengths[2];      /* TRANSIT_OPEN: its packet is not complete */
    uint8_t ending, leaving; /* the latch for the packet that is being written, or sent */
    bool exchanged; /* the packet that is being sent has left by the other dimension: address flits change places */
    bool across, two_addresses; /* of the packet that was taken last */
    struct target target;       /* of that packet (no_dead_flits) */
};

enum { TRANSIT_OPEN = 0xff };

void transit_reset(struct transit *transit);
void transit_begin(struct transit *transit, bool across, bool two_addresses);
void transit_write(struct transit *transit, unsigned flit);
void transit_end(struct transit *transit);

/* The source takes the packet; transit_next has its first flit. */
void transit_leave(struct transit *transit, bool exchanged);

/* The next flit to be sent; false after the last one. `flag` is the bit of the dimension flag. */
bool transit_next(struct transit *transit, unsigned flag, unsigned *flit);

/* Those of one machine, filled in turn and sent from in turn. hw/postman has one. */
struct transits {
    struct transit one;      /* the buffer, if there is one */
    struct transit *several; /* otherwise; owned */
    unsigned count;
    unsigned front, waiting; /* the buffer of the packet to be sent next; packets of which no flit has been sent */
    unsigned input, output;  /* the buffers of the packets that are being written, and sent */
};

/* False without memory. */
bool transits_create(struct transits *transits, unsigned count);
void transits_free(struct transits *transits);

struct transit *transits_at(struct transits *transits, unsigned place);

/* The buffer for the next packet: the one that is being sent from comes last. Of ample ones, two at least, that one is
 * left out, since no busy keeps a packet from writing what is still to be sent; instead their number is doubled, and
 * without memory for that the program ends. */
struct transit *transits_take(struct transits *transits, bool ample);

/* The source takes the packet that has waited longest. */
struct transit *transits_leave(struct transits *transits);

#endif
