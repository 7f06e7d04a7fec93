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

/* `brokers`: one a site. All that is passed outlives what it returns, which takes the back end's reset hook. */
struct site_health *site_health_create(struct backend *backend, struct pr_broker **brokers, const char *directory);
void site_health_destroy(struct site_health *health);

/* Looks at every site and reports what has changed. To be called after each run of the back end. */
void site_health_look(struct site_health *health);

/* Milliseconds until site_health_look may find a change although nothing runs; -1: never. */
int site_health_milliseconds(struct site_health *health);

/* True if it is known how a site has started since its last reset: its firmware has come to rest, has ended, hangs, or
 * has run for 100000 clocks (SERV: a million) and accessed its network interface or console lately; or its console is
 * lost. */
bool site_health_settled(const struct site_health *health, unsigned site);

/* How many sites are in trouble, of those that are marked in `sites`, or of all if that is NULL. `out` gets as many
 * lines "site N: why" as fit, without a newline at the end. */
unsigned site_health_troubles(const struct site_health *health, const bool *sites, char *out, size_t size);

/* A debugger has been attached to a site, which is looked at from now on until the debugger has gone. */
void site_health_debugger(struct site_health *health, unsigned site);

#endif
