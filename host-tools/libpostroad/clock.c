/* See clock.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "libpostroad/clock.h"

#include <signal.h>
#include <time.h>

enum { PART_MS = 1000, LATE_MS = 500 /* a busy computer may wake a process that late */ };

static double stopped; /* seconds, all in all */

static double monotonic(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double pr_clock_now(void)
{
    return monotonic() - stopped;
}

static int wait_part(struct pollfd *polls, size_t count, int milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    double began = monotonic();
    sigset_t none;
    sigemptyset(&none);
    int result = ppoll(polls, (nfds_t)count, milliseconds < 0 ? NULL : &time, &none);
    double late = monotonic() - began - milliseconds / 1e3;
    if (milliseconds >= 0 && late > LATE_MS / 1e3)
        stopped += late;
    return result;
}

int pr_clock_wait(struct pollfd *polls, size_t count, int milliseconds)
{
    int result = 0;
    for (; milliseconds > PART_MS && result == 0; milliseconds -= PART_MS)
        result = wait_part(polls, count, PART_MS);
    return result ? result : wait_part(polls, count, milliseconds);
}
