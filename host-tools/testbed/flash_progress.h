/* What a run of `postroad flash` tells, and the clock that it goes by.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_PROGRESS_H
#define POSTROAD_TESTBED_FLASH_PROGRESS_H

#include "testbed/flash_state.h"

/* Seconds of a clock that stands still while this program is stopped. */
double flash_now(const struct run_board *board);
uint64_t flash_passed(const struct flash_run *run); /* the same in milliseconds */

void flash_tell(struct run_board *board, enum flash_event_kind kind, int percent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Notes why the attempt fails. Returns LOOK_FAILED. */
enum flash_look flash_fault(struct run_board *board, enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The share of the board's bytes that lies behind it, with `percent` of the present step. */
int flash_percent(const struct run_board *board, int percent);

/* What the board does now, in words. Returns `out`. */
const char *flash_step_text(const struct run_board *board, char *out, size_t size);

#endif
