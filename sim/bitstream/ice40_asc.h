/* The text form of an iCE40 bitstream (.asc), which iceunpack makes from the packed one: the configuration bits of each
 * tile, and the contents of the block RAMs.
 *
 * Source of the format: Project IceStorm, "IceStorm ASCII format".
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_ICE40_ASC_H
#define POSTROAD_BITSTREAM_ICE40_ASC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ICE40_SIDE = 64, ICE40_ROWS = 16, ICE40_COLUMNS = 54, ICE40_RAM_WORDS = 256, ICE40_EXTRA_BITS = 32 };

struct ice40_tile {
    char type[12]; /* "logic", "io", "ramb", "ramt", "ipcon", "dsp0" ...; "" where the chip has none */
    bool bits[ICE40_ROWS][ICE40_COLUMNS];
    uint16_t *words; /* ramb: contents at power-on, NULL where the bitstream has none */
};

struct ice40_asc {
    char device[8];                                  /* "8k", "5k" */
    struct ice40_tile tiles[ICE40_SIDE][ICE40_SIDE]; /* [x][y] */
    struct {
        int bank, x, y;
    } extra_bits[ICE40_EXTRA_BITS];
    int extra_bit_count;
};

/* Reads a file. NULL with "FILE:LINE: reason, expected ..." if it is not such a bitstream. */
struct ice40_asc *ice40_asc_read(const char *path, char *error, size_t error_size);
void ice40_asc_free(struct ice40_asc *asc);

/* Block RAMs of a netlist are numbered by their place. */
static inline unsigned ice40_ram_number(int x, int y)
{
    return (unsigned)(x * ICE40_SIDE + y);
}

#endif
