/* SIGINT and SIGTERM. Verbs keep them blocked but where they wait (ppoll): one comes in there, ends the wait, and the
 * verb can tidy up.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_SIGNALS_H
#define POSTROAD_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Both blocked. */
void signals_block(void);

/* Both blocked, with a handler that does nothing: for ppoll to be ended by. */
void signals_end_waits(void);

/* Neither blocked, and both end the process: before another program runs, or where there is nothing to tidy up. */
void signals_end_process(void);

/* Neither blocked; each is counted where the pointer points: for work that looks there from time to time. */
const volatile sig_atomic_t *signals_note(void);

/* One has come while it was blocked. */
bool signals_pending(void);

#endif
