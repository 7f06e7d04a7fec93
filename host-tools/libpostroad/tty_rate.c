/* The rate of a serial line, in the kernel's own structure (termios2): it takes any number, as FTDI's chips do, where
 * <termios.h> has a constant for each rate and none for 250000. The two headers exclude each other.
 *
 * SPDX-License-Identifier: ISC
 */
#include "libpostroad/tty_rate.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>

/* <sys/ioctl.h> brings another struct termios. */
int ioctl(int descriptor, unsigned long request, ...);

const int pr_tty_rates[PR_TTY_RATES] = {1000000, 250000, 230400, 115200};

int pr_tty_rate(int descriptor)
{
    struct termios2 settings;
    return ioctl(descriptor, TCGETS2, &settings) == 0 ? (int)settings.c_ospeed : 0;
}

int pr_tty_next_rate(int own, unsigned asked)
{
    unsigned left = asked / 2;
    for (unsigned i = 0; asked % 2; i++) {
        int rate = pr_tty_rates[i % PR_TTY_RATES];
        if (rate != own && left-- == 0)
            return rate;
    }
    return own;
}

bool pr_tty_set_rate(int descriptor, int baud)
{
    struct termios2 settings;
    if (ioctl(descriptor, TCGETS2, &settings) != 0)
        return false;
    settings.c_cflag &= ~(tcflag_t)(CBAUD | CBAUD << IBSHIFT);
    settings.c_cflag |= BOTHER;
    settings.c_ispeed = settings.c_ospeed = (speed_t)baud;
    return ioctl(descriptor, TCSETS2, &settings) == 0;
}
