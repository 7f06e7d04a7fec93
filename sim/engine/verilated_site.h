/* Finds, builds and loads the verilated site for a mesh's parameters: sim/SET/site.so, and finds what else was built.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_VERILATED_SITE_H
#define POSTROAD_ENGINE_VERILATED_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/site_model.h"
#include "model/mesh.h"

/* What a set may have beside the sites themselves, at a price in speed. */
enum site_extra { SITE_PLAIN, SITE_WAVES, SITE_OBSERVED };

struct site_library {
    void *handle;
    const struct site_model_table *table;
};

/* Top folder of the project: the nearest one above this program, or above the working folder, that has sim/rules.mk.
 * 0, or -1 if there is none. */
int site_library_top(char *out, size_t size);

/* Where sim/SET/site.so and firmware/node.elf are: the project's build folder, or PREFIX/lib/postroad where this
 * program was installed as PREFIX/bin/NAME. 0, or -1. */
int site_library_built(char *out, size_t size);

/* 0, or -1 with a reason. An installed program takes what was installed. In the project's tree make is run, so that an
 * object is not older than its sources, unless this process has the object open already: programs with many short runs
 * keep it open. The table stays valid until site_library_close. */
int site_library_open(struct site_library *library, const struct mesh_config *mesh, bool whole_site,
                      enum site_extra extra, char *error, size_t error_size);
/* The same for a parameter set by name (see sim/rules.mk). */
int site_library_open_set(struct site_library *library, const char *set, char *error, size_t error_size);
void site_library_close(struct site_library *library);

#endif
