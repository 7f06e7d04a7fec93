/* Figure 4 of the August paper on whole sites, step by step. Two neighbours multicast to both of them in the same
 * clock, A from site 0 and B from site 1. Each takes the local net_output that the other one needs. The deadlock arises
 * if they start within two clocks of each other. The two requests differ, and with them the time that a core takes for
 * them. So one site gets its request a little earlier, two clocks more in every take, until the deadlock arises. The
 * program prints the reports on the sites' consoles, and the counts of their event counters, as they happen, with the
 * clock.
 *
 * usage: figure4 FILE.mesh [NODES]     NODES as in postroad up --nodes; core
 * exit: 0 all four deliveries came once and whole after an abort, 1 usage or configuration, 3 anything else
 *
 * SPDX-License-Identifier: ISC
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exit_code.h"
#include "engine/rtl_engine.h"
#include "protocol.h"
#include "simulation/simulation.h"
#include "wire/console_messages.h"

enum {
    SITES = 2,
    PACKETS = 2,
    DATA_WORDS = 24,
    HANDLER = 1,
    STEP = 64, /* clocks between two looks at the consoles while the sites start */
    LINES = 64,
    START_LIMIT = 400000, /* clocks for the sites to start and answer */
    RUN_LIMIT = 2000000,
    TAKES = 120,
    STRIDE = 4,
    QUANTUM = 8, /* clocks, of sites under QEMU */
    STUCK = 14   /* clocks without a word on any link that are worth a line; time-outs start at 16 */
};

static const struct shot {
    char name;
    uint16_t source, targets[2];
} shots[PACKETS] = {{'A', 0, {0, 1}}, {'B', 1, {1, 0}}};

struct line {
    uint64_t clock;
    unsigned order;
    char text[120];
};

struct scene {
    struct line lines[LINES];
    unsigned line_count;
    struct simulation *simulation;
    struct pr_frames_reader readers[SITES];
    uint64_t sent, stuck_since, first_abort, last_delivery;
    uint64_t link_words, moved; /* words on links so far, and the clock at which that last changed */
    uint32_t aborts[SITES];
    unsigned answers, delivered[PACKETS][SITES], wrong, total_aborts, resent;
};

/* A console reports an event later than it happens: lines carry the clock of the event, and are printed in that
 * order. */
static void tell(struct scene *scene, uint64_t clock, const char *format, ...)
{
    struct line *line = &scene->lines[scene->line_count];
    va_list arguments;
    if (scene->line_count == LINES)
        return;
    line->clock = clock;
    line->order = scene->line_count++;
    va_start(arguments, format);
    vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
}

static int earlier(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    if (a->clock != b->clock)
        return a->clock < b->clock ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static void print_lines(struct scene *scene)
{
    qsort(scene->lines, scene->line_count, sizeof scene->lines[0], earlier);
    for (unsigned i = 0; i < scene->line_count; i++)
        printf("  clock %6" PRIu64 "  %s\n", scene->lines[i].clock - scene->sent, scene->lines[i].text);
}

/* A site's 32-bit time stamp as a clock of the simulation. */
static uint64_t stamp_clock(const struct scene *scene, uint32_t stamp)
{
    uint64_t now = simulation_clock(scene->simulation);
    return now - (uint32_t)((uint32_t)now - stamp);
}

static uint32_t data_word(unsigned packet, unsigned index)
{
    return 1000 * (packet + 1) + index;
}

static int packet_of(unsigned source)
{
    for (int packet = 0; packet < PACKETS; packet++)
        if (shots[packet].source == source)
            return packet;
    return -1;
}

static void put_frame(struct scene *scene, unsigned site, const struct pr_frame *frame)
{
    static uint8_t bytes[PR_FRAMES_WIRE_MAX];
    size_t length = pr_frames_encode(frame, bytes, sizeof bytes), done = 0;
    while (done < length) {
        done += simulation_console_write(scene->simulation, site, bytes + done, length - done);
        if (done < length)
            simulation_run(scene->simulation, STEP);
    }
}

static void take_delivery(struct scene *scene, unsigned site, const struct pr_frame *frame)
{
    static struct pr_message_delivery delivery;
    int packet;
    bool right;
    if (!pr_message_read_delivery(frame, &delivery) || (packet = packet_of(delivery.source)) < 0) {
        tell(scene, simulation_clock(scene->simulation), "site %u: a delivery of nothing that was sent", site);
        scene->wrong++;
        return;
    }
    right = delivery.data_words == DATA_WORDS && delivery.handler == HANDLER && ++scene->delivered[packet][site] == 1;
    for (unsigned i = 0; right && i < DATA_WORDS; i++)
        right = delivery.data[i] == data_word(packet, i);
    scene->wrong += !right;
    scene->last_delivery = stamp_clock(scene, delivery.clock);
    tell(scene, scene->last_delivery, "site %u: delivered %c%s", site, shots[packet].name,
         right ? "" : ": WRONG or twice");
}

static void take_event(struct scene *scene, unsigned site, const struct pr_frame *frame)
{
    struct pr_message_event event;
    int packet;
    if (!pr_message_read_event(frame, &event) || (packet = packet_of(event.source)) < 0)
        return;
    if (event.what == PR_CONSOLE_KIND_FAILED || event.what == PR_CONSOLE_KIND_SETTLED) {
        scene->wrong += event.what == PR_CONSOLE_KIND_FAILED;
        tell(scene, stamp_clock(scene, event.clock), "site %u: operator: %c is %s", site, shots[packet].name,
             event.what == PR_CONSOLE_KIND_FAILED ? "GIVEN UP" : "acknowledged");
        return;
    }
    scene->resent++;
    tell(scene, stamp_clock(scene, event.clock), "site %u: operator: %s: %c, %u target%s left", site,
         pr_message_event_text(event.what), shots[packet].name, event.remaining, event.remaining == 1 ? "" : "s");
}

static void take_frame(struct scene *scene, unsigned site, const struct pr_frame *frame)
{
    if (frame->type == PR_CONSOLE_DELIVERED)
        take_delivery(scene, site, frame);
    else if (frame->type == PR_CONSOLE_EVENT)
        take_event(scene, site, frame);
    else if (frame->type & PR_CONSOLE_ANSWER && frame->type < PR_CONSOLE_DELIVERED &&
             pr_message_status(frame) == PR_CONSOLE_OK)
        scene->answers++;
}

static void read_consoles(struct scene *scene)
{
    static struct pr_frame frame;
    uint8_t bytes[256];
    for (unsigned site = 0; site < SITES; site++) {
        size_t length;
        while ((length = simulation_console_read(scene->simulation, site, bytes, sizeof bytes)) > 0)
            for (size_t i = 0; i < length; i++)
                if (pr_frames_push(&scene->readers[site], bytes[i], &frame) == PR_FRAMES_READY)
                    take_frame(scene, site, &frame);
    }
}

static void look_at_aborts(struct scene *scene)
{
    for (unsigned site = 0; site < SITES; site++) {
        uint32_t aborts = simulation_counter(scene->simulation, site, PR_COUNTER_ABORTS);
        if (aborts == scene->aborts[site])
            continue;
        scene->total_aborts += aborts - scene->aborts[site];
        scene->aborts[site] = aborts;
        if (!scene->first_abort)
            scene->first_abort = simulation_clock(scene->simulation);
        tell(scene, simulation_clock(scene->simulation),
             "site %u: time-out in fifo_buffer: the router aborts the branches", site);
    }
}

/* Both packets are half-way when words have moved, and then none have moved for a while with deliveries still
 * missing. */
static void look_for_deadlock(struct scene *scene)
{
    uint64_t now = simulation_clock(scene->simulation), words = simulation_link_words(scene->simulation);
    if (words != scene->link_words) {
        scene->link_words = words;
        scene->moved = now;
    } else if (!scene->stuck_since && now - scene->moved >= STUCK && scene->moved > scene->sent) {
        scene->stuck_since = scene->moved;
        tell(scene, now, "deadlock: no word has moved on any link for %d clocks", STUCK);
    }
}

static unsigned deliveries(const struct scene *scene)
{
    unsigned sum = 0;
    for (unsigned packet = 0; packet < PACKETS; packet++)
        for (unsigned target = 0; target < 2; target++)
            sum += scene->delivered[packet][shots[packet].targets[target]];
    return sum;
}

static bool run_until_answers(struct scene *scene, unsigned answers)
{
    uint64_t limit = simulation_clock(scene->simulation) + START_LIMIT;
    while (scene->answers < answers && simulation_clock(scene->simulation) < limit) {
        simulation_run(scene->simulation, STEP);
        read_consoles(scene);
    }
    return scene->answers >= answers;
}

static bool start_sites(struct scene *scene)
{
    static struct pr_frame frame;
    for (unsigned site = 0; site < SITES; site++) {
        pr_frames_reader_init(&scene->readers[site]);
        pr_message_listen(&frame, PR_CONSOLE_LISTEN_DELIVERED | PR_CONSOLE_LISTEN_EVENTS);
        put_frame(scene, site, &frame);
    }
    if (!run_until_answers(scene, SITES))
        return false;
    while (!simulation_idle(scene->simulation))
        simulation_run(scene->simulation, STEP);
    return true;
}

/* Requests one site to send its packet. */
static void tell_site(struct scene *scene, unsigned packet)
{
    static struct pr_frame frame;
    uint32_t data[DATA_WORDS];
    for (unsigned i = 0; i < DATA_WORDS; i++)
        data[i] = data_word(packet, i);
    pr_message_send(
        &frame,
        &(struct pr_message_send){
            .handler = HANDLER, .targets = 2, .data_words = DATA_WORDS, .sites = shots[packet].targets, .data = data});
    put_frame(scene, shots[packet].source, &frame);
    tell(scene, simulation_clock(scene->simulation), "site %u: command: multicast %c to {%u, %u}, %d data words",
         shots[packet].source, shots[packet].name, shots[packet].targets[0], shots[packet].targets[1], DATA_WORDS);
}

/* The site that takes longer to send, by so many clocks, gets its request first, so that both packets start
 * together. */
static void send_packets(struct scene *scene, int64_t second_is_later)
{
    unsigned first = second_is_later > 0;
    scene->sent = scene->moved = simulation_clock(scene->simulation);
    scene->link_words = simulation_link_words(scene->simulation);
    tell_site(scene, first);
    simulation_run(scene->simulation, (uint64_t)(first ? second_is_later : -second_is_later));
    tell_site(scene, !first);
}

/* Runs until everything has arrived and the mesh is idle. False: the sites do not answer on their consoles. */
static bool play(struct scene *scene, int64_t second_is_later)
{
    if (!start_sites(scene))
        return false;
    send_packets(scene, second_is_later);
    while (simulation_clock(scene->simulation) - scene->sent < RUN_LIMIT) {
        simulation_run(scene->simulation, 1);
        read_consoles(scene);
        look_for_deadlock(scene);
        look_at_aborts(scene);
        if (deliveries(scene) >= 4 && simulation_idle(scene->simulation))
            break;
    }
    return true;
}

static bool deadlocked(const struct scene *scene)
{
    return scene->total_aborts > 0 && scene->stuck_since > 0;
}

static int conclude(struct scene *scene)
{
    print_lines(scene);
    if (deliveries(scene) != 4 || scene->wrong) {
        printf("  %u of 4 deliveries, %u wrong\n", deliveries(scene), scene->wrong);
        return EXIT_MISMATCH;
    }
    if (!deadlocked(scene)) {
        printf("  all delivered, but no deadlock arose\n");
        return EXIT_MISMATCH;
    }
    printf("  4 of 4 deliveries, each once; %u aborts, %u retransmissions\n"
           "  From the last word before the deadlock: %" PRIu64 " clocks to the first abort,\n"
           "  %" PRIu64 " to the last delivery (the firmware's console included)\n",
           scene->total_aborts, scene->resent, scene->first_abort - scene->stuck_since,
           scene->last_delivery - scene->stuck_since);
    return EXIT_OK;
}

static bool create(struct scene *scene, const struct mesh_config *mesh, const enum site_kind *nodes)
{
    char error[400];
    scene->simulation = rtl_engine.create(
        &(struct simulation_options){.mesh = mesh, .nodes = nodes, .quantum = QUANTUM, .seed = 1}, error, sizeof error);
    if (!scene->simulation)
        fprintf(stderr, "figure4: %s\n", error);
    return scene->simulation != NULL;
}

int main(int argc, char **argv)
{
    static struct scene scene;
    static struct mesh_config mesh;
    enum site_kind nodes[SITES];
    char error[400];
    int status;
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: figure4 FILE.mesh [NODES]\n");
        return EXIT_USAGE;
    }
    if (mesh_config_load(argv[1], &mesh, error, sizeof error)) {
        fprintf(stderr, "figure4: %s\n", error);
        return EXIT_USAGE;
    }
    if (mesh.topology != PR_TOPOLOGY_GRID || mesh.size_x != SITES || mesh.size_y != 1) {
        fprintf(stderr, "figure4: %s: expected a grid of %dx1\n", argv[1], SITES);
        return EXIT_USAGE;
    }
    if (site_kinds_parse(argc == 3 ? argv[2] : "core", &mesh, SITE_CORE, nodes, error, sizeof error) != 0) {
        fprintf(stderr, "figure4: %s\n", error);
        return EXIT_USAGE;
    }
    for (int take = 0; take < TAKES && !deadlocked(&scene); take++) {
        if (scene.simulation)
            simulation_destroy(scene.simulation);
        scene = (struct scene){0};
        if (!create(&scene, &mesh, nodes))
            return EXIT_USAGE;
        if (!play(&scene, (take + 1) / 2 * STRIDE * (take % 2 ? 1 : -1))) {
            fprintf(stderr, "figure4: the sites do not answer on their consoles\n");
            return EXIT_MISMATCH;
        }
    }
    status = conclude(&scene);
    simulation_destroy(scene.simulation);
    return status;
}
