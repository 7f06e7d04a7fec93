/* The states of a board in a run of `postroad flash`, as a table: what each does, and what follows it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_MACHINE_H
#define POSTROAD_TESTBED_FLASH_MACHINE_H

#include "testbed/flash_state.h"

void flash_machine_put(struct run_board *board, enum flash_phase phase);

/* The state that begins an attempt; and that which follows when the programmer of the present one has ended well.
 * FAILS: the board's `fault` says why. */
enum flash_phase flash_machine_first(struct run_board *board);
enum flash_phase flash_machine_next(struct run_board *board);

#endif
