/* The bytes of a trace file, compressed with bzip2 or not.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_TRACE_BYTES_H
#define POSTROAD_WORKLOAD_TRACE_BYTES_H

#include <bzlib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct trace_bytes {
    FILE *file;
    BZFILE *compressed; /* NULL: the file is not compressed, or is at its end */
    const char *failed; /* why no more could be read; NULL: nothing failed */
    size_t at, length;  /* of the buffer */
    uint8_t buffer[1 << 16];
};

/* 0, or -1 with "PATH: reason". Close what is open. */
int trace_bytes_open(struct trace_bytes *bytes, const char *path, char *error, size_t error_size);
void trace_bytes_close(struct trace_bytes *bytes);

/* The next byte without taking it; -1 at the end and if reading failed. */
int trace_bytes_peek(struct trace_bytes *bytes);

/* Takes so many bytes, into `out` unless it is NULL. Returns how many there were: fewer at the end and if reading
 * failed. */
size_t trace_bytes_take(struct trace_bytes *bytes, void *out, size_t count);

#endif
