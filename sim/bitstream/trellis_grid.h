/* The parts of trellis_read that are in JSON: the grid of tiles, the clock network's regions and the pads.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_TRELLIS_GRID_H
#define POSTROAD_BITSTREAM_TRELLIS_GRID_H

#include <stdbool.h>

#include "bitstream/failure.h"

struct trellis;

bool trellis_read_grid(struct trellis *trellis, struct failure *failure);
bool trellis_read_clocks(struct trellis *trellis, struct failure *failure);
bool trellis_read_pads(struct trellis *trellis, const char *package, struct failure *failure);

#endif
