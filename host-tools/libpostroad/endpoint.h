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
#ifndef POSTROAD_LIBRARY_ENDPOINT_H
#define POSTROAD_LIBRARY_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

enum { ENDPOINT_PATH_SIZE = 512, ENDPOINT_DEFAULT_BAUD = 1000000 };

enum endpoint_kind { ENDPOINT_SIM, ENDPOINT_UNIX, ENDPOINT_TTY, ENDPOINT_TCP };

struct endpoint {
    enum endpoint_kind kind;
    char path[ENDPOINT_PATH_SIZE]; /* sim: the run directory; tcp: the host */
    char port[32];
    int baud;
};

/* What went wrong, in terms of the exit codes: bad text or a site that is not there is the user's, the rest the
 * line's. */
enum endpoint_error { ENDPOINT_BAD = -1, ENDPOINT_UNREACHABLE = -2 };

/* 0, or ENDPOINT_BAD with the reason in error. */
int endpoint_parse(const char *text, struct endpoint *out, char *error, size_t error_size);

/* Opens the console of a site (only sim: has more than one) and returns a non-blocking descriptor that the caller
 * closes, or an endpoint_error with the reason in error.
 */
int endpoint_open(const struct endpoint *endpoint, int site, char *error, size_t error_size);

#endif
