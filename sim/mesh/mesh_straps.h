/* The straps of a site as the settings of a mesh give them: hw/protocol/straps.ini, word by word.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_MESH_STRAPS_H
#define POSTROAD_MESH_MESH_STRAPS_H

#include <stdint.h>

#include "mesh/mesh.h"
#include "straps.h"

/* Writes all straps of a site whose number must exist. `epoch`: 0 if the whole mesh was reset together, else which
 * restart of this site alone this is. */
void mesh_straps(const struct mesh_config *mesh, unsigned site, uint32_t epoch, uint32_t out[PR_STRAP_WORDS]);

/* The strap at bits [low + width - 1 : low]. */
uint32_t mesh_strap(const uint32_t straps[PR_STRAP_WORDS], unsigned low, unsigned width);

#endif
