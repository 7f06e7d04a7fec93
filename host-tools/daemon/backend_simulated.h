/* The back end whose sites are simulated.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_BACKEND_SIMULATED_H
#define POSTROAD_DAEMON_BACKEND_SIMULATED_H

#include <stddef.h>

struct backend;
struct simulation_options;

/* Creates the simulation that `options` describe. The mesh in them must outlive the back end. NULL with the reason in
 * error. */
struct backend *backend_simulated_create(const struct simulation_options *options, char *error, size_t error_size);

#endif
