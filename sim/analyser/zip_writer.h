/* A zip archive that is written as its members come, which libzip cannot do: it takes all of them when the archive is
 * closed.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ANALYSER_ZIP_WRITER_H
#define POSTROAD_ANALYSER_ZIP_WRITER_H

#include <stdio.h>

struct zip_writer;

/* The archive goes to this file, which stays open and must be seekable. A failed write is left to ferror. */
struct zip_writer *zip_writer_create(FILE *file);

/* Compresses and writes a member. */
void zip_writer_add(struct zip_writer *zip, const char *name, const void *bytes, unsigned length);

/* Writes the directory and frees the writer. */
void zip_writer_finish(struct zip_writer *zip);

#endif
