/* The router of a site: heads that seek a net_output, connections, marked words that cross (the paper's seek, connect
 * and disconnect; hw/cutthrough/router.v, heading.v and access.v).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_ROUTER_H
#define POSTROAD_FUNCTIONAL_ROUTER_H

#include "functional/functional.h"

/* One clock: grants, crossings, and what the net_inputs tell upstream. */
void router_clock(struct functional *functional, struct site *site);

#endif
