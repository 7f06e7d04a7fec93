/* What is shown to a neighbour, in this rank or in another: it reaches the neighbour's place for the clock behind this
 * one.
 *
 * A packet that crosses to another rank gets a copy of its contents there, with its head. The copy's `home` is the
 * packet that it was made of: statuses about the copy name that packet, and when the copy has landed, so has one copy
 * at home.
 *
 *      rank 0                              rank 1
 *      flight  ---- head, with contents -->  flight (home: that of rank 0)
 *              ---- targets, terminator -->
 *              <--- statuses about it ----
 *              <--- has landed -----------
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_NEIGHBOUR_H
#define POSTROAD_FUNCTIONAL_NEIGHBOUR_H

#include "functional/functional_state.h"

/* A word is shown to net_input `port` of a neighbour. */
void neighbour_show(struct functional *functional, struct functional_site *neighbour, unsigned port,
                    const struct mark *mark);

/* The same in this clock, before sites are visited: its mark has this clock. In one rank. */
void neighbour_show_now(struct functional *functional, struct functional_site *neighbour, unsigned port,
                        const struct mark *mark);

/* Net_output `port` of a neighbour gets a status. */
void neighbour_tell(struct functional *functional, struct functional_site *neighbour, unsigned port,
                    struct status status);

/* What the clocks from `next` on, the one that runs next, have for this simulation: for all ranks, as they have told at
 * the last exchange. */
struct ranks_outlook neighbour_outlook(const struct functional *functional, uint64_t next);

/* Ranks exchange what crosses; clock `next` runs next. False if nothing has crossed between any two of them. */
bool neighbour_exchange(struct functional *functional, uint64_t next);

#endif
