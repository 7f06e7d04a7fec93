/* Endpoints: where a node's console is reached. One syntax for every platform:
 *
 *   sim:NAME        a mesh started by `postroad up`; the site is chosen apart. sim:/DIR names the run directory itself
 *   unix:PATH       a unix stream socket
 *   tty:PATH        a serial line, raw, taken exclusively; tty:PATH@BAUD, default 1000000
 *   tcp:HOST:PORT   a TCP stream
 *
 * sim: and unix: are opened only if the process that serves them is this user's.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_ENDPOINT_H
#define POSTROAD_LIBPOSTROAD_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

enum { PR_ENDPOINT_PATH_SIZE = 512, PR_ENDPOINT_DEFAULT_BAUD = 1000000 };

enum pr_endpoint_kind { PR_ENDPOINT_SIM, PR_ENDPOINT_UNIX, PR_ENDPOINT_TTY, PR_ENDPOINT_TCP };

struct pr_endpoint {
    enum pr_endpoint_kind kind;
    char path[PR_ENDPOINT_PATH_SIZE]; /* sim: the run directory; tcp: the host */
    char port[32];
    int baud;
};

/* What went wrong, in terms of the exit codes: bad text or a site that is not there is the user's, the rest the
 * line's. */
enum pr_endpoint_error { PR_ENDPOINT_BAD = -1, PR_ENDPOINT_UNREACHABLE = -2 };

/* 0, or PR_ENDPOINT_BAD with the reason in error. */
int pr_endpoint_parse(const char *text, struct pr_endpoint *out, char *error, size_t error_size);

/* Opens the console of a site (only sim: has more than one) and returns a non-blocking descriptor that the caller
 * closes, or an endpoint_error with the reason in error.
 */
int pr_endpoint_open(const struct pr_endpoint *endpoint, int site, char *error, size_t error_size);

#endif
