/* See input_file.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "support/input_file.h"

#include "support/or_abort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 256 };

/* Of an ordinary file. The number of one that has been removed may be given to another: hence the time of its birth. */
struct identity {
    uint64_t device, number, seconds, nanoseconds;
};

static struct identity files[FILES_MAX]; /* that are read; the last so many */
static size_t count;

static bool identify(int at, const char *path, struct identity *out)
{
    struct statx status;
    if (statx(at, path, *path ? 0 : AT_EMPTY_PATH, STATX_TYPE | STATX_INO | STATX_BTIME, &status) != 0 ||
        !S_ISREG(status.stx_mode))
        return false;
    *out = (struct identity){(uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor, status.stx_ino, 0, 0};
    if (status.stx_mask & STATX_BTIME) {
        out->seconds = (uint64_t)status.stx_btime.tv_sec;
        out->nanoseconds = status.stx_btime.tv_nsec;
    }
    return true;
}

static bool is_noted(const struct identity *file)
{
    for (size_t i = 0; i < count && i < FILES_MAX; i++)
        if (memcmp(&files[i], file, sizeof *file) == 0)
            return true;
    return false;
}

static void note(int at, const char *path)
{
    struct identity file;
    if (identify(at, path, &file) && !is_noted(&file))
        files[count++ % FILES_MAX] = file;
}

bool input_file_is_read(const char *path)
{
    struct identity file;
    return identify(AT_FDCWD, path, &file) && is_noted(&file);
}

void input_file_note(const char *path)
{
    if (*path)
        note(AT_FDCWD, path);
}

int input_file_descriptor(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return -1;
    fcntl(descriptor, F_SETFL, O_RDONLY);
    note(descriptor, "");
    return descriptor;
}

FILE *input_file_open(const char *path)
{
    int descriptor = input_file_descriptor(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    if (descriptor >= 0 && !file)
        close(descriptor);
    return file;
}

void *input_file_read(const char *path, size_t most, size_t *length, char reason[INPUT_FILE_REASON])
{
    FILE *file = input_file_open(path);
    uint8_t *bytes = or_abort(malloc(most + 1));
    *length = file ? fread(bytes, 1, most + 1, file) : 0;
    bool good = file && !ferror(file) && *length <= most;
    if (file && !ferror(file))
        snprintf(reason, INPUT_FILE_REASON, "more than %zu bytes", most);
    else
        snprintf(reason, INPUT_FILE_REASON, "%s", strerror(errno));
    if (file)
        fclose(file);
    if (!good) {
        free(bytes);
        return NULL;
    }
    bytes[*length] = 0;
    return or_abort(realloc(bytes, *length + 1));
}
