/* The engine with whole sites, both cores: two whole sites answer on their consoles and ping one another; a run in
 * which no site sleeps shows the same words in the same clocks; a mesh whose cores wait costs nothing; a timer wakes
 * its site in the clock it would have gone on in; the engine's event counts are those that firmware reads from the RTL
 * counters.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L

#include "engine_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "protocol.h"

enum { LIMIT = 3000000, STEP = 64 };

static void read_all(struct simulation *simulation, unsigned site, char *out, size_t size)
{
    size_t length = simulation_console_read(simulation, site, (uint8_t *)out, size - 1);
    out[length] = 0;
}

/* Boot, a ping from site 0, the counters of site 1's words; the answers are left on the consoles. Returns a digest of
 * what every link showed in every clock. */
static uint64_t session(struct simulation *simulation, unsigned clocks)
{
    uint64_t digest = 0;
    const unsigned words = 8; /* 2 sites of 4 links */
    for (unsigned clock = 0; clock < clocks; clock++) {
        if (clock == clocks / 3)
            console_type(simulation, 0, "ping 1\n");
        if (clock == clocks / 3 * 2)
            console_type(simulation, 1, "counters\n");
        simulation_run(simulation, 1);
        for (unsigned i = 0; i < words; i++)
            digest = mix(digest, simulation_words(simulation)[i]);
    }
    for (unsigned site = 0; site < 2; site++)
        for (unsigned index = 0; index < 64; index++)
            digest = mix(digest, simulation_counter(simulation, site, index));
    return digest;
}

/* The value behind `name` in a list of lines "name value", 0 if it is not there, as firmware leaves zeroes out. */
static unsigned long listed(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            return strtoul(line + length, NULL, 10);
    }
    return 0;
}

static void compare_counters(struct simulation *simulation, const char *text)
{
    static const struct {
        const char *name;
        unsigned index;
    } counters[] = {{"received_packets", PR_COUNTER_RECEIVED_PACKETS}, {"sent_packets", PR_COUNTER_SENT_PACKETS}};
    for (unsigned i = 0; i < sizeof counters / sizeof *counters; i++) {
        uint32_t counted = simulation_counter(simulation, 1, counters[i].index);
        check(counted > 0, "%s: the engine counts none", counters[i].name);
        check(listed(text, counters[i].name) == counted, "%s: the engine counts %u, firmware says\n%s",
              counters[i].name, counted, text);
    }
}

static void idle_is_free(struct simulation *simulation)
{
    const uint64_t clocks = (uint64_t)1 << 40;
    check(run_until_idle(simulation, LIMIT), "the mesh never gets quiet");
    clock_t cpu = clock();
    simulation_run(simulation, clocks);
    cpu = clock() - cpu;
    check(cpu < CLOCKS_PER_SEC / 20, "2^40 idle clocks took %ld us of processor time", (long)cpu);
    console_type(simulation, 1, "ping 0\n");
    simulation_run(simulation, STEP);
    check(run_until_idle(simulation, LIMIT), "the mesh does not get quiet again");
}

static void one_core(const char *cpu, unsigned clocks)
{
    struct mesh_config mesh;
    char text[2][4096];
    load_mesh("deadlock-figure-4", &mesh);
    snprintf(mesh.cpu, sizeof mesh.cpu, "%s", cpu);
    struct simulation_options options = {.mesh = &mesh, .kind = SITE_CORE};
    struct simulation *sleeping = start(&options);
    uint64_t digest = session(sleeping, clocks);
    for (unsigned site = 0; site < 2; site++)
        read_all(sleeping, site, text[site], sizeof text[site]);
    check(strstr(text[0], "site 1: round trip"), "%s: no ping, site 0 says \"%s\"", cpu, text[0]);
    check(*text[1], "%s: site 1 says nothing", cpu);
    check(settle(sleeping, LIMIT), "%s: the mesh never settles", cpu);
    read_all(sleeping, 1, text[1], sizeof text[1]);
    console_type(sleeping, 1, "counters\n");
    check(settle(sleeping, LIMIT), "%s: the mesh never settles", cpu);
    read_all(sleeping, 1, text[1], sizeof text[1]);
    compare_counters(sleeping, text[1]);
    idle_is_free(sleeping);
    read_all(sleeping, 1, text[1], sizeof text[1]);
    check(strstr(text[1], "site 0: round trip"), "%s: no ping after a sleep, site 1 says \"%s\"", cpu, text[1]);
    printf("%s: %s", cpu, text[0]);
    simulation_destroy(sleeping);

    options.sleepless = true;
    struct simulation *sleepless = start(&options);
    check(session(sleepless, clocks) == digest, "%s: a run in which no site sleeps is another run", cpu);
    simulation_destroy(sleepless);
}

/* For $readmemh: mtimecmp = 5000; byte to the UART = what PR_NI_WAIT gives (it waits for the timer); finish with pass.
 */
static const char timer_program[] =
    "020042b7 00001337 38830313 0062a023 0002a223\n"  /* lui t0,0x2004; li t1,5000; sw t1,0(t0); sw zero,4(t0) */
    "100103b7 0383ae03 10000eb7 01ce8023\n"           /* lui t2,0x10010; lw t3,0x38(t2); lui t4,0x10000; sb t3,0(t4) */
    "00100437 000054b7 55548493 00942023 0000006f\n"; /* lui s0,0x100; li s1,0x5555; sw s1,0(s0); j . */

/* Runs the program to its end; the clock after the one in which site 0 finished. */
static uint64_t finish_clock(const struct mesh_config *mesh, const char *image, bool sleepless)
{
    struct simulation *simulation = start(
        &(struct simulation_options){.mesh = mesh, .kind = SITE_CORE, .firmware_hex = image, .sleepless = sleepless});
    uint32_t status = 1;
    uint8_t byte = 0;
    simulation_run(simulation, 2000);
    if (!sleepless)
        check(simulation_idle(simulation) && simulation_next_wake(simulation) == 4999, "not asleep until clock 4999");
    while (!simulation_finished(simulation, 0, &status) && simulation_clock(simulation) < 20000)
        simulation_run(simulation, 1);
    check(simulation_finished(simulation, 0, &status) && status == 0, "not finished with status 0");
    check(simulation_console_read(simulation, 0, &byte, 1) == 1 && byte == 8, "NI_WAIT gave %u, expected 8", byte);
    uint64_t clock = simulation_clock(simulation);
    check(clock > 5000 && clock < 6000, "finished in clock %" PRIu64 ", expected soon after 5000", clock);
    check(sleepless || run_until_idle(simulation, LIMIT), "a site whose core has ended is not quiet");
    check(simulation_next_wake(simulation) == UINT64_MAX, "a core that has ended has a wake time");
    simulation_console_write(simulation, 0, &byte, 1);
    check(sleepless || run_until_idle(simulation, LIMIT), "a byte that nobody will read keeps a site awake");
    simulation_destroy(simulation);
    return clock;
}

static void timer_wakes(void)
{
    struct mesh_config mesh;
    char name[] = "/tmp/test_engine_site_XXXXXX";
    int file = mkstemp(name);
    ssize_t written = write(file, timer_program, sizeof timer_program - 1);
    check(written == sizeof timer_program - 1, "%s: not written", name);
    close(file);
    load_mesh("deadlock-figure-4", &mesh);
    mesh_set_reliable(&mesh, false); /* a program that posts no buffer keeps a network_interface with patience awake */
    check(finish_clock(&mesh, name, false) == finish_clock(&mesh, name, true),
          "asleep, the timer comes at another clock");
    unlink(name);
}

int main(void)
{
    one_core("vexriscv", 120000);
    one_core("serv", 1800000);
    timer_wakes();
    return verdict("test_engine_site");
}
