/* Connections in the January 1987 protocol (4.6, Table G; rules J5 to J8): one in a clock at most, and of all its
 * net_outputs or none.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_JANUARY_ACCESS_H
#define POSTROAD_FUNCTIONAL_JANUARY_ACCESS_H

#include "functional/january_state.h"

/* The clock in which the head of this net_input could be connected first: its list is known from word
 * january_list_end on, which comes in clock `clock`. */
void january_access_know(const struct turn *turn, unsigned port, uint64_t clock);

/* One clock: the connection that is made in it. */
void january_access_clock(const struct turn *turn);

#endif
