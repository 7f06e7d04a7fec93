/* The time-out of a split packet in the January 1987 protocol (4.1, note 8, and 4.4; rule J9;
 * hw/january/january_time_out.v).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_JANUARY_TIME_OUT_H
#define POSTROAD_FUNCTIONAL_JANUARY_TIME_OUT_H

#include "functional/january_state.h"

/* The random sequence goes on to this clock. */
void january_time_out_clock(const struct turn *turn);

/* What is held of the split packet of this net_input has changed, or nothing: the clock of its abort is found. */
void january_time_out_watch(const struct turn *turn, unsigned port);

/* The packet has ended, or is aborted: nothing stands any more. */
void january_time_out_end(const struct turn *turn, unsigned port);

#endif
