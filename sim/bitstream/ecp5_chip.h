/* An ECP5 chip as its bitstream configures it: what drives a wire, and how a tile is set.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_ECP5_CHIP_H
#define POSTROAD_BITSTREAM_ECP5_CHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "bitstream/ecp5_config.h"
#include "bitstream/failure.h"
#include "bitstream/trellis.h"

/* What is at the start of a chain of wires. ECP5_CELL: an output of a cell, which is the wire itself. */
enum ecp5_source_kind { ECP5_UNDRIVEN, ECP5_ZERO, ECP5_ONE, ECP5_CELL };

struct ecp5_source {
    enum ecp5_source_kind kind;
    uint32_t wire;
};

struct ecp5_chip {
    struct ecp5_config *config;
    struct trellis *trellis;
    struct failure *failure;
    struct key_map arc_of;      /* sink to arc */
    struct key_map constant_of; /* wire to 0 or 1 */
    struct key_map tile_at;     /* place to the first of its tiles */
    uint32_t *next_tile;        /* at the same place */
};

/* Both configurations are kept. False with a reason in `failure`. Free the chip in either case. */
bool ecp5_chip_open(struct ecp5_chip *chip, struct ecp5_config *config, struct trellis *trellis,
                    struct failure *failure);
void ecp5_chip_close(struct ecp5_chip *chip);

/* What drives this wire. Marks the arcs on the way as used. */
struct ecp5_source ecp5_source(struct ecp5_chip *chip, uint32_t wire);

/* The value that a tile at x, y, whose type begins with `type`, shows for a setting; NULL: none. Marks it as used. */
const char *ecp5_shown(struct ecp5_chip *chip, int x, int y, const char *type, const char *name);

/* A setting that lies in several tiles at once: they are of these types. NULL after a failure. */
struct ecp5_part {
    int x, y;
    const char *type;
};
const char *ecp5_agreed(struct ecp5_chip *chip, const struct ecp5_part *parts, int count, const char *name);

/* A word of up to 32 bits that may lie in several tiles; `missing` where no tile has it. */
uint32_t ecp5_word(struct ecp5_chip *chip, const struct ecp5_part *parts, int count, const char *name,
                   uint32_t missing);

/* Fails if there is an arc or a setting that was not used and is not known to mean nothing for a simulation. */
bool ecp5_check_used(struct ecp5_chip *chip);

#endif
