/* SIGINT and SIGTERM. A verb begins such that each ends the process at once: whatever it reads, computes or waits for,
 * it has nothing to clean up but files that it has begun. From signals_end_waits() on, both are blocked except while
 * the verb waits in ppoll. A signal ends that wait, and the verb can clean up.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_SIGNALS_H
#define POSTROAD_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Blocks both. */
void signals_block(void);

/* Blocks both, with a handler that ends a ppoll and does nothing else. */
void signals_end_waits(void);

/* Unblocks both; each ends the process with EXIT_INTERRUPTED, and the files that it has begun (output_file.h) are gone.
 */
void signals_end_process(void);

/* Unblocks both; a signal sets the flag behind the pointer. For work that checks the flag from time to time. */
const volatile sig_atomic_t *signals_note(void);

/* Blocks both for a piece of work that would leave something behind if it were broken off, and ends that. */
void signals_hold(sigset_t *before);
void signals_release(const sigset_t *before);

/* True if a signal has come since signals_end_waits(), signals_block() or signals_note(). */
bool signals_pending(void);

#endif
