/* The network_interface, for whatever is not on the way of a packet that is sent on. Functions, because the inline ones
 * (network_interface.h) ask each time which back end there is.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/operator_private.h"

PR_NOT_INLINED uint32_t pr_clock_of(const struct pr_operator *op)
{
    return pr_network_interface_clock(op->interface);
}

PR_NOT_INLINED bool pr_give(struct pr_operator *op, struct pr_packet *packet)
{
    bool has_route = pr_ways_have_routes(&op->ways);
    if (has_route)
        pr_route_put(&op->ways, packet);
    if (!pr_network_interface_send(op->interface, packet)) {
        if (has_route)
            pr_route_take_off(packet);
        return false;
    }
    op->sending++;
    return true;
}
