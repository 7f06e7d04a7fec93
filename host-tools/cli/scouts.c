/* See scouts.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* flock, O_DIRECTORY */
#include "cli/scouts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/report.h"
#include "mesh/mesh_routes.h"
#include "wire/route.h"

enum { TIMES_LONGEST = 8, FORGETTING = 4, CLOCKS_TO_CLEAR = 4096 };

static const double least_wait = 0.003, look_again = 0.05; /* seconds */

static void take_event(void *context, const struct pr_frame *event)
{
    struct scouts *scouts = context;
    static struct pr_message_delivery delivery; /* large */
    if (event->type == PR_CONSOLE_DELIVERED && pr_message_read_delivery(event, &delivery) &&
        delivery.handler == PR_HANDLER_SCOUT && delivery.data_words == 1 && delivery.data[0] == scouts->number)
        scouts->site = (int)delivery.source;
}

static bool ask(struct scouts *scouts, const struct pr_frame *request)
{
    struct pr_frame answer;
    scouts->code = gateway_ask(scouts->gateway, request, &answer, "scout");
    return scouts->code == EXIT_OK;
}

/* A packet that is sent, for the clock at which it was accepted: also of one that is refused. The node has no buffer
 * for a packet now and then. False: the reason has been printed. */
static bool send_packet(struct scouts *scouts, const struct pr_frame *request, int expected, uint32_t *clock)
{
    struct gateway *gateway = scouts->gateway;
    double end = pr_client_now() + gateway->timeout;
    struct pr_frame answer;
    unsigned sequence;
    int status;
    bool answered;
    do {
        status = pr_client_ask(gateway->client, request, gateway->timeout, &answer, &answered);
    } while (status == PR_CLIENT_OK && answered && pr_message_status(&answer) == PR_CONSOLE_NO_BUFFER &&
             pr_client_now() < end);
    if (status != PR_CLIENT_OK)
        scouts->code = gateway_failed(gateway, status);
    else if (!answered || pr_message_status(&answer) != expected || !pr_message_read_send(&answer, &sequence, clock)) {
        report_error(gateway->options->verb, "scout: %s",
                     answered ? pr_message_status_text(pr_message_status(&answer)) : "no answer from the node");
        scouts->code = answered ? exit_code_of_answer(pr_message_status(&answer)) : EXIT_TIMEOUT;
    }
    return scouts->code == EXIT_OK;
}

static struct pr_frame packet(const struct scouts *scouts, const struct mapper_route *back)
{
    const uint16_t anybody = (uint16_t)scouts->gateway->mesh.sites;
    uint32_t data[1 + MAPPER_ROUTE_MAX] = {scouts->number};
    struct pr_message_send send = {.handler = PR_HANDLER_SCOUT,
                                   .targets = 1,
                                   .sites = &anybody,
                                   .data_words = 1 + back->count,
                                   .data = data,
                                   .halves = true};
    struct pr_frame frame;
    for (unsigned k = 0; k < back->count; k++)
        data[1 + k] = back->ports[k];
    pr_message_send(&frame, &send);
    return frame;
}

/* A scout that has not come may still stand somewhere, until the fabric drops it: so long every other packet may wait
 * for it. The mesh's clock goes on meanwhile; it stands if nothing moves in a simulated mesh. */
static bool let_it_clear(struct scouts *scouts, uint32_t launched)
{
    const struct pr_message_send nothing = {.handler = PR_HANDLER_SCOUT, .halves = true};
    double end = pr_client_now() + scouts->gateway->timeout;
    struct pr_frame request;
    uint32_t before = launched, clock = launched;
    pr_message_send(&request, &nothing);
    do {
        before = clock;
        if (!send_packet(scouts, &request, PR_CONSOLE_NO_TARGETS, &clock))
            return false;
    } while (clock != before && clock - launched < CLOCKS_TO_CLEAR && pr_client_now() < end);
    return true;
}

/* One that took long counts for some of the next ones. */
static void note_journey(struct scouts *scouts, double journey)
{
    scouts->longest = journey > scouts->longest ? journey : scouts->longest - (scouts->longest - journey) / FORGETTING;
}

static bool await(struct scouts *scouts, double begin, double wait)
{
    struct gateway *gateway = scouts->gateway;
    double left;
    while (scouts->site == MAPPER_NOTHING && (left = begin + wait - pr_client_now()) > 0) {
        int status = pr_client_poll(&gateway->client, 1, left);
        if (status == PR_CLIENT_OK)
            continue;
        scouts->code = gateway_failed(gateway, status);
        return false;
    }
    if (scouts->site != MAPPER_NOTHING)
        note_journey(scouts, pr_client_now() - begin);
    return true;
}

static double longest_wait(const struct scouts *scouts)
{
    double wait = TIMES_LONGEST * scouts->longest;
    if (scouts->longest == 0 || wait > scouts->gateway->timeout)
        return scouts->gateway->timeout;
    return wait > least_wait ? wait : least_wait;
}

int scouts_probe(void *context, const struct mapper_route *way, const struct mapper_route *back)
{
    struct scouts *scouts = context;
    struct pr_route route = {.count = (uint8_t)way->count};
    struct pr_frame request;
    memcpy(route.ports, way->ports, way->count);
    scouts->number++;
    scouts->site = MAPPER_NOTHING;
    pr_message_routes(&request, (unsigned)scouts->gateway->mesh.sites, &route, 1);
    if (!ask(scouts, &request))
        return MAPPER_STOP;
    double begin = pr_client_now();
    uint32_t launched;
    request = packet(scouts, back);
    if (!send_packet(scouts, &request, PR_CONSOLE_OK, &launched) || !await(scouts, begin, longest_wait(scouts)))
        return MAPPER_STOP;
    if (scouts->site == MAPPER_NOTHING && !let_it_clear(scouts, launched))
        return MAPPER_STOP;
    return scouts->site;
}

bool scouts_exist(const struct gateway *gateway)
{
    return mesh_has_routes(&gateway->mesh) && gateway->mesh.topology == PR_TOPOLOGY_GRAPH;
}

/* The first scout goes no further than home: its journey is the measure of the others. */
static bool try_scout(struct scouts *scouts)
{
    static const struct mapper_route home = {.count = 1, .ports = {0}}, none;
    if (scouts_probe(scouts, &home, &none) == (int)scouts->gateway->identity.site)
        return true;
    if (scouts->code == EXIT_OK) {
        report_error(scouts->gateway->options->verb, "no scout comes home to site %u: its firmware may be older",
                     (unsigned)scouts->gateway->identity.site);
        scouts->code = EXIT_TIMEOUT;
    }
    return false;
}

static int listen(struct scouts *scouts, unsigned mask)
{
    struct pr_frame request;
    pr_message_listen(&request, mask);
    return ask(scouts, &request);
}

static bool is_free(const struct scouts *scouts)
{
    return scouts->lock < 0 || flock(scouts->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

static bool wait_for_others(struct scouts *scouts)
{
    struct gateway *gateway = scouts->gateway;
    double say_so = pr_client_now() + 1;
    if (gateway->endpoint.kind == PR_ENDPOINT_UP)
        scouts->lock = open(gateway->endpoint.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (!is_free(scouts)) {
        if (pr_client_now() > say_so) {
            report_error(gateway->options->verb, "waiting for another map of this mesh");
            say_so = INFINITY;
        }
        int status = pr_client_poll(&gateway->client, 1, look_again);
        if (status != PR_CLIENT_OK) {
            scouts->code = gateway_failed(gateway, status);
            return false;
        }
    }
    return true;
}

bool scouts_begin(struct scouts *scouts, struct gateway *gateway)
{
    *scouts = (struct scouts){.gateway = gateway, .number = (uint16_t)(pr_client_now() * 1e6), .lock = -1};
    pr_client_on_event(gateway->client, take_event, scouts);
    return wait_for_others(scouts) && listen(scouts, PR_CONSOLE_LISTEN_DELIVERED) && try_scout(scouts);
}

int scouts_end(struct scouts *scouts)
{
    if (scouts->code == EXIT_OK)
        listen(scouts, 0);
    if (scouts->gateway->client)
        pr_client_on_event(scouts->gateway->client, NULL, NULL);
    if (scouts->lock >= 0)
        close(scouts->lock);
    return scouts->code;
}

int scouts_map(struct gateway *gateway, struct mapper *mapper)
{
    struct scouts scouts;
    *mapper = (struct mapper){.probe = scouts_probe,
                              .context = &scouts,
                              .home = (int)gateway->identity.site,
                              .links = (unsigned)gateway->mesh.links,
                              .route_max = PR_ROUTE_PORTS_MAX,
                              .tries = SCOUTS_TRIES};
    if (scouts_begin(&scouts, gateway))
        mapper_run(mapper);
    return scouts_end(&scouts);
}
