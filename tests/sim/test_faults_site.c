/* Faults of whole sites: they run the firmware while one of them is reset, held or cut off. A site that has been
 * reset starts again with an epoch one more, answers on its console, and packets reach it and come from it; the others
 * go on meanwhile. Reset while the core waits asleep, while it is busy, and with packets crossing the site. A held
 * operator does not answer a ping until its time is over; a cable that is dead loses nothing for good.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "protocol.h"

enum { SITES = 3, BOOT = 60000, PATIENT = 3000000, HOLD = 400000 };

static char output[SITES][16384];
static size_t lengths[SITES];

static void read_consoles(struct simulation *simulation)
{
    for (unsigned site = 0; site < SITES; site++) {
        size_t room = sizeof output[site] - 1 - lengths[site];
        lengths[site] += simulation_console_read(simulation, site, (uint8_t *)output[site] + lengths[site], room);
        for (size_t i = 0; i < lengths[site]; i++)
            if (!output[site][i])
                output[site][i] = '.'; /* a frame among the text */
        output[site][lengths[site]] = 0;
    }
}

static void forget(void)
{
    memset(lengths, 0, sizeof lengths);
}

/* Runs until a console has said something; the clocks that took, or `limit`. */
static uint64_t wait_for(struct simulation *simulation, unsigned site, const char *text, uint64_t limit)
{
    uint64_t begin = simulation_clock(simulation);
    while (simulation_clock(simulation) - begin < limit) {
        read_consoles(simulation);
        if (strstr(output[site], text))
            return simulation_clock(simulation) - begin;
        simulation_run(simulation, 200);
    }
    return limit;
}

static void pings(struct simulation *simulation, const char *when)
{
    for (unsigned from = 0; from < SITES; from++)
        for (unsigned to = 0; to < SITES; to++) {
            char command[20], answer[20];
            if (to == from)
                continue;
            forget();
            snprintf(command, sizeof command, "ping %u\n", to);
            snprintf(answer, sizeof answer, "site %u: round trip", to);
            console_type(simulation, from, command);
            check(wait_for(simulation, from, answer, PATIENT) < PATIENT, "%s: no answer to a ping from %u to %u: %s",
                  when, from, to, output[from]);
        }
}

struct calls {
    unsigned down, up;
};

static void hook(void *context, struct simulation *simulation, unsigned site, bool running)
{
    struct calls *calls = context;
    *(running ? &calls->up : &calls->down) += 1;
    check(site == 1 && simulation_running(simulation, 1), "the hook is called for site %u", site);
}

static struct simulation *begin(const char *const *texts, struct mesh_config *mesh, bool sleepless)
{
    static const char row[] = "[mesh]\ntopology=torus\nsize=3x1\n";
    struct fault faults[8];
    unsigned count = 0;
    char error[256];
    check(mesh_config_parse("3x1", row, sizeof row - 1, mesh, error, sizeof error) == 0, "%s", error);
    for (; texts[count]; count++)
        check(fault_parse(texts[count], mesh, &faults[count], error, sizeof error) == 0, "%s", error);
    return start(&(struct simulation_options){
        .mesh = mesh, .kind = SITE_CORE, .faults = faults, .fault_count = count, .sleepless = sleepless});
}

static void resets(void)
{
    static const char *const faults[] = {"reset:1:100000", "reset:1:4000100:1", "reset:1:4004000:50000", NULL};
    struct mesh_config mesh;
    struct calls calls = {0};
    struct fault_counts counts;
    struct simulation *simulation = begin(faults, &mesh, false);
    simulation_set_reset_hook(simulation, hook, &calls);
    simulation_run(simulation, 90000);
    console_type(simulation, 0, "ping 1\n");
    console_type(simulation, 2, "ping 1\n"); /* under way when the site goes */
    simulation_run(simulation, 100000);
    read_consoles(simulation);
    check(calls.down == 1 && calls.up == 1, "%u resets, %u starts, expected one", calls.down, calls.up);
    pings(simulation, "after a reset");
    check(simulation_clock(simulation) < 4000000, "too slow for this test");
    simulation_run(simulation, 4000000 - simulation_clock(simulation));
    console_type(simulation, 1, "counters\n"); /* busy with this */
    simulation_run(simulation, 200000);
    pings(simulation, "after three resets");
    simulation_fault_counts(simulation, &counts);
    check(counts.resets == 3 && calls.up == 3, "%" PRIu64 " resets, %u starts, expected 3", counts.resets, calls.up);
    simulation_destroy(simulation);
}

static void held(void)
{
    static const char *const faults[] = {"stop:1:100000:400000", NULL};
    struct mesh_config mesh;
    struct simulation *simulation = begin(faults, &mesh, false);
    simulation_run(simulation, 90000);
    check(simulation_running(simulation, 1), "stopped too early");
    simulation_run(simulation, 40000);
    check(!simulation_running(simulation, 1), "not stopped");
    forget();
    console_type(simulation, 0, "ping 1\n");
    uint64_t clocks = wait_for(simulation, 0, "site 1: round trip", PATIENT);
    check(clocks > HOLD - 60000 && clocks < PATIENT, "a site held for %d clocks answers after %" PRIu64, HOLD, clocks);
    pings(simulation, "after a stop");
    simulation_destroy(simulation);
}

static void cut_off(void)
{
    static const char *const faults[] = {"link:0.east:90000:300000", "corrupt:0.02", NULL};
    struct mesh_config mesh;
    struct fault_counts counts;
    struct simulation *simulation = begin(faults, &mesh, false);
    simulation_run(simulation, 100000);
    pings(simulation, "with a dead cable and damaged words");
    simulation_fault_counts(simulation, &counts);
    check(counts.links_down == 1 && counts.corrupted_words > 0, "no fault");
    simulation_destroy(simulation);
}

/* What every link shows in every clock. */
static uint64_t digest_of(bool sleepless)
{
    static const char *const faults[] = {"reset:1:~40000:30", "link:any:~30000:2000", "corrupt:0.01",
                                         "stop:any:~70000:9000", NULL};
    struct mesh_config mesh;
    struct simulation *simulation = begin(faults, &mesh, sleepless);
    uint64_t digest = 0;
    for (unsigned clock = 0; clock < 200000; clock++) {
        if (clock % 25000 == 20000)
            for (unsigned site = 0; site < SITES; site++)
                console_type(simulation, site, site == 1 ? "ping 0\n" : "ping 1\n");
        simulation_run(simulation, 1);
        for (unsigned i = 0; i < SITES * 4; i++)
            digest = mix(digest, simulation_words(simulation)[i]);
        if (clock % 1000 == 0)
            read_consoles(simulation);
    }
    forget();
    simulation_destroy(simulation);
    return digest;
}

int main(void)
{
    resets();
    held();
    cut_off();
    check(digest_of(false) == digest_of(true), "a run in which no site sleeps is another run");
    return verdict("test_faults_site");
}
