/* What a site of a mesh reads in its node ID block, as the straps of the RTL site give it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_MESH_IDENTITY_H
#define POSTROAD_MESH_MESH_IDENTITY_H

#include "mesh/mesh.h"
#include "wire/site_identity.h"

void mesh_identify_site(struct pr_site_identity *identity, const struct mesh_config *mesh, unsigned site,
                        uint32_t epoch);

#endif
