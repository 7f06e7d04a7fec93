/* The sections of a .mesh file that make a graph: [cables] and [sites].
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_MESH_CABLES_H
#define POSTROAD_MESH_MESH_CABLES_H

#include "mesh/mesh_parser.h"

/* Is this section one of the two? */
bool mesh_cables_section(const char *section);

/* Keeps a line of such a section until the shape is known. */
void mesh_cables_take(struct mesh_parser *parser, const char *section, const char *name, const char *value);

/* Checks what has been kept against the shape, and puts it into the configuration. */
void mesh_check_cables(struct mesh_parser *parser);

/* The hash of the settings, and of the cables and switches. */
uint32_t mesh_cables_hash(const struct mesh_config *config, uint32_t hash);

#endif
