/* The engine with native sites: a run is a function of options, seed and calls; sleeping sites and the size of the
 * steps change nothing; idle time is free; ticks come when asked for; stalled operators lose nothing; other word widths
 * and depths are built on demand; waves are written; what cannot be created is refused with a reason.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L

#include "engine_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/rtl_engine.h"
#include "protocol.h"

enum { HANDLER = 3, WORDS = 6 };

/* Traffic of random packets, and a digest of all deliveries with their stamps. */
struct workload {
    struct simulation *simulation;
    unsigned sites, rate;
    uint64_t random, end, digest;
    unsigned expected, delivered;
    bool steady; /* asks for a tick in every clock */
};

static void delivered(void *context, const struct pr_delivery *delivery)
{
    struct workload *load = context;
    load->delivered++;
    load->digest = mix(load->digest,
                       (uint64_t)delivery->stamp_last << 32 | (uint64_t)delivery->source << 16 | delivery->sequence);
    load->digest = mix(load->digest, delivery->data_words ? delivery->data[0] : 0);
}

static void send_some(struct workload *load, unsigned site)
{
    struct pr_target targets[3];
    uint32_t data[WORDS];
    unsigned count = pick(&load->random, 4) ? 1 : load->sites < 3 ? 2 : 3;
    for (unsigned i = 0; i < WORDS; i++)
        data[i] = pick(&load->random, 65536);
    unsigned to = pick(&load->random, load->sites);
    for (unsigned i = 0; i < count; i++)
        targets[i] = (struct pr_target){.site = (uint16_t)((to + i) % load->sites)};
    if (pr_operator_send(simulation_operator(load->simulation, site), targets, count, HANDLER, data, WORDS, NULL) == 0)
        load->expected += count;
}

static void tick(void *context, struct simulation *simulation, uint64_t clock)
{
    struct workload *load = context;
    if (clock >= load->end)
        return;
    if (clock % load->rate == 0)
        send_some(load, pick(&load->random, load->sites));
    simulation_request_tick(simulation, load->steady ? clock + 1 : (clock / load->rate + 1) * load->rate);
}

static struct workload begin(struct simulation_options *options, unsigned rate, uint64_t end)
{
    struct workload load = {.simulation = start(options),
                            .sites = (unsigned)options->mesh->sites,
                            .rate = rate,
                            .random = options->seed,
                            .end = end,
                            .steady = options->sleepless};
    return load;
}

/* Runs the workload to its end and beyond, in steps; returns the digest of all that can be seen. */
static uint64_t run(struct simulation_options *options, unsigned rate, unsigned step)
{
    struct workload load = begin(options, rate, 6000);
    for (unsigned i = 0; i < load.sites; i++)
        pr_operator_register(simulation_operator(load.simulation, i), HANDLER, delivered, &load);
    simulation_set_tick(load.simulation, tick, &load);
    simulation_request_tick(load.simulation, 0);
    while (simulation_clock(load.simulation) < 12000)
        simulation_run(load.simulation, step);
    check(load.delivered == load.expected, "%u deliveries, expected %u", load.delivered, load.expected);
    check(load.expected > 100, "too little traffic");
    load.digest = mix(load.digest, simulation_link_words(load.simulation));
    for (unsigned site = 0; site < load.sites; site++)
        for (unsigned index = 0; index < 64; index++)
            load.digest = mix(load.digest, simulation_counter(load.simulation, site, index));
    simulation_destroy(load.simulation);
    return load.digest;
}

/* A packet in each `rate` clocks. */
static void same_run(const struct mesh_config *mesh, unsigned rate, uint64_t seed)
{
    struct simulation_options options = {.mesh = mesh, .pool = 64, .seed = seed, .stall = 40};
    uint64_t digest = run(&options, rate, 1);
    check(run(&options, rate, 1) == digest, "the same seed gives another run");
    check(run(&options, rate, 4000) == digest, "long steps give another run");
    options.sleepless = true;
    check(run(&options, rate, 100) == digest, "a run in which no site sleeps is another run");
    options.sleepless = false;
    options.seed++;
    check(run(&options, rate, 1) != digest, "another seed gives the same run");
}

static void stalled_operators(const struct mesh_config *mesh, uint64_t seed)
{
    struct simulation_options options = {.mesh = mesh, .pool = 64, .seed = seed, .stall = 97};
    run(&options, 40, 100);
}

static void idle_is_free(const struct mesh_config *mesh)
{
    const uint64_t clocks = (uint64_t)1 << 50;
    struct simulation *simulation = start(&(struct simulation_options){.mesh = mesh});
    check(run_until_idle(simulation, 1000), "not idle after reset");
    uint64_t before = simulation_clock(simulation);
    clock_t cpu = clock();
    simulation_run(simulation, clocks);
    cpu = clock() - cpu;
    check(simulation_clock(simulation) == before + clocks, "an idle run ends at another clock");
    check(cpu < CLOCKS_PER_SEC / 20, "2^50 idle clocks took %ld us of processor time", (long)cpu);
    simulation_destroy(simulation);
}

static void count_delivery(void *context, const struct pr_delivery *delivery)
{
    unsigned *count = context;
    (void)delivery;
    ++*count;
}

/* A packet that an operator is given between two clocks is work, also where every site is clocked in every clock. */
static void packet_ends_idleness(const struct mesh_config *mesh, const char *name)
{
    const uint32_t data[WORDS] = {0};
    const struct pr_target target = {.site = 1};
    unsigned count = 0;
    struct simulation *simulation = start(&(struct simulation_options){.mesh = mesh});
    pr_operator_register(simulation_operator(simulation, 1), HANDLER, count_delivery, &count);
    for (unsigned k = 1; k <= 2; k++) {
        check(run_until_idle(simulation, 100000), "%s: not idle after %u packets", name, k - 1);
        check(pr_operator_send(simulation_operator(simulation, 0), &target, 1, HANDLER, data, WORDS, NULL) == 0,
              "%s: not sent", name);
        check(!simulation_idle(simulation), "%s: idle although a packet waits to leave", name);
        check(settle(simulation, 100000) && count == k, "%s: %u deliveries, expected %u", name, count, k);
    }
    simulation_destroy(simulation);
}

struct ticks {
    unsigned calls;
    uint64_t last, request;
};

static void note_tick(void *context, struct simulation *simulation, uint64_t clock)
{
    struct ticks *ticks = context;
    ticks->calls++;
    ticks->last = clock;
    if (ticks->request)
        simulation_request_tick(simulation, ticks->request);
    ticks->request = 0;
}

static void ticks_on_request(const struct mesh_config *mesh)
{
    struct simulation *simulation = start(&(struct simulation_options){.mesh = mesh});
    check(run_until_idle(simulation, 1000), "not idle after reset");
    struct ticks ticks = {.request = 5000000};
    simulation_set_tick(simulation, note_tick, &ticks);
    simulation_run(simulation, 1000);
    check(ticks.calls == 0, "%u ticks while idle, none was requested", ticks.calls);
    simulation_request_tick(simulation, 90000);
    simulation_request_tick(simulation, 70000);
    check(simulation_next_wake(simulation) == 70000, "next wake is not the earliest request");
    simulation_run(simulation, 100000);
    check(ticks.calls == 1 && ticks.last == 70000, "%u ticks, last at %" PRIu64 ", expected one at 70000", ticks.calls,
          ticks.last);
    simulation_run(simulation, 10000000);
    check(ticks.calls == 2 && ticks.last == 5000000, "%u ticks, last at %" PRIu64 ", expected the second at 5000000",
          ticks.calls, ticks.last);
    check(simulation_next_wake(simulation) == UINT64_MAX, "a wake time although nothing is scheduled");
    simulation_destroy(simulation);
}

static void parse(const char *text, struct mesh_config *mesh)
{
    char error[512];
    check(mesh_config_parse("text", text, strlen(text), mesh, error, sizeof error) == 0, "%s", error);
}

/* Schedules and sizes of csr, whose sites each keep something else awake. */
static void other_slots(uint64_t seed)
{
    static const char *const keys[] = {
        "dimensions=3\n[csr]\nmulticast=yes\n",
        "dimensions=2\n[csr]\nschedule=serial\nslot_words=16\n",
        "dimensions=5\nword_width=32\n[csr]\nmulticast=yes\nslot_words=16\n",
        "dimensions=6\n[csr]\nschedule=serial\nslot_words=64\n",
    };
    for (unsigned i = 0; i < (check_long() ? 4 : 2); i++) {
        struct mesh_config mesh;
        char text[200];
        snprintf(text, sizeof text, "[mesh]\nfabric=csr\ntopology=hypercube\n%s", keys[i]);
        parse(text, &mesh);
        check_about(keys[i]);
        same_run(&mesh, 50, seed);
    }
    check_about(NULL);
}

static void handle_wide(void *context, const struct pr_delivery *delivery)
{
    unsigned *count = context;
    *count += delivery->data_words == 2 && delivery->data[0] == 0xdeadbeef && delivery->data[1] == 0x80000001;
}

/* A parameter set that no .mesh file of the kit uses: must be built when it is asked for. */
static void other_parameters(void)
{
    struct mesh_config mesh;
    parse("[mesh]\ntopology=torus\nsize=3x2\nword_width=32\n[buffers]\ndownstream=8\nupstream=16\n", &mesh);
    struct simulation *simulation = start(&(struct simulation_options){.mesh = &mesh});
    const uint32_t data[2] = {0xdeadbeef, 0x80000001};
    struct pr_target targets[6];
    unsigned count = 0;
    for (unsigned i = 0; i < 6; i++) {
        targets[i] = (struct pr_target){.site = (uint16_t)i};
        pr_operator_register(simulation_operator(simulation, i), HANDLER, handle_wide, &count);
    }
    check(pr_operator_send(simulation_operator(simulation, 4), targets, 6, HANDLER, data, 2, NULL) == 0, "not sent");
    check(run_until_idle(simulation, 10000), "not idle");
    check(count == 6, "32-bit words: %u of 6 deliveries", count);
    simulation_destroy(simulation);
}

static void waves(uint64_t seed)
{
    struct mesh_config mesh;
    char name[] = "/tmp/test_engine_XXXXXX";
    struct stat file = {0};
    load_mesh("deadlock-figure-4", &mesh);
    struct simulation_options options = {.mesh = &mesh, .pool = 64, .seed = seed};
    uint64_t digest = run(&options, 50, 50);
    int descriptor = mkstemp(name);
    check(descriptor >= 0, "no file in /tmp");
    close(descriptor);
    options.waves = name;
    check(run(&options, 50, 50) == digest, "a run with waves is another run");
    check(stat(name, &file) == 0 && file.st_size > 1000, "no waves written");
    unlink(name);
}

static void refuse(const struct simulation_options *options, const char *reason)
{
    char error[512] = "";
    struct simulation *simulation = rtl_engine.create(options, error, sizeof error);
    check(!simulation && strstr(error, reason) && strstr(error, "expected"), "\"%s\", expected a refusal with \"%s\"",
          simulation ? "created" : error, reason);
    simulation_destroy(simulation);
}

static void refusals(const struct mesh_config *mesh)
{
    struct mesh_config small;
    load_mesh("deadlock-figure-4", &small);
    refuse(&(struct simulation_options){.mesh = mesh, .pool = 2}, "pool of 2 buffers");
    refuse(&(struct simulation_options){.mesh = mesh, .stall = 100}, "stall of 100 percent");
    refuse(&(struct simulation_options){.mesh = mesh, .kind = SITE_CORE, .firmware_hex = "/none.hex"}, "/none.hex");
    refuse(&(struct simulation_options){.mesh = &small, .waves = "/none/x.fst"}, "/none/x.fst");
}

int main(void)
{
    struct mesh_config mesh, lines, slots;
    uint64_t seed = check_seed();
    load_mesh("grid-4x4", &mesh);
    for (int reliable = 0; reliable < 2; reliable++) {
        mesh_set_reliable(&mesh, reliable);
        same_run(&mesh, 9, seed);
        stalled_operators(&mesh, seed);
    }
    idle_is_free(&mesh);
    load_mesh("postman-4x4", &lines);
    same_run(&lines, 50, seed);
    idle_is_free(&lines);
    load_mesh("csr-hypercube-4", &slots); /* sites that rest count slots */
    same_run(&slots, 50, seed);
    idle_is_free(&slots);
    packet_ends_idleness(&slots, "csr-hypercube-4");
    other_slots(seed);
    packet_ends_idleness(&mesh, "grid-4x4");
    lines.rest_clocks = 0; /* here and in a mesh with board links no site sleeps */
    packet_ends_idleness(&lines, "postman-4x4, clocked");
    load_mesh("grid-2x2", &mesh);
    packet_ends_idleness(&mesh, "grid-2x2");
    load_mesh("grid-4x4", &mesh);
    ticks_on_request(&mesh);
    other_parameters();
    waves(seed);
    refusals(&mesh);
    return verdict("test_engine");
}
