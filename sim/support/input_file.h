/* A file to read that a user names.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SUPPORT_INPUT_FILE_H
#define POSTROAD_SUPPORT_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Opens a file for reading, without waiting for the other end of a FIFO: one that nobody writes to reads as empty. A
 * program that has its signals blocked could not even be interrupted there. NULL with errno. */
FILE *input_file_open(const char *path);

/* The bytes of such a file, the caller's to free, with a zero behind them. NULL with the reason, which is that there
 * are more than `most` bytes where there are. */
enum { INPUT_FILE_REASON = 64 };
void *input_file_read(const char *path, size_t most, size_t *length, char reason[INPUT_FILE_REASON]);

/* The descriptor of such a file; -1 with errno. */
int input_file_descriptor(const char *path);

/* Says that an ordinary file will be read. Those that have been opened above need no such word. */
void input_file_note(const char *path);

/* True if this process reads this file, or has read it. */
bool input_file_is_read(const char *path);

#endif
