/* Which packets the events of probe pins belong to. An event says nothing but when it was, so each rule takes one only
 * where it can be of one packet alone; all others are counted and left out. Beside those of strobe_turns.h these are:
 *
 *   line a.east    ____/head 1 2 3 4\_/data ...    /terminator\____        a frame for each word
 *   a east.head    __________________/-----------------------------        the word leaves while its frame is sent
 *   a east.terminator ______________________________________/------
 *   b local.head   _____________________/--------------------------        behind the whole frame
 *
 * - PORT.head with the line of this port: the only event within the place of the packet's first frame.
 * - PORT.terminator with the line of this port: the only event behind that place and before the next packet.
 * - local.head with all lines into the board: where one packet for this board is under way to its operator.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_STROBES_H
#define POSTROAD_LATENCY_STROBES_H

#include "latency/wires.h"

/* A packet on a wire. */
struct passage_before {
    int wire; /* -1: it was not seen */
    struct uncertain began;
};

/* The level of a strobe has changed. Samples never go back, those of packets and of strobes apart. */
void strobes_event(struct wires *wires, unsigned strobe, uint64_t sample);

/* A packet on a line, aborted ones too; those of a line in order of time. before: where it was seen on its way to the
 * board that drives the line. */
void strobes_packet(struct wires *wires, const struct line_packet *packet, unsigned line, struct passage_before before);

/* All packets that ended before `sample` were handed over. */
void strobes_close(struct wires *wires, uint64_t sample);
void strobes_end(struct wires *wires);

/* Why no packets are found for the events of a strobe, NULL: they are. */
const char *strobes_obstacle(const struct wires *wires, const struct wire *wire);

#endif
