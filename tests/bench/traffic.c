/* A packet of 16 words from one core to the next, every packet as soon as the one before allows it: through the
 * console, as `postroad send --count` does it, and by the traffic evaluators of `postroad bench`.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "figures.h"
#include "protocol.h"
#include "wire/console_frame.h"
#include "wire/console_messages.h"

enum { SOURCE = 0, TARGET = 1, WORDS = 16, SENDS = 8, FEW = 32, MANY = 96, HANDLER = 1, TAG = 1, LIMIT = 20000000 };

/* Hands a packet to the source's console, and waits until the operator has accepted it. */
static void send(struct simulation *simulation, unsigned target, unsigned handler, const uint32_t *data, unsigned words)
{
    static struct pr_frames_reader reader;
    static struct pr_frame request, answer;
    static uint8_t bytes[PR_FRAMES_WIRE_MAX];
    const uint16_t site = (uint16_t)target;
    uint64_t end = simulation_clock(simulation) + LIMIT;
    uint8_t byte;
    pr_message_send(
        &request,
        &(struct pr_message_send){
            .handler = handler, .targets = 1, .data_words = words, .sites = &site, .data = data, .halves = true});
    size_t length = pr_frames_encode(&request, bytes, sizeof bytes);
    if (simulation_console_write(simulation, SOURCE, bytes, length) < length)
        figures_die("traffic: a console does not take %zu bytes", length);
    pr_frames_reader_init(&reader);
    memset(&answer, 0, sizeof answer);
    while (answer.type != (PR_CONSOLE_SEND | PR_CONSOLE_ANSWER)) {
        if (simulation_clock(simulation) > end)
            figures_die("traffic: no answer after %d clocks", LIMIT);
        simulation_run(simulation, 1);
        if (simulation_console_read(simulation, SOURCE, &byte, 1))
            pr_frames_push(&reader, byte, &answer);
    }
}

static double console_clocks(struct simulation *simulation)
{
    const uint32_t data[WORDS] = {0};
    send(simulation, TARGET, HANDLER, data, WORDS);
    uint64_t began = simulation_clock(simulation);
    for (int k = 0; k < SENDS; k++)
        send(simulation, TARGET, HANDLER, data, WORDS);
    double clocks = (double)(simulation_clock(simulation) - began) / SENDS;
    figures_settle(simulation);
    return clocks;
}

/* Clocks from the order to send so many packets until all is quiet. */
static uint64_t run_clocks(struct simulation *simulation, unsigned packets)
{
    uint32_t order[PR_TRAFFIC_ORDER_WORDS] = {[PR_TRAFFIC_KIND] = PR_TRAFFIC_KIND_BEGIN,
                                              [PR_TRAFFIC_TAG] = TAG,
                                              [PR_TRAFFIC_ORDER_TARGET] = TARGET,
                                              [PR_TRAFFIC_ORDER_LENGTH] = WORDS};
    send(simulation, TARGET, PR_HANDLER_TRAFFIC, order, PR_TRAFFIC_ORDER_WORDS);
    figures_settle(simulation);
    order[PR_TRAFFIC_ORDER_UNTIL] = packets;
    uint64_t began = simulation_clock(simulation);
    send(simulation, SOURCE, PR_HANDLER_TRAFFIC, order, PR_TRAFFIC_ORDER_WORDS);
    figures_settle(simulation);
    return simulation_clock(simulation) - began;
}

static double evaluator_clocks(struct simulation *simulation)
{
    uint64_t few = run_clocks(simulation, FEW), many = run_clocks(simulation, MANY);
    return (double)(many - few) / (MANY - FEW);
}

static void measure_one(const char *cpu, bool reliable)
{
    struct figure_case subject = {.part = "traffic", .mesh = "2x1"};
    struct mesh_config mesh;
    figures_load("grid-4x4", reliable, &mesh);
    mesh.size_x = mesh.sites = 2;
    mesh.size_y = 1;
    snprintf(mesh.cpu, sizeof mesh.cpu, "%s", cpu);
    struct simulation *simulation = figures_start_sites(&mesh, "traffic.hex");
    snprintf(subject.service, sizeof subject.service, "%s", service_name(reliable));
    snprintf(subject.what, sizeof subject.what, "%s; packets of %d words through the console", cpu, WORDS);
    figure_add(&subject, "clocks", console_clocks(simulation), 0);
    snprintf(subject.what, sizeof subject.what, "%s; packets of %d words by an evaluator", cpu, WORDS);
    figure_add(&subject, "clocks", evaluator_clocks(simulation), 0);
    simulation_destroy(simulation);
}

void measure_traffic(bool quick)
{
    measure_one("vexriscv", true);
    measure_one("vexriscv", false);
    if (!quick) {
        measure_one("serv", true);
        measure_one("serv", false);
    }
}
