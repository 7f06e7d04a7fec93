/* See reroute.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/reroute.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exit_code.h"
#include "cli/report.h"
#include "cli/scouts.h"
#include "mesh/mesh_routes.h"

/* ---- the routes of all sites ---- */

static struct pr_route *routes_from(const struct mesh_config *mesh, unsigned site)
{
    struct pr_route *routes = mesh_routes(mesh, site);
    return routes;
}

static int ask(struct gateway *gateway, struct pr_client *client, unsigned site, const struct pr_frame *request)
{
    struct pr_frame answer;
    bool answered;
    int status = pr_client_ask(client, request, gateway->timeout, &answer, &answered);
    if (status == PR_CLIENT_INTERRUPTED)
        return EXIT_INTERRUPTED;
    if (status == PR_CLIENT_OK && answered && pr_message_status(&answer) == PR_CONSOLE_OK)
        return EXIT_OK;
    return report_failure(EXIT_PARTIAL, gateway->options->verb, "site %u has not taken its routes: %s", site,
                          status != PR_CLIENT_OK ? pr_client_lost_reason(client)
                          : answered             ? pr_message_status_text(pr_message_status(&answer))
                                                 : "no answer");
}

static int reroute_site(struct gateway *gateway, const struct mesh_config *found, unsigned site)
{
    struct pr_client *client = gateway->client;
    struct pr_route *routes = routes_from(found, site);
    struct pr_frame request;
    int status = EXIT_OK;
    pr_message_routes(&request, 0, routes, (unsigned)found->sites);
    free(routes);
    if (site != gateway->identity.site)
        status = gateway_connect(gateway, (int)site, &client);
    if (status != EXIT_OK)
        return EXIT_PARTIAL;
    status = ask(gateway, client, site, &request);
    if (client != gateway->client)
        pr_client_destroy(client);
    return status;
}

int reroute_sites(struct gateway *gateway, const struct mesh_config *found)
{
    int status = EXIT_OK;
    for (int site = 0; site < found->sites && status != EXIT_INTERRUPTED; site++) {
        int one = mesh_is_switch(found, site) ? EXIT_OK : reroute_site(gateway, found, (unsigned)site);
        status = one == EXIT_OK ? status : one;
    }
    return status;
}

/* ---- is all as it was? ---- */

/* From the end of a cable that is nearer to home, so that no link is taken twice in one direction. `there`: the routes
 * from home. False: it is the other end, no way leads there, or it is too long for a route. */
static bool way_over(const struct mesh_config *mesh, unsigned home, const struct pr_route *there,
                     const struct pr_cable *end, struct mapper_route *way)
{
    unsigned first = there[end->site].count, other = there[end->far_site].count;
    if (first == 0 || (other > 0 && (other < first || (other == first && end->far_site < end->site))))
        return false;
    struct pr_route *back = routes_from(mesh, end->site);
    unsigned last = back[home].count;
    bool fits = last > 0 && first + 1 + last <= PR_ROUTE_PORTS_MAX;
    if (fits) {
        *way = (struct mapper_route){.count = first + 1 + last};
        memcpy(way->ports, there[end->site].ports, first);
        way->ports[first - 1] = (uint8_t)(1 + end->link); /* in place of the operator there */
        way->ports[first] = (uint8_t)(1 + end->far_link);
        memcpy(way->ports + first + 1, back[home].ports, last);
    }
    free(back);
    return fits;
}

static bool is_free(const struct mesh_config *mesh, const struct pr_cable *cable)
{
    return mesh_far_end(mesh, cable->site, cable->link).site < 0 &&
           mesh_far_end(mesh, cable->far_site, cable->far_link).site < 0;
}

/* Does one of so many scouts come home over the cable? */
static bool carries(struct scouts *scouts, const struct mapper_route *way, unsigned tries)
{
    static const struct mapper_route none;
    int site = MAPPER_NOTHING;
    while (site == MAPPER_NOTHING && tries-- > 0)
        site = scouts_probe(scouts, way, &none);
    return site == (int)scouts->gateway->identity.site;
}

/* The first cable of these that has been there, or has not, and is otherwise now. */
static void compare(struct scouts *scouts, const struct mesh_config *found, const struct mesh_config *cables,
                    bool was_there, struct pr_cable *changed)
{
    unsigned home = scouts->gateway->identity.site, tries = was_there ? SCOUTS_TRIES : 1;
    struct pr_route *there = routes_from(found, home);
    bool same = true;
    for (unsigned k = 0; k < cables->cable_end_count && same && scouts->code == EXIT_OK; k++) {
        const struct pr_cable *end = &cables->cable_ends[k];
        struct mapper_route way;
        if ((!was_there && !is_free(found, end)) || !way_over(found, home, there, end, &way))
            continue;
        same = carries(scouts, &way, tries) == was_there;
        if (!same)
            *changed = *end;
    }
    free(there);
}

int reroute_check(struct gateway *gateway, const struct mesh_config *found, const struct mesh_config *wanted,
                  struct pr_cable *changed)
{
    struct scouts scouts;
    *changed = (struct pr_cable){0};
    if (scouts_begin(&scouts, gateway))
        compare(&scouts, found, found, true, changed);
    if (changed->site == changed->far_site)
        compare(&scouts, found, wanted, false, changed);
    return scouts_end(&scouts);
}
