/* How long an operator takes to send on a multicast of which the fabric deferred a target at its site (M11): whole
 * sites, the node's image.
 *
 * On a 3x4 grid site 3 multicasts 16 data words to 7 and 5, and so through site 4, which splits it: 7 is to its north,
 * 5 to its east. Meanwhile a unicast from 5 to 7 turns to the north at 4. The multicast gets no branch there: 7 is
 * deferred, and the operator of site 4 sends the packet on to it.
 *
 *        7
 *        ^
 *   3 -> 4 <-> 5
 *
 * Turn-round: from the clock in which the terminator leaves the router of site 4 for the operator to the clock in which
 * the first word sent on leaves that router for site 7; what fifo_buffers, network_interface and router take is in it.
 * From deferral: the same from the clock of the deferral, so with what was still to come of the packet.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "protocol.h"
#include "wire/console_messages.h"

enum {
    SITES = 12,
    SPLIT = 4,
    MULTICASTER = 3,
    BLOCKER = 5, /* and a target */
    BLOCKED = 7,
    BEYOND = 10, /* behind it */
    EAST = PR_COUNTER_WORDS_OUT + PR_PORT_EAST,
    WEST = PR_COUNTER_WORDS_OUT + PR_PORT_WEST,
    NORTH = PR_COUNTER_WORDS_OUT + PR_PORT_NORTH,
    LOCAL = PR_COUNTER_WORDS_OUT + PR_PORT_LOCAL,
    DATA_WORDS = 16, /* of each packet */
    HANDLER = 1,
    MAX_PACKET = 127,
    SMALL_MAX_PACKET = 56,
    SMALL_RAM_BYTES = 8192,
    HEAD_START = 10, /* clocks from the unicast's first word to the multicast's */
    TAKES = 8
};

struct scene {
    struct mesh_config mesh;
    const char
        *small; /* the image of site 4, a small operator, while all others are native; NULL: all have the node's */
    uint16_t targets[4];
    unsigned count;
};

/* When a take saw what; 0: not. */
struct clocks {
    uint64_t blocker, multicast; /* the first words of the two packets leave their sites */
    uint64_t deferral, terminator, resent;
};

static void tell(struct simulation *simulation, unsigned site, const uint16_t *targets, unsigned count)
{
    static struct pr_frame frame;
    static uint8_t bytes[PR_FRAMES_WIRE_MAX];
    uint32_t data[DATA_WORDS] = {0};
    size_t length, done = 0;
    if (!pr_message_send(
            &frame,
            &(struct pr_message_send){
                .handler = HANDLER, .targets = count, .data_words = DATA_WORDS, .sites = targets, .data = data}))
        figures_die("turn-round: a request does not fit a frame");
    length = pr_frames_encode(&frame, bytes, sizeof bytes);
    done = simulation_console_write(simulation, site, bytes, length);
    if (done < length)
        figures_die("turn-round: a console does not take %zu bytes", length);
}

static void note(struct simulation *simulation, unsigned site, unsigned counter, uint64_t now, uint64_t *clock)
{
    if (!*clock && simulation_counter(simulation, site, counter))
        *clock = now;
}

/* Runs clock by clock until the first word sent on, or until all is over. */
static struct clocks watch(struct simulation *simulation)
{
    struct clocks clocks = {0};
    uint32_t local = 0, north = 0;
    while (!simulation_idle(simulation) || !clocks.blocker || !clocks.multicast) {
        uint64_t now = simulation_clock(simulation);
        simulation_run(simulation, 1);
        bool received = simulation_counter(simulation, SPLIT, PR_COUNTER_RECEIVED_PACKETS) > 0;
        uint32_t locals = simulation_counter(simulation, SPLIT, LOCAL),
                 norths = simulation_counter(simulation, SPLIT, NORTH);
        note(simulation, BLOCKER, WEST, now, &clocks.blocker);
        note(simulation, MULTICASTER, EAST, now, &clocks.multicast);
        note(simulation, SPLIT, PR_COUNTER_DEFERRALS, now, &clocks.deferral);
        if (clocks.deferral && !received && locals != local)
            clocks.terminator = now;
        if (clocks.deferral && received && norths != north) {
            clocks.resent = now;
            return clocks;
        }
        local = locals;
        north = norths;
    }
    return clocks;
}

/* One take; the multicast is asked for so many clocks after the unicast, or before it. */
static struct clocks play(const struct scene *scene, int64_t later)
{
    const uint16_t blocked = BLOCKED;
    struct simulation *simulation = scene->small ? figures_start_one_site(&scene->mesh, SPLIT, scene->small)
                                                 : figures_start_sites(&scene->mesh, "node.hex");
    if (later < 0)
        tell(simulation, MULTICASTER, scene->targets, scene->count);
    else
        tell(simulation, BLOCKER, &blocked, 1);
    simulation_run(simulation, (uint64_t)llabs(later));
    if (later < 0)
        tell(simulation, BLOCKER, &blocked, 1);
    else
        tell(simulation, MULTICASTER, scene->targets, scene->count);
    struct clocks clocks = watch(simulation);
    figures_settle(simulation);
    simulation_destroy(simulation);
    return clocks;
}

/* A core takes longer for a longer request: how much, the takes tell before the two packets meet. */
static struct clocks measure(const struct scene *scene)
{
    int64_t later = 0;
    for (int take = 0; take < TAKES; take++) {
        struct clocks clocks = play(scene, later);
        if (clocks.deferral && clocks.resent)
            return clocks;
        later += (int64_t)(clocks.blocker + HEAD_START - clocks.multicast);
    }
    figures_die("turn-round: no target was deferred and sent on in %d takes", TAKES);
}

static void set_scene(struct scene *scene, const char *cpu, bool reliable, bool two, bool own)
{
    static const char text[] = "[mesh]\ntopology = grid\nsize = 3x4\n";
    char error[512];
    if (mesh_config_parse("turn-round", text, strlen(text), &scene->mesh, error, sizeof error) != 0)
        figures_die("%s", error);
    mesh_set_reliable(&scene->mesh, reliable);
    snprintf(scene->mesh.cpu, sizeof scene->mesh.cpu, "%s", cpu);
    scene->mesh.max_packet = MAX_PACKET;
    scene->small = NULL;
    scene->count = 0;
    scene->targets[scene->count++] = BLOCKED;
    if (two)
        scene->targets[scene->count++] = BEYOND;
    if (own)
        scene->targets[scene->count++] = SPLIT;
    scene->targets[scene->count++] = BLOCKER;
}

static void add(struct scene *scene, bool reliable, const char *where, bool two, bool own)
{
    struct figure_case subject = {.part = "turn-round", .mesh = "3x4"};
    snprintf(subject.service, sizeof subject.service, "%s", service_name(reliable));
    snprintf(subject.what, sizeof subject.what, "%s; sent on to %s%s", where, two ? "two sites" : "one site",
             own ? "; site is a target" : "");
    struct clocks clocks = measure(scene);
    figure_add(&subject, "turn-round clocks", (double)(clocks.resent - clocks.terminator), 0);
    figure_add(&subject, "from deferral clocks", (double)(clocks.resent - clocks.deferral), 0);
}

static void measure_one(const char *cpu, bool reliable, bool two, bool own)
{
    struct scene scene;
    set_scene(&scene, cpu, reliable, two, own);
    add(&scene, reliable, cpu, two, own);
}

/* The small operator in 8 KB. */
static void measure_small(bool reliable, bool two, bool own)
{
    struct scene scene;
    set_scene(&scene, "vexriscv", reliable, two, own);
    scene.mesh.max_packet = SMALL_MAX_PACKET;
    scene.mesh.ram_bytes = SMALL_RAM_BYTES;
    scene.small = reliable ? "small-reliable.hex" : "small-raw.hex";
    add(&scene, reliable, "vexriscv, small operator", two, own);
}

/* SERV takes ten times as long, to simulate as well: the usual way only. */
void measure_turn_round(bool quick)
{
    for (int reliable = 0; reliable < 2; reliable++) {
        measure_one("vexriscv", reliable, false, false);
        if (quick)
            continue;
        measure_one("vexriscv", reliable, true, false);
        measure_one("vexriscv", reliable, false, true);
        measure_one("serv", reliable, false, false);
        measure_small(reliable, false, false);
        measure_small(reliable, true, false);
        measure_small(reliable, false, true);
    }
}
