/* The same mesh programs on native operators, on both cores, and under QEMU in both kinds of time: ping, ring,
 * multicast, storm, rubbish on a console. The same deliveries on each, and nothing given up. What the operators decide,
 * and what fabric and network_interface do for them, is the same too, counter by counter and site by site, where one
 * packet is under way at a time; in the storm, where it depends on who is how fast, what must hold whoever is. Prints
 * how many seconds each takes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "protocol.h"

/* PATIENCE: seconds. */
enum { SITES = 4, LIMIT = 20000000, STORM = 4, RUBBISH = 300, PATIENCE = 5, WINDOW = 8, POOL = 28 };

static uint64_t seed;

static void come_to_rest(struct simulation *simulation)
{
    check(settle(simulation, LIMIT), "the mesh does not come to rest");
}

/* Throws away what a site has said until nothing moves any more. */
static void drain(struct simulation *simulation, unsigned site)
{
    uint8_t bytes[8192];
    come_to_rest(simulation);
    simulation_console_read(simulation, site, bytes, sizeof bytes);
}

/* What a site says, until that is in it. A free simulation may have gone on without a guest for which the machine had
 * no time. */
static const char *answer(struct simulation *simulation, unsigned site, const char *expected)
{
    static char text[8192];
    size_t length = 0;
    double end = seconds_now() + PATIENCE;
    do {
        come_to_rest(simulation);
        length += simulation_console_read(simulation, site, (uint8_t *)text + length, sizeof text - 1 - length);
        text[length] = 0;
    } while (!strstr(text, expected) && seconds_now() < end);
    return text;
}

/* The counters that have names, in their order. */
static const struct {
    unsigned index, count;
    const char *name;
} names[] = {
#define COUNTER_ROW(index, count, name) {index, count, name},
    PR_COUNTER_LIST(COUNTER_ROW)
#undef COUNTER_ROW
};

enum { NAMES = sizeof names / sizeof *names };

struct counters {
    unsigned long of[SITES][NAMES];
};

static void note_counter(unsigned long *values, const char *line)
{
    char name[40];
    unsigned long value;
    if (sscanf(line, "%39s %lu", name, &value) != 2)
        return;
    for (unsigned i = 0; i < NAMES; i++)
        if (strcmp(names[i].name, name) == 0)
            values[i] = value;
}

/* A counter of 0 is not named in the answer, which ends with an empty line. */
static void read_counters(struct simulation *simulation, struct counters *counters)
{
    *counters = (struct counters){0};
    for (unsigned site = 0; site < SITES; site++) {
        drain(simulation, site);
        console_type(simulation, site, "counters\n");
        const char *text = answer(simulation, site, "\r\n\r\n");
        check(strstr(text, "\r\n\r\n") != NULL, "site %u names its counters as \"%s\"", site, text);
        for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
            note_counter(counters->of[site], text);
    }
}

/* What they have risen by since `before`. */
static void subtract(struct counters *counters, const struct counters *before)
{
    for (unsigned site = 0; site < SITES; site++)
        for (unsigned i = 0; i < NAMES; i++)
            counters->of[site][i] -= before->of[site][i];
}

static unsigned long value_of(const struct counters *counters, unsigned site, unsigned index)
{
    for (unsigned i = 0; i < NAMES; i++)
        if (names[i].index == index)
            return counters->of[site][i];
    return 0;
}

static unsigned long sum_of(const struct counters *counters, unsigned index)
{
    unsigned long sum = 0;
    for (unsigned site = 0; site < SITES; site++)
        sum += value_of(counters, site, index);
    return sum;
}

/* Every site pings every other one. */
static unsigned ping(struct simulation *simulation)
{
    char line[32], expected[32];
    for (unsigned from = 0; from < SITES; from++)
        for (unsigned to = 0; to < SITES; to++) {
            snprintf(line, sizeof line, "ping %u\n", to);
            snprintf(expected, sizeof expected, "site %u: round trip", to);
            console_type(simulation, from, line);
            const char *text = answer(simulation, from, expected);
            check(strstr(text, expected) != NULL, "site %u pings %u: \"%s\"", from, to, text);
        }
    return 0;
}

/* Every site sends to the next, one after the other. Like those below, returns how many packets each site gets. */
static unsigned ring(struct simulation *simulation)
{
    char line[32];
    for (unsigned from = 0; from < SITES; from++) {
        snprintf(line, sizeof line, "send %u ring\n", (from + 1) % SITES);
        console_type(simulation, from, line);
        come_to_rest(simulation);
    }
    return 1;
}

static unsigned multicast(struct simulation *simulation)
{
    for (unsigned from = 0; from < SITES; from++) {
        console_type(simulation, from, "send 0 1 2 3 to all\n");
        come_to_rest(simulation);
    }
    return SITES;
}

/* All at once. */
static unsigned storm(struct simulation *simulation)
{
    for (unsigned k = 0; k < STORM; k++)
        for (unsigned from = 0; from < SITES; from++)
            console_type(simulation, from, "send 0 1 2 3 storm\n");
    come_to_rest(simulation);
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
    console_type(simulation, 0, "ping 3\n");
    const char *text = answer(simulation, 0, "site 3: round trip");
    check(strstr(text, "site 3: round trip") != NULL, "after rubbish: \"%s\"", text);
    return 0;
}

static const struct program {
    const char *name;
    unsigned (*run)(struct simulation *simulation);
    bool alone;   /* one packet is under way at a time */
    bool lengthy; /* too long for a core that is slow */
} programs[] = {{"ping", ping, true, true},
                {"ring", ring, true, false},
                {"multicast", multicast, true, false},
                {"storm", storm, false, false},
                {"rubbish", rubbish, true, false}};

enum { PROGRAMS = sizeof programs / sizeof *programs };

static const struct level {
    const char *name;
    enum site_kind kind;
    unsigned quantum;
    const char *cpu; /* of cores */
    bool slow, may_be_late;
} levels[] = {{"native", SITE_NATIVE, 0, "", false, false},
              {"core, VexRiscv", SITE_CORE, 0, "vexriscv", false, false},
              {"core, SERV", SITE_CORE, 0, "serv", true, true},
              {"QEMU, free", SITE_QEMU, 0, "", false, true},
              {"QEMU, quantum 100", SITE_QEMU, 100, "", false, false}};

enum { LEVELS = sizeof levels / sizeof *levels };

/* What native operators do in each program. */
static struct counters reference[PROGRAMS];

/* A slow core, or a guest that is late in a free simulation, acknowledges or takes packets so late that they are sent
 * again, diverted or aborted: that is right, and not what native operators do. */
static bool was_late(const struct counters *rise)
{
    return sum_of(rise, PR_COUNTER_TIME_OUTS) + sum_of(rise, PR_COUNTER_DIVERSIONS) + sum_of(rise, PR_COUNTER_ABORTS) >
           0;
}

/* A low-water mark belongs to all programs so far. */
static bool may_differ(unsigned index, bool late)
{
    return index == PR_COUNTER_FEWEST_FREE_BUFFERS ||
           (late && (index < PR_COUNTER_DELIVERED || index == PR_COUNTER_TIME_OUTS || index == PR_COUNTER_DUPLICATES ||
                     index == PR_COUNTER_FORWARDED || index == PR_COUNTER_RESENT_AFTER_ABORT ||
                     index == PR_COUNTER_UNICAST_FALLBACKS || index == PR_COUNTER_ACKNOWLEDGEMENTS ||
                     index == PR_COUNTER_ACKNOWLEDGEMENTS_CARRIED));
}

static void compare(const char *program, const struct counters *got, const struct counters *expected, bool late)
{
    for (unsigned site = 0; site < SITES; site++)
        for (unsigned i = 0; i < NAMES; i++)
            check(may_differ(names[i].index, late) || got->of[site][i] == expected->of[site][i],
                  "%s: site %u: %s rises by %ld, and by %ld with native operators", program, site, names[i].name,
                  (long)got->of[site][i], (long)expected->of[site][i]);
}

/* Holds whoever is fast or slow. */
static void check_invariants(const char *program, const struct counters *rise)
{
    static const unsigned never[] = {PR_COUNTER_TARGETS_FAILED, PR_COUNTER_DISCARDED,   PR_COUNTER_PEERS_RESTARTED,
                                     PR_COUNTER_REFUSED,        PR_COUNTER_BAD_RECORDS, PR_COUNTER_RECEIVED_OVERSIZE,
                                     PR_COUNTER_WINDOW_FULL};
    for (unsigned i = 0; i < sizeof never / sizeof *never; i++)
        check(sum_of(rise, never[i]) == 0, "%s: counter %u is not 0", program, never[i]);
    for (unsigned site = 0; site < SITES; site++)
        check(value_of(rise, site, PR_COUNTER_RESENT_AFTER_ABORT) + value_of(rise, site, PR_COUNTER_FORWARDED) <=
                  value_of(rise, site, PR_COUNTER_ABORTS) + value_of(rise, site, PR_COUNTER_DIVERSIONS) +
                      value_of(rise, site, PR_COUNTER_DEFERRALS),
              "%s: site %u sends more packets on than it had aborts, diversions and deferrals", program, site);
    check(sum_of(rise, PR_COUNTER_DUPLICATES) <= SITES * sum_of(rise, PR_COUNTER_TIME_OUTS),
          "%s: more duplicates than packets that were sent again", program);
}

/* Until every site has got so many packets; a free simulation may not have waited for all of them. */
static void await_deliveries(struct simulation *simulation, const char *program, unsigned expected,
                             struct counters *counters, struct counters *rise)
{
    const struct counters before = *counters;
    double end = seconds_now() + PATIENCE;
    unsigned long missing;
    do {
        read_counters(simulation, counters);
        *rise = *counters;
        subtract(rise, &before);
        missing = 0;
        for (unsigned site = 0; site < SITES && expected; site++)
            missing += value_of(rise, site, PR_COUNTER_DELIVERED) < expected;
    } while (missing && seconds_now() < end);
    for (unsigned site = 0; site < SITES && expected; site++)
        check(value_of(rise, site, PR_COUNTER_DELIVERED) == expected, "%s: site %u got %lu packets, expected %u",
              program, site, value_of(rise, site, PR_COUNTER_DELIVERED), expected);
}

/* `counters` are those before it, and then those after it. */
static void run_program(struct simulation *simulation, unsigned number, const struct level *of,
                        struct counters *counters)
{
    const struct program *program = &programs[number];
    struct counters rise;
    if (of->slow && program->lengthy) {
        printf("| - ");
        return;
    }
    double began = seconds_now();
    unsigned expected = program->run(simulation);
    printf("| %.2f ", seconds_now() - began);
    await_deliveries(simulation, program->name, expected, counters, &rise);
    check_invariants(program->name, &rise);
    if (of == levels)
        reference[number] = rise;
    else if (program->alone)
        compare(program->name, &rise, &reference[number], of->may_be_late && was_late(&rise));
}

static void run_level(const struct level *of, struct mesh_config mesh)
{
    const enum site_kind nodes[SITES] = {of->kind, of->kind, of->kind, of->kind};
    struct counters counters;
    double began = seconds_now();
    check_about(of->name);
    strcpy(mesh.cpu, of->cpu);
    struct simulation *simulation = start(&(struct simulation_options){
        .mesh = &mesh, .nodes = nodes, .quantum = of->quantum, .pool = POOL, .window = WINDOW});
    come_to_rest(simulation);
    printf("| %s | %.2f ", of->name, seconds_now() - began);
    read_counters(simulation, &counters);
    for (unsigned i = 0; i < PROGRAMS; i++)
        run_program(simulation, i, of, &counters);
    printf("|\n");
    fflush(stdout);
    simulation_destroy(simulation);
}

int main(void)
{
    struct mesh_config mesh;
    seed = check_seed();
    load_mesh("grid-4x4", &mesh);
    mesh.size_x = mesh.size_y = 2;
    mesh.sites = SITES;
    printf("| seconds | start ");
    for (unsigned i = 0; i < PROGRAMS; i++)
        printf("| %s ", programs[i].name);
    printf("|\n|---|---:|---:|---:|---:|---:|---:|\n");
    for (unsigned i = 0; i < LEVELS; i++)
        run_level(&levels[i], mesh);
    check_about(NULL);
    check(sum_of(&reference[PROGRAMS - 1], PR_COUNTER_BAD_FRAMES) > 0, "no frame of the rubbish was bad");
    return verdict("test_programs");
}
