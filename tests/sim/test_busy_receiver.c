/* Sources that together send more than a site takes: native operators, and one core with the small operator, whose
 * console needs 20000 clocks for a delivery. Every packet gets through once, and no source gives the site up, whatever
 * its time-out: sources with a short one must leave room for the others. With damage on the links, too.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "protocol.h"
#include "wire/console_messages.h"

enum {
    SITES_MOST = 9,
    PACKETS = 20,  /* of each source */
    UNDER_WAY = 3, /* of those at once */
    BOOT = 40000,  /* clocks */
    STEP = 200,    /* clocks between two looks at the mesh */
    REST = 200000, /* until the console has reported what was acknowledged */
    LIMIT = 20000000
};

struct source {
    struct run *run;
    unsigned sent, unsettled;
};

/* The last site is the receiver, all others are sources. */
struct run {
    const char *name;
    struct simulation *simulation;
    struct source sources[SITES_MOST];
    unsigned receiver, failed, reported;
    bool seen[SITES_MOST][PACKETS];
    struct pr_frames_reader reader;
};

static void observe(void *context, const struct pr_operator_event *event)
{
    struct source *source = context;
    if (event->kind == PR_OPERATOR_EVENT_SETTLED)
        source->unsettled--;
    source->run->failed += event->kind == PR_OPERATOR_EVENT_FAILED;
}

static void start_receiver(struct run *run)
{
    struct pr_frame frame;
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    pr_frames_reader_init(&run->reader);
    pr_message_listen(&frame, PR_CONSOLE_LISTEN_DELIVERED);
    simulation_console_write(run->simulation, run->receiver, wire, pr_frames_encode(&frame, wire, sizeof wire));
    simulation_run(run->simulation, BOOT);
}

/* What the receiver's console reports. */
static void listen(struct run *run)
{
    static struct pr_frame frame;
    struct pr_message_delivery delivery;
    uint8_t byte;
    while (simulation_console_read(run->simulation, run->receiver, &byte, 1) == 1) {
        if (pr_frames_push(&run->reader, byte, &frame) != PR_FRAMES_READY || frame.type != PR_CONSOLE_DELIVERED)
            continue;
        check(pr_message_read_delivery(&frame, &delivery) && delivery.source < run->receiver &&
                  delivery.sequence < PACKETS && !run->seen[delivery.source][delivery.sequence],
              "%s: packet %u of site %u is reported again, or was never sent", run->name, delivery.sequence,
              delivery.source);
        run->seen[delivery.source][delivery.sequence] = true;
        run->reported++;
    }
}

/* To three other sites, and the receiver. True: nothing is left to do. */
static bool send(struct run *run, unsigned site)
{
    const struct pr_target targets[] = {{.site = 0}, {.site = 1}, {.site = 2}, {.site = (uint16_t)run->receiver}};
    const uint32_t data[] = {1, 2, 3};
    struct source *source = &run->sources[site];
    while (source->sent < PACKETS && source->unsettled < UNDER_WAY &&
           pr_operator_send(simulation_operator(run->simulation, site), targets, 4, 1, data, 3, NULL) == 0) {
        source->sent++;
        source->unsettled++;
    }
    return source->sent == PACKETS && source->unsettled == 0;
}

static void play(struct run *run)
{
    bool done = false;
    while (!done && simulation_clock(run->simulation) < LIMIT) {
        done = true;
        for (unsigned site = 0; site < run->receiver; site++)
            done &= send(run, site);
        simulation_run(run->simulation, STEP);
        listen(run);
    }
    check(done, "%s: packets are not settled after %d clocks", run->name, LIMIT);
    for (unsigned k = 0; k < REST / STEP; k++) {
        simulation_run(run->simulation, STEP);
        listen(run);
    }
}

/* side: of the grid. damage: a fault, or NULL. */
static void all_get_through(unsigned side, const char *damage, uint64_t seed)
{
    struct run run = {.receiver = side * side - 1};
    enum site_kind nodes[SITES_MOST] = {0};
    struct mesh_config mesh;
    struct fault fault;
    char text[200], name[100], error[512];
    int length = snprintf(text, sizeof text,
                          "[mesh]\ntopology = grid\nsize = %ux%u\n[routing]\nunicast = adaptive\n"
                          "[buffers]\nmax_packet = 56\n[site]\nram_bytes = 8192\n",
                          side, side);
    snprintf(name, sizeof name, "%ux%u, %s, seed %" PRIu64, side, side, damage ? damage : "no damage", seed);
    run.name = name;
    check(mesh_config_parse("busy", text, (size_t)length, &mesh, error, sizeof error) == 0, "%s", error);
    check(!damage || fault_parse(damage, &mesh, &fault, error, sizeof error) == 0, "%s", error);
    for (unsigned site = 0; site <= run.receiver; site++)
        nodes[site] = site == run.receiver ? SITE_CORE : SITE_NATIVE;
    run.simulation = start(&(struct simulation_options){.mesh = &mesh,
                                                        .nodes = nodes,
                                                        .firmware_hex = "build/firmware/small-receiver.hex",
                                                        .seed = seed,
                                                        .faults = &fault,
                                                        .fault_count = damage != NULL});
    start_receiver(&run);
    for (unsigned site = 0; site < run.receiver; site++) {
        run.sources[site].run = &run;
        pr_operator_observe(simulation_operator(run.simulation, site), observe, &run.sources[site]);
    }
    play(&run);
    printf("%s: %u packets received for %u deliveries, %u discarded\n", name,
           simulation_counter(run.simulation, run.receiver, PR_COUNTER_RECEIVED_PACKETS), run.reported,
           simulation_counter(run.simulation, run.receiver, PR_COUNTER_RECEIVED_DISCARDED));
    check(run.failed == 0, "%s: %u targets are given up", name, run.failed);
    check(run.reported == run.receiver * PACKETS, "%s: %u of %u packets are reported", name, run.reported,
          run.receiver * PACKETS);
    simulation_destroy(run.simulation);
}

/* With the seeds from 22 on, sources used to give up. */
int main(void)
{
    uint64_t seed = check_seed();
    all_get_through(2, NULL, 1);
    all_get_through(2, "corrupt:0.001", 22);
    all_get_through(2, "corrupt:0.001", 59);
    all_get_through(2, "corrupt:0.001", 70);
    all_get_through(3, NULL, 1);
    all_get_through(3, "corrupt:0.001", seed);
    return verdict("test_busy_receiver");
}
