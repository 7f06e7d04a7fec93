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
#include <stdint.h>

struct slices_class;

/* What the block RAMs hold at power-on, for slices_fill. */
struct chip_ram {
    unsigned number;
    uint16_t *words;
};

struct chip_rams {
    struct chip_ram *list;
    uint32_t count;
};

struct chip_object {
    struct chip_rams rams;
    const struct slices_class *class; /* the same pointer for the same logic */
    void *handle;
};

/* `bitstream`: packed (.bin of an iCE40, .bit of an ECP5), or the text form (.asc, .config); `board`: the folder of
 * boards/ that has its pins. Paths are relative to the top of the tree. 0, or -1 with a reason. */
int chip_object_load(const char *bitstream, const char *board, struct chip_object *out, char *error, size_t error_size);
void chip_object_free(struct chip_object *object);

#endif
