/* Zero-load latency on an 8x8 mesh, all pairs: the idle clocks of the discipline, and one clock more for each further
 * word. Then a multicast to all sites of a row.
 *
 * Latency is from the clock in which the network_interface of the source moves the first word to the clock in which
 * that of the target does.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine_test.h"
#include "mesh/discipline.h"
#include "mesh/topology_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "protocol.h"

enum { SIDE = 8, SITES = SIDE * SIDE, HANDLER = 7, LIMIT = 2000 };

static struct {
    unsigned deliveries;
    uint32_t first[SITES], last[SITES]; /* stamps */
} seen;

static struct mesh_config mesh;
static struct simulation *simulation;

static void handler(void *context, const struct pr_delivery *delivery)
{
    unsigned site = *(const unsigned *)context;
    seen.deliveries++;
    seen.first[site] = delivery->stamp_first;
    seen.last[site] = delivery->stamp_last;
}

/* One packet through the idle mesh; the clock in which its first word left. */
static uint32_t send_one(unsigned from, const struct pr_target *targets, unsigned count, unsigned words)
{
    static const uint32_t data[32];
    seen.deliveries = 0;
    uint32_t clock = (uint32_t)simulation_clock(simulation);
    int result = pr_operator_send(simulation_operator(simulation, from), targets, count, HANDLER, data, words, NULL);
    check(result == 0, "site %u: operator_send says %d", from, result);
    check(run_until_idle(simulation, LIMIT), "site %u: not idle after %d clocks", from, LIMIT);
    check(seen.deliveries == count, "site %u: %u deliveries, expected %u", from, seen.deliveries, count);
    return clock;
}

/* Clocks from first word to first word. */
static int latency(unsigned from, unsigned to, unsigned words)
{
    struct pr_target target = {.site = (uint16_t)to};
    uint32_t clock = send_one(from, &target, 1, words);
    unsigned further = 1 + PR_HEADER_WORDS + words; /* after the target: data words and the terminator */
    check(seen.last[to] - seen.first[to] == further, "%u to %u: %u further words in %u clocks", from, to, further,
          seen.last[to] - seen.first[to]);
    return (int)(seen.first[to] - clock);
}

static void all_pairs(void)
{
    for (unsigned from = 0; from < SITES; from++)
        for (unsigned to = 0; to < SITES; to++)
            for (unsigned words = 0; words < 12; words += 5) {
                int hops = mesh_hops(&mesh, (int)from, (int)to), turns = mesh_turns(&mesh, (int)from, (int)to);
                int clocks = latency(from, to, words);
                int expected = (int)mesh.discipline->code->idle_clocks(&mesh, (unsigned)hops, (unsigned)turns);
                check(clocks == expected, "%u to %u: %d hops, %d turns, %d clocks, expected %d", from, to, hops, turns,
                      clocks, expected);
            }
}

/* A multicast along the bottom row: the head waits at every site to be split, the targets for their branch; from the
 * sixth site on there is nothing left to wait for that the packet has not waited for before. */
static void multicast_row(void)
{
    static const unsigned expected[SIDE] = {40, 43, 46, 49, 52, 55, 56, 57};
    struct pr_target targets[SIDE];
    for (unsigned i = 0; i < SIDE; i++)
        targets[i] = (struct pr_target){.site = (uint16_t)i};
    uint32_t clock = send_one(0, targets, SIDE, 0);
    printf("multicast to the %d sites of a row: last word after", SIDE);
    for (unsigned i = 0; i < SIDE; i++) {
        unsigned clocks = seen.last[i] - clock;
        printf(" %u", clocks);
        check(clocks == expected[i], "site %u: last word after %u clocks, expected %u", i, clocks, expected[i]);
    }
    printf(" clocks\n");
}

int main(void)
{
    static unsigned numbers[SITES];
    load_mesh("grid-8x8", &mesh);
    mesh_set_reliable(&mesh, false); /* no acknowledgement in the way, none in a header */
    simulation = start(&(struct simulation_options){.mesh = &mesh});
    for (unsigned i = 0; i < SITES; i++) {
        numbers[i] = i;
        pr_operator_register(simulation_operator(simulation, i), HANDLER, handler, &numbers[i]);
    }
    check(run_until_idle(simulation, LIMIT), "not idle after reset");
    all_pairs();
    multicast_row();
    simulation_destroy(simulation);
    return verdict("test_zero_load");
}
