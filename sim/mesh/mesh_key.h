/* A key of .mesh files: the row that the parser, its messages and the table of `make doc` are made from.
 *
 * Keys that every mesh has, or several disciplines share, are rows of mesh_keys.c; those of one discipline are sections
 * of its discipline.ini, and rows of `own` in its struct discipline.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_MESH_KEY_H
#define POSTROAD_MESH_MESH_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mesh_config; /* mesh/mesh.h */

/* What a value looks like, and the type of the field that it sets; of a discipline's own keys always uint32_t. */
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
    bool own;                 /* one discipline's */
};

/* Takes "SECTION.NAME" apart: copies the section, and returns the name. */
enum { MESH_SECTION_SIZE = 32 };
const char *mesh_key_split(const char *dotted, char section[MESH_SECTION_SIZE]);

/* Index of `value` in a list of names that ends with NULL, -1 if it is not there. */
int mesh_choice(const char *value, const char *const *names);

/* Sets the key's field. False: the value is not what is expected, and the field may hold anything. */
bool mesh_key_set(const struct mesh_key *key, struct mesh_config *config, const char *value);

/* The value of the key's field, as a .mesh file has it. */
void mesh_key_value(const struct mesh_key *key, const struct mesh_config *config, char *out, size_t size);

/* What a value must be, as messages and the table have it. `quote` stands on either side of a word to type: "" or "`".
 */
void mesh_key_expected(const struct mesh_key *key, const char *quote, char *out, size_t size);

#endif
