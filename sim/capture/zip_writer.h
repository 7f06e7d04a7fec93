/* A zip archive that is written as its members come, which libzip cannot do: it takes all of them when the archive is
 * closed.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CAPTURE_ZIP_WRITER_H
#define POSTROAD_CAPTURE_ZIP_WRITER_H

#include <stddef.h>
#include <stdio.h>

struct zip_writer;

struct zip_writer *zip_writer_create(FILE *file);

/* Compresses and writes a member: at most 64 MiB, a name of at most 31 characters. A failed write is left to ferror. */
void zip_writer_add(struct zip_writer *zip, const char *name, const void *bytes, size_t length);

/* Writes the directory and frees the writer. The limits of the format are 65535 members and 4 GiB; -1: they are
 * exceeded. */
int zip_writer_finish(struct zip_writer *zip);

#endif
