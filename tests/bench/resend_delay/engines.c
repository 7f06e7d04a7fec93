/* In place of host-tools/postroad/engines.c: a `postroad` whose operators send on what was aborted or deferred only
 * RESEND_DELAY clocks (an environment variable) after they have decided to: the arm of the paper's "retransmit later,
 * when the network is less congested".
 *
 *   operator --send--> [ a multicast that came back: held for RESEND_DELAY clocks ] --> network_interface
 *                 `--- all else, at once ------------------------------------------------^
 *
 * Only the packet waits; what the operator has to send besides overtakes it. The raw service only: what came back is
 * told from what is new by the raw header. One simulation at a time.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/engines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rtl_engine.h"
#include "operator/operator.h"
#include "wire/packet.h"

enum { HELD_MOST = 4096, CAME_BACK_MOST = 4096 };

/* A site's packets: those that are held, the earliest first, and those that came in as multicasts and have not left. */
struct line {
    struct pr_network_interface *interface;
    const struct pr_network_interface_functions *functions; /* those of the simulator */
    unsigned site;
    struct held {
        struct pr_packet *packet;
        uint64_t due;
    } held[HELD_MOST];
    unsigned held_count;
    const struct pr_packet *came_back[CAME_BACK_MOST];
    unsigned came_back_count;
    bool has_sent;
    uint16_t newest; /* sequence number of the newest packet of its own that it has sent */
};

static struct {
    struct line *lines;
    unsigned sites;
    uint64_t delay;
    struct simulation *simulation;
    struct simulation_functions functions;        /* as they are called */
    const struct simulation_functions *simulator; /* what they call */
    simulation_tick *tick;
    void *tick_context;
} run;

static struct line *line_of(const struct pr_network_interface *interface)
{
    unsigned i = 0;
    while (run.lines[i].interface != interface)
        i++;
    return &run.lines[i];
}

/* Forgets that the packet came back. False: it did not. */
static bool forget(struct line *line, const struct pr_packet *packet)
{
    for (unsigned i = 0; i < line->came_back_count; i++)
        if (line->came_back[i] == packet) {
            line->came_back[i] = line->came_back[--line->came_back_count];
            return true;
        }
    return false;
}

static struct pr_packet *received(struct pr_network_interface *interface)
{
    struct line *line = line_of(interface);
    struct pr_packet *packet = line->functions->received(interface);
    if (packet && packet->kind & PR_KIND_MULTICAST && line->came_back_count < CAME_BACK_MOST) {
        forget(line, packet);
        line->came_back[line->came_back_count++] = packet;
    }
    return packet;
}

/* A buffer that came back may hold a new packet of this site's meanwhile. */
static bool is_new(struct line *line, struct pr_packet *packet)
{
    const uint32_t *header = packet->words + pr_packet_target_words(packet);
    uint16_t sequence = (uint16_t)header[PR_HEADER_SEQUENCE];
    if (header[PR_HEADER_SOURCE] != line->site || (line->has_sent && (int16_t)(uint16_t)(sequence - line->newest) <= 0))
        return false;
    line->has_sent = true;
    line->newest = sequence;
    return true;
}

static bool send(struct pr_network_interface *interface, struct pr_packet *packet)
{
    struct line *line = line_of(interface);
    bool new_one = is_new(line, packet), came_back = forget(line, packet);
    if (new_one || !came_back || run.delay == 0 || line->held_count == HELD_MOST)
        return line->functions->send(interface, packet);
    uint64_t due = simulation_clock(run.simulation) + run.delay;
    line->held[line->held_count++] = (struct held){packet, due};
    simulation_request_tick(run.simulation, due);
    return true;
}

/* Gives the network_interface what is due. */
static void release(struct line *line, uint64_t clock)
{
    unsigned count = 0;
    while (count < line->held_count && line->held[count].due <= clock &&
           line->functions->send(line->interface, line->held[count].packet))
        count++;
    line->held_count -= count;
    memmove(line->held, line->held + count, line->held_count * sizeof *line->held);
}

static uint64_t earliest(void)
{
    uint64_t due = UINT64_MAX;
    for (unsigned i = 0; i < run.sites; i++)
        if (run.lines[i].held_count && run.lines[i].held[0].due < due)
            due = run.lines[i].held[0].due;
    return due;
}

static void tick(void *context, struct simulation *simulation, uint64_t clock)
{
    (void)context;
    for (unsigned i = 0; i < run.sites; i++)
        release(&run.lines[i], clock);
    if (run.tick)
        run.tick(run.tick_context, simulation, clock);
    uint64_t due = earliest();
    if (due != UINT64_MAX)
        simulation_request_tick(simulation, due > clock ? due : clock + 1);
}

/* The tick that was set, if one was, is called by the one above. */
static bool run_clocks(struct simulation *simulation, uint64_t clocks, bool wait)
{
    if (simulation->tick != tick) {
        run.tick = simulation->tick;
        run.tick_context = simulation->tick_context;
        simulation_set_tick(simulation, tick, NULL);
    }
    return run.simulator->run(simulation, clocks, wait);
}

static bool idle(struct simulation *simulation)
{
    return earliest() == UINT64_MAX && run.simulator->idle(simulation);
}

static void destroy(struct simulation *simulation)
{
    free(run.lines);
    run.simulator->destroy(simulation);
}

static void wrap_site(unsigned site)
{
    static struct pr_network_interface_functions functions;
    struct line *line = &run.lines[site];
    line->interface = simulation_operator(run.simulation, site)->common.here.interface;
    line->functions = line->interface->functions;
    line->site = site;
    functions = *line->functions;
    functions.received = received;
    functions.send = send;
    line->interface->functions = &functions;
}

static struct simulation *create(const struct simulation_options *options, char *error, size_t error_size)
{
    const char *delay = getenv("RESEND_DELAY");
    memset(&run, 0, sizeof run);
    if (options->mesh->reliable || options->nodes || options->fault_count) {
        snprintf(error, error_size, "delays with the reliable service, an image or faults, expected none of them");
        return NULL;
    }
    run.sites = (unsigned)options->mesh->sites;
    run.delay = delay ? strtoull(delay, NULL, 10) : 0;
    run.lines = calloc(run.sites, sizeof *run.lines);
    run.simulation = run.lines ? rtl_engine.create(options, error, error_size) : NULL;
    if (!run.simulation)
        return NULL;
    run.simulator = run.simulation->functions;
    run.functions = *run.simulator;
    run.functions.run = run_clocks;
    run.functions.idle = idle;
    run.functions.destroy = destroy;
    run.simulation->functions = &run.functions;
    for (unsigned site = 0; site < run.sites; site++)
        wrap_site(site);
    return run.simulation;
}

static const struct simulation_engine delaying_engine = {
    .name = "delaying", .summary = "rtl, with retransmissions held back for RESEND_DELAY clocks", .create = create};

void engines_register(void)
{
    simulation_register(&delaying_engine);
}
