/* The keys of a mesh that only its discipline has: their values, and what the hardware has of them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_MESH_OWN_H
#define POSTROAD_MESH_MESH_OWN_H

#include "mesh/discipline.h"
#include "mesh/mesh.h"

/* The value of the key "SECTION.NAME": a number, or the place of a word among the words of the key. 0: the discipline
 * has no such key. */
uint32_t mesh_own(const struct mesh_config *mesh, const char *name);
void mesh_own_set(struct mesh_config *mesh, const char *name, uint32_t value);

/* The parameter OWN of the fabric: all keys that a site is built for; and that of a mesh that gives none. */
uint32_t mesh_own_build(const struct mesh_config *mesh);
uint32_t mesh_own_build_preset(const struct discipline *discipline);

/* The capabilities of its sites' fabric, as in NI_CAPABILITIES. */
uint32_t mesh_capabilities(const struct mesh_config *mesh);

/* The strap `own`, without and with what differs between sites. */
uint32_t mesh_own_straps(const struct mesh_config *mesh);
uint32_t mesh_own_straps_of_site(const struct mesh_config *mesh, unsigned site);

/* Every key as a mesh of the discipline has it that gives none. */
void mesh_own_preset(struct mesh_config *mesh);

/* Sets the fields of the mesh that follow from its keys. */
void mesh_own_settle(struct mesh_config *mesh);

#endif
