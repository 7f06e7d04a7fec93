/* See zip_writer.h. A member is a local header and deflated bytes; behind them all stands a directory, whose records
 * repeat the headers, and the end record, which says where the directory is.
 *
 * SPDX-License-Identifier: ISC
 */
#include "capture/zip_writer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    NAME_SIZE = 32,
    MEMBERS_MOST = 65535,
    VERSION = 20, /* of the format: 2.0 has deflate and nothing later */
    DEFLATED = 8,
    FIRST_DAY = 1 << 5 | 1, /* 1 January 1980: the same capture gives the same file */
    LEVEL = 1,              /* more takes several times as long for lines that change all the time, and saves little */
};

static const uint32_t local_mark = 0x04034b50, directory_mark = 0x02014b50, end_mark = 0x06054b50;

struct member {
    char name[NAME_SIZE];
    uint32_t crc, compressed, length, offset;
};

struct zip_writer {
    FILE *file;
    struct member *members;
    size_t count, room;
    uint64_t offset;
    uint8_t *buffer;
    size_t buffer_size;
};

/* Little-endian. */
static void put(struct zip_writer *zip, uint32_t value, unsigned bytes)
{
    zip->offset += bytes;
    for (; bytes; bytes--, value >>= 8)
        putc((int)(value & 0xff), zip->file);
}

static void put_bytes(struct zip_writer *zip, const void *bytes, size_t length)
{
    zip->offset += length;
    fwrite(bytes, 1, length, zip->file);
}

/* What local headers and records of the directory share. */
static void put_member(struct zip_writer *zip, const struct member *member)
{
    put(zip, VERSION, 2);
    put(zip, 0, 2); /* flags */
    put(zip, DEFLATED, 2);
    put(zip, 0, 2); /* time */
    put(zip, FIRST_DAY, 2);
    put(zip, member->crc, 4);
    put(zip, member->compressed, 4);
    put(zip, member->length, 4);
    put(zip, (uint32_t)strlen(member->name), 2);
    put(zip, 0, 2); /* no extra field */
}

static void put_directory_record(struct zip_writer *zip, const struct member *member)
{
    put(zip, directory_mark, 4);
    put(zip, VERSION, 2);
    put_member(zip, member);
    put(zip, 0, 2); /* no comment */
    put(zip, 0, 4); /* first disk; no attributes */
    put(zip, 0, 4); /* no attributes of an operating system */
    put(zip, member->offset, 4);
    put_bytes(zip, member->name, strlen(member->name));
}

/* Raw deflate, as zip has it. Returns the length. */
static size_t compress_bytes(struct zip_writer *zip, const void *bytes, size_t length)
{
    enum { RAW_WINDOW = -15, MEMORY_LEVEL = 8 };
    z_stream stream = {0};
    if (deflateInit2(&stream, LEVEL, Z_DEFLATED, RAW_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    size_t bound = deflateBound(&stream, length);
    if (bound > zip->buffer_size) {
        free(zip->buffer);
        zip->buffer = malloc(bound);
        zip->buffer_size = bound;
    }
    if (!zip->buffer)
        abort();
    stream.next_in = (Bytef *)(uintptr_t)bytes; /* zlib takes it without const */
    stream.avail_in = (uInt)length;
    stream.next_out = zip->buffer;
    stream.avail_out = (uInt)zip->buffer_size;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        abort();
    deflateEnd(&stream);
    return stream.total_out;
}

struct zip_writer *zip_writer_create(FILE *file)
{
    struct zip_writer *zip = calloc(1, sizeof *zip);
    if (!zip)
        abort();
    zip->file = file;
    return zip;
}

static struct member *next_member(struct zip_writer *zip)
{
    enum { ROOM_FIRST = 64 };
    if (zip->count == zip->room) {
        zip->room = zip->room ? 2 * zip->room : ROOM_FIRST;
        zip->members = realloc(zip->members, zip->room * sizeof *zip->members);
        if (!zip->members)
            abort();
    }
    return &zip->members[zip->count++];
}

void zip_writer_add(struct zip_writer *zip, const char *name, const void *bytes, size_t length)
{
    struct member *member = next_member(zip);
    size_t compressed = compress_bytes(zip, bytes, length);
    *member = (struct member){.compressed = (uint32_t)compressed, .length = (uint32_t)length};
    snprintf(member->name, sizeof member->name, "%s", name);
    member->crc = (uint32_t)crc32(0, bytes, (uInt)length);
    member->offset = (uint32_t)zip->offset;
    put(zip, local_mark, 4);
    put_member(zip, member);
    put_bytes(zip, member->name, strlen(member->name));
    put_bytes(zip, zip->buffer, compressed);
}

int zip_writer_finish(struct zip_writer *zip)
{
    uint64_t start = zip->offset;
    for (size_t i = 0; i < zip->count; i++)
        put_directory_record(zip, &zip->members[i]);
    bool fits = zip->count <= MEMBERS_MOST && zip->offset <= UINT32_MAX;
    uint32_t size = (uint32_t)(zip->offset - start);
    put(zip, end_mark, 4);
    put(zip, 0, 4); /* one disk */
    put(zip, (uint32_t)zip->count, 2);
    put(zip, (uint32_t)zip->count, 2);
    put(zip, size, 4);
    put(zip, (uint32_t)start, 4);
    put(zip, 0, 2); /* no comment */
    free(zip->members);
    free(zip->buffer);
    free(zip);
    return fits ? 0 : -1;
}
