/* See trace_bytes.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/trace_bytes.h"

#include "support/input_file.h"

#include <errno.h>
#include <string.h>

static const char magic[] = {'B', 'Z', 'h'};

/* Begins a compressed stream, of which these bytes have been read already. */
static void open_stream(struct trace_bytes *bytes, void *begun, int length)
{
    int status;
    bytes->compressed = BZ2_bzReadOpen(&status, bytes->file, 0, 0, begun, length);
    if (status != BZ_OK)
        bytes->failed = "out of memory";
}

/* A file may be several streams, one behind the other (as parallel compressors write them). */
static void next_stream(struct trace_bytes *bytes)
{
    char begun[BZ_MAX_UNUSED];
    void *unused;
    int status, length = 0;
    BZ2_bzReadGetUnused(&status, bytes->compressed, &unused, &length);
    memcpy(begun, unused, (size_t)length);
    BZ2_bzReadClose(&status, bytes->compressed);
    bytes->compressed = NULL;
    if (length == 0) {
        int byte = fgetc(bytes->file);
        if (byte == EOF)
            return;
        begun[length++] = (char)byte;
    }
    open_stream(bytes, begun, length);
}

static void fill_from_stream(struct trace_bytes *bytes)
{
    while (bytes->compressed && !bytes->length && !bytes->failed) {
        int status, length = BZ2_bzRead(&status, bytes->compressed, bytes->buffer, sizeof bytes->buffer);
        if (status != BZ_OK && status != BZ_STREAM_END) {
            bytes->failed = "its compressed data is damaged or incomplete";
            return;
        }
        bytes->length = (size_t)length;
        if (status == BZ_STREAM_END)
            next_stream(bytes);
    }
}

static void fill(struct trace_bytes *bytes)
{
    bytes->at = bytes->length = 0;
    if (bytes->compressed)
        fill_from_stream(bytes);
    else if (!bytes->failed)
        bytes->length = fread(bytes->buffer, 1, sizeof bytes->buffer, bytes->file);
    if (ferror(bytes->file) && !bytes->failed)
        bytes->failed = strerror(errno);
}

int trace_bytes_open(struct trace_bytes *bytes, const char *path, char *error, size_t error_size)
{
    bytes->compressed = NULL;
    bytes->failed = NULL;
    bytes->at = 0;
    bytes->file = input_file_open(path);
    if (!bytes->file) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return -1;
    }
    bytes->length = fread(bytes->buffer, 1, sizeof magic, bytes->file);
    if (ferror(bytes->file))
        bytes->failed = strerror(errno);
    if (bytes->length == sizeof magic && memcmp(bytes->buffer, magic, sizeof magic) == 0) {
        bytes->length = 0;
        open_stream(bytes, (char *)magic, sizeof magic);
    }
    if (!bytes->failed)
        return 0;
    snprintf(error, error_size, "%s: %s", path, bytes->failed);
    trace_bytes_close(bytes);
    return -1;
}

void trace_bytes_close(struct trace_bytes *bytes)
{
    int status;
    if (bytes->compressed)
        BZ2_bzReadClose(&status, bytes->compressed);
    fclose(bytes->file);
}

int trace_bytes_peek(struct trace_bytes *bytes)
{
    if (bytes->at == bytes->length)
        fill(bytes);
    return bytes->at < bytes->length ? bytes->buffer[bytes->at] : -1;
}

size_t trace_bytes_take(struct trace_bytes *bytes, void *out, size_t count)
{
    size_t taken = 0;
    while (taken < count && trace_bytes_peek(bytes) >= 0) {
        size_t piece = bytes->length - bytes->at;
        if (piece > count - taken)
            piece = count - taken;
        if (out)
            memcpy((uint8_t *)out + taken, bytes->buffer + bytes->at, piece);
        bytes->at += piece;
        taken += piece;
    }
    return taken;
}
