/* Events that belong together because they take turns, without any line:
 *
 * - PORT.terminator with PORT.head: a port passes one packet at a time.
 * - a head with the heads of the next board, where no line between is captured: if they take turns in all of the
 *   capture.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_STROBE_TURNS_H
#define POSTROAD_LATENCY_STROBE_TURNS_H

#include "latency/wires.h"

/* An event, before it is counted. */
void strobe_turns_event(struct wires *wires, unsigned strobe, struct uncertain when);

/* Has the wire, a strobe of heads or terminators, the other one at the same port? And are there heads at the next
 * board, or at the board before, with which its own could take turns? */
bool strobe_turns_at_port(const struct wires *wires, const struct wire *wire);
bool strobe_turns_between_boards(const struct wires *wires, const struct wire *wire);

/* After the last event: pairs out of turn are refused. */
void strobe_turns_end(struct wires *wires);

#endif
