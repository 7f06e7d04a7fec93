/* The mapper's scouts, sent by the gateway's operator (operator/scout.h).
 *
 * A scout takes three messages: its way, as the route of scouts; the packet, to the number behind those of the sites;
 * and the event that tells what has become of it. Each has another number, so that one that is late is not taken for
 * its successor. If nothing comes within some times the longest of the last journeys, nothing will.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_SCOUTS_H
#define POSTROAD_CLI_SCOUTS_H

#include "cli/gateway.h"
#include "cli/mapper.h"

/* Can the operators of this mesh send scouts? */
bool scouts_exist(const struct gateway *gateway);

/* Maps the mesh from the gateway. Returns EXIT_OK, or the exit code to end with after printing why. mapper_free in
 * either case. */
int scouts_map(struct gateway *gateway, struct mapper *mapper);

#endif
