/* The flash of a board with a golden image (hw/mesh/golden_select.v): that image is at 0, and the bitstream in a slot,
 * which ends with a CRC. The golden image starts the bitstream if the CRC is right.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_GOLDEN_SLOT_H
#define POSTROAD_TESTBED_GOLDEN_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

enum { GOLDEN_SLOT_CRC = 4, GOLDEN_SLOT_ROOM = PR_GOLDEN_SLOT_BYTES - GOLDEN_SLOT_CRC };

/* Do these bytes begin as the golden image of an iCE40 board, with a vector to the slot? */
bool golden_image_is_known(const uint8_t *bytes, size_t length);

/* Fills the slot up behind a bitstream of `size` bytes, GOLDEN_SLOT_ROOM at most, and writes its CRC. */
void golden_slot_seal(uint8_t slot[PR_GOLDEN_SLOT_BYTES], size_t size);

/* Would the golden image start this bitstream? */
bool golden_slot_is_good(const uint8_t slot[PR_GOLDEN_SLOT_BYTES]);

#endif
