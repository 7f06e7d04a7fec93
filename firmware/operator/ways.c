/* See ways.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/ways.h"

#include "operator/target_list.h"
#include "wire/hints.h"

void pr_ways_init(struct pr_ways *ways, const struct pr_capabilities *can, const struct pr_shape *shape, unsigned site,
                  struct pr_route *routes)
{
    ways->shape = shape;
    ways->order = pr_dimension_order_from(shape, site);
    if (!can->source_routed)
        return;
    ways->routes = routes;
    ways->sites = pr_shape_sites(shape);
    for (unsigned k = 0; k <= ways->sites; k++)
        routes[k].count = 0;
}

bool pr_ways_learn(struct pr_ways *ways, unsigned site, const uint8_t *ports, unsigned count)
{
    struct pr_route *route;
    if (!ways->routes || site > ways->sites || count > PR_ROUTE_PORTS_MAX)
        return false;
    route = &ways->routes[site];
    route->count = (uint8_t)count;
    for (unsigned k = 0; k < count; k++)
        route->ports[k] = ports[k];
    return true;
}

PR_NOT_INLINED void pr_route_put(const struct pr_ways *ways, struct pr_packet *packet)
{
    unsigned at = packet->first_target;
    const struct pr_route *route = &ways->routes[pr_shape_site(ways->shape, packet->words[at])];
    pr_packet_insert_info(packet, at, route->count);
    for (unsigned k = 0; k < route->count; k++)
        packet->words[at + k] = route->ports[k];
}

PR_NOT_INLINED void pr_route_take_off(struct pr_packet *packet)
{
    unsigned words = 0;
    while (pr_packet_is_info(packet, packet->first_target + words))
        words++;
    pr_packet_remove_info(packet, packet->first_target, words);
}
