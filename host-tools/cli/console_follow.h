/* What sites say on their consoles, in one stream.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_CONSOLE_FOLLOW_H
#define POSTROAD_CLI_CONSOLE_FOLLOW_H

#include "cli/options.h"

/* True if these options of `console` ask for this, and not for one site's command line. */
bool watch_wanted(const struct options *options);

/* Shows it until interrupted, until the time is up, or until the mesh is gone. Returns the exit code. */
int watch(const struct options *options);

#endif
