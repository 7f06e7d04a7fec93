/* Builds and tears down the engine's state. Private to sim/engine.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_ENGINE_SETUP_H
#define POSTROAD_ENGINE_ENGINE_SETUP_H

#include "engine/engine.h"

/* A mesh whose reset has just ended, in clock 0. NULL with a reason in `error`. */
struct engine *engine_set_up(const struct simulation_options *options, char *error, size_t error_size);
void engine_tear_down(struct engine *engine);

/* As simulation_end_waves, simulation_end_capture. */
int engine_end_waves(struct engine *engine);
int engine_end_capture(struct engine *engine, char *error, size_t error_size);

#endif
