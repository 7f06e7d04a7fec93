/* The transit buffers of the machines of some rows of nodes: flits, pointers and the two length latches. What
 * happens once a flit is done here node by node; what happens in every clock is in machine.c, bit-sliced.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTMAN_TRANSIT_H
#define POSTROAD_POSTMAN_TRANSIT_H

#include <stdbool.h>
#include <stdint.h>

#include "postman/postman_model.h"

struct transit {
    uint16_t flits[POSTMAN_MOST_FLITS];
    uint8_t written, sent;   /* flits of the packet that is being written, or sent */
    uint8_t lengths[2];      /* TRANSIT_OPEN: its packet is not complete */
    uint8_t ending, leaving; /* the latch for the packet that is being written, or sent */
    bool exchanged; /* the packet that is being sent has left by the other dimension: address flits change places */
};

enum { TRANSIT_OPEN = 0xff };

void transit_reset(struct transit *transit);

static inline void transit_begin(struct transit *transit)
{
    transit->written = 0;
}

void transit_write(struct transit *transit, unsigned flit);
void transit_end(struct transit *transit);

/* The source takes the packet; transit_next has its first flit. */
void transit_leave(struct transit *transit, bool exchanged);

/* The next flit to be sent; false after the last one. `flag` is the bit of the dimension flag. */
bool transit_next(struct transit *transit, unsigned flag, unsigned *flit);

#endif
