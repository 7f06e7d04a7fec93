/*
 * The flat top of a mesh: every site of a .mesh file as an instance, wired to its neighbours, straps tied.
 * For synthesis, and as a cross-check of the engine in sim/engine, which wires instances in C.
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FLAT_MESH_MESH_TOP_H
#define POSTROAD_FLAT_MESH_MESH_TOP_H

#include <stdbool.h>
#include <stdio.h>

#include "mesh/mesh.h"

/* Prints module `name`. whole_sites: instances of `site` with UARTs as ports, otherwise of `fabric_site` with the
 * operators' streams as ports. */
void mesh_top_emit(const struct mesh_config *mesh, const char *name, bool whole_sites, FILE *out);

#endif
