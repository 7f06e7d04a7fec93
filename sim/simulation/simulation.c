/* The simulators that this program knows, by name.
 *
 * SPDX-License-Identifier: ISC
 */
#include "simulation/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct simulation_engine *engines[SIMULATION_ENGINES_MOST];
static unsigned engine_count;

void simulation_register(const struct simulation_engine *engine)
{
    if (engine_count == SIMULATION_ENGINES_MOST)
        abort();
    engines[engine_count++] = engine;
}

const struct simulation_engine *simulation_find_engine(const char *name)
{
    for (unsigned i = 0; i < engine_count; i++)
        if (!name || strcmp(engines[i]->name, name) == 0)
            return engines[i];
    return NULL;
}

void simulation_engine_names(char *out, size_t size)
{
    size_t used = 0;
    *out = 0;
    for (unsigned i = 0; i < engine_count && used < size; i++) {
        const char *between = i == 0 ? "" : i + 1 == engine_count ? " or " : ", ";
        used += (size_t)snprintf(out + used, size - used, "%s%s", between, engines[i]->name);
    }
}

struct simulation *simulation_create(const struct simulation_options *options, char *error, size_t error_size)
{
    const struct simulation_engine *engine = simulation_find_engine(options->engine);
    char names[200];
    if (engine && options->model && !engine->takes_model) {
        snprintf(error, error_size, "engine %s: expected no settings of a model", engine->name);
        return NULL;
    }
    if (engine)
        return engine->create(options, error, error_size);
    simulation_engine_names(names, sizeof names);
    snprintf(error, error_size, "engine %s: expected %s", options->engine ? options->engine : "none", names);
    return NULL;
}
