/* The router of a site: heads that seek a net_output, connections, marked words that cross (the paper's seek, connect
 * and disconnect; hw/cutthrough/router.v, heading.v and access.v).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_ROUTER_H
#define POSTROAD_FUNCTIONAL_ROUTER_H

#include "functional/router_model.h"

extern const struct router_model router_cutthrough;

#endif
