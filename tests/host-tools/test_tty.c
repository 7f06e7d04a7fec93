/* A serial line is opened with settings of its own, whatever the last program has left: raw, without flow control of
 * any kind, one stop bit, at any rate that a chip may have; and its driver is asked not to hold short reads back.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "check.h"
#include "libpostroad/endpoint.h"
#include "libpostroad/tty.h"
#include "libpostroad/tty_rate.h"

#include <fcntl.h>
#include <linux/serial.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

static bool driver_knows;
static int flags, settings_made;

/* That of the C library, but for the settings of a driver that a pty does not have. */
int ioctl(int descriptor, unsigned long request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    struct serial_struct *settings = argument;
    if (!driver_knows || (request != TIOCGSERIAL && request != TIOCSSERIAL))
        return (int)syscall(SYS_ioctl, descriptor, request, argument);
    if (request == TIOCGSERIAL) {
        memset(settings, 0, sizeof *settings);
        settings->flags = flags;
    } else {
        flags = settings->flags;
        settings_made++;
    }
    return 0;
}

/* A pty, and its other end, which keeps the settings while it is open. */
static int make_pty(int *other)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        abort();
    *other = open(ptsname(master), O_RDWR | O_NOCTTY);
    return master;
}

static void left_settings(void)
{
    char error[256];
    int other, master = make_pty(&other);
    struct termios settings;
    tcgetattr(other, &settings);
    settings.c_iflag |= IXON | IXOFF | IXANY | ICRNL | ISTRIP;
    settings.c_cflag |= CSTOPB | CRTSCTS | PARENB;
    settings.c_cc[VMIN] = 9;
    settings.c_cc[VTIME] = 9;
    tcsetattr(other, TCSANOW, &settings);
    int line = pr_tty_open(ptsname(master), 250000, error, sizeof error);
    check(line >= 0, "%s", error);
    tcgetattr(other, &settings);
    check((settings.c_iflag & (tcflag_t)(IXON | IXOFF | IXANY | ICRNL | ISTRIP)) == 0, "input flags %#x",
          settings.c_iflag);
    check((settings.c_cflag & (tcflag_t)(CSTOPB | CRTSCTS | PARENB)) == 0 && (settings.c_cflag & CSIZE) == CS8,
          "control flags %#x", settings.c_cflag);
    check(settings.c_cc[VMIN] == 1 && settings.c_cc[VTIME] == 0, "VMIN %d, VTIME %d", settings.c_cc[VMIN],
          settings.c_cc[VTIME]);
    check(pr_tty_rate(other) == 250000, "rate %d", pr_tty_rate(other));
    close(line);
    close(other);
    close(master);
}

static void latency(void)
{
    char error[256];
    int other, master = make_pty(&other), line = pr_tty_open(ptsname(master), 1000000, error, sizeof error);
    check(line >= 0, "a driver without this setting: %s", error);
    close(line);
    driver_knows = true;
    flags = ASYNC_SKIP_TEST;
    line = pr_tty_open(ptsname(master), 1000000, error, sizeof error);
    check(line >= 0 && settings_made == 1 && flags == (ASYNC_SKIP_TEST | ASYNC_LOW_LATENCY), "flags %#x", flags);
    driver_knows = false;
    close(line);
    close(other);
    close(master);
}

static void rates(void)
{
    char error[256];
    const int expected[] = {250000, 1000000, 250000, 230400, 250000, 115200, 250000, 1000000};
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
        check(pr_tty_next_rate(250000, i) == expected[i], "question %u at %d", i, pr_tty_next_rate(250000, i));
    check(pr_tty_next_rate(9600, 7) == 115200, "all four rates of a line with a fifth");
    check(pr_tty_open("/dev/null", 100, error, sizeof error) == PR_ENDPOINT_BAD, "no chip has 100 baud");
    check(pr_tty_rate(0) == 0 || isatty(0), "what is no serial line has no rate");
}

int main(void)
{
    RUN(left_settings);
    RUN(latency);
    RUN(rates);
    return verdict("test_tty");
}
