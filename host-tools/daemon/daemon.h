/* The daemon behind `postroad up`: runs a simulation and serves the consoles of its sites.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_DAEMON_H
#define POSTROAD_DAEMON_DAEMON_H

#include <stdbool.h>
#include <stddef.h>

struct daemon;
struct simulation;
struct mesh_config;

/* Makes one listening unix socket a site in the run directory, and one for itself (control.h). From now on SIGTERM and
 * SIGINT, which the caller has blocked, end a start and a service. NULL with the reason in error. */
struct daemon *daemon_create(struct simulation *simulation, const struct mesh_config *mesh, const char *directory,
                             char *error, size_t error_size);

/* Lets the sites start. Returns the number of those that ended or hang, and a line for each, as monitor_troubles. */
unsigned daemon_start(struct daemon *daemon, char *troubles, size_t size);

/* Serves until SIGTERM or SIGINT. An idle mesh waits in poll() and uses no processor. */
void daemon_serve(struct daemon *daemon);
void daemon_destroy(struct daemon *daemon);

#endif
