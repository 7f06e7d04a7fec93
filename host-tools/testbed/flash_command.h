/* What a step of a programmer is about: the part of the flash, the files, the command line.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_COMMAND_H
#define POSTROAD_TESTBED_FLASH_COMMAND_H

#include "testbed/flash_state.h"

bool flash_is_ram(const struct flash_board *board);
bool flash_is_on_usb(const struct flash_board *board);
const struct programmer *flash_programmer(const struct run_board *board);

/* The part that a state is about, of the `index`th region that is written or cleared. */
const struct board_region *flash_part(const struct board_image *image, const struct flash_state *state, unsigned index);

/* Of a board's present state. */
unsigned flash_index(const struct run_board *board);
const struct board_region *flash_region(const struct run_board *board);

/* The file of a step, of FLASH_PATH characters. */
void flash_file(const struct flash_board *board, const char *folder, enum programmer_action action,
                enum flash_part part, unsigned index, char *out);

/* For a board at another host `local` has the file that is sent or fetched. False with a reason. */
bool flash_command(const struct flash_board *board, const struct usb_device *device, const struct flash_state *state,
                   unsigned index, const char *local, struct programmer_command *out, char *error, size_t error_size);

#endif
