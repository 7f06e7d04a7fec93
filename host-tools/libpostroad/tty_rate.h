/* The rate of an open serial line. A line that is none (a socket) has rate 0.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_TTY_RATE_H
#define POSTROAD_LIBPOSTROAD_TTY_RATE_H

#include <stdbool.h>

/* At which a board is sought that does not answer at the rate which it should have. */
enum { PR_TTY_RATES = 4 };
extern const int pr_tty_rates[PR_TTY_RATES];

int pr_tty_rate(int descriptor);

/* Of a board that should have the rate `own`: that of question number `asked`, from 0 on. Every other one is asked at
 * another rate: the bitstream may have been built for it, and some USB chips have other rates than they are told. */
int pr_tty_next_rate(int own, unsigned asked);

/* What was written before may leave at the new rate. False, with errno: the driver refuses. */
bool pr_tty_set_rate(int descriptor, int baud);

#endif
