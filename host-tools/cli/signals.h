/* SIGINT, SIGTERM, and SIGHUP unless it is ignored (nohup). A verb begins such that each ends the process at
 * once: whatever it reads, computes or waits for, it has nothing to clean up but files that it has begun. From
 * signals_end_waits() on, all are blocked except while the verb waits in ppoll. A signal ends that wait, and the verb
 * can clean up.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_SIGNALS_H
#define POSTROAD_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Blocks all. */
void signals_block(void);

/* Blocks all, with a handler that ends a ppoll and does nothing else. */
void signals_end_waits(void);

/* Unblocks all; each ends the process with EXIT_INTERRUPTED, and the files that it has begun (output_file.h) are gone.
 */
void signals_end_process(void);

/* Unblocks all; a signal sets the flag behind the pointer. For work that checks the flag from time to time. */
const volatile sig_atomic_t *signals_note(void);

/* Blocks all for a piece of work that would leave something behind if it were broken off, and ends that. */
void signals_hold(sigset_t *before);
void signals_release(const sigset_t *before);

/* Sets a handler of the caller's. */
void signals_handle(void (*handler)(int number));

/* Is the signal to stay ignored? */
bool signals_ignored(int number);

/* True if a signal has come since signals_end_waits(), signals_block() or signals_note(). */
bool signals_pending(void);

#endif
