/* See checkpoint_part.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "postroad/checkpoint_part.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "libpostroad/own_file.h"
#include "support/run_memory.h"

enum { PAGE = 4096, BUILD_BYTES = 20, NOTE_BUILD_ID = 3 };

/* Which program this is. */
struct program {
    uint64_t address;
    uint8_t build[BUILD_BYTES + 4]; /* no padding */
};

struct header {
    char magic[24];
    struct program program;
    struct checkpoint_part part;
    uint64_t base, bytes; /* of run memory */
    uint64_t checksum;    /* of what is before it */
};

/* Pages that follow. */
struct stretch {
    uint64_t first, pages;
};

/* A file that is written or read. */
struct stream {
    int file;
    uint32_t checksum;
    bool ended; /* a read came to the end of the file */
};

static const char magic[24] = "postroad checkpoint 1\n";

/* Takes the build ID out of the notes of the program, which comes first. */
static int read_program(struct dl_phdr_info *info, size_t size, void *context)
{
    struct program *program = context;
    (void)size;
    program->address = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        const char *at = (const char *)(uintptr_t)(info->dlpi_addr + header->p_vaddr), *end = at + header->p_memsz;
        while (header->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;
            const char *name = at + sizeof *note, *content = name + (note->n_namesz + 3) / 4 * 4;
            if (note->n_type == NOTE_BUILD_ID && note->n_descsz == BUILD_BYTES && strcmp(name, "GNU") == 0)
                memcpy(program->build, content, BUILD_BYTES);
            at = content + (note->n_descsz + 3) / 4 * 4;
        }
    }
    return 1;
}

static struct program this_program(void)
{
    struct program program = {0};
    dl_iterate_phdr(read_program, &program);
    return program;
}

void checkpoint_build(char out[CHECKPOINT_BUILD])
{
    struct program program = this_program();
    for (int i = 0; i < BUILD_BYTES; i++)
        snprintf(out + 2 * i, 3, "%02x", program.build[i]);
}

static uint64_t header_checksum(const struct header *header)
{
    return crc32_z(0, (const uint8_t *)header, offsetof(struct header, checksum));
}

static bool put(struct stream *stream, const void *bytes, size_t size)
{
    const uint8_t *at = bytes, *end = at + size;
    stream->checksum = (uint32_t)crc32_z(stream->checksum, bytes, size);
    while (at < end) {
        ssize_t written = write(stream->file, at, (size_t)(end - at));
        if (written < 0 && errno != EINTR)
            return false;
        at += written > 0 ? written : 0;
    }
    return true;
}

static bool get(struct stream *stream, void *bytes, size_t size)
{
    uint8_t *at = bytes, *end = at + size;
    while (at < end) {
        ssize_t taken = read(stream->file, at, (size_t)(end - at));
        stream->ended = taken == 0;
        if (stream->ended || (taken < 0 && errno != EINTR))
            return false;
        at += taken > 0 ? taken : 0;
    }
    stream->checksum = (uint32_t)crc32_z(stream->checksum, bytes, size);
    return true;
}

static bool is_zero(const uint8_t *page)
{
    return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

/* The next pages from `from` on that are not zero; none behind the last. */
static struct stretch next_stretch(const uint8_t *bytes, uint64_t from, uint64_t pages)
{
    struct stretch stretch = {.first = from};
    while (stretch.first < pages && is_zero(bytes + stretch.first * PAGE))
        stretch.first++;
    while (stretch.first + stretch.pages < pages && !is_zero(bytes + (stretch.first + stretch.pages) * PAGE))
        stretch.pages++;
    return stretch.pages ? stretch : (struct stretch){0, 0};
}

static bool put_pages(struct stream *stream, const uint8_t *bytes, size_t size)
{
    struct stretch stretch = {0, 0};
    do {
        stretch = next_stretch(bytes, stretch.first + stretch.pages, size / PAGE);
        if (!put(stream, &stretch, sizeof stretch) || !put(stream, bytes + stretch.first * PAGE, stretch.pages * PAGE))
            return false;
    } while (stretch.pages);
    return true;
}

/* False: a read failed, or the file is damaged. */
static bool get_pages(struct stream *stream, uint8_t *bytes, size_t size)
{
    struct stretch stretch = {0, 0};
    uint64_t pages = size / PAGE, next = 0;
    do {
        if (!get(stream, &stretch, sizeof stretch))
            return false;
        if (stretch.pages && (stretch.first < next || stretch.first > pages || stretch.pages > pages - stretch.first))
            return false;
        if (!get(stream, bytes + stretch.first * PAGE, stretch.pages * PAGE))
            return false;
        next = stretch.first + stretch.pages;
    } while (stretch.pages);
    return true;
}

/* The header comes last: without it the file is none. */
static bool write_all(int file, struct checkpoint_part *part)
{
    struct header header = {.program = this_program(), .base = RUN_MEMORY_BASE};
    struct stream stream = {.file = file};
    size_t size;
    const uint8_t *bytes = run_memory_bytes(&size);
    memcpy(header.magic, magic, sizeof magic);
    if (lseek(file, sizeof header, SEEK_SET) < 0 || !put_pages(&stream, bytes, size))
        return false;
    part->checksum = stream.checksum;
    header.part = *part;
    header.bytes = size;
    header.checksum = header_checksum(&header);
    return lseek(file, 0, SEEK_SET) == 0 && put(&stream, &header, sizeof header) && fsync(file) == 0;
}

bool checkpoint_part_write(int folder, const char *name, const char *path, struct checkpoint_part *part, char *error,
                           size_t error_size)
{
    unlinkat(folder, name, 0); /* left by a process that was killed */
    int file = pr_own_file_open(folder, name, path, O_WRONLY | O_CREAT | O_EXCL, error, error_size);
    if (file < 0)
        return false;
    bool good = write_all(file, part);
    int reason = errno;
    if (close(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good)
        return true;
    snprintf(error, error_size, "%s: %s", path, strerror(reason));
    unlinkat(folder, name, 0);
    return false;
}

/* What is wrong with a header, NULL if nothing is. */
static const char *header_objection(const struct header *header, const struct checkpoint_part *expected)
{
    struct program program = this_program();
    if (memcmp(header->magic, magic, sizeof magic) != 0 || header->checksum != header_checksum(header))
        return "no checkpoint, or a damaged one, expected what --checkpoint has written";
    if (memcmp(header->program.build, program.build, BUILD_BYTES) != 0)
        return "written by another build of postroad, expected the same program";
    if (header->program.address != program.address || header->base != RUN_MEMORY_BASE)
        return "written by a program at another address, expected one that was linked with -no-pie";
    if (header->part.clock != expected->clock || header->part.rank != expected->rank ||
        header->part.ranks != expected->ranks)
        return "of another clock or rank than its name tells, expected the files as --checkpoint has named them";
    return NULL;
}

/* What is wrong with the file, NULL if nothing is. */
static const char *read_all(struct stream *stream, struct checkpoint_part *part)
{
    static const char cut_off[] = "cut off, expected a whole checkpoint", damaged[] = "damaged: the checksum is wrong";
    struct header header;
    size_t size;
    if (!get(stream, &header, sizeof header))
        return stream->ended ? cut_off : strerror(errno);
    const char *objection = header_objection(&header, part);
    if (objection)
        return objection;
    if (!run_memory_fix(header.bytes))
        return "its addresses are not to be had here: memory is limited (ulimit -v), or taken";
    uint8_t *bytes = run_memory_bytes(&size);
    stream->checksum = 0;
    errno = 0;
    if (!get_pages(stream, bytes, header.bytes))
        return stream->ended ? cut_off : errno ? strerror(errno) : damaged;
    *part = header.part;
    return stream->checksum == part->checksum ? NULL : damaged;
}

bool checkpoint_part_read(int folder, const char *name, const char *path, struct checkpoint_part *part, char *error,
                          size_t error_size)
{
    struct stream stream = {.file = pr_own_file_open(folder, name, path, O_RDONLY, error, error_size)};
    if (stream.file < 0) {
        if (!*error)
            snprintf(error, error_size, "%s: missing, expected a file for each rank", path);
        return false;
    }
    const char *objection = read_all(&stream, part);
    if (objection)
        snprintf(error, error_size, "%s: %s", path, objection);
    close(stream.file);
    return !objection;
}
