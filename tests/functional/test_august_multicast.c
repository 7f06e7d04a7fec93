/* The August paper's own multicast (4.5.2), `--model m10=busy`, in cases small enough to be worked out by hand: where a
 * packet to several sites is split, where it passes whole, and the clock in which it is there.
 *
 * In a row of sites 0 1 2 3, site 0 sends to 2 and 3, so that the packet comes through site 1. Its clocks there, from
 * the one in which its head is shown: 4 if local is free (it requests local in 1, is split, requests its branch in 3,
 * crosses in 4), 2 if local is busy (it requests the way on in 1, crosses in 2), and 0 with the RTL's M10.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "functional/functional_engine.h"
#include "mesh/mesh.h"
#include "operator/operator.h"

enum { HANDLER = 7, LIMIT = 4000, WORDS = 8, LONG_WORDS = 60, SITES_MOST = 16, SETS = 60 };

#define AUGUST  "m10=busy,m11=no"
#define WAITING "m10=no,m11=no"

static const char row[] = "[mesh]\ntopology = grid\nsize = 4x1\n[thresholds]\nabort = 4096\ndivert = 1024\n"
                          "[buffers]\nmax_packet = 127\n";
static const char square[] = "[mesh]\ntopology = grid\nsize = 3x3\n[thresholds]\nabort = 4096\ndivert = 1024\n"
                             "[buffers]\nmax_packet = 127\n";
static const char large[] = "[mesh]\ntopology = grid\nsize = 4x4\n[thresholds]\nabort = 4096\n";

static struct mesh_config mesh;
static struct simulation *simulation;
static struct seen {
    unsigned deliveries;
    uint32_t first, last; /* stamps of the last one of WORDS words */
} seen[SITES_MOST];

static void handler(void *context, const struct pr_delivery *delivery)
{
    struct seen *at = context;
    if (delivery->data_words != WORDS)
        return;
    at->deliveries++;
    at->first = delivery->stamp_first;
    at->last = delivery->stamp_last;
}

static void run_until_idle(void)
{
    uint64_t end = simulation_clock(simulation) + LIMIT;
    while (!simulation_idle(simulation) && simulation_clock(simulation) < end)
        simulation_run(simulation, 1);
    check(simulation_idle(simulation), "not idle after %d clocks", LIMIT);
}

static void begin(const char *text, const char *model)
{
    char error[512];
    CHECK(mesh_config_parse("case.mesh", text, strlen(text), &mesh, error, sizeof error) == 0);
    mesh_set_reliable(&mesh, false);
    memset(seen, 0, sizeof seen);
    const struct simulation_options options = {.mesh = &mesh, .model = model, .seed = 1};
    simulation = functional_engine.create(&options, error, sizeof error);
    if (!simulation) {
        fprintf(stderr, "FAIL %s: %s\n", model, error);
        exit(1);
    }
    for (unsigned i = 0; i < (unsigned)mesh.sites; i++)
        pr_operator_register(simulation_operator(simulation, i), HANDLER, handler, &seen[i]);
    run_until_idle();
}

static void send(unsigned from, unsigned first, unsigned second, unsigned words)
{
    static const uint32_t data[LONG_WORDS];
    const struct pr_target targets[2] = {{.site = (uint16_t)first}, {.site = (uint16_t)second}};
    unsigned count = first == second ? 1 : 2;
    int result = pr_operator_send(simulation_operator(simulation, from), targets, count, HANDLER, data, words, NULL);
    check(result == 0, "site %u: operator_send returns %d", from, result);
}

static uint32_t count(unsigned site, unsigned index)
{
    return simulation_counter(simulation, site, index);
}

/* What has been split at each site of the mesh, a digit each. Nothing was aborted, deferred or sent again. */
static void expect_splits(const char *name, const char *expected)
{
    char splits[SITES_MOST + 1] = "";
    for (unsigned i = 0; i < (unsigned)mesh.sites; i++) {
        splits[i] = (char)('0' + count(i, PR_COUNTER_SPLITS));
        check(count(i, PR_COUNTER_ABORTS) + count(i, PR_COUNTER_DEFERRALS) + count(i, PR_COUNTER_DIVERSIONS) == 0,
              "%s: site %u: aborts, deferrals or diversions", name, i);
        check(pr_operator_counter(simulation_operator(simulation, i), PR_COUNTER_RESENT_AFTER_ABORT) == 0,
              "%s: site %u sends the packet again", name, i);
    }
    check(strcmp(splits, expected) == 0, "%s: splits %s, expected %s", name, splits, expected);
}

/* What keeps site 1 busy when the packet comes through. */
enum obstacle {
    NOTHING,
    LOCAL,            /* its local net_output, longer than the packet is there */
    LOCAL_AND_LATER,  /* the way on, and local, which comes free first */
    LOCAL_AND_SOONER, /* the way on, which comes free first, and local */
};

/* The clocks in which the packet's head arrives at site 3, counted from its sending. */
static uint32_t through_site_1(const char *name, const char *model, enum obstacle obstacle, const char *splits)
{
    begin(row, model);
    if (obstacle == LOCAL_AND_LATER || obstacle == LOCAL_AND_SOONER)
        send(1, 2, 2, obstacle == LOCAL_AND_LATER ? LONG_WORDS : LONG_WORDS / 2);
    if (obstacle != NOTHING)
        send(2, 1, 1, obstacle == LOCAL_AND_LATER ? LONG_WORDS / 2 : LONG_WORDS);
    simulation_run(simulation, 12);
    uint32_t clock = (uint32_t)simulation_clock(simulation);
    send(0, 2, 3, WORDS);
    run_until_idle();
    check(seen[2].deliveries == 1 && seen[3].deliveries == 1, "%s: %u and %u deliveries", name, seen[2].deliveries,
          seen[3].deliveries);
    expect_splits(name, splits);
    simulation_destroy(simulation);
    return seen[3].first - clock;
}

static void test_row(void)
{
    uint32_t rtl = through_site_1("M10, idle", NULL, NOTHING, "1011");
    uint32_t splits = through_site_1("idle", AUGUST, NOTHING, "1111");
    uint32_t passes = through_site_1("local is busy", AUGUST, LOCAL, "1011");
    check(splits == rtl + 4, "idle: there in clock %u, expected %u", splits, rtl + 4);
    check(passes == rtl + 2, "local is busy: there in clock %u, expected %u", passes, rtl + 2);
    through_site_1("local comes free first", AUGUST, LOCAL_AND_LATER, "1111");
    through_site_1("the way on comes free first", AUGUST, LOCAL_AND_SOONER, "1011");
    through_site_1("waits for local", WAITING, LOCAL, "1111");
}

/* From the middle of the west side to both ends of the middle column, whose own middle is busy. The packet passes whole
 * towards its first target, and is split there. Its branch to the other one goes back the way that it came. */
static void test_back(void)
{
    begin(square, AUGUST);
    send(5, 4, 4, LONG_WORDS);
    simulation_run(simulation, 12);
    send(3, 1, 7, WORDS);
    run_until_idle();
    check(seen[1].deliveries == 1 && seen[7].deliveries == 1, "back: %u and %u deliveries", seen[1].deliveries,
          seen[7].deliveries);
    expect_splits("back", "010100010");
    simulation_destroy(simulation);
}

/* The stamps of one packet after the other on an idle mesh. */
static void lone_packets(const char *model, struct seen stamps[SETS][2])
{
    begin(large, model);
    for (unsigned set = 0; set < SETS; set++) {
        unsigned from = set % 16, first = (set * 7 + 3) % 16, second = (first + 1 + set % 14) % 16;
        uint32_t clock = (uint32_t)simulation_clock(simulation);
        memset(seen, 0, sizeof seen);
        send(from, first, second, WORDS);
        run_until_idle();
        for (unsigned i = 0; i < 2; i++) {
            const struct seen *at = &seen[i ? second : first];
            stamps[set][i] = (struct seen){at->deliveries, at->first - clock, at->last - clock};
        }
    }
    simulation_destroy(simulation);
}

/* On an idle mesh local is never busy: there is nothing to pass whole for. */
static void test_idle(void)
{
    static struct seen august[SETS][2], waiting[SETS][2];
    lone_packets(AUGUST, august);
    lone_packets(WAITING, waiting);
    for (unsigned set = 0; set < SETS; set++)
        check(memcmp(august[set], waiting[set], sizeof august[set]) == 0 && august[set][0].deliveries == 1 &&
                  august[set][1].deliveries == 1,
              "lone packet %u: arrives otherwise than where every head waits for local", set);
}

int main(void)
{
    test_row();
    test_back();
    test_idle();
    return verdict("test_august_multicast");
}
