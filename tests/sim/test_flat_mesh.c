/* The engine against the generated flat mesh: the same operator traffic into both, every word and every status of every
 * link and of every operator's streams compared in every clock, and the event counters at the end.
 *
 * The engine clocks sites one by one, leaves out those that sleep, and counts events in C; the flat mesh is one
 * Verilog module, all of which is clocked always, with the counters in RTL. A flat mesh takes 10 s to build: LONG=1 has
 * all kinds of mesh, `make test` a graph with a switch and cables of several delays, and one that SEED draws.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/verilated_site.h"
#include "protocol.h"

enum { CLOCKS = 12000, BUSY_CLOCKS = 6000, RESET_CLOCKS = 8, MAX_SITES = 16, MAX_LINKS = 5 };

struct flat {
    struct verilated_site library;
    void *context, *model;
    struct site_ports ports;
    uint64_t relief; /* clocks and sites in which it was asked for */
};

static uint64_t slot(const void *slots, unsigned index)
{
    uint64_t value;
    memcpy(&value, (const unsigned char *)slots + 8 * index, sizeof value);
    return value;
}

static bool flat_open(struct flat *flat, const char *set)
{
    char error[512];
    if (verilated_site_open_set(&flat->library, set, error, sizeof error) != 0) {
        check(false, "%s", error);
        return false;
    }
    const struct site_model_table *table = flat->library.table;
    flat->context = table->context_create(NULL);
    flat->model = table->create(flat->context, "flat");
    table->ports(flat->model, &flat->ports);
    *flat->ports.reset = 1;
    for (int i = 0; i < RESET_CLOCKS; i++)
        table->clock(flat->model);
    *flat->ports.reset = 0;
    return true;
}

static void flat_close(struct flat *flat)
{
    flat->library.table->destroy(flat->model);
    flat->library.table->context_destroy(flat->context);
    verilated_site_close(&flat->library);
}

/* A slot without what means nothing: the word beside no tag, and those of null_target and abort_packet (P2). */
static uint64_t meaning(const struct mesh_config *mesh, uint64_t slot)
{
    unsigned tag = slot >> mesh->word_width & 7;
    bool blank = tag == PR_TAG_NULL_TRANSMISSION || tag == PR_TAG_NULL_TARGET || tag == PR_TAG_ABORT_PACKET;
    return blank ? slot >> mesh->word_width << mesh->word_width : slot;
}

/* Every word and status that a site shows its neighbours. False at the first difference. */
static bool compare_links(const struct flat *flat, const struct simulation *simulation, const struct mesh_config *mesh)
{
    const uint64_t *words = simulation_words(simulation);
    for (int i = 0; i < mesh->sites * mesh->links; i++) {
        uint64_t word = meaning(mesh, slot(flat->ports.link_out, (unsigned)i)), engine_word = meaning(mesh, words[i]);
        check(word == engine_word, "clock %" PRIu64 " site %d link %d: engine %" PRIx64 ", flat %" PRIx64,
              simulation_clock(simulation), i / mesh->links, i % mesh->links, engine_word, word);
        if (word != engine_word)
            return false;
    }
    return true;
}

/* One clock of the flat mesh with the operators' words that the engine has just used. False at the first difference.
 * The engine knows what links show in the next clock, unless bits cross sites within a clock. */
static bool step_and_compare(struct flat *flat, const struct simulation *simulation, const struct mesh_config *mesh)
{
    uint64_t clock = simulation_clock(simulation), expected[MAX_SITES];
    bool crosses = mesh->sites_a_clock > 1;
    if (crosses && !compare_links(flat, simulation, mesh))
        return false;
    for (int site = 0; site < mesh->sites; site++) {
        uint64_t sent;
        simulation_local_words(simulation, (unsigned)site, &sent, &expected[site]);
        memcpy((unsigned char *)flat->ports.local_in + 8 * site, &sent, sizeof sent);
        flat->relief += sent >> 62 & 1;
    }
    flat->library.table->clock(flat->model);
    for (int site = 0; site < mesh->sites; site++) {
        uint64_t received = meaning(mesh, slot(flat->ports.local_out, (unsigned)site));
        expected[site] = meaning(mesh, expected[site]);
        check(received == expected[site], "clock %" PRIu64 " site %d operator: engine %" PRIx64 ", flat %" PRIx64,
              clock, site, expected[site], received);
        if (received != expected[site])
            return false;
    }
    return crosses || compare_links(flat, simulation, mesh);
}

static void compare_counters(struct flat *flat, struct simulation *simulation, const struct mesh_config *mesh)
{
    for (unsigned index = 0; index < PR_COUNTER_DROPS + 16; index++) {
        if (index >= PR_COUNTER_RECEIVED_PACKETS && index <= PR_COUNTER_SENT_WAITS)
            continue; /* the network_interface's, which the flat mesh does not have at this level */
        *flat->ports.counter_select = index;
        flat->library.table->settle(flat->model);
        for (int site = 0; site < mesh->sites; site++) {
            uint32_t value, expected = simulation_counter(simulation, (unsigned)site, index);
            memcpy(&value, (const unsigned char *)flat->ports.counter_values + 4 * site, sizeof value);
            check(value == expected, "counter %u of site %d: engine %u, flat %u", index, site, expected, value);
        }
    }
}

struct traffic {
    const struct mesh_config *mesh;
    uint64_t random;
};

/* Random packets, one in three a multicast, for the first part of the run; then single ones with pauses, in which sites
 * fall asleep. */
static void tick(void *context, struct simulation *simulation, uint64_t clock)
{
    struct traffic *traffic = context;
    uint32_t data[24] = {0};
    struct pr_target targets[6];
    unsigned sites = (unsigned)traffic->mesh->sites, operators = (unsigned)mesh_operators(traffic->mesh);
    unsigned rate = clock < BUSY_CLOCKS ? 100 : 2000;
    simulation_request_tick(simulation, clock + 1);
    for (unsigned site = 0; site < sites; site++) {
        if (mesh_is_switch(traffic->mesh, (int)site) || pick(&traffic->random, rate) != 0)
            continue;
        unsigned count = pick(&traffic->random, 3) == 0 ? 1 + pick(&traffic->random, 6) : 1;
        for (unsigned i = 0; i < count; i++)
            targets[i] = (struct pr_target){.site = (uint16_t)pick(&traffic->random, operators)};
        for (unsigned i = 0; i < 24; i++)
            data[i] = pick(&traffic->random, 65536);
        pr_operator_send(simulation_operator(simulation, site), targets, count, 1, data, pick(&traffic->random, 25),
                         NULL);
    }
}

static void compare(const char *name, bool reliable, unsigned pool, uint64_t seed)
{
    struct mesh_config mesh;
    struct flat flat = {0};
    char set[64];
    load_mesh(name, &mesh);
    mesh_set_reliable(&mesh, reliable);
    check(mesh.sites <= MAX_SITES && mesh.links <= MAX_LINKS, "%s is larger than this test", name);
    const char *slash = strrchr(name, '/');
    snprintf(set, sizeof set, "flat-%s", slash ? slash + 1 : name);
    struct simulation *simulation = start(
        &(struct simulation_options){.mesh = &mesh, .pool = pool, .seed = seed, .stall = 30});
    struct traffic traffic = {.mesh = &mesh, .random = seed};
    simulation_set_tick(simulation, tick, &traffic);
    simulation_request_tick(simulation, 0);
    if (flat_open(&flat, set)) {
        unsigned clock = 0;
        do
            simulation_run(simulation, 1);
        while (step_and_compare(&flat, simulation, &mesh) && ++clock < CLOCKS);
        compare_counters(&flat, simulation, &mesh);
        check(!reliable || pool > 8 || flat.relief > 0, "no operator asks for relief: too many buffers for this test");
        printf("%s, %s service: %u clocks compared, %" PRIu64 " words over links\n", name,
               reliable ? "reliable" : "raw", clock, simulation_link_words(simulation));
        check(simulation_link_words(simulation) > 10000, "too little traffic for a comparison");
        flat_close(&flat);
    }
    simulation_destroy(simulation);
}

/* Each takes a set of its own to build. */
static const struct {
    const char *name;
    bool reliable;
    unsigned pool;
} others[] = {
    {"torus-4x4", true, 48},    {"january-4x4", true, 4},  {"january-4x4", false, 48}, {"postman-torus-4x4", true, 48},
    {"adaptive-4x4", true, 48}, {"hypercube-4", true, 48}, {"postman-4x4", true, 48},  {"postman-phases-4x4", true, 48},
};

int main(void)
{
    enum { OTHERS = sizeof others / sizeof *others };
    uint64_t seed = check_seed();
    unsigned drawn = seed % (OTHERS + 1);
    if (check_long() || drawn == OTHERS) {
        compare("grid-4x4", true, 4, seed); /* short of buffers: relief */
        compare("grid-4x4", false, 48, seed);
    }
    compare("../../tests/disciplines/star/star", true, 48, seed);
    for (unsigned i = 0; i < OTHERS; i++)
        if (check_long() || i == drawn)
            compare(others[i].name, others[i].reliable, others[i].pool, seed);
    return verdict("test_flat_mesh");
}
