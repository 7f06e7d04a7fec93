/* postroad load, for boards: over the mesh, through the console of one site.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_LOAD_BOARDS_H
#define POSTROAD_POSTROAD_LOAD_BOARDS_H

#include "cli/gateway.h"
#include "cli/site_set.h"
#include "loader/load_signature.h"

/* Loads the sites with the image at `path`, and prints the result. `found`: the mesh, from gateway_find_up; `lock`:
 * that of its testbed, which may refuse the image before anything is sent. Returns the exit code. */
int load_boards(const struct options *options, const struct gateway *found, const struct site_set *set,
                const char *path, const struct load_lock *lock);

#endif
