/* The net_outputs of a site in one clock: requests, grants, connections, and the marks that cross (rules U1, U4;
 * hw/cutthrough/access.v).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_ARBITER_H
#define POSTROAD_FUNCTIONAL_ARBITER_H

#include "functional/functional_state.h"

/* The first clock from `clock` on that ends a period, which is 0 or a power of two as in the RTL; UINT64_MAX for a
 * period of MESH_DIVERT_NEVER. The RTL counts periods while a word is held; here they run on, with another phase at
 * each site. */
uint64_t arbiter_period_end(const struct turn *turn, uint64_t period, uint64_t clock);

/* A connection could be made to it in this clock. */
bool arbiter_is_free(const struct turn *turn, unsigned port);

/* And a head may go straight on by it: nothing has requested it for a clock. */
bool arbiter_lets_pass(const struct turn *turn, unsigned port);

/* Net_input `from` owns net_output `to`, from the next clock on if it requested it. */
void arbiter_connect(const struct turn *turn, unsigned from, unsigned to);

/* A net_output is let go: it is free in clock `clock`. */
void arbiter_disconnect(const struct turn *turn, unsigned port, uint64_t clock);

/* Each net_output that is free goes to the next of those that request it. */
void arbiter_grant(struct turn *turn);

/* A mark crosses to one net_output. */
void arbiter_send(const struct turn *turn, unsigned port, const struct mark *mark);

/* The first mark of a net_input, which arbiter_send has sent, is gone; at a terminator the connection ends. */
void arbiter_crossed(const struct turn *turn, unsigned port);

#endif
