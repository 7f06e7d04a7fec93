/* Words of a connection that do not follow each other, in the January 1987 protocol.
 *
 * All net_outputs of a connection get a word in one clock (J4). When one of them holds the packet, the net_inputs
 * behind the others get no more words, though nothing holds them there. They learn of this gap: what a net_input
 * stores, and so when a branch of its own stands, follows from the words that have come.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_JANUARY_GAP_H
#define POSTROAD_FUNCTIONAL_JANUARY_GAP_H

#include "functional/january_state.h"

/* One clock of the connection of a net_input, before its marks cross. */
void january_gap_clock(const struct turn *turn, unsigned port);

#endif
