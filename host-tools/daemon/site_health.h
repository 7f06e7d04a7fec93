/* What becomes of the firmware of a simulated mesh's sites: whether it has started, why it has ended, where it hangs,
 * and whether it stands still in a debugger. What changes is said in the log, which also has what the sites say, and to
 * whoever looks at the site's console.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_SITE_HEALTH_H
#define POSTROAD_DAEMON_SITE_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

struct pr_broker;
struct mesh_config;
struct monitor;
struct simulation;

/* `brokers`: one a site. All that is passed outlives the monitor. The simulation's reset hook is the monitor's. */
struct monitor *monitor_create(struct simulation *simulation, const struct mesh_config *mesh,
                               struct pr_broker **brokers, const char *directory);
void monitor_destroy(struct monitor *monitor);

/* Looks at every site, and says what has changed. To be called after each run of the simulation. */
void monitor_look(struct monitor *monitor);

/* Milliseconds until monitor_look has something to find though nothing runs; -1: never. */
int monitor_milliseconds(const struct monitor *monitor);

/* True if it is known how a site has started since its last reset: its firmware has come to rest, has ended, hangs, or
 * has run for 100000 clocks (SERV: a million) and looked at network or console lately. */
bool monitor_settled(const struct monitor *monitor, unsigned site);

/* How many sites have ended or hang, of those that are marked in `sites`, or of all if that is NULL; and, as many as
 * fit, lines "site N: why" for them, without a newline at the end. */
unsigned monitor_troubles(const struct monitor *monitor, const bool *sites, char *out, size_t size);

/* A debugger has been attached to a site: from now on it is looked after until it has gone. */
void monitor_debugger(struct monitor *monitor, unsigned site);

#endif
