/* The consoles of several sites in one stream.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_CONSOLE_FOLLOW_H
#define POSTROAD_CLI_CONSOLE_FOLLOW_H

#include "cli/options.h"

struct follow_options {
    const char *filter; /* an extended regular expression that shown lines match, or NULL */
    const char *log;    /* the directory of the log files, or NULL: none are written */
};

/* True if the options ask for this stream, and not for the command line of one site: a filter, a log or several
 * sites. */
bool console_follow_wanted(const struct options *options, const struct follow_options *follow);

/* Shows the sites' console output until a signal arrives, the time is up, or the mesh has ended. Returns the exit
 * code. */
int console_follow(const struct options *options, const struct follow_options *follow);

#endif
