/* The same mesh programs on native operators, on cores, and under QEMU in both kinds of time: ping, ring, multicast, storm,
 * rubbish on a console. The same deliveries on each, and nothing given up; what the rubbish is taken for is the same too. Prints
 * how many seconds each takes.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE

#include "engine_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* PATIENCE: seconds. */
enum { SITES = 4, STEP = 64, LIMIT = 20000000, STORM = 4, RUBBISH = 300, PATIENCE = 5, WINDOW = 8, POOL = 28 };

static const char *level;
static uint64_t seed;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void type(struct simulation *simulation, unsigned site, const char *text)
{
    size_t length = strlen(text), taken = simulation_console_write(simulation, site, (const uint8_t *)text, length);
    check(taken == length, "%s: site %u takes %zu of %zu bytes", level, site, taken, length);
}

static void settle(struct simulation *simulation)
{
    uint64_t end = simulation_clock(simulation) + LIMIT;
    do
        simulation_run(simulation, STEP);
    while ((!simulation_idle(simulation) || simulation_next_wake(simulation) != UINT64_MAX) &&
           simulation_clock(simulation) < end);
    check(simulation_clock(simulation) < end, "%s: the mesh does not come to rest", level);
}

/* Throws away what a site has said until nothing moves any more. */
static void drain(struct simulation *simulation, unsigned site)
{
    uint8_t bytes[8192];
    settle(simulation);
    simulation_console_read(simulation, site, bytes, sizeof bytes);
}

/* What a site says, until that is in it. A free simulation may have gone on without a guest for which the machine had no time. */
static const char *answer(struct simulation *simulation, unsigned site, const char *expected)
{
    static char text[8192];
    size_t length = 0;
    double end = seconds_now() + PATIENCE;
    do {
        settle(simulation);
        length += simulation_console_read(simulation, site, (uint8_t *)text + length, sizeof text - 1 - length);
        text[length] = 0;
    } while (!strstr(text, expected) && seconds_now() < end);
    return text;
}

/* A counter of 0
 is not named in the answer. */
static unsigned long counter(struct simulation *simulation, unsigned site, const char *name)
{
    char line[40];
    snprintf(line, sizeof line, "counters %s\n", name);
    drain(simulation, site);
    type(simulation, site, line);
    const char *text = answer(simulation, site, "\n"), *found = strstr(text, name);
    return found ? strtoul(found + strlen(name), NULL, 10) : 0;
}

/* Every site pings every other one. */
static unsigned ping(struct simulation *simulation)
{
    char line[32], expected[32];
    for (unsigned from = 0; from < SITES; from++)
        for (unsigned to = 0; to < SITES; to++) {
            snprintf(line, sizeof line, "ping %u\n", to);
            snprintf(expected, sizeof expected, "site %u: round trip", to);
            type(simulation, from, line);
            const char *text = answer(simulation, from, expected);
            check(strstr(text, expected) != NULL, "%s: site %u pings %u: \"%s\"", level, from, to, text);
        }
    return 0;
}

/* Every site sends to the next, one after the other. Like those below, returns how many packets each site gets. */
static unsigned ring(struct simulation *simulation)
{
    char line[32];
    for (unsigned from = 0; from < SITES; from++) {
        snprintf(line, sizeof line, "send %u ring\n", (from + 1) % SITES);
        type(simulation, from, line);
        settle(simulation);
    }
    return 1;
}

static unsigned multicast(struct simulation *simulation)
{
    for (unsigned from = 0; from < SITES; from++) {
        type(simulation, from, "send 0 1 2 3 to all\n");
        settle(simulation);
    }
    return SITES;
}

/* All at once. */
static unsigned storm(struct simulation *simulation)
{
    for (unsigned k = 0; k < STORM; k++)
        for (unsigned from = 0; from < SITES; from++)
            type(simulation, from, "send 0 1 2 3 storm\n");
    settle(simulation);
    return STORM * SITES;
}

static unsigned rubbish(struct simulation *simulation)
{
    uint64_t state = seed;
    uint8_t bytes[RUBBISH + 1];
    for (unsigned i = 0; i < RUBBISH; i++)
        bytes[i] = (uint8_t)pick(&state, 256);
    bytes[RUBBISH] = 0;
    for (size_t at = 0; at < sizeof bytes;) {
        at += simulation_console_write(simulation, 0, bytes + at, sizeof bytes - at);
        drain(simulation, 0);
    }
    type(simulation, 0, "ping 3\n");
    const char *text = answer(simulation, 0, "site 3: round trip");
    check(strstr(text, "site 3: round trip") != NULL, "%s: after rubbish: \"%s\"", level, text);
    return 0;
}

static const struct program {
    const char *name;
    unsigned (*run)(struct simulation *simulation);
} programs[] = {{"ping", ping}, {"ring", ring}, {"multicast", multicast}, {"storm", storm}, {"rubbish", rubbish}};

enum { PROGRAMS = sizeof programs / sizeof *programs };

static double run_program(struct simulation *simulation, const struct program *program)
{
    unsigned long before[SITES];
    for (unsigned site = 0; site < SITES; site++)
        before[site] = counter(simulation, site, "delivered");
    double began = seconds_now();
    unsigned expected = program->run(simulation);
    double took = seconds_now() - began;
    for (unsigned site = 0; site < SITES && expected; site++) {
        unsigned long got;
        double end = seconds_now() + PATIENCE;
        do
            got = counter(simulation, site, "delivered") - before[site];
        while (got < expected && seconds_now() < end);
        check(got == expected, "%s, %s: site %u got %lu packets, expected %u", level, program->name, site, got, expected);
    }
    return took;
}

/* Returns how many bad frames the rubbish was taken for. */
static unsigned long run_all(const char *name, enum node_kind kind, unsigned quantum, const struct mesh_config *mesh)
{
    const enum node_kind nodes[SITES] = {kind, kind, kind, kind};
    double began = seconds_now();
    level = name;
    struct simulation *simulation = start(&(struct simulation_options){.mesh = mesh, .nodes = nodes, .quantum = quantum,
                                                                       .pool = POOL, .window = WINDOW});
    settle(simulation);
    printf("| %s | %.2f ", name, seconds_now() - began);
    for (unsigned i = 0; i < PROGRAMS; i++)
        printf("| %.2f ", run_program(simulation, &programs[i]));
    printf("|\n");
    for (unsigned site = 0; site < SITES; site++)
        check(counter(simulation, site, "targets_failed") == 0, "%s: site %u has given targets up", name, site);
    unsigned long bad = counter(simulation, 0, "bad_frames");
    simulation_destroy(simulation);
    return bad;
}

int main(void)
{
    struct mesh_config mesh;
    seed = test_seed((uint64_t)time(NULL));
    load_mesh("grid-4x4", &mesh);
    mesh.size_x = mesh.size_y = 2;
    mesh.sites = SITES;
    printf("| seconds | start ");
    for (unsigned i = 0; i < PROGRAMS; i++)
        printf("| %s ", programs[i].name);
    printf("|\n|---|---:|---:|---:|---:|---:|---:|\n");
    unsigned long bad = run_all("native", NODE_NATIVE, 0, &mesh);
    check(bad > 0, "no frame of the rubbish was bad");
    check(run_all("core", NODE_CORE, 0, &mesh) == bad, "a core counts other bad frames than %lu", bad);
    check(run_all("qemu, free", NODE_QEMU, 0, &mesh) == bad, "a guest counts other bad frames than %lu", bad);
    check(run_all("qemu, quantum 100", NODE_QEMU, 100, &mesh) == bad, "a guest counts other bad frames than %lu", bad);
    return verdict("test_programs");
}
