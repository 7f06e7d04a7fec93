/* The shape of a mesh: what .mesh says of its topology and size, checked.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_MESH_SHAPE_H
#define POSTROAD_MESH_MESH_SHAPE_H

#include "mesh/mesh_parser.h"

/* Checks the keys of the shape against each other and sets what follows from them. */
void mesh_check_shape(struct mesh_parser *parser);

#endif
