/* See outgoing.h. Not for packets on the way of one that is sent on (transmit.c).
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/outgoing.h"

PR_NOT_INLINED bool pr_give(struct pr_outgoing *outgoing, const struct pr_here *here, struct pr_packet *packet)
{
    bool has_route = pr_ways_have_routes(&here->ways);
    if (has_route)
        pr_route_put(&here->ways, packet);
    if (!pr_network_interface_send(here->interface, packet)) {
        if (has_route)
            pr_route_take_off(packet);
        return false;
    }
    outgoing->count++;
    return true;
}
