/* The model of fabric january is equal to the RTL in every clock under traffic too, and under faults: each delivery,
 * and the number of packets that are split, aborted, diverted and damaged. Raw packets of up to 44 words, several at a
 * time, so that split packets stand and are aborted; on the torus some have lists that fill a net_input, and a quarter
 * has target_info. SEED draws them.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "engine/rtl_engine.h"
#include "functional/functional_engine.h"
#include "mesh/fault.h"
#include "operator/operator.h"
#include "support/random.h"

enum {
    RUNS = 4,
    CLOCKS = 12000,
    SENDING = 9000, /* until this clock; afterwards all leaves the mesh */
    HANDLER = 7,
    POOL = 512,
    TARGETS_MOST = 40,
    DATA_MOST = 40,
    INFO_MOST = 2,
    DELIVERIES_MOST = 8192,
    FAULTS_MOST = 3
};

struct delivery {
    unsigned site;
    uint32_t first, last; /* clocks of its first word and its terminator */
};

struct outcome {
    struct delivery deliveries[DELIVERIES_MOST];
    unsigned count;
    uint32_t splits, aborts, diversions;
    struct fault_counts faults;
};

struct receiver {
    struct outcome *outcome;
    unsigned site;
};

struct mesh_case {
    const char *name, *text;
    unsigned clocks_a_packet, targets_most; /* some of the targets are the same site */
    const char *faults[FAULTS_MOST];
};

#define GRID "[mesh]\nfabric = january\ntopology = grid\nsize = 4x4\n[thresholds]\nabort = 8\n"
#define CUBE "[mesh]\nfabric = january\ntopology = hypercube\ndimensions = 4\n[thresholds]\ndivert = 8\n"

static const struct mesh_case cases[] = {
    {"grid", GRID, 60, 5, {NULL}},
    {"torus",
     "[mesh]\nfabric = january\ntopology = torus\nsize = 5x4\n[thresholds]\ndivert = 4\nabort = 16\n",
     100,
     40,
     {NULL}},
    {"cube", CUBE, 50, 5, {NULL}},
    {"damaged words", GRID, 30, 5, {"corrupt:0.01"}},
    {"dead cables", GRID, 40, 5, {"link:any:~400:100"}},
    {"resets", GRID, 25, 5, {"reset:any:~400", "reset:any:~700:1"}},
    {"pauses", GRID, 40, 5, {"stop:any:~300:200"}},
    {"cube with faults", CUBE, 30, 5, {"corrupt:0.005", "link:any:~800:200", "reset:any:~900"}},
};

static struct mesh_config mesh;
static struct receiver receivers[64];

static void handler(void *context, const struct pr_delivery *delivery)
{
    struct receiver *receiver = context;
    struct outcome *outcome = receiver->outcome;
    if (outcome->count < DELIVERIES_MOST)
        outcome->deliveries[outcome->count++] = (struct delivery){receiver->site, delivery->stamp_first,
                                                                  delivery->stamp_last};
}

static unsigned draw(uint64_t *random, unsigned end)
{
    *random = random_mix(*random);
    return (unsigned)(*random % end);
}

static void listen(void *context, struct simulation *simulation, unsigned site, bool running)
{
    (void)context;
    if (running)
        pr_operator_register(simulation_operator(simulation, site), HANDLER, handler, &receivers[site]);
}

static void send_packet(struct simulation *simulation, unsigned targets_most, uint64_t *random)
{
    static const uint32_t data[DATA_MOST], info[INFO_MOST];
    struct pr_target targets[TARGETS_MOST] = {{0}};
    unsigned sites = (unsigned)mesh.sites, from = draw(random, sites), count = 1 + draw(random, targets_most);
    unsigned info_most = draw(random, 4) ? 0 : INFO_MOST;
    for (unsigned i = 0; i < count; i++)
        targets[i] = (struct pr_target){
            .site = draw(random, sites), .info_words = (uint16_t)draw(random, info_most + 1), .info = info};
    unsigned words = 1 + draw(random, DATA_MOST);
    if (simulation_operator(simulation, from))
        pr_operator_send(simulation_operator(simulation, from), targets, count, HANDLER, data, words, NULL);
}

static struct simulation *start(const struct simulation_engine *engine, const struct mesh_case *mesh_case,
                                uint64_t seed, struct outcome *outcome)
{
    char error[512];
    struct fault faults[FAULTS_MOST];
    struct simulation_options options = {.mesh = &mesh, .pool = POOL, .seed = seed, .faults = faults};
    for (; options.fault_count < FAULTS_MOST && mesh_case->faults[options.fault_count]; options.fault_count++)
        CHECK(fault_parse(mesh_case->faults[options.fault_count], &mesh, &faults[options.fault_count], error,
                          sizeof error) == 0);
    struct simulation *simulation = engine->create(&options, error, sizeof error);
    if (!simulation) {
        fprintf(stderr, "FAIL %s\n", error);
        exit(1);
    }
    *outcome = (struct outcome){.count = 0};
    for (unsigned i = 0; i < (unsigned)mesh.sites; i++) {
        receivers[i] = (struct receiver){outcome, i};
        listen(NULL, simulation, i, true);
    }
    simulation_set_reset_hook(simulation, listen, NULL);
    return simulation;
}

static void run(const struct simulation_engine *engine, const struct mesh_case *mesh_case, uint64_t seed,
                struct outcome *outcome)
{
    struct simulation *simulation = start(engine, mesh_case, seed, outcome);
    uint64_t random = seed;
    for (unsigned clock = 0; clock < CLOCKS; clock++) {
        if (clock < SENDING && (draw(&random, mesh_case->clocks_a_packet) == 0 || clock == 0))
            send_packet(simulation, mesh_case->targets_most, &random);
        simulation_run(simulation, 1);
    }
    for (unsigned i = 0; i < (unsigned)mesh.sites; i++) {
        outcome->splits += simulation_counter(simulation, i, PR_COUNTER_SPLITS);
        outcome->aborts += simulation_counter(simulation, i, PR_COUNTER_ABORTS);
        outcome->diversions += simulation_counter(simulation, i, PR_COUNTER_DIVERSIONS);
    }
    simulation_fault_counts(simulation, &outcome->faults);
    simulation_destroy(simulation);
}

/* False, with the first difference. */
static bool is_equal(const char *name, uint64_t seed, const struct outcome *rtl, const struct outcome *model)
{
    unsigned count = rtl->count < model->count ? rtl->count : model->count;
    for (unsigned i = 0; i < count; i++) {
        const struct delivery *a = &rtl->deliveries[i], *b = &model->deliveries[i];
        if (memcmp(a, b, sizeof *a) == 0)
            continue;
        printf("%s, seed %llu: delivery %u: site %u in clocks %u to %u, the RTL: site %u in %u to %u\n", name,
               (unsigned long long)seed, i, b->site, b->first, b->last, a->site, a->first, a->last);
        return false;
    }
    if (rtl->count == model->count && rtl->splits == model->splits && rtl->aborts == model->aborts &&
        rtl->diversions == model->diversions && memcmp(&rtl->faults, &model->faults, sizeof rtl->faults) == 0)
        return true;
    printf("%s, seed %llu: %u deliveries, %u splits, %u aborts, %u diversions, the RTL: %u, %u, %u, %u\n", name,
           (unsigned long long)seed, model->count, model->splits, model->aborts, model->diversions, rtl->count,
           rtl->splits, rtl->aborts, rtl->diversions);
    return false;
}

static void compare(const struct mesh_case *mesh_case, uint64_t seed)
{
    static struct outcome rtl, model;
    char error[512];
    unsigned equal = 0, deliveries = 0, aborts = 0, diversions = 0;
    if (mesh_config_parse(mesh_case->name, mesh_case->text, strlen(mesh_case->text), &mesh, error, sizeof error) != 0) {
        fprintf(stderr, "FAIL %s\n", error);
        exit(1);
    }
    mesh_set_reliable(&mesh, false);
    for (uint64_t i = 0; i < RUNS; i++) {
        run(&rtl_engine, mesh_case, RUNS * seed + i, &rtl);
        run(&functional_engine, mesh_case, RUNS * seed + i, &model);
        equal += is_equal(mesh_case->name, RUNS * seed + i, &rtl, &model);
        deliveries += rtl.count;
        aborts += rtl.aborts;
        diversions += rtl.diversions;
    }
    printf("%s: %u of %d runs equal to the RTL, %u deliveries, %u aborts, %u diversions\n", mesh_case->name, equal,
           RUNS, deliveries, aborts, diversions);
    check(equal == RUNS, "%s: %u of %d runs differ", mesh_case->name, RUNS - equal, RUNS);
    check(deliveries > 1000 && aborts > 0 && diversions > 0, "%s: the runs do not show what is compared",
          mesh_case->name);
}

int main(void)
{
    const char *text = getenv("SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        compare(&cases[i], seed);
    return verdict("test_january_clocks");
}
