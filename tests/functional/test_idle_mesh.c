/* On an idle mesh the simulator `functional` is equal to the RTL in every clock that an operator can see: the first
 * word and the terminator of a unicast, at its target. Multicasts are nearly so: MULTICAST_BOUND. Every pair of sites
 * of grids, a torus and a hypercube, and of a grid with adaptive lists, with three lengths.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "engine/rtl_engine.h"
#include "functional/functional_engine.h"
#include "operator/operator.h"
#include "support/install_paths.h"

enum {
    ENGINES = 2,
    SITES_MOST = 64,
    HANDLER = 7,
    LIMIT = 600,
    SETS = 60,
    TARGETS_MOST = 6,
    MULTICAST_BOUND = 8 /* clocks between the two, of a first word or a terminator */
};

/* A mesh: a file of hw/mesh, or a text. Fabric cutthrough looks up the targets of a packet one by one, and the model
 * has no gaps between words: its multicasts are MULTICAST_BOUND apart at most. Fabric january has no such gaps. */
struct mesh_case {
    const char *name, *text;
    int bound; /* of multicasts */
};

static const struct mesh_case cases[] = {
    {"grid-4x4", NULL, MULTICAST_BOUND},
    {"grid-8x8", NULL, MULTICAST_BOUND},
    {"torus-4x4", NULL, MULTICAST_BOUND},
    {"hypercube-4", NULL, MULTICAST_BOUND},
    {"adaptive", "[mesh]\ntopology = grid\nsize = 3x3\n[routing]\nunicast = adaptive\n", MULTICAST_BOUND},
    {"january-4x4", NULL, 0},
    {"january-8x8", "[mesh]\nfabric = january\ntopology = grid\nsize = 8x8\n", 0},
    {"january-torus", "[mesh]\nfabric = january\ntopology = torus\nsize = 5x4\n", 0},
    {"january-cube", "[mesh]\nfabric = january\ntopology = hypercube\ndimensions = 4\n", 0},
};

struct seen {
    unsigned deliveries;
    uint32_t first, last; /* stamps of the last delivery */
    uint32_t sent;        /* clock in which its terminator had left the source's network_interface */
};

struct run {
    struct simulation *simulation;
    struct seen seen[SITES_MOST];
};

static struct mesh_config mesh;

static void handler(void *context, const struct pr_delivery *delivery)
{
    struct seen *seen = context;
    seen->deliveries++;
    seen->first = delivery->stamp_first;
    seen->last = delivery->stamp_last;
}

static bool load(const struct mesh_case *from)
{
    char top[4096], path[4200], error[512];
    if (from->text)
        return mesh_config_parse(from->name, from->text, strlen(from->text), &mesh, error, sizeof error) == 0;
    if (install_paths_top(top, sizeof top) != 0)
        return false;
    snprintf(path, sizeof path, "%s/hw/mesh/%s.mesh", top, from->name);
    return mesh_config_load(path, &mesh, error, sizeof error) == 0;
}

/* Runs until the site has sent a packet more. Returns the clock then. */
static uint32_t run_until_sent(struct simulation *simulation, unsigned site, uint32_t before)
{
    uint64_t end = simulation_clock(simulation) + LIMIT;
    while (simulation_counter(simulation, site, PR_COUNTER_SENT_PACKETS) == before &&
           simulation_clock(simulation) < end)
        simulation_run(simulation, 1);
    return (uint32_t)simulation_clock(simulation);
}

static void run_until_idle(struct simulation *simulation)
{
    uint64_t end = simulation_clock(simulation) + LIMIT;
    do
        simulation_run(simulation, 1);
    while (!simulation_idle(simulation) && simulation_clock(simulation) < end);
    check(simulation_idle(simulation), "not idle after %d clocks", LIMIT);
}

static void start(struct run *run, const struct simulation_engine *engine)
{
    char error[512];
    run->simulation = engine->create(&(struct simulation_options){.mesh = &mesh}, error, sizeof error);
    if (!run->simulation) {
        fprintf(stderr, "FAIL %s\n", error);
        exit(1);
    }
    for (int i = 0; i < mesh.sites; i++)
        pr_operator_register(simulation_operator(run->simulation, (unsigned)i), HANDLER, handler, &run->seen[i]);
    run_until_idle(run->simulation);
}

/* Clocks of the delivery of one packet, counted from its sending. */
static struct seen send_one(struct run *run, unsigned from, unsigned to, unsigned words)
{
    static const uint32_t data[32];
    struct pr_target target = {.site = (uint16_t)to};
    struct seen *seen = &run->seen[to];
    uint32_t clock = (uint32_t)simulation_clock(run->simulation);
    unsigned before = seen->deliveries;
    uint32_t sent = simulation_counter(run->simulation, from, PR_COUNTER_SENT_PACKETS);
    int error = pr_operator_send(simulation_operator(run->simulation, from), &target, 1, HANDLER, data, words, NULL);
    check(error == 0, "site %u: operator_send returns %d", from, error);
    sent = run_until_sent(run->simulation, from, sent);
    run_until_idle(run->simulation);
    return (struct seen){seen->deliveries - before, seen->first - clock, seen->last - clock, sent - clock};
}

static void compare(struct run runs[ENGINES], unsigned from, unsigned to, unsigned words)
{
    struct seen seen[ENGINES];
    for (int e = 0; e < ENGINES; e++)
        seen[e] = send_one(&runs[e], from, to, words);
    check(seen[0].deliveries == 1 && seen[1].deliveries == 1, "%u to %u: %u and %u deliveries", from, to,
          seen[0].deliveries, seen[1].deliveries);
    check(seen[0].first == seen[1].first && seen[0].last == seen[1].last && seen[0].sent == seen[1].sent,
          "%s, %u to %u, %u words: clocks %u to %u, sent in %u, expected %u to %u, %u", mesh.path, from, to, words,
          seen[1].first, seen[1].last, seen[1].sent, seen[0].first, seen[0].last, seen[0].sent);
}

static void send_to_all(struct run *run, unsigned from, const struct pr_target *targets, unsigned count)
{
    static const uint32_t data[8];
    pr_operator_send(simulation_operator(run->simulation, from), targets, count, HANDLER, data, 8, NULL);
    run_until_idle(run->simulation);
}

static int apart(uint32_t first, uint32_t second)
{
    return abs((int)(first - second));
}

/* A multicast to some sites, on both. Returns the clocks by which its slowest copies differ. */
static int compare_multicast(struct run runs[ENGINES], unsigned from, const struct pr_target *targets, unsigned count)
{
    uint32_t clock[ENGINES];
    int most = 0;
    for (int e = 0; e < ENGINES; e++) {
        memset(runs[e].seen, 0, sizeof runs[e].seen);
        clock[e] = (uint32_t)simulation_clock(runs[e].simulation);
        send_to_all(&runs[e], from, targets, count);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct seen *rtl = &runs[0].seen[targets[i].site], *model = &runs[1].seen[targets[i].site];
        int first = apart(rtl->first - clock[0], model->first - clock[1]);
        int last = apart(rtl->last - clock[0], model->last - clock[1]);
        check(rtl->deliveries == 1 && model->deliveries == 1, "site %u: %u and %u deliveries", targets[i].site,
              rtl->deliveries, model->deliveries);
        most = first > most ? first : most;
        most = last > most ? last : most;
    }
    return most;
}

static void multicasts(const struct mesh_case *from_case, struct run runs[ENGINES])
{
    uint64_t random = 1;
    unsigned equal = 0;
    int most = 0;
    for (unsigned set = 0; set < SETS; set++) {
        struct pr_target targets[TARGETS_MOST] = {{0}};
        unsigned count = 2 + set % (TARGETS_MOST - 1);
        random = random * 6364136223846793005u + 1442695040888963407u;
        unsigned from = (unsigned)(random >> 33) % (unsigned)mesh.sites, step = 1 + (unsigned)(random >> 50) % 5;
        for (unsigned i = 0; i < count; i++)
            targets[i].site = (uint16_t)((from + (i + set) % 3 + i * (step | 1)) % (unsigned)mesh.sites);
        int clocks = compare_multicast(runs, from, targets, count);
        most = clocks > most ? clocks : most;
        equal += clocks == 0;
    }
    printf("%s: %u of %d multicasts equal to the RTL, the others within %d clocks\n", from_case->name, equal, SETS,
           most);
    check(most <= from_case->bound, "%s: multicasts differ by %d clocks", from_case->name, most);
}

static void all_pairs(const struct mesh_case *from_case)
{
    struct run runs[ENGINES] = {{.simulation = NULL}};
    if (!load(from_case)) {
        fprintf(stderr, "FAIL %s cannot be read\n", from_case->name);
        exit(1);
    }
    mesh_set_reliable(&mesh, false); /* no acknowledgement in the way */
    start(&runs[0], &rtl_engine);
    start(&runs[1], &functional_engine);
    for (unsigned from = 0; from < (unsigned)mesh.sites; from++)
        for (unsigned to = 0; to < (unsigned)mesh.sites; to++)
            for (unsigned words = 0; words < 25; words += 12)
                compare(runs, from, to, words);
    multicasts(from_case, runs);
    for (int e = 0; e < ENGINES; e++)
        simulation_destroy(runs[e].simulation);
    printf("%s: unicasts of every pair equal to the RTL\n", from_case->name);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        all_pairs(&cases[i]);
    return verdict("test_idle_mesh");
}
