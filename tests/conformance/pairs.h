/* Pairs of keys of a .mesh file: meshes in which each value of a key stands beside each value of every other key, as
 * far as the parser accepts both. The rows `key` have the values; a key without a row fails, and so does one of a few
 * words of which the row leaves one out.
 *
 * A pair that is refused with a fabric, topology and service that accept both values alone, and with any value of a
 * third key, too, has to be refused by a message that names both: the keys, or the values.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_CONFORMANCE_PAIRS_H
#define POSTROAD_TESTS_CONFORMANCE_PAIRS_H

#include "rows.h"

enum { PAIR_MESHES_MOST = 400 };

struct pair_mesh {
    struct mesh_config mesh;
    char text[ROW_MESH_TEXT];
};

struct pairs {
    unsigned count, accepted, refused; /* meshes; pairs */
    struct pair_mesh meshes[PAIR_MESHES_MOST];
};

/* Makes the meshes; what is drawn follows from the seed. whole: with the values of LONG=1, too. */
void pairs_make(const struct rows *rows, uint64_t seed, bool whole, struct pairs *out);

#endif
