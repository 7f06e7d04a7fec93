/* See scout.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/scout.h"

PR_NOT_INLINED PR_RARE bool pr_scout_turn(struct pr_common *common, struct pr_packet *packet)
{
    unsigned own = common->here.identity->site, ports = packet->data_words - PR_SCOUT_WORDS;
    struct pr_route *route = &common->here.ways.routes[common->here.sites];
    uint32_t *data = packet->words + packet->target_words;
    if (data[PR_HEADER_SOURCE] == own || ports - 1 >= PR_ROUTE_PORTS_MAX)
        return false;
    data[PR_HEADER_SOURCE] = own;
    route->count = (uint8_t)ports;
    while (ports-- > 0)
        route->ports[ports] = (uint8_t)data[PR_SCOUT_WORDS + ports];
    packet->data_words = PR_SCOUT_WORDS;
    packet->kind = 0;
    pr_pool_queue(&common->pool, packet);
    return true;
}
