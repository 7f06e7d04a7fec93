/* A file that appears whole or not at all: written beside its place under another name, renamed at the end.
 * What is no regular file (a device, a pipe) is written directly.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_OUTPUT_FILE_H
#define POSTROAD_CLI_OUTPUT_FILE_H

#include <stddef.h>
#include <stdio.h>

struct output_file {
    FILE *file;       /* to write to; NULL: not open */
    const char *path; /* the caller's */
    char *temporary;  /* owned; NULL: written directly */
};

/* 0, or -1 with "PATH: reason". Nothing is at PATH until output_file_close. */
int output_file_open(struct output_file *output, const char *path, char *error, size_t error_size);

/* Puts the file in its place. 0, or -1 with a reason if anything could not be written: then there is no file.
 * */
int output_file_close(struct output_file *output, char *error, size_t error_size);

/* Gives it up. */
void output_file_abandon(struct output_file *output);

#endif
