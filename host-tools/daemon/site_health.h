/* The health of a mesh's sites: whether the firmware of a site has started, why it has ended, where it hangs, whether a
 * debugger holds it, whether its console is lost. Each change is a line in the log, and a log message to the clients of
 * the site's console. The log has the text that sites write to their consoles, too.
 *
 *                     started                 ends, hangs, is lost
 *      starting ------------------> well ---------------------------> in trouble
 *         ^                          |                                    |
 *         +--------------------------+------------------------------------+    the site is reset, loaded, plugged again
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_SITE_HEALTH_H
#define POSTROAD_DAEMON_SITE_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

struct backend;
struct pr_broker;
struct site_health;

/* `brokers`: one for each site. The arguments must outlive the returned object, which sets the back end's reset
 * hook. */
struct site_health *site_health_create(struct backend *backend, struct pr_broker **brokers, const char *directory);
void site_health_destroy(struct site_health *health);

/* Checks every site and reports every change. To be called after each run of the back end. */
void site_health_look(struct site_health *health);

/* Milliseconds until site_health_look may find a change without a run of the back end; -1: never. */
int site_health_milliseconds(struct site_health *health);

/* True if the outcome of the site's last reset is known. Either its firmware has come to rest, has ended, hangs, or has
 * run for 100000 clocks (SERV: a million) and accessed its network interface or console lately. Or its console is
 * lost. */
bool site_health_settled(const struct site_health *health, unsigned site);

/* The number of sites in trouble among those marked in `sites`, or among all if that is NULL. `out` gets as many lines
 * "site N: reason" as fit, without a newline at the end. */
unsigned site_health_troubles(const struct site_health *health, const bool *sites, char *out, size_t size);

/* To be called when a debugger has been attached to a site. The site is checked from then on until the debugger has
 * detached. */
void site_health_debugger(struct site_health *health, unsigned site);

#endif
