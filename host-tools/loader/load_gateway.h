/* Load packets through the firmware of a gateway, which goes on running: requests to its console, and reports of the
 * answers that are delivered there. The gateway's own site cannot be a target.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_LOAD_GATEWAY_H
#define POSTROAD_LOADER_LOAD_GATEWAY_H

#include "loader/load_carrier.h"
#include "loader/load_requests.h"

enum { LOAD_GROUP = 16 /* targets of a packet, which leave room for a record of some size */ };

struct load_gateway {
    struct load_carrier carrier; /* first */
    struct gateway *gateway;     /* the caller's */
    struct load_requests requests;
    bool halves; /* it takes data words of 16 bits */
};

/* `count`: sites at most that a record goes to; `timeout`: seconds for which the gateway may be silent. EXIT_OK, or the
 * exit code to end with, after printing why. */
int load_gateway_open(struct load_gateway *load, struct gateway *gateway, size_t count, double timeout);

#endif
