/* A bitstream file, ready to run: unpacked, turned into C, compiled and loaded.
 *
 * The compiled object lies in build/sim/bitstream/HASH.so. The hash does not depend on what block RAMs hold: bitstreams
 * that differ in firmware only share an object.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_CHIP_OBJECT_H
#define POSTROAD_BITSTREAM_CHIP_OBJECT_H

#include <stddef.h>

struct ice40_asc;
struct slices_class;

struct chip_object {
    struct ice40_asc *asc;            /* has the contents of the block RAMs */
    const struct slices_class *class; /* the same pointer for the same logic */
    void *handle;
};

/* `bitstream`: .bin or .asc; `board`: the folder of boards/ that has its pins. Paths are relative to the top of the
 * tree. 0, or -1 with a reason. */
int chip_object_load(const char *bitstream, const char *board, struct chip_object *out, char *error, size_t error_size);
void chip_object_free(struct chip_object *object);

#endif
