/* Endpoints: the addresses of nodes' consoles. One syntax serves every platform:
 *
 *   up:NAME         a mesh that `postroad up` has started, simulated or of boards
 *   up:/DIR         the same, named by its run directory
 *   unix:PATH       a unix stream socket
 *   tty:PATH        a serial line at 1000000 baud, raw, opened exclusively
 *   tty:PATH@BAUD   the same at another rate
 *   tcp:HOST:PORT   a TCP stream
 *
 * Only up: reaches several sites: which one is an argument of pr_endpoint_open. up: and unix: are opened only if the
 * process that serves them belongs to this user.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_ENDPOINT_H
#define POSTROAD_LIBPOSTROAD_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PR_ENDPOINT_PATH_SIZE = 512, PR_ENDPOINT_DEFAULT_BAUD = 1000000 };

enum pr_endpoint_kind { PR_ENDPOINT_UP, PR_ENDPOINT_UNIX, PR_ENDPOINT_TTY, PR_ENDPOINT_TCP };

struct pr_endpoint {
    enum pr_endpoint_kind kind;
    char path[PR_ENDPOINT_PATH_SIZE]; /* up: the run directory; tcp: the host */
    char port[32];
    int baud;
};

/* Kinds of failure, as distinguished by exit codes. PR_ENDPOINT_BAD is a mistake of the user: bad text, or a site that
 * the mesh does not have. PR_ENDPOINT_UNREACHABLE is a failure of the line. */
enum pr_endpoint_error { PR_ENDPOINT_BAD = -1, PR_ENDPOINT_UNREACHABLE = -2 };

/* 0, or PR_ENDPOINT_BAD with the reason in error. */
int pr_endpoint_parse(const char *text, struct pr_endpoint *out, char *error, size_t error_size);

/* Opens the console of a site (only up: has more than one) and returns a non-blocking descriptor that the caller
 * closes, or an endpoint_error with the reason in error.
 */
int pr_endpoint_open(const struct pr_endpoint *endpoint, int site, char *error, size_t error_size);

#ifdef __cplusplus
}
#endif

#endif
