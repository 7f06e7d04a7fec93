/* SIGINT and SIGTERM. A verb keeps both blocked except while it waits in ppoll. A signal ends that wait, and the verb
 * can clean up.
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

/* Unblocks both; each ends the process. For use before another program runs, or where nothing has to be cleaned up. */
void signals_end_process(void);

/* Unblocks both; a signal sets the flag behind the pointer. For work that checks the flag from time to time. */
const volatile sig_atomic_t *signals_note(void);

/* True if a signal has come while it was blocked. */
bool signals_pending(void);

#endif
