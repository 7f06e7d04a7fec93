/* The answer of a board's node, once the board is written.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_GREETING_H
#define POSTROAD_TESTBED_FLASH_GREETING_H

#include "testbed/flash_state.h"

enum { FLASH_HELLO_TICK = 50 /* milliseconds */ };

void flash_greeting_begin(struct run_board *board);

/* Done: the node has answered, and is the right one. */
enum flash_look flash_greeting_look(struct run_board *board);

#endif
