/* The daemon behind `postroad up`: one process that serves the consoles of a mesh, with any back end.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_DAEMON_H
#define POSTROAD_DAEMON_DAEMON_H

#include <stddef.h>

struct backend;
struct daemon;

/* Makes one listening unix socket for each site in the run directory, and one for requests to the daemon
 * (daemon_requests.h). The back end must outlive the daemon. From now on SIGTERM and SIGINT, which the caller has
 * blocked, end daemon_start and daemon_serve. NULL with the reason in error. */
struct daemon *daemon_create(struct backend *backend, const char *directory, char *error, size_t error_size);

/* Waits until the sites have started. Returns the number of sites in trouble, with a line for each in the form of
 * site_health_troubles. */
unsigned daemon_start(struct daemon *daemon, char *troubles, size_t size);

/* Serves until SIGTERM or SIGINT. An idle mesh waits in poll() and uses no processor time. */
void daemon_serve(struct daemon *daemon);
void daemon_destroy(struct daemon *daemon);

#endif
