/* How long an operator takes to send on a multicast that the fabric aborted at its site: whole sites, the node's image.
 *
 * On a 3x3 grid site 3 multicasts 16 data words to 7 and 5, and so through site 4, which splits it: 7 is to its north,
 * 5 to its east. Meanwhile a long unicast from 1 to 5 passes through 4 to the east. The multicast waits for that output
 * until 4's fifo_buffer times out: its branches are aborted, and the operator of site 4 gets it all and sends it on, to
 * 7 first.
 *
 *        7
 *        ^
 *   3 -> 4 -> 5          each number is the clock of the
 *        ^               router of site 4 letting a word out
 *        1
 *
 * Turn-round: from the clock in which the terminator leaves the router for the operator to the clock in which the first
 * word sent again leaves the router for site 7; what fifo_buffers, network_interface and router take is in it. From
 * abort: the same from the clock of the abort, so with what was still to come of the packet.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "protocol.h"
#include "wire/console_messages.h"

enum {
    SITES = 9,
    SPLIT = 4,
    MULTICASTER = 3,
    BLOCKER = 1,
    BLOCKED = 5,
    FIRST = 7,
    EAST = PR_COUNTER_WORDS_OUT + PR_PORT_EAST,
    NORTH = PR_COUNTER_WORDS_OUT + PR_PORT_NORTH,
    LOCAL = PR_COUNTER_WORDS_OUT + PR_PORT_LOCAL,
    DATA_WORDS = 16,
    BLOCKER_WORDS = 40,
    HANDLER = 1,
    MAX_PACKET = 127,
    HEAD_START = 10, /* clocks from the unicast's first word to the multicast's */
    TAKES = 8
};

struct scene {
    struct mesh_config mesh;
    uint16_t targets[4];
    unsigned count;
};

/* When a take saw what; 0: not. */
struct clocks {
    uint64_t blocker, multicast; /* the first words of the two packets leave their sites */
    uint64_t abort, terminator, resent;
};

static void tell(struct simulation *simulation, unsigned site, const uint16_t *targets, unsigned count, unsigned words)
{
    static struct pr_frame frame;
    static uint8_t bytes[PR_FRAMES_WIRE_MAX];
    uint32_t data[BLOCKER_WORDS] = {0};
    size_t length, done = 0;
    if (!pr_message_send(
            &frame, &(struct pr_message_send){
                        .handler = HANDLER, .targets = count, .data_words = words, .sites = targets, .data = data}))
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

/* Runs clock by clock until the first word sent again, or until all is over. */
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
        note(simulation, BLOCKER, NORTH, now, &clocks.blocker);
        note(simulation, MULTICASTER, EAST, now, &clocks.multicast);
        note(simulation, SPLIT, PR_COUNTER_ABORTS, now, &clocks.abort);
        if (clocks.abort && !received && locals != local)
            clocks.terminator = now;
        if (clocks.abort && received && norths != north) {
            clocks.resent = now;
            return clocks;
        }
        local = locals;
        north = norths;
    }
    return clocks;
}

/* One take; the multicast is asked for so many clocks after the unicast. */
static struct clocks play(const struct scene *scene, uint64_t later)
{
    const uint16_t blocked = BLOCKED;
    struct simulation *simulation = figures_start_sites(&scene->mesh);
    tell(simulation, BLOCKER, &blocked, 1, BLOCKER_WORDS);
    simulation_run(simulation, later);
    tell(simulation, MULTICASTER, scene->targets, scene->count, DATA_WORDS);
    struct clocks clocks = watch(simulation);
    figures_settle(simulation);
    simulation_destroy(simulation);
    return clocks;
}

/* A core takes longer for a longer request: how much, the takes tell before the two packets meet. */
static struct clocks measure(const struct scene *scene)
{
    uint64_t later = 0;
    for (int take = 0; take < TAKES; take++) {
        struct clocks clocks = play(scene, later);
        if (clocks.abort && clocks.resent)
            return clocks;
        later += clocks.blocker + HEAD_START - clocks.multicast;
    }
    figures_die("turn-round: no multicast was aborted in %d takes", TAKES);
}

/* Unicasts Y first, so that the blocker passes through the split site; time-outs as short as the others' need. */
static void set_scene(struct scene *scene, const char *cpu, bool reliable, bool own, unsigned retry_limit)
{
    static const char text[] =
        "[mesh]\ntopology = grid\nsize = 3x3\n"
        "[unicast]\nnorth_east = north\nnorth_west = north\nsouth_east = south\nsouth_west = south\n"
        "[routing]\nunicast = list\n";
    char error[512];
    if (mesh_config_parse("turn-round", text, strlen(text), &scene->mesh, error, sizeof error) != 0)
        figures_die("%s", error);
    mesh_set_reliable(&scene->mesh, reliable);
    snprintf(scene->mesh.cpu, sizeof scene->mesh.cpu, "%s", cpu);
    scene->mesh.retry_limit = retry_limit;
    scene->mesh.max_packet = MAX_PACKET;
    scene->count = 0;
    scene->targets[scene->count++] = FIRST;
    if (own)
        scene->targets[scene->count++] = SPLIT;
    scene->targets[scene->count++] = BLOCKED;
}

static void measure_one(const char *cpu, bool reliable, bool own, unsigned retry_limit)
{
    struct scene scene;
    struct figure_case subject = {.part = "turn-round", .mesh = "3x3"};
    set_scene(&scene, cpu, reliable, own, retry_limit);
    snprintf(subject.service, sizeof subject.service, "%s", service_name(reliable));
    snprintf(subject.what, sizeof subject.what, "%s; sent on as %s%s", cpu, retry_limit > 1 ? "multicast" : "unicasts",
             own ? "; site is a target" : "");
    struct clocks clocks = measure(&scene);
    figure_add(&subject, "turn-round clocks", (double)(clocks.resent - clocks.terminator), 0);
    figure_add(&subject, "from abort clocks", (double)(clocks.resent - clocks.abort), 0);
}

/* SERV takes ten times as long, to simulate as well: the usual way only. */
void measure_turn_round(bool quick)
{
    for (int reliable = 0; reliable < 2; reliable++) {
        measure_one("vexriscv", reliable, false, 1);
        if (quick)
            continue;
        measure_one("vexriscv", reliable, false, 2);
        measure_one("vexriscv", reliable, true, 1);
        measure_one("serv", reliable, false, 1);
    }
}
