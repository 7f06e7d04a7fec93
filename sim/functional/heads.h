/* Heads that seek a net_output, and packets that go on by one (rules U1 to U4, M1, M10, R3; hw/cutthrough/heading.v).
 *
 *             shown              granted                crosses              terminator crosses
 *        idle -----------> seeks ------------> connects ---------> connected -----------------> idle
 *          |                 '-- two ends of a period (U3): seeks local ^
 *          '-- straight on, and nothing in the way ---------------------'
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_HEADS_H
#define POSTROAD_FUNCTIONAL_HEADS_H

#include "functional/functional_state.h"

/* Clocks after which a head that waits diverts (U3, R3): MESH_DIVERT_NEVER, or 0 or a power of two. */
uint64_t heads_period(const struct turn *turn);

/* The first mark of a net_input in this clock, in which it is shown: it crosses if it can. */
void heads_move(const struct turn *turn, unsigned port);

#endif
