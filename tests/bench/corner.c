/* From the first corner of a mesh to the opposite one: a packet alone, and packets among others.
 *
 * Head: from the clock of the call of pr_operator_send, in which the first word moves, to the clock in which the first
 * word arrives at the target's operator. Whole: until the terminator arrives. The corner that sends the probes sends
 * nothing else, so that they never wait behind packets of its own; all other sites send uniform traffic at the load
 * given, or as much of it as they get rid of. Raw service.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "figures.h"
#include "operator/operator.h"
#include "workload/statistics.h"
#include "workload/traffic.h"

enum {
    DATA_WORDS = 8,
    PROBE_HANDLER = 7,
    TRAFFIC_HANDLER = 8,
    POOL = 1024,
    WINDOW = 4,
    SEED = 1,
    PROBES = 1000,
    INTERVAL = 100,
    WARM_UP = 1000
};

static struct {
    struct simulation *simulation;
    struct statistics head, whole;
    uint64_t began; /* clock of the latest probe; one is under way at a time, or its number is in the data */
    uint64_t sent[PROBES];
    uint64_t expected, delivered;
} run;

static void take_probe(void *context, const struct pr_delivery *delivery)
{
    uint32_t sent = (uint32_t)run.sent[delivery->data[0]];
    (void)context;
    statistics_add(&run.head, delivery->stamp_first - sent);
    statistics_add(&run.whole, delivery->stamp_last - sent);
    run.delivered++;
}

static void take_other(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    (void)delivery;
    run.delivered++;
}

/* 0, or what pr_operator_send says when the source has no room: then the packet is not sent. */
static int send(unsigned source, unsigned target, unsigned handler, uint32_t number)
{
    uint32_t data[DATA_WORDS] = {number};
    struct pr_target to = {.site = (uint16_t)target};
    int error = pr_operator_send(simulation_operator(run.simulation, source), &to, 1, (uint8_t)handler, data,
                                 DATA_WORDS, NULL);
    if (error != 0 && error != -PR_OPERATOR_NO_BUFFER)
        figures_die("corner: site %u: operator_send says %d", source, error);
    if (error == 0)
        run.expected++;
    return error;
}

/* In the first clock in which the corner has room. */
static void send_probe(const struct mesh_config *mesh, unsigned number)
{
    while (send(0, (unsigned)mesh->sites - 1, PROBE_HANDLER, number) != 0)
        simulation_run(run.simulation, 1);
    run.sent[number] = simulation_clock(run.simulation);
}

/* Everybody's packets that are due; the probing corner's are left out. */
static void send_traffic(struct traffic *traffic, uint64_t clock)
{
    struct traffic_packet packet;
    while (traffic_clock(traffic) <= clock) {
        traffic_next(traffic, &packet);
        if (packet.source != 0)
            send(packet.source, packet.targets[0], TRAFFIC_HANDLER, 0);
    }
}

static void send_probes(const struct mesh_config *mesh, double load)
{
    char error[512];
    struct traffic *traffic = traffic_create(
        mesh,
        &(struct traffic_options){
            .pattern = TRAFFIC_UNIFORM, .load = load, .burst = 1, .length = DATA_WORDS, .targets = 2, .seed = SEED},
        error, sizeof error);
    if (!traffic)
        figures_die("corner: %s", error);
    for (uint64_t clock = 0; clock < WARM_UP + PROBES * INTERVAL; clock++) {
        send_traffic(traffic, clock);
        if (clock >= WARM_UP && clock % INTERVAL == 0)
            send_probe(mesh, (unsigned)((clock - WARM_UP) / INTERVAL));
        simulation_run(run.simulation, 1);
    }
    traffic_free(traffic);
}

static void measure(const char *name, double load)
{
    struct mesh_config mesh;
    struct figure_case subject = {.part = "corner", .service = "raw"};
    figures_load(name, false, &mesh);
    memset(&run, 0, sizeof run);
    run.simulation = figures_start(&mesh, POOL, WINDOW);
    if (statistics_init(&run.head) != 0 || statistics_init(&run.whole) != 0)
        figures_die("corner: out of memory");
    for (int site = 0; site < mesh.sites; site++) {
        pr_operator_register(simulation_operator(run.simulation, (unsigned)site), PROBE_HANDLER, take_probe, NULL);
        pr_operator_register(simulation_operator(run.simulation, (unsigned)site), TRAFFIC_HANDLER, take_other, NULL);
    }
    if (load > 0)
        send_probes(&mesh, load);
    else
        send_probe(&mesh, 0);
    figures_settle(run.simulation);
    if (run.delivered != run.expected)
        figures_die("corner: %s: %llu of %llu packets delivered", name, (unsigned long long)run.delivered,
                    (unsigned long long)run.expected);
    snprintf(subject.mesh, sizeof subject.mesh, "%s", name);
    snprintf(subject.what, sizeof subject.what, load > 0 ? "load %g" : "idle", load);
    figure_add(&subject, "head mean clocks", statistics_mean(&run.head), 1);
    figure_add(&subject, "head p99 clocks", (double)statistics_quantile(&run.head, 0.99), 0);
    figure_add(&subject, "whole mean clocks", statistics_mean(&run.whole), 1);
    figure_add(&subject, "whole p99 clocks", (double)statistics_quantile(&run.whole, 0.99), 0);
    statistics_free(&run.head);
    statistics_free(&run.whole);
    simulation_destroy(run.simulation);
}

void measure_corner(bool quick)
{
    measure("grid-4x4", 0);
    measure("grid-8x8", 0);
    if (quick)
        return;
    measure("grid-4x4", 0.2);
    measure("grid-8x8", 0.2);
}
