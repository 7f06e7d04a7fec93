/* The folders of a run: one for the files that programmers read and write, and one for the locks of USB ports.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_FOLDERS_H
#define POSTROAD_TESTBED_FLASH_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "libpostroad/run_directory.h"

enum { FLASH_FOLDERS_PATH = 512 };

struct flash_folders {
    char work[FLASH_FOLDERS_PATH];    /* of this run, below $TMPDIR or /tmp */
    char lock[PR_RUN_DIRECTORY_SIZE]; /* of this user: BASE-flash, beside the run directories */
};

/* False with a reason. */
bool flash_folders_make(struct flash_folders *folders, char *error, size_t error_size);

/* Removes the folder of this run with its files. */
void flash_folders_remove(const struct flash_folders *folders);

#endif
