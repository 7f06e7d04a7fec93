/* The net_inputs of a site in the January 1987 protocol (4.5, Table F, Figure 8).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_JANUARY_INPUT_H
#define POSTROAD_FUNCTIONAL_JANUARY_INPUT_H

#include "functional/january_state.h"

/* One clock of a net_input: a head or a list that has come, marks that cross, the time-out. */
void january_input_clock(const struct turn *turn, unsigned port);

/* The first word of the packet that has not crossed before this clock. */
unsigned january_input_word_in_hand(const struct turn *turn, unsigned port);

#endif
