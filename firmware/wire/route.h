/* A route through switches that the operator of a packet's source has to name, of a fabric with the capability
 * SOURCE_ROUTED.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_ROUTE_H
#define POSTROAD_WIRE_ROUTE_H

#include <stdint.h>

enum { PR_ROUTE_PORTS_MAX = 15 };

/* The port by which each switch on the way is left, from the source's own on. Port 0 leads to a switch's operator,
 * where the route ends, and port k + 1 to link k. No ports: no route is known. */
struct pr_route {
    uint8_t count;
    uint8_t ports[PR_ROUTE_PORTS_MAX];
};

enum { PR_ROUTE_WORDS = sizeof(struct pr_route) / 4 };

#endif
