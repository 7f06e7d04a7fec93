/* The verilated model of one site: made, connected to the engine, its straps set. Private to sim/engine.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_VERILATED_MODEL_H
#define POSTROAD_ENGINE_VERILATED_MODEL_H

#include "engine/engine.h"

/* A model, whose owner is the caller. NULL with a reason. */
void *verilated_model_new(const struct site_model_table *table, void *context, unsigned number, char *error,
                          size_t error_size);

/* From now on the site is this model: the engine reads and writes its ports. Sets the straps of this site of the
 * mesh. */
void verilated_model_connect(const struct mesh_config *mesh, struct site *site, void *model);

#endif
