// How the FST writer reaches its files: included before Verilator's verilated_fst_c.cpp. The writer looks at no result
// of a write, and maps files that it has not made sure of, so that a full disk would end the process with SIGBUS, or
// leave half a file unnoticed. Here every file has its blocks before it is mapped, and the first error of any of them
// is kept.
//
// SPDX-License-Identifier: ISC
#ifndef POSTROAD_ENGINE_WAVES_FILE_H
#define POSTROAD_ENGINE_WAVES_FILE_H

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

extern int waves_error; // errno of the first failure, 0: none; in site_model.cpp

static inline int waves_note(bool good)
{
    if (!good && !waves_error)
        waves_error = errno ? errno : EIO;
    return good ? 0 : EOF;
}

static inline int waves_flush(FILE *file)
{
    return waves_note(fflush(file) == 0);
}

// A failure that no flush has met is in the stream's error flag.
static inline int waves_close(FILE *file)
{
    errno = 0;
    const bool good = !ferror(file);
    return waves_note(fclose(file) == 0 && good);
}

static inline int waves_close_packed(gzFile file)
{
    errno = 0;
    const int result = gzclose(file);
    waves_note(result == Z_OK);
    return result;
}

// Without blocks for the file, memory that leads nowhere: the writer goes on, and what it writes is thrown away.
static inline void *waves_map(void *at, size_t length, int protection, int flags, int file, off_t offset)
{
    errno = posix_fallocate(file, offset, static_cast<off_t>(length));
    if (waves_note(errno == 0) == 0)
        return mmap(at, length, protection, flags, file, offset);
    return mmap(at, length, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

#define fflush(file)                                      waves_flush(file)
#define fclose(file)                                      waves_close(file)
#define gzclose(file)                                     waves_close_packed(file)
#define mmap(at, length, protection, flags, file, offset) waves_map(at, length, protection, flags, file, offset)

#endif
