/* What `postroad flash` prints while it works, and at its end.
 *
 *   --json              events as JSON lines on standard output
 *   on a terminal       a bar a board, on standard error
 *   otherwise           a line an event, on standard error
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_FLASH_REPORT_H
#define POSTROAD_POSTROAD_FLASH_REPORT_H

#include <stdbool.h>

#include "cli/options.h"
#include "testbed/flash_run.h"

enum { FLASH_REPORT_TEXT = 80 };

struct flash_report_row {
    int percent;
    bool ended;
    char text[FLASH_REPORT_TEXT];
};

struct flash_report {
    const struct options *options;
    const struct flash_board *boards;
    const struct flash_result *results;
    unsigned count;
    struct flash_report_row *rows; /* of the bars; NULL: none are drawn */
    bool drawn;
    double drawn_last;
};

void flash_report_begin(struct flash_report *report, const struct options *options, const struct flash_board *boards,
                        const struct flash_result *results, unsigned count);
void flash_report_event(void *report, const struct flash_event *event);

/* The table, or the JSON line of the whole, and which boards are half-written. */
void flash_report_end(struct flash_report *report, enum exit_code code);

#endif
