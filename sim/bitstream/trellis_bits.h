/* The part of trellis_read that is about one type of tile.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_TRELLIS_BITS_H
#define POSTROAD_BITSTREAM_TRELLIS_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "bitstream/failure.h"

struct trellis;

/* Reads the bit database of the tiles of this type: what they join, and the choices of their settings. */
bool trellis_read_bits(struct trellis *trellis, uint32_t type, struct failure *failure);

/* Splits a name as a tile gives it into the wire's own name and its place, relative to the tile. NULL: the name is not
 * for chips of this size. `shared`: the wire is at row 0, column 0, wherever the tile is. */
const char *trellis_split_name(const struct trellis *trellis, const char *name, int *x, int *y, bool *shared);

#endif
