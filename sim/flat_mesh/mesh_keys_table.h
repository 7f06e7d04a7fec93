/* Writes the table of the keys of .mesh files, from the rows of mesh/mesh_keys.h.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FLAT_MESH_MESH_KEYS_TABLE_H
#define POSTROAD_FLAT_MESH_MESH_KEYS_TABLE_H

#include <stdio.h>

/* The whole of build/doc/mesh_keys.md. Errors of `out` are the caller's to look for. */
void mesh_keys_table_write(FILE *out);

#endif
