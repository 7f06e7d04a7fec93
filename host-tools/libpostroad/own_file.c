/* See own_file.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "libpostroad/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OTHERS_WRITE = S_IWGRP | S_IWOTH, MODE_BITS = 07777 };

static const char *kind_name(mode_t mode)
{
    return S_ISDIR(mode) ? "directory" : S_ISREG(mode) ? "file" : S_ISLNK(mode) ? "symbolic link" : "special file";
}

/* False, with the reason in error: the file belongs to another user, others can write to it, or it is of another
 * kind. */
static bool is_own(int file, mode_t kind, const char *path, char *error, size_t error_size)
{
    struct stat status;
    if (fstat(file, &status) != 0) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return false;
    }
    if ((status.st_mode & S_IFMT) == kind && status.st_uid == geteuid() && !(status.st_mode & OTHERS_WRITE))
        return true;
    snprintf(error, error_size,
             "%s is a %s of user %u with mode %04o, expected a %s that belongs to user %u and that no other "
             "can write to: remove it, or name a directory of your own (XDG_RUNTIME_DIR, --checkpoint)",
             path, kind_name(status.st_mode), (unsigned)status.st_uid, (unsigned)status.st_mode & MODE_BITS,
             kind_name(kind), (unsigned)geteuid());
    return false;
}

static int open_own(int at, const char *name, int flags, mode_t kind, const char *path, char *error, size_t error_size)
{
    int file = openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
    *error = 0;
    if (file < 0 && errno != ENOENT)
        snprintf(error, error_size, "%s: %s", path,
                 errno == ELOOP ? "a symbolic link, expected a file" : strerror(errno));
    if (file < 0 || is_own(file, kind, path, error, error_size))
        return file;
    close(file);
    return -1;
}

int pr_own_directory_open(int at, const char *name, const char *path, char *error, size_t error_size)
{
    return open_own(at, name, O_PATH, S_IFDIR, path, error, error_size);
}

int pr_own_file_open(int at, const char *name, const char *path, int flags, char *error, size_t error_size)
{
    return open_own(at, name, flags | O_NONBLOCK, S_IFREG, path, error, error_size);
}
