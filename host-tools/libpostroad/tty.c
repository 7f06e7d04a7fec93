/* Opening a serial line exclusively. A lock (flock) keeps out other programs of this kit, including root's. TIOCEXCL
 * keeps out all other programs except root's.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "libpostroad/tty.h"

#include "libpostroad/endpoint.h"
#include "libpostroad/file_holder.h"
#include "libpostroad/tty_rate.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { SLOWEST = 1200, FASTEST = 12000000 }; /* baud, of any chip */

static int in_use(const char *path, char *error, size_t error_size)
{
    char owner[PR_PROCESS_NAME];
    if (!pr_process_name(pr_file_holder(path), owner))
        snprintf(owner, sizeof owner, "another process");
    snprintf(error, error_size, "%s is in use by %s", path, owner);
    return PR_ENDPOINT_UNREACHABLE;
}

/* Settings outlive the program that made them, so each one that changes or holds back bytes is set here: software flow
 * control, for example, that a terminal program has left on. */
static bool configure(int descriptor, int baud)
{
    struct termios settings;
    if (tcgetattr(descriptor, &settings) != 0)
        return false;
    cfmakeraw(&settings);
    settings.c_iflag &= ~(tcflag_t)(IXOFF | IXANY | IUCLC | INPCK);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= ~(tcflag_t)(CRTSCTS | CSTOPB | CMSPAR);
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    return tcsetattr(descriptor, TCSANOW, &settings) == 0 && pr_tty_set_rate(descriptor, baud);
}

/* An FTDI chip keeps less than 62 bytes back for 16 ms unless it is told otherwise. Drivers that know no such setting
 * refuse, which is no error. */
static void lower_latency(int descriptor)
{
    struct serial_struct settings;
    if (ioctl(descriptor, TIOCGSERIAL, &settings) != 0)
        return;
    settings.flags |= ASYNC_LOW_LATENCY;
    ioctl(descriptor, TIOCSSERIAL, &settings);
}

int pr_tty_open(const char *path, int baud, char *error, size_t error_size)
{
    if (baud < SLOWEST || baud > FASTEST) {
        snprintf(error, error_size, "tty:%s@%d: expected a rate from %d to %d baud", path, baud, SLOWEST, FASTEST);
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
    if (ioctl(descriptor, TIOCEXCL) != 0 || !configure(descriptor, baud)) {
        snprintf(error, error_size, "cannot set up %s at %d baud: %s", path, baud, strerror(errno));
        close(descriptor);
        return PR_ENDPOINT_UNREACHABLE;
    }
    lower_latency(descriptor);
    return descriptor;
}
