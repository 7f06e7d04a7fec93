/* SIGINT and SIGTERM. Verbs keep them blocked but where they wait (ppoll): one comes in there, ends the wait, and the
 * verb can tidy up.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_SIGNALS_H
#define POSTROAD_CLI_SIGNALS_H

#include <stdbool.h>

/* Both blocked. */
void signals_block(void);

/* Both blocked, with a handler that does nothing: for ppoll to be ended by. */
void signals_end_waits(void);

/* Neither blocked, and both end the process: before another program runs, or where there is nothing to tidy up. */
void signals_end_process(void);

/* One has come while it was blocked. */
bool signals_pending(void);

#endif
