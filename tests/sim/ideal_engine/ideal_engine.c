/* See ideal_engine.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "ideal_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console/node.h"
#include "mesh/mesh_identity.h"
#include "network_interface/ni_model.h"
#include "support/or_abort.h"

enum { DEFAULT_POOL = 32, DEFAULT_WINDOW = 4 };

struct ideal_site {
    struct ni_model interface;
    struct pr_node node;
    struct pr_site_identity identity;
    uint32_t *memory;
    bool poll;
    uint64_t wake; /* UINT64_MAX: never */
    uint64_t arrivals[NATIVE_INTERFACE_RING];
};

/* A copy of a packet on its way to one site, in the order in which they were sent. */
struct flight {
    struct flight *next;
    uint64_t due;
    unsigned site, terminator;
    struct pr_packet *packet;
};

struct ideal {
    struct simulation simulation; /* the first member */
    struct mesh_config mesh;
    struct ideal_site *sites;
    struct flight *flights, **last;
    uint64_t now, words;
};

static struct ideal *ideal_of(const struct simulation *simulation)
{
    return (struct ideal *)simulation;
}

static unsigned site_count(const struct ideal *ideal)
{
    return (unsigned)ideal->mesh.sites;
}

/* Puts a copy for one site on its way. */
static void launch(struct ideal *ideal, const struct pr_packet *packet, unsigned site, unsigned terminator)
{
    size_t words = PR_PACKET_BUFFER_WORDS(pr_packet_target_words(packet) + pr_packet_data_words(packet));
    struct flight *flight = or_abort(malloc(sizeof *flight));
    struct pr_packet *copy = or_abort(malloc(words * sizeof(uint32_t)));
    memcpy(copy, packet, words * sizeof(uint32_t));
    *flight = (struct flight){NULL, ideal->now + IDEAL_DELAY, site, terminator, copy};
    *ideal->last = flight;
    ideal->last = &flight->next;
    ideal->words += pr_packet_sent_targets(packet) + pr_packet_data_words(packet);
}

/* All packets that a site has given. The last of several targets must not send it on either, so each copy is local. */
static void send_packets(struct ideal *ideal, struct ideal_site *site)
{
    uint32_t mask = pr_site_identity_addresses(&site->identity).mask;
    const struct pr_packet *packet;
    while ((packet = ni_model_next_packet(&site->interface))) {
        for (unsigned i = packet->first_target; i < pr_packet_end_target(packet); i++) {
            int target = mesh_site(&ideal->mesh, (int)(packet->words[i] & mask));
            if (!pr_packet_is_info(packet, i) && target >= 0)
                launch(ideal, packet, (unsigned)target, PR_TAG_LOCAL_END_OF_PACKET);
        }
        ni_model_packet_left(&site->interface, ideal->now);
        site->poll = true;
    }
}

static void free_flight(struct ideal *ideal, struct flight **at)
{
    struct flight *flight = *at;
    *at = flight->next;
    if (ideal->last == &flight->next)
        ideal->last = at;
    free(flight->packet);
    free(flight);
}

/* What is due arrives, unless its site has no buffer. */
static void deliver_flights(struct ideal *ideal)
{
    struct flight **at = &ideal->flights;
    while (*at && (*at)->due <= ideal->now) {
        struct ideal_site *site = &ideal->sites[(*at)->site];
        uint32_t arrival = site->interface.receive.moved % NATIVE_INTERFACE_RING;
        if (!ni_model_receive_packet(&site->interface, (*at)->packet, (*at)->terminator, ideal->now)) {
            at = &(*at)->next;
            continue;
        }
        site->arrivals[arrival] = ideal->now;
        site->poll = true;
        free_flight(ideal, at);
    }
}

static void poll_site(struct ideal *ideal, struct ideal_site *site)
{
    uint32_t wake;
    site->poll = pr_node_poll(&site->node);
    site->wake = UINT64_MAX;
    if (!pr_node_next_wake(&site->node, &wake))
        return;
    int32_t ahead = (int32_t)(wake - (uint32_t)ideal->now);
    site->wake = ideal->now + (ahead > 0 ? (uint64_t)ahead : 0);
}

static void run_clock(struct ideal *ideal)
{
    simulation_call_tick(&ideal->simulation, ideal->now);
    deliver_flights(ideal);
    for (unsigned i = 0; i < site_count(ideal); i++)
        if (ideal->sites[i].poll || ideal->sites[i].wake <= ideal->now)
            poll_site(ideal, &ideal->sites[i]);
    for (unsigned i = 0; i < site_count(ideal); i++)
        send_packets(ideal, &ideal->sites[i]);
    ideal->now++;
}

static uint64_t next_wake(const struct simulation *simulation)
{
    const struct ideal *ideal = ideal_of(simulation);
    uint64_t wake = simulation->next_tick;
    for (unsigned i = 0; i < site_count(ideal); i++)
        if (ideal->sites[i].wake < wake)
            wake = ideal->sites[i].wake;
    return wake;
}

/* No operator has anything to do in this clock. */
static bool operators_rest(const struct ideal *ideal)
{
    for (unsigned i = 0; i < site_count(ideal); i++) {
        const struct ideal_site *site = &ideal->sites[i];
        if (site->poll || site->wake <= ideal->now || ni_model_next_packet(&site->interface))
            return false;
    }
    return true;
}

static bool idle(struct simulation *simulation)
{
    const struct ideal *ideal = ideal_of(simulation);
    return operators_rest(ideal) && !ideal->flights && simulation->next_tick > ideal->now;
}

static bool run(struct simulation *simulation, uint64_t clocks, bool wait)
{
    struct ideal *ideal = ideal_of(simulation);
    uint64_t end = ideal->now + clocks;
    (void)wait;
    while (ideal->now < end) {
        uint64_t wake = next_wake(simulation);
        if (ideal->flights && ideal->flights->due < wake)
            wake = ideal->flights->due;
        if (operators_rest(ideal) && wake > ideal->now)
            ideal->now = wake < end ? wake : end;
        if (ideal->now < end)
            run_clock(ideal);
    }
    return true;
}

static uint64_t current_clock(const struct simulation *simulation)
{
    return ideal_of(simulation)->now;
}

static struct pr_operator *operator_of(struct simulation *simulation, unsigned site)
{
    struct ideal *ideal = ideal_of(simulation);
    return site < site_count(ideal) ? &ideal->sites[site].node.op : NULL;
}

static struct simulation_arrival arrival(const struct simulation *simulation, unsigned site)
{
    const struct ideal_site *at = &ideal_of(simulation)->sites[site];
    uint64_t clock = at->arrivals[(at->interface.receive.consumed - 1) % NATIVE_INTERFACE_RING];
    return (struct simulation_arrival){clock, clock};
}

static enum site_kind kind(const struct simulation *simulation, unsigned site)
{
    (void)simulation, (void)site;
    return SITE_NATIVE;
}

static bool at_rest(const struct simulation *simulation, unsigned site)
{
    return !ideal_of(simulation)->sites[site].poll;
}

static bool running(const struct simulation *simulation, unsigned site)
{
    return site < site_count(ideal_of(simulation));
}

static bool stopped(const struct simulation *simulation, unsigned site)
{
    (void)simulation, (void)site;
    return false;
}

static unsigned end_pauses(struct simulation *simulation)
{
    (void)simulation;
    return 0;
}

static size_t console_read(struct simulation *simulation, unsigned site, uint8_t *bytes, size_t length)
{
    struct ideal *ideal = ideal_of(simulation);
    return site < site_count(ideal) ? pr_node_console_read(&ideal->sites[site].node, bytes, length) : 0;
}

static size_t console_write(struct simulation *simulation, unsigned site, const uint8_t *bytes, size_t length)
{
    struct ideal *ideal = ideal_of(simulation);
    if (site >= site_count(ideal))
        return 0;
    ideal->sites[site].poll = true;
    return pr_node_console_write(&ideal->sites[site].node, bytes, length);
}

static uint32_t counter(struct simulation *simulation, unsigned site, unsigned index)
{
    struct ideal *ideal = ideal_of(simulation);
    return site < site_count(ideal) ? pr_network_interface_counter(&ideal->sites[site].interface.interface, index) : 0;
}

static uint64_t link_words(const struct simulation *simulation)
{
    return ideal_of(simulation)->words;
}

static void destroy(struct simulation *simulation)
{
    struct ideal *ideal = ideal_of(simulation);
    while (ideal->flights)
        free_flight(ideal, &ideal->flights);
    for (unsigned i = 0; ideal->sites && i < site_count(ideal); i++)
        free(ideal->sites[i].memory);
    free(ideal->sites);
    free(ideal);
}

static const struct simulation_functions functions = {
    .destroy = destroy,
    .clock = current_clock,
    .run = run,
    .idle = idle,
    .next_wake = next_wake,
    .operator_of = operator_of,
    .arrival = arrival,
    .kind = kind,
    .at_rest = at_rest,
    .running = running,
    .stopped = stopped,
    .end_pauses = end_pauses,
    .console_read = console_read,
    .console_write = console_write,
    .counter = counter,
    .link_words = link_words,
};

static bool start_site(struct ideal *ideal, unsigned number, const struct simulation_options *options)
{
    const struct mesh_config *mesh = &ideal->mesh;
    struct ideal_site *site = &ideal->sites[number];
    struct pr_operator_size size = {.buffers = options->pool ? options->pool : DEFAULT_POOL,
                                    .packet_words = mesh->max_packet,
                                    .window = options->window ? options->window : DEFAULT_WINDOW,
                                    .sites = (unsigned)mesh->sites};
    mesh_identify_site(&site->identity, mesh, number, 0);
    ni_model_init(&site->interface, (unsigned)mesh->word_width, &ideal->now, (uint16_t)mesh->max_packet);
    site->interface.interface.capabilities = (struct pr_capabilities){.multicast = true, .keeps_order = true};
    site->memory = calloc(PR_OPERATOR_MEMORY_WORDS(size.buffers, mesh->max_packet, (size_t)mesh->sites),
                          sizeof *site->memory);
    site->poll = true;
    return site->memory &&
           pr_node_init(&site->node, &site->interface.interface, &site->identity, site->memory, &size) == 0;
}

static struct simulation *create(const struct simulation_options *options, char *error, size_t error_size)
{
    const struct mesh_config *mesh = options->mesh;
    bool native = options->nodes ? site_kinds_all(options->nodes, mesh->sites, SITE_NATIVE)
                                 : options->kind == SITE_NATIVE;
    if (!native || options->fault_count || options->waves || options->stall) {
        snprintf(error, error_size, "engine ideal: expected native nodes, without faults, stalls and waves");
        return NULL;
    }
    struct ideal *ideal = or_abort(calloc(1, sizeof *ideal));
    *ideal = (struct ideal){.simulation = {.functions = &functions, .next_tick = UINT64_MAX}, .mesh = *mesh};
    ideal->last = &ideal->flights;
    ideal->sites = calloc(site_count(ideal), sizeof *ideal->sites);
    for (unsigned i = 0; ideal->sites && i < site_count(ideal); i++) {
        if (start_site(ideal, i, options))
            continue;
        snprintf(error, error_size, "engine ideal: site %u cannot start", i);
        destroy(&ideal->simulation);
        return NULL;
    }
    return &ideal->simulation;
}

const struct simulation_engine ideal_engine = {
    .name = "ideal",
    .summary = "a network without contention, for tests",
    .create = create,
};
