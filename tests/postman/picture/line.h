/* What the bits of a line are, told from the line alone: flits that follow each other are a packet, a flit alone is a
 * dead address flit.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_POSTMAN_PICTURE_LINE_H
#define POSTROAD_TESTS_POSTMAN_PICTURE_LINE_H

#include "postman/picture/trace.h"

/* Of a kind, 1 more if the bit is 1. */
enum line_state {
    LINE_IDLE,
    LINE_PACKET = 2,
    LINE_DEAD = 4,
    LINE_OPEN = 6, /* the trace ends before it can be told */
    LINE_STATES = 8
};

/* The state of a node's line in each clock of the trace. */
void line_states(const struct trace *trace, unsigned node, enum postman_dimension line, uint8_t *states);

/* 1 in each clock in which the line into a machine of the node shows data flits for this node, else 0. */
void line_receives(const struct trace *trace, unsigned node, uint8_t *states);

#endif
