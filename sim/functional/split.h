/* The packet that a site copies to several net_outputs: branches, deferral, abort (rules M1, M3 to M8, M11;
 * hw/cutthrough/split.v).
 *
 * Of the paper's connection types, *some-local* and *all-remote* are such a packet of which some or no target was
 * marked for local; *unicast* is a connection of one net_output, *seek* a head that requests.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_SPLIT_H
#define POSTROAD_FUNCTIONAL_SPLIT_H

#include "functional/functional_state.h"

/* A multicast that was granted local in this clock is split from the next one on. */
void split_begin(const struct turn *turn);

/* The branch that the site word in hand of the split packet requests in this clock, or NO_PORT. */
int split_request(const struct turn *turn, const struct input *input);

/* The split packet of this net_input: its first mark crosses, or its branches are aborted. */
void split_move(const struct turn *turn, unsigned port);

/* A site word of it is being looked up, and holds what is behind it. */
bool split_holds(const struct turn *turn, const struct input *input);

/* The first word of the packet at this net_input that has not crossed before this clock. */
unsigned split_word_in_hand(const struct turn *turn, unsigned port);

/* M7: every branch of it ends with an abort_packet in the place of word `index`, behind the words that it has carried,
 * and local takes the rest. */
void split_abort(const struct turn *turn, struct input *input, unsigned index);

/* The abort_packets that are owed. */
void split_settle(const struct turn *turn);

#endif
