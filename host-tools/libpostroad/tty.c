/* Opening a serial line exclusively. A lock (flock) keeps out other programs of this kit, including root's. TIOCEXCL
 * keeps out all other programs except root's.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "libpostroad/tty.h"

#include "libpostroad/endpoint.h"
#include "libpostroad/file_holder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static const struct {
    int baud;
    speed_t speed;
} speeds[] = {
    {9600, B9600},       {19200, B19200},     {38400, B38400},     {57600, B57600},     {115200, B115200},
    {230400, B230400},   {460800, B460800},   {500000, B500000},   {576000, B576000},   {921600, B921600},
    {1000000, B1000000}, {1500000, B1500000}, {2000000, B2000000}, {3000000, B3000000}, {4000000, B4000000},
};

static bool find_speed(int baud, speed_t *speed)
{
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        if (speeds[i].baud == baud) {
            *speed = speeds[i].speed;
            return true;
        }
    return false;
}

static int in_use(const char *path, char *error, size_t error_size)
{
    char owner[PR_PROCESS_NAME];
    if (!pr_process_name(pr_file_holder(path), owner))
        snprintf(owner, sizeof owner, "another process");
    snprintf(error, error_size, "%s is in use by %s", path, owner);
    return PR_ENDPOINT_UNREACHABLE;
}

static bool configure(int descriptor, speed_t speed)
{
    struct termios settings;
    if (tcgetattr(descriptor, &settings) != 0)
        return false;
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= ~(tcflag_t)CRTSCTS;
    return cfsetspeed(&settings, speed) == 0 && tcsetattr(descriptor, TCSANOW, &settings) == 0;
}

int pr_tty_open(const char *path, int baud, char *error, size_t error_size)
{
    speed_t speed;
    if (!find_speed(baud, &speed)) {
        snprintf(error, error_size, "tty:%s@%d: not a rate that serial lines have", path, baud);
        return PR_ENDPOINT_BAD;
    }
    int descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 && errno == EBUSY)
        return in_use(path, error, error_size);
    if (descriptor < 0 || !isatty(descriptor)) {
        snprintf(error, error_size, "cannot open %s: %s", path, descriptor < 0 ? strerror(errno) : "not a serial line");
        if (descriptor >= 0)
            close(descriptor);
        return PR_ENDPOINT_UNREACHABLE;
    }
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        close(descriptor);
        return in_use(path, error, error_size);
    }
    if (ioctl(descriptor, TIOCEXCL) != 0 || !configure(descriptor, speed)) {
        snprintf(error, error_size, "cannot set up %s at %d baud: %s", path, baud, strerror(errno));
        close(descriptor);
        return PR_ENDPOINT_UNREACHABLE;
    }
    return descriptor;
}
