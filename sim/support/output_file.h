/* A file that appears whole or not at all: it is written under another name in the same directory, and renamed at the
 * end. A device, a pipe or any other file that is not regular is written directly.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SUPPORT_OUTPUT_FILE_H
#define POSTROAD_SUPPORT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct output_file {
    FILE *file;       /* to write to; NULL: not open */
    const char *path; /* the caller's */
    char *temporary;  /* owned; NULL: written directly */
};

/* False with "PATH: reason": the file is one that this process reads (input_file.h), or has been claimed before, by
 * this name or another. For all outputs of a program, before it writes the first. */
bool output_file_claim(const char *path, char *error, size_t error_size);

/* 0, or -1 with "PATH: reason". Nothing is at PATH until output_file_close. A file that this process reads is refused.
 */
int output_file_open(struct output_file *output, const char *path, char *error, size_t error_size);

/* Renames the file into its place. 0, or -1 with a reason if a write failed: then there is no file. */
int output_file_close(struct output_file *output, char *error, size_t error_size);

/* Discards the file. */
void output_file_abandon(struct output_file *output);

/* Removes all files that this process has begun, for a signal's handler, before the process ends. */
void output_file_abandon_all(void);

/* A log, which is to be read while it grows: it is written directly, from its end on or, if `anew`, from its start.
 * NULL with errno. A FIFO without a reader is refused, as is a file that this process reads. */
FILE *output_file_log(const char *path, bool anew);

/* True if NAME is one under which a file PATH would be written. Either has no folder. */
bool output_file_is_temporary(const char *name, const char *path);

#endif
