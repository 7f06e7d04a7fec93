/* At the board: its lock, where it is now, and a programmer at work on it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_STEP_H
#define POSTROAD_TESTBED_FLASH_STEP_H

#include "testbed/flash_state.h"

/* Where the board is now: its port stays, its numbers change whenever it is reset. False: it is not there. */
bool flash_look_up(struct run_board *board);

/* The lock of a board here, which a programmer of an earlier run may still hold for a moment. */
enum flash_look flash_lock_look(struct run_board *board);

/* The lock of a board at another host, which a process there keeps. Begun: false, it cannot be started. A line of it:
 * done, it has the lock. At its end: failed, it has not had the lock. */
bool flash_keeper_begin(struct run_board *board, void (*line)(void *board, const char *text),
                        void (*ended)(void *board));
enum flash_look flash_keeper_look(struct run_board *board, const char *line);
enum flash_look flash_keeper_end(struct run_board *board);

/* Looks the board up, and runs the programmer of its present state, which calls `ended`; its verdict then. */
void flash_step_begin(struct run_board *board, void (*ended)(void *board));
enum flash_look flash_step_look(struct run_board *board);
enum flash_look flash_step_end(struct run_board *board);

#endif
