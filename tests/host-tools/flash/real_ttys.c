/* For LD_PRELOAD, in front of umockdev's library: opens $FAKE_TTYS/NAME in place of /dev/NAME, if it is there. umockdev
 * answers every ioctl of a file that it has opened below /dev, so that a pty would be no terminal.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int open(const char *path, int flags, ...)
{
    static const char dev[] = "/dev/tty";
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    const char *folder = getenv("FAKE_TTYS");
    char real[512];
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (folder && strncmp(path, dev, strlen(dev)) == 0) {
        snprintf(real, sizeof real, "%s/%s", folder, path + strlen("/dev/"));
        return (int)syscall(SYS_openat, AT_FDCWD, real, flags, mode);
    }
    return next(path, flags, mode);
}
