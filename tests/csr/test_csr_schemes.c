/* The analysis of section 4 beside the printed digits of Table 1, and the runs of all schemes beside what is known of
 * them exactly, or from another model.
 *
 * SPDX-License-Identifier: ISC
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "csr/csr_analysis.h"
#include "csr/csr_deflection.h"
#include "csr/csr_model.h"
#include "csr/csr_runs.h"
#include "csr/csr_unbuffered.h"

static uint64_t seed;

/* As many slots as the tolerances ask for, whatever FEW says. */
static uint64_t slots_of(uint64_t slots)
{
    return check_long() ? 10 * slots : slots;
}

/* Table 1: an attempt rate for each throughput. The last row has the throughput for an attempt rate of 1: 1.422100
 * there, 1.422101 here. */
static void test_table(void)
{
    static const double attempts[] = {0.011666, 0.027465, 0.048996, 0.078620, 0.119931,
                                      0.178584, 0.263852, 0.391796, 0.592309, 0.927213};
    for (unsigned i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        double got = csr_analysis_attempts(7, 0.01 * (i + 1));
        check(fabs(got - attempts[i]) < 0.5e-6, "row %u: %.7f, expected %.6f", i + 1, got, attempts[i]);
        check(fabs(csr_analysis_throughput(7, got) - 0.14 * (i + 1)) < 1e-9, "row %u: not its own inverse", i + 1);
    }
    check(fabs(csr_analysis_throughput(7, 1) - 1.422100) < 1.5e-6, "%.7f", csr_analysis_throughput(7, 1));
    check(isinf(csr_analysis_attempts(7, 0.2)), "more than the links carry");
    /* d = 2: p_1 = 2 - sqrt(4 - 4 p_2), p_0 = p_1 / (1 - p_2). */
    double p = 0.3, expected = (2 - sqrt(4 - 4 * p)) / (1 - p);
    check(fabs(csr_analysis_attempts(2, p) - expected) < 1e-12, "d = 2: %f", csr_analysis_attempts(2, p));
}

/* As many packets arrive as are accepted. */
static void test_stable_point(void)
{
    struct csr_stable_point point = csr_analysis_stable_point(11, 0.05, 1);
    check(fabs(point.throughput - 22 * 0.05 * (1 - point.backlogged)) < 1e-6, "arrivals are not throughput");
    check(fabs(point.attempts - (0.05 * (1 - point.backlogged) + point.backlogged)) < 1e-9, "attempt rate");
    check(fabs(csr_analysis_throughput(11, point.attempts) - point.throughput) < 1e-9, "not on the curve");
}

static double figure(const struct csr_figures *figures, const char *name)
{
    for (unsigned i = 0; i < figures->count; i++)
        if (!strcmp(figures->figures[i].name, name))
            return figures->figures[i].value;
    check(false, "no figure %s", name);
    return NAN;
}

typedef void run_scheme(const struct csr_run *run, struct csr_figures *figures);

/* Runs a scheme; the figure has to be so, within five standard errors and a tolerance. */
static void expect(run_scheme *scheme, struct csr_run run, const char *name, double expected, double tolerance)
{
    struct csr_figures figures = {0};
    run.seed = seed;
    run.retry = 1;
    if (!run.slots)
        run.slots = slots_of(3000);
    run.warm_up = 300;
    scheme(&run, &figures);
    double got = figure(&figures, name), error = figure(&figures, "throughput_error");
    check(fabs(got - expected) <= tolerance + 5 * error, "%s is %f, expected %f (d %u, arrival %g)", name, got,
          expected, run.dimensions, run.arrival);
}

/* Beside models of other people (the anchors of issue 37): with redrawn packets, and with ones that are kept. */
static void test_anchors(void)
{
    static const double redrawn[] = {1.724, 1.622, 1.540, 1.472, 1.410}, kept[] = {1.613, 1.834, 1.903};
    for (unsigned i = 0; i < 5; i++)
        expect(csr_run_csr, (struct csr_run){.dimensions = 3 + i, .arrival = 1, .redraw = true}, "throughput",
               redrawn[i], 0.003);
    struct csr_routes *routes = csr_routes_create("hypercube", 4);
    CHECK(routes);
    for (unsigned buffers = 0; buffers < 3; buffers++)
        expect(csr_run_graph, (struct csr_run){.dimensions = 4, .arrival = 1, .routes = routes, .buffers = buffers},
               "throughput", kept[buffers], 0.01);
    csr_routes_free(routes);
    expect(csr_run_csr, (struct csr_run){.dimensions = 4, .arrival = 1}, "throughput", kept[0], 0.003);
    expect(csr_run_csr, (struct csr_run){.dimensions = 4, .arrival = 1, .exits = 1}, "throughput", 0.916, 0.01);
    expect(csr_run_multicast, (struct csr_run){.dimensions = 4, .arrival = 0.02, .targets = 16, .slots = 20000},
           "multicast_slots", 5.13, 0.1);
    /* Alone but for the packet of the multicast before. */
    expect(csr_run_multicast, (struct csr_run){.dimensions = 4, .arrival = 0, .targets = 1}, "multicast_slots", 4.04,
           0.02);
}

/* A light load: nothing is blocked, dropped or deflected. */
static void test_light_load(void)
{
    struct csr_run run = {.dimensions = 5, .arrival = 0.0002, .slots = slots_of(20000)};
    expect(csr_run_csr, run, "throughput", 2 * 5 * run.arrival, 1e-5);
    expect(csr_run_unbuffered, run, "throughput", 2 * 5 * run.arrival, 1e-5);
    run.priority = true;
    expect(csr_run_unbuffered, run, "throughput", 2 * 5 * run.arrival, 1e-5);
    expect(csr_run_deflection, run, "flight", 5 * 16 / 31.0, 0.25); /* 640 packets */
    expect(csr_run_deflection, run, "throughput", 5 * run.arrival * 31 / 32, 1e-5);
}

/* Node 0 gets what every node gets, and of a hot spot a share more of what little there is. */
static void test_hot(void)
{
    struct csr_run run = {.dimensions = 3, .arrival = 1};
    expect(csr_run_csr, run, "hot", 1.719, 0.13);
    run.arrival = 0.001;
    run.slots = slots_of(20000);
    run.destinations = (struct csr_destinations){CSR_HOT_SPOT, 0.5};
    double drawn = 8 * 3 * 0.001;                          /* packets a slot, of all places of the deflection nodes */
    double hot = drawn * (0.5 * 7 / 8 + 1 / 16.0 * 7 / 8); /* but for those that would not leave their node */
    expect(csr_run_deflection, run, "hot", hot, 5 * sqrt(hot / (double)run.slots)); /* as Poisson has it */
    /* An entry buffer draws a tag; it has a packet if the link's bit is right: half of the 6 a node. */
    expect(csr_run_csr, run, "hot", drawn * (0.5 + 1 / 16.0), 5 * sqrt(drawn / (double)run.slots));
    expect(csr_run_csr, run, "throughput", drawn / 8, 0);
}

/* The closest packets first carries a third more, the preferred links first some percent (d = 6, all places filled). */
static void test_deflection_order(void)
{
    double throughput[4];
    for (unsigned kind = 0; kind < 4; kind++) {
        struct csr_run run = {.dimensions = 6,
                              .arrival = 1,
                              .slots = slots_of(500),
                              .warm_up = 100,
                              .seed = seed,
                              .priority = kind & 1,
                              .two_phases = kind & 2};
        struct csr_figures figures = {0};
        csr_run_deflection(&run, &figures);
        throughput[kind] = figure(&figures, "throughput");
    }
    for (unsigned phases = 0; phases < 4; phases += 2)
        check(throughput[phases + 1] > 1.25 * throughput[phases], "priority: %f, simple: %f", throughput[phases + 1],
              throughput[phases]);
    for (unsigned priority = 0; priority < 2; priority++)
        check(throughput[2 + priority] > 1.02 * throughput[priority], "two phases: %f, one: %f",
              throughput[2 + priority], throughput[priority]);
}

/* Every deflection costs a packet two slots; what enters is on its way or delivered. */
static void test_deflection(void)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        enum { D = 4, NODES = 1 << D };
        struct csr_deflection *deflection = csr_deflection_create(&(struct csr_deflection_options){
            .dimensions = D, .priority = kind & 1, .two_phases = kind & 2, .attempts = 0.5, .seed = seed});
        CHECK(deflection);
        uint64_t delivered = 0, deflected = 0, slots = 0, distances = 0, inserted = 0;
        for (unsigned i = 0; i < slots_of(500); i++) {
            struct csr_delivered now = csr_deflection_slot(deflection);
            delivered += now.packets;
            deflected += now.deflected;
            slots += now.slots;
            distances += now.distances;
            CHECK(now.packets <= NODES * D);
        }
        for (unsigned node = 0; node < NODES; node++)
            inserted += csr_deflection_inserted(deflection, node);
        check(delivered <= inserted && inserted - delivered <= NODES * D, "packets are lost");
        check(slots >= distances && (slots - distances) % 2 == 0, "odd detours");
        check((slots - distances) / 2 <= deflected, "detours without deflections");
        check((slots - distances) / 2 + 20 * NODES * D > deflected, "deflections without detours");
        csr_deflection_free(deflection);
    }
}

/* Figure 7: with priority deflection nodes 01 and 10 insert nothing behind the first slots; conflict sense routing
 * lets them in. */
static void test_lockout(void)
{
    struct csr_run run = {.dimensions = 2, .arrival = 1, .destinations.pattern = CSR_LOCKOUT, .priority = true};
    expect(csr_run_deflection, run, "others", 0, 0.005);
    run.redraw = true;
    struct csr_figures figures = {0};
    run.seed = seed;
    run.slots = 3000;
    csr_run_csr(&run, &figures);
    check(figure(&figures, "others") > 0.3, "others: %f", figure(&figures, "others"));
}

/* d = 2, all entry buffers full: the links hold packets that have crossed 1 or 2 links (shares p_1, p_2 = 1 - p_1), and
 * R = 4 p_2. Each of two packets of the first kind wants a link with probability a = p_1 / 2.
 *
 *   priority   a link goes to one of those that want it: p_2 = 2 a - a^2, so p_1 = 4 - 2 sqrt(3)
 *   simple     a new packet is chosen from one to three: p_1 = (1 - a)^2 + a (1 - a) + a^2 / 3, so p_1 = 9 - sqrt(69)
 *
 * That the two are independent is not quite so in a cube of four nodes: 2 %. */
static void test_unbuffered(void)
{
    struct csr_run small = {.dimensions = 2, .arrival = 1, .priority = true};
    expect(csr_run_unbuffered, small, "throughput", 4 * (2 * sqrt(3) - 3), 0.04);
    small.priority = false;
    expect(csr_run_unbuffered, small, "throughput", 4 * (sqrt(69) - 8), 0.04);
    struct csr_figures simple = {0}, priority = {0}, last = {0};
    struct csr_run run = {.dimensions = 6, .arrival = 1, .slots = 300, .warm_up = 100, .seed = seed};
    csr_run_unbuffered(&run, &simple);
    run.new_last = true;
    csr_run_unbuffered(&run, &last);
    run.priority = true;
    csr_run_unbuffered(&run, &priority);
    check(figure(&simple, "throughput") < figure(&last, "throughput"), "new packets last do not help");
    check(figure(&last, "throughput") < figure(&priority, "throughput"), "priority does not help");
}

/* Permutations: every node has one target, and nothing arrives elsewhere. */
static void test_patterns(void)
{
    struct random random;
    random_seed(&random, seed, 0);
    for (unsigned d = 2; d <= 7; d++)
        for (unsigned pattern = CSR_COMPLEMENT; pattern <= CSR_TRANSPOSE; pattern++) {
            struct csr_destinations destinations = {.pattern = pattern};
            bool reached[1 << 7] = {false};
            for (unsigned node = 0; node < 1u << d; node++)
                reached[node ^ csr_pattern_tag(&destinations, d, node, &random)] = true;
            for (unsigned node = 0; node < 1u << d; node++)
                check(reached[node], "%s does not reach node %u of 2^%u", csr_pattern_names[pattern], node, d);
        }
    struct csr_destinations transpose = {.pattern = CSR_TRANSPOSE}, reversal = {.pattern = CSR_REVERSAL};
    CHECK_EQUAL(0x1 ^ csr_pattern_tag(&transpose, 4, 0x1, &random), 0x4);
    CHECK_EQUAL(0x1 ^ csr_pattern_tag(&reversal, 4, 0x1, &random), 0x8);
}

int main(void)
{
    seed = check_seed();
    RUN(test_table);
    RUN(test_stable_point);
    RUN(test_anchors);
    RUN(test_light_load);
    RUN(test_hot);
    RUN(test_deflection_order);
    RUN(test_deflection);
    RUN(test_lockout);
    RUN(test_unbuffered);
    RUN(test_patterns);
    return verdict("csr schemes");
}
