/* Readings of latencies between wires; what lines and strobes both add to.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_WIRE_PAIRS_H
#define POSTROAD_LATENCY_WIRE_PAIRS_H

#include "latency/wires.h"

/* Samples of a bit on the links of a board, as the testbed says. */
double wires_bit(const struct wires *wires, unsigned board);

/* Does the capture's time have a jump between these samples? */
bool wires_jump_between(const struct wires *wires, double began, double ended);

/* Adds a reading to the pair of these wires, hops and kind of way; times in samples. No reading is added behind
 * PAIRS_MAX pairs, or over a jump. */
void wire_pairs_add(struct wires *wires, struct wire_pair of, struct uncertain began, struct uncertain ended);

#endif
