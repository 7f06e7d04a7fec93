/* The keys of .mesh files that every mesh has, or that several disciplines share.
 *
 * A new key is one row of `mesh_keys` (mesh_keys.c), its index below and its field in struct mesh_config. What relates
 * several keys to each other is checked by mesh_parse.c.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_MESH_KEYS_H
#define POSTROAD_MESH_MESH_KEYS_H

#include "mesh/mesh.h"
#include "mesh/mesh_key.h"

/* Order of the rows. */
enum mesh_key_index {
    KEY_FABRIC,
    KEY_TOPOLOGY,
    KEY_SIZE,
    KEY_DIMENSIONS,
    KEY_SITES,
    KEY_LINKS,
    KEY_WORD_WIDTH,
    KEY_BOARD_LINKS,
    KEY_PROBE,
    KEY_RELIABLE,
    KEY_DIVERT,
    KEY_ABORT,
    KEY_RETRY_LIMIT,
    KEY_RELIEF,
    KEY_PATIENCE,
    KEY_DOWNSTREAM,
    KEY_UPSTREAM,
    KEY_MAX_PACKET,
    KEY_RAM_BYTES,
    KEY_CLOCK_HZ,
    KEY_CPU,
    KEY_COUNT
};

extern const struct mesh_key mesh_keys[KEY_COUNT];

/* Every such key as a mesh has it that gives none. */
void mesh_keys_preset(struct mesh_config *config);

#endif
