/* A file that appears whole or not at all: it is written under another name in the same directory, and renamed at the
 * end. A device, a pipe or any other file that is not regular is written directly.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SUPPORT_OUTPUT_FILE_H
#define POSTROAD_SUPPORT_OUTPUT_FILE_H

#include <stddef.h>
#include <stdio.h>

struct output_file {
    FILE *file;       /* to write to; NULL: not open */
    const char *path; /* the caller's */
    char *temporary;  /* owned; NULL: written directly */
};

/* 0, or -1 with "PATH: reason". Nothing is at PATH until output_file_close. */
int output_file_open(struct output_file *output, const char *path, char *error, size_t error_size);

/* Renames the file into its place. 0, or -1 with a reason if a write failed: then there is no file. */
int output_file_close(struct output_file *output, char *error, size_t error_size);

/* Discards the file. */
void output_file_abandon(struct output_file *output);

#endif
