/* How long a whole site takes for what a host asks it: from the first byte of a request to the last one of its answer,
 * on an idle 4x4 mesh, and how long it takes to start. Site 5 is asked; its neighbour is 6, its far corner 15.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "figures.h"
#include "protocol.h"
#include "wire/console_frame.h"
#include "wire/console_messages.h"

enum { ASKED = 5, NEIGHBOUR = 6, CORNER = 15, SITES = 16, DATA_WORDS = 2, HANDLER = 1, LIMIT = 20000000 };

/* Clocks from the first byte of the request to the last one of its answer. */
static double answer_clocks(struct simulation *simulation, const struct pr_frame *request)
{
    static struct pr_frames_reader reader;
    static struct pr_frame answer;
    static uint8_t bytes[PR_FRAMES_WIRE_MAX];
    uint8_t byte;
    size_t length = pr_frames_encode(request, bytes, sizeof bytes);
    uint64_t began = simulation_clock(simulation);
    if (simulation_console_write(simulation, ASKED, bytes, length) < length)
        figures_die("console: a console does not take %zu bytes", length);
    pr_frames_reader_init(&reader);
    memset(&answer, 0, sizeof answer);
    while (answer.type != (request->type | PR_CONSOLE_ANSWER)) {
        if (simulation_clock(simulation) > began + LIMIT)
            figures_die("console: no answer after %d clocks", LIMIT);
        simulation_run(simulation, 1);
        if (simulation_console_read(simulation, ASKED, &byte, 1))
            pr_frames_push(&reader, byte, &answer);
    }
    double clocks = (double)(simulation_clock(simulation) - began);
    figures_settle(simulation);
    return clocks;
}

static void note(const char *cpu, const char *what, double clocks)
{
    struct figure_case subject = {.part = "console", .mesh = "grid-4x4"};
    snprintf(subject.service, sizeof subject.service, "%s", service_name(true));
    snprintf(subject.what, sizeof subject.what, "%s; %s", cpu, what);
    figure_add(&subject, "clocks", clocks, 0);
}

static void measure_one(const char *cpu)
{
    struct mesh_config mesh;
    struct pr_frame request;
    uint16_t others[SITES - 1];
    const uint32_t data[DATA_WORDS] = {0};
    figures_load("grid-4x4", true, &mesh);
    snprintf(mesh.cpu, sizeof mesh.cpu, "%s", cpu);
    struct simulation *simulation = figures_start_sites(&mesh, "node.hex");
    note(cpu, "start", (double)simulation_clock(simulation));
    pr_message_identify(&request, ASKED);
    note(cpu, "identify", answer_clocks(simulation, &request));
    pr_message_ping(&request, NEIGHBOUR, 0);
    note(cpu, "ping of a neighbour", answer_clocks(simulation, &request));
    pr_message_ping(&request, CORNER, 0);
    note(cpu, "ping of the far corner", answer_clocks(simulation, &request));
    for (unsigned site = 0; site < SITES; site++)
        if (site != ASKED)
            others[site - (site > ASKED)] = (uint16_t)site;
    pr_message_send(
        &request,
        &(struct pr_message_send){
            .handler = HANDLER, .targets = SITES - 1, .data_words = DATA_WORDS, .sites = others, .data = data});
    note(cpu, "send of 2 words to 15 sites", answer_clocks(simulation, &request));
    simulation_destroy(simulation);
}

void measure_console(bool quick)
{
    measure_one("vexriscv");
    if (!quick)
        measure_one("serv");
}
