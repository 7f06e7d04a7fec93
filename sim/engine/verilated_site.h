/* Finds, builds and loads the verilated site for a mesh's parameters: sim/SET/site.so, and finds what else was built.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_VERILATED_SITE_H
#define POSTROAD_ENGINE_VERILATED_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/site_model.h"
#include "mesh/mesh.h"

/* What a set may have beside the sites themselves, at a price in speed. */
enum site_extra { SITE_PLAIN, SITE_WAVES, SITE_OBSERVED };

struct verilated_site {
    void *handle;
    const struct site_model_table *table;
};

/* The name of the parameter set of a mesh's sites; sim/rules.mk takes it apart again. */
enum { VERILATED_SITE_SET = 128 };
void verilated_site_set(char *out, const struct mesh_config *mesh, bool whole_site, enum site_extra extra);

/* 0, or -1 with a reason. An installed program takes what was installed. In the project's tree make is run, so that an
 * object is not older than its sources, unless this process has the object open already: programs with many short runs
 * keep it open. The table stays valid until verilated_site_close. */
int verilated_site_open(struct verilated_site *library, const struct mesh_config *mesh, bool whole_site,
                        enum site_extra extra, char *error, size_t error_size);
/* The same for a parameter set by name (see sim/rules.mk). */
int verilated_site_open_set(struct verilated_site *library, const char *set, char *error, size_t error_size);
/* This gets a text before a set is built, which takes a while, and before a wait for another process that builds. */
void verilated_site_on_note(void (*function)(const void *context, const char *text), const void *context);
void verilated_site_close(struct verilated_site *library);

#endif
