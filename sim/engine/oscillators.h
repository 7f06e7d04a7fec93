/* Boards have an oscillator each. Where links are board links the sites are boards: their clocks begin at different
 * times, and drift against each other. A site whose clock is slower than the simulation's leaves a clock out now and
 * then:
 *
 *   clock     0    1    2    3    4    5    6
 *   site 0   ####|####|####|####|####|####|####
 *   site 1   ####|####|####|    |####|####|####    what its lines show in clock 3 is seen twice, what they hear is not
 *
 * Without this the time tables of all boards would stand in one position to each other, and each hop would take the
 * same time.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_OSCILLATORS_H
#define POSTROAD_ENGINE_OSCILLATORS_H

#include "engine/engine.h"

/* Draws them; links on a chip have one clock. */
void oscillators_draw(struct engine *engine, uint64_t seed);

/* Takes sites out of this clock, if engine->next_left_out is not later: they are active in the next one. */
void oscillators_leave_out(struct engine *engine);

#endif
