/* Clocks the active sites of a mesh and moves words between them. Private to sim/engine.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_RUN_LOOP_H
#define POSTROAD_ENGINE_RUN_LOOP_H

#include "engine/engine.h"

/* As simulation_run; without `wait` as simulation_try_run. */
bool run_loop_run(struct engine *engine, uint64_t clocks, bool wait);

#endif
