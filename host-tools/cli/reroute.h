/* Routes from what scouts have found, for the operators of all sites, and whether what was found is still so.
 *
 * While sites get their new routes one after the other, packets may take old and new ones, and wait for each other in a
 * circle. The fabric drops what waits too long, and the reliable service repeats it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_REROUTE_H
#define POSTROAD_CLI_REROUTE_H

#include "cli/gateway.h"

/* Sends each site of `found` its routes (mesh_routes.h), through its own console. A site without a way to another gets
 * none to it, and discards packets for it. Returns EXIT_OK, EXIT_PARTIAL if not all sites took them, after printing
 * which, or the exit code to end with. */
int reroute_sites(struct gateway *gateway, const struct mesh_config *found);

/* Sends a scout away and back over each cable of `found`, and over each of `wanted` whose ends have no cable in it.
 * `changed` is a cable of the first kind that has fallen silent or one of the second that is there now, or has
 * site == far_site: nothing has changed. A cable that is too far away for such a way is not looked at. Returns EXIT_OK,
 * or the exit code to end with after printing why. */
int reroute_check(struct gateway *gateway, const struct mesh_config *found, const struct mesh_config *wanted,
                  struct pr_cable *changed);

#endif
