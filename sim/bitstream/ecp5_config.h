/* The text form of an ECP5 bitstream, which ecpunpack makes from the packed one: for each tile the switches that are on
 * (arcs) and the settings that are not at their default, and the contents of the block RAMs.
 *
 * Source of the format: Project Trellis, "Textual Configuration Format".
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_ECP5_CONFIG_H
#define POSTROAD_BITSTREAM_ECP5_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bitstream/failure.h"
#include "bitstream/text_file.h"

enum { ECP5_RAM_WORDS = 2048, ECP5_RAM_NUMBERS = 512 };

/* "MIB_R13C3:DSP_SPINE_UL1" is the tile of type DSP_SPINE_UL1 in row 13, column 3. */
struct ecp5_tile {
    const char *name, *type;
    int x, y;
    uint32_t first_setting, settings; /* in `settings` */
};

struct ecp5_arc {
    uint32_t tile;
    const char *sink, *source;
    unsigned line;
    bool used; /* by whoever builds a netlist */
};

struct ecp5_setting {
    uint32_t tile;
    const char *name, *value;
    unsigned line;
    bool word; /* of bits, the most significant one first; otherwise the name of a choice */
    bool used;
};

struct ecp5_config {
    struct text_file file;
    const char *device; /* "LFE5U-25F" */
    struct ecp5_tile *tiles;
    struct ecp5_arc *arcs;
    struct ecp5_setting *settings;
    uint32_t tile_count, arc_count, setting_count;
    uint16_t *block_rams[ECP5_RAM_NUMBERS]; /* 2048 words of 9 bits; NULL: the bitstream has none of this number */
};

/* Reads a file; false with "FILE:LINE: reason, expected ..." in `failure`. Free it in either case. */
bool ecp5_config_read(struct ecp5_config *config, const char *path, struct failure *failure);

/* The same for a text in memory. */
bool ecp5_config_parse(struct ecp5_config *config, const char *path, const char *text, size_t length,
                       struct failure *failure);
void ecp5_config_free(struct ecp5_config *config);

#endif
