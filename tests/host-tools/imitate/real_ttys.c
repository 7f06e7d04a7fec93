/* For LD_PRELOAD, in front of umockdev's library: opens $FAKE_TTYS/NAME in place of /dev/NAME, if it is there. umockdev
 * answers every ioctl of a file that it has opened below /dev, so that a pty would be no terminal; and its realpath()
 * overwrites the stack (0.17).
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The descriptor, or -2: no such name. */
static int open_real(const char *path, int flags, mode_t mode)
{
    const char *folder = getenv("FAKE_TTYS");
    char real[512];
    if (!folder || strncmp(path, "/dev/tty", strlen("/dev/tty")) != 0)
        return -2;
    snprintf(real, sizeof real, "%s/%s", folder, path + strlen("/dev/"));
    return (int)syscall(SYS_openat, AT_FDCWD, real, flags, mode);
}

#define OPENS(name)                                                                                     \
    int name(const char *path, int flags, ...)                                                          \
    {                                                                                                   \
        int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name); \
        va_list arguments;                                                                              \
        va_start(arguments, flags);                                                                     \
        mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;                                  \
        va_end(arguments);                                                                              \
        int file = open_real(path, flags, mode);                                                        \
        return file == -2 ? next(path, flags, mode) : file;                                             \
    }

OPENS(open)
OPENS(open64)

char *realpath(const char *path, char *resolved)
{
    char *(*next)(const char *, char *) = (char *(*)(const char *, char *))dlsym(RTLD_NEXT, "realpath");
    char entry[64];
    int file = open_real(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (file < 0 || !resolved)
        return file == -2 ? next(path, resolved) : NULL;
    snprintf(entry, sizeof entry, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, entry, resolved, PATH_MAX - 1);
    close(file);
    resolved[length < 0 ? 0 : length] = 0;
    return length < 0 ? NULL : resolved;
}
