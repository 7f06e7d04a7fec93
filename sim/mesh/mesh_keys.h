/* The keys of .mesh files: one row for each key, from which the parser, its messages and sim/mesh_keys.md are made.
 *
 * A new key is one row of `mesh_keys` (mesh_keys.c), its index below and its field in struct mesh_config. What relates
 * several keys to each other is checked by mesh_parse.c.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_MESH_KEYS_H
#define POSTROAD_MESH_MESH_KEYS_H

#include "mesh/mesh.h"

/* Order of the rows. */
enum mesh_key_index {
    KEY_FABRIC,
    KEY_TOPOLOGY,
    KEY_SIZE,
    KEY_DIMENSIONS,
    KEY_SITES,
    KEY_LINKS,
    KEY_WORD_WIDTH,
    KEY_UNICAST,
    KEY_EAGER,
    KEY_STRATEGY,
    KEY_ADAPTIVE_ROUTING,
    KEY_ADAPTIVE_SOURCING,
    KEY_INTERLEAVE,
    KEY_PRIORITY,
    KEY_LATE_PASS,
    KEY_PHASES,
    KEY_SHARED_WIRE,
    KEY_BOARD_LINKS,
    KEY_PROBE,
    KEY_RELIABLE,
    KEY_DIVERT,
    KEY_ABORT,
    KEY_RETRY_LIMIT,
    KEY_RELIEF,
    KEY_PATIENCE,
    KEY_NET_INPUT,
    KEY_DOWNSTREAM,
    KEY_UPSTREAM,
    KEY_MAX_PACKET,
    KEY_RAM_BYTES,
    KEY_CLOCK_HZ,
    KEY_CPU,
    KEY_COUNT
};

/* What a value looks like, and the type of the field that it sets. */
enum mesh_key_kind {
    KEY_IS_DISCIPLINE,     /* the name of a discipline; sets `fabric` too */
    KEY_IS_SIZE,           /* WIDTHxHEIGHT; sets size_x and size_y */
    KEY_IS_NUMBER,         /* int or unsigned, least..most */
    KEY_IS_POWER_OF_TWO,   /* unsigned, least..most, or one of `names`: a number, or never for MESH_DIVERT_NEVER */
    KEY_IS_YES_OR_NO,      /* bool */
    KEY_IS_CHOICE,         /* int, the index of the value in `names` */
    KEY_IS_NUMBER_OF_LIST, /* int, one of the numbers in `names` */
    KEY_IS_NAME            /* char[16], one of `names` */
};

struct mesh_key {
    const char *section, *name;
    enum mesh_key_kind kind;
    bool of_discipline;       /* only meshes of the disciplines that list it in discipline.ini have it */
    size_t offset;            /* of the field in struct mesh_config */
    unsigned least, most;     /* KEY_IS_SIZE: of a side */
    const char *unit;         /* NULL: none */
    const char *const *names; /* NULL behind the last */
    const char *preset;       /* the value of a mesh that does not give the key; NULL: there is none */
    const char *meaning;      /* Markdown: what it does, and why one would change it; "" if the name tells */
};

extern const struct mesh_key mesh_keys[KEY_COUNT];

/* The section [unicast]: the keys of preference lists. The first four are the quadrants in the order of the strap, the
 * last is a hypercube's. */
enum { LIST_DIRECTIONS = 9 };
extern const char mesh_list_section[];
extern const char *const mesh_list_directions[LIST_DIRECTIONS + 1]; /* NULL behind the last */
extern const char *const mesh_cube_orders[]; /* values of the last, in the order of their codes */

/* Index of `value` in a list of names that ends with NULL, -1 if it is not there. */
int mesh_choice(const char *value, const char *const *names);

/* Every key as a mesh has it that gives none. */
void mesh_keys_preset(struct mesh_config *config);

/* Sets the key's field. False: the value is not what is expected, and the field may hold anything. */
bool mesh_key_set(const struct mesh_key *key, struct mesh_config *config, const char *value);

/* What a value must be, as messages and the table have it. `quote` stands on either side of a word to type: "" or "`".
 */
void mesh_key_expected(const struct mesh_key *key, const char *quote, char *out, size_t size);

#endif
