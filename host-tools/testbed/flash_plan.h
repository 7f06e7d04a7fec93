/* What `postroad flash` is to do: the boards of a testbed, the USB device of each, and what each is to hold. Everything
 * is found and checked before a board is touched, and all problems are found at once.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_PLAN_H
#define POSTROAD_TESTBED_FLASH_PLAN_H

#include "board/testbed.h"
#include "cli/exit_code.h"
#include "testbed/board_confs.h"
#include "testbed/flash_run.h"

enum { FLASH_PLAN_PROBLEMS = 16384 };

struct flash_plan {
    struct testbed testbed;
    struct board_confs confs;
    struct board_conf *board_confs; /* of each board of the testbed */
    unsigned count;
    struct flash_board *boards;         /* those that are meant */
    struct board_image *images;         /* of them */
    char problems[FLASH_PLAN_PROBLEMS]; /* one a line */
    enum exit_code code;                /* of the problems: EXIT_USAGE, or EXIT_TRANSPORT if all are about devices */
};

enum flash_purpose { FLASH_TO_WRITE, FLASH_TO_LOOK /* at labels: neither bitstream nor firmware is needed */ };

/* `only`: names with commas between them, NULL: all boards. False: the problems are listed. To be freed in either case.
 */
bool flash_plan_make(struct flash_plan *plan, const char *path, const char *only, enum flash_purpose purpose);
void flash_plan_free(struct flash_plan *plan);

#endif
