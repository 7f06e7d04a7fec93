/* A multicast to all other sites of an idle 4x4 mesh against 15 unicasts with the same data, from every source in turn.
 *
 * Complete: from the clock of the call of pr_operator_send (of the first of 15 calls, made back to back in one clock)
 * to the clock in which the last target's handler is called. Link words: every word, terminators included, that any
 * link moved until all was quiet, so acknowledgements count too. Settled: until the source knew of every target.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "figures.h"
#include "mesh/topology_view.h"
#include "operator/operator.h"
#include "protocol.h"

enum { SITES = 16, TARGETS = SITES - 1, HANDLER = 7, POOL = 128, WINDOW = 17, MAX_PACKET = 127 };

/* Of one source, and summed over all. */
struct cost {
    uint64_t complete, settled, link_words;
};

static struct {
    struct simulation *simulation;
    unsigned deliveries, failures, unsettled;
    uint64_t last_delivery, last_settled;
} run;

static void deliver(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    (void)delivery;
    run.deliveries++;
    run.last_delivery = simulation_clock(run.simulation);
}

static void observe(void *context, const struct pr_operator_event *event)
{
    (void)context;
    run.failures += event->kind == PR_OPERATOR_EVENT_FAILED || event->kind == PR_OPERATOR_EVENT_TIMED_OUT;
    if (event->kind == PR_OPERATOR_EVENT_SETTLED) {
        run.unsettled--;
        run.last_settled = simulation_clock(run.simulation);
    }
}

static void start(const struct mesh_config *mesh)
{
    run.simulation = figures_start(mesh, POOL, WINDOW);
    for (unsigned site = 0; site < SITES; site++) {
        struct pr_operator *op = simulation_operator(run.simulation, site);
        pr_operator_register(op, HANDLER, deliver, NULL);
        pr_operator_observe(op, observe, NULL);
    }
}

/* The others; nearest first: a branch carries a word for each target from the first that opened it on, so no other
 * order moves fewer. */
static void list_targets(const struct mesh_config *mesh, unsigned source, bool nearest_first, struct pr_target *targets)
{
    int furthest = nearest_first ? mesh_diameter(mesh) : 1;
    for (int distance = 1; distance <= furthest; distance++)
        for (unsigned site = 0; site < SITES; site++) {
            int hops = mesh_hops(mesh, (int)source, (int)site);
            if (nearest_first ? hops == distance : hops > 0)
                *targets++ = (struct pr_target){.site = (uint16_t)site};
        }
}

static void send(unsigned source, const struct pr_target *targets, unsigned count, unsigned words)
{
    static const uint32_t data[64];
    int error = pr_operator_send(simulation_operator(run.simulation, source), targets, count, HANDLER, data, words,
                                 NULL);
    if (error != 0)
        figures_die("multicast: site %u: operator_send says %d", source, error);
    run.unsettled++;
}

/* One source's packets, from an idle mesh to an idle mesh. */
static struct cost measure(const struct mesh_config *mesh, unsigned source, bool multicast, bool nearest_first,
                           unsigned words)
{
    struct pr_target targets[TARGETS];
    uint64_t began = simulation_clock(run.simulation), moved = simulation_link_words(run.simulation);
    run.deliveries = run.failures = run.unsettled = 0;
    list_targets(mesh, source, nearest_first, targets);
    if (multicast)
        send(source, targets, TARGETS, words);
    for (unsigned i = 0; !multicast && i < TARGETS; i++)
        send(source, &targets[i], 1, words);
    figures_settle(run.simulation);
    if (run.deliveries != TARGETS || run.failures || (mesh->reliable && run.unsettled))
        figures_die("multicast: site %u: %u deliveries, expected %u; %u sent again or failed", source, run.deliveries,
                    TARGETS, run.failures);
    return (struct cost){run.last_delivery - began,
                         mesh->reliable ? run.last_settled - began : run.last_delivery - began,
                         simulation_link_words(run.simulation) - moved};
}

static struct cost sum_of_sources(const struct mesh_config *mesh, bool multicast, bool nearest_first, unsigned words)
{
    struct cost sum = {0};
    for (unsigned source = 0; source < SITES; source++) {
        struct cost cost = measure(mesh, source, multicast, nearest_first, words);
        sum.complete += cost.complete;
        sum.settled += cost.settled;
        sum.link_words += cost.link_words;
    }
    return sum;
}

static double mean(uint64_t sum)
{
    return (double)sum / SITES;
}

static double ratio(uint64_t of, uint64_t to)
{
    return (double)of / (double)to;
}

static void compare(const struct mesh_config *mesh, bool nearest_first, unsigned words)
{
    struct cost one = sum_of_sources(mesh, true, nearest_first, words);
    struct cost many = sum_of_sources(mesh, false, nearest_first, words);
    struct figure_case subject = {.part = "multicast", .mesh = "grid-4x4"};
    snprintf(subject.service, sizeof subject.service, "%s", service_name(mesh->reliable));
    snprintf(subject.what, sizeof subject.what, "%u data words, targets %s", words,
             nearest_first ? "nearest first" : "by number");
    figure_add(&subject, "multicast complete clocks", mean(one.complete), 1);
    figure_add(&subject, "unicasts complete clocks", mean(many.complete), 1);
    figure_add(&subject, "complete ratio", ratio(many.complete, one.complete), 2);
    figure_add(&subject, "multicast link words", mean(one.link_words), 1);
    figure_add(&subject, "unicasts link words", mean(many.link_words), 1);
    figure_add(&subject, "link words ratio", ratio(many.link_words, one.link_words), 2);
    figure_add(&subject, "multicast settled clocks", mean(one.settled), 1);
    figure_add(&subject, "unicasts settled clocks", mean(many.settled), 1);
}

void measure_multicast(bool quick)
{
    struct mesh_config mesh;
    (void)quick;
    for (int reliable = 0; reliable < 2; reliable++) {
        figures_load("grid-4x4", reliable, &mesh);
        mesh.max_packet = MAX_PACKET; /* the default: 15 targets and 64 words fit */
        start(&mesh);
        for (unsigned words = 16; words <= 64; words *= 4)
            for (int nearest_first = 1; nearest_first >= 0; nearest_first--)
                compare(&mesh, nearest_first, words);
        simulation_destroy(run.simulation);
    }
}
