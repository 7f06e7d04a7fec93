/* The folder of a run, below $TMPDIR or /tmp, for the files that programmers read and write.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_FOLDER_H
#define POSTROAD_TESTBED_FLASH_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

enum { FLASH_FOLDER_PATH = 512 };

/* False with a reason. */
bool flash_folder_make(char folder[FLASH_FOLDER_PATH], char *error, size_t error_size);

/* Removes it with its files. */
void flash_folder_remove(const char *folder);

#endif
