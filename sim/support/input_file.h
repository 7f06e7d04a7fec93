/* A file to read that a user names.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SUPPORT_INPUT_FILE_H
#define POSTROAD_SUPPORT_INPUT_FILE_H

#include <stdio.h>

/* Opens a file for reading, without waiting for the other end of a FIFO: one that nobody writes to reads as empty. A
 * program that has its signals blocked could not even be interrupted there. NULL with errno. */
FILE *input_file_open(const char *path);

#endif
