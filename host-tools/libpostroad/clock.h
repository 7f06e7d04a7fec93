/* A clock that stands still while this process is stopped (Ctrl-Z, a frozen container or virtual machine), so that no
 * limit passes meanwhile: whoever has to answer may have stood still, too. A part of a wait shows it, which takes
 * longer than it was to take.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_CLOCK_H
#define POSTROAD_LIBPOSTROAD_CLOCK_H

#include <poll.h>
#include <stddef.h>

/* Seconds. */
double pr_clock_now(void);

/* ppoll, in which signals are unblocked; milliseconds -1: for as long as it takes. */
int pr_clock_wait(struct pollfd *polls, size_t count, int milliseconds);

#endif
