/* Meshes whose cables stand in the .mesh file: what is refused, far ends and distances, delays on cables, and switches,
 * which no traffic begins at or is for. With disciplines `star` and `wire` of tests/disciplines.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine_test.h"
#include "mesh/mesh_identity.h"
#include "mesh/site_kind.h"
#include "mesh/topology_view.h"
#include "simulation/fault_schedule.h"
#include "workload/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAPH  "[mesh]\nfabric=star\ntopology=graph\nsites=4\nlinks=3\n"
#define SWITCH GRAPH "[sites]\nswitch=3\n"
#define CABLES SWITCH "[cables]\n0.0=3.0\n1.0=3.1 2\n"
#define STAR   CABLES "3.2=2.0 9\n"

static int parse(const char *text, struct mesh_config *mesh, char *error, size_t size)
{
    return mesh_config_parse("t.mesh", text, strlen(text), mesh, error, size);
}

static void accepted(const char *text, struct mesh_config *mesh)
{
    char error[512] = "";
    int result = parse(text, mesh, error, sizeof error);
    check(result == 0, "%s: %s", text, error);
    if (result != 0)
        exit(verdict("test_graph"));
}

/* Each row: text, where it must be blamed, a part of the reason. */
static const char *const bad[][3] = {
    {"[mesh]\nfabric=star\ntopology=graph\n", "t.mesh:3:", "no sites"},
    {"[mesh]\nfabric=star\ntopology=graph\nsites=4\n", "t.mesh:3:", "no links"},
    {"[mesh]\nfabric=star\ntopology=graph\nsize=2x2\n", "t.mesh:4:", "size of a graph, expected sites"},
    {"[mesh]\ntopology=grid\nsize=2x2\nsites=4\n", "t.mesh:4:", "sites of a grid, expected size"},
    {"[mesh]\ntopology=grid\nsize=2x2\n[cables]\n0.0=1.1\n", "t.mesh:5:", "of a grid, expected topology = graph"},
    {"[mesh]\ntopology=grid\nsize=2x2\n[sites]\nswitch=1\n", "t.mesh:5:", "of a grid, expected topology = graph"},
    {"[mesh]\nfabric=star\ntopology=graph\nsites=513\nlinks=3\n", "t.mesh:4:", "from 1 to 512"},
    {"[mesh]\nfabric=star\ntopology=graph\nsites=4\nlinks=17\n", "t.mesh:5:", "from 1 to 16"},
    {"[mesh]\ntopology=graph\nsites=2\nlinks=1\n[cables]\n0.0=1.0\n",
     "t.mesh:2:", "fabric cutthrough on a graph, expected a grid, a torus or a hypercube"},
    {GRAPH "[cables]\n0.0\n", "t.mesh:7:", "no key = value"},
    {GRAPH "[cables]\n0.0=3\n", "t.mesh:7:", "0.0 = 3, expected SITE.PORT = SITE.PORT DELAY"},
    {GRAPH "[cables]\n0=3.0\n", "t.mesh:7:", "0 = 3.0, expected SITE.PORT"},
    {GRAPH "[cables]\n0.0=3.x\n", "t.mesh:7:", "0.0 = 3.x, expected SITE.PORT"},
    {GRAPH "[cables]\n0.0=3.0 0\n", "t.mesh:7:", "the longest 4095"},
    {GRAPH "[cables]\n0.0=3.0 4096\n", "t.mesh:7:", "the longest 4095"},
    {GRAPH "[cables]\n0.0=3.0 2 2\n", "t.mesh:7:", "expected SITE.PORT"},
    {GRAPH "[cables]\n0.0=3.0\n4.0=3.1\n", "t.mesh:8:", "a cable at site 4, expected 0 to 3"},
    {GRAPH "[cables]\n0.0=9.0\n", "t.mesh:7:", "a cable at site 9, expected 0 to 3"},
    {GRAPH "[cables]\n0.0=3.3\n", "t.mesh:7:", "a cable at port 3 of site 3, expected 0 to 2"},
    {GRAPH "[cables]\n0.0=0.1\n", "t.mesh:7:", "a cable from site 0 to itself"},
    {GRAPH "[cables]\n0.0=3.0\n1.0=3.0\n",
     "t.mesh:8:", "port 0 of site 3 has two cables, expected one: first in line 7"},
    {GRAPH "[cables]\n0.0=3.0\n3.0=1.0\n", "t.mesh:8:", "port 0 of site 3 has two cables"},
    {GRAPH "[cables]\n0.0=3.0\n0.0=3.0\n", "t.mesh:8:", "port 0 of site 0 has two cables"},
    {CABLES, "t.mesh:10:", "no way from site 0 to site 2"},
    {STAR "[sites]\nswitch=2\n", "t.mesh:13:", "given twice, expected once: first in line 7"},
    {GRAPH "[sites]\nhost=2\n", "t.mesh:7:", "unknown key host in [sites], expected switch"},
    {GRAPH "[sites]\nswitch=0-3\n", "t.mesh:7:", "all sites, expected one with an operator"},
    {GRAPH "[sites]\nswitch=3,4\n", "t.mesh:7:", "switch = 3,4, expected sites of this mesh"},
    {GRAPH "[sites]\nswitch=3,3\n", "t.mesh:7:", "expected each site once"},
    {GRAPH "[sites]\nswitch=3;\n", "t.mesh:7:", "expected sites like 3 or 4-6"},
    {"[mesh]\nfabric=star\ntopology=graph\nsites=2\nlinks=16\n[cables]\n0.15=1.0\n",
     "t.mesh:7:", "a cable at port 15 of site 0, expected 0 to 14"},
    {STAR "[links]\nboard=yes\n", "t.mesh:13:", "board = yes on a graph"},
};

static void test_refused(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mesh_config mesh;
        char error[512] = "accepted";
        int result = parse(bad[i][0], &mesh, error, sizeof error);
        check(result == -1 && strncmp(error, bad[i][1], strlen(bad[i][1])) == 0 && strstr(error, bad[i][2]), "%s: %s",
              bad[i][0], error);
    }
}

static void test_far_ends(void)
{
    static const struct {
        int site, link, far, back;
        unsigned delay;
    } rows[] = {{0, 0, 3, 0, 1}, {1, 0, 3, 1, 2},  {2, 0, 3, 2, 9},  {3, 0, 0, 0, 1},  {3, 1, 1, 0, 2},
                {3, 2, 2, 0, 9}, {0, 1, -1, 0, 1}, {2, 2, -1, 0, 1}, {3, 3, -1, 0, 1}, {4, 0, -1, 0, 1}};
    struct mesh_config mesh;
    accepted(STAR, &mesh);
    check(mesh.sites == 4 && mesh.links == 3 && mesh_operators(&mesh) == 3, "sites, links or operators");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pr_far_end far = mesh_far_end(&mesh, rows[i].site, rows[i].link);
        check(far.site == rows[i].far && (far.site < 0 || (int)far.link == rows[i].back), "far end of %d.%d: %d.%u",
              rows[i].site, rows[i].link, far.site, far.link);
        check(mesh_delay(&mesh, rows[i].site, rows[i].link) == rows[i].delay, "delay of %d.%d", rows[i].site,
              rows[i].link);
    }
    for (int site = 0; site < 4; site++)
        check(mesh_address(&mesh, site) == site && mesh_site(&mesh, site) == site &&
                  mesh_is_switch(&mesh, site) == (site == 3),
              "address or kind of site %d", site);
    check(mesh_site(&mesh, 4) == -1 && !mesh_is_switch(&mesh, 4) && !mesh_is_switch(&mesh, -1), "no such site");
    check(mesh_connected_links(&mesh, 3) == 7 && mesh_connected_links(&mesh, 2) == 1, "connected links");
    check(mesh_hops(&mesh, 0, 2) == 2 && mesh_hops(&mesh, 3, 1) == 1 && mesh_hops(&mesh, 1, 1) == 0 &&
              mesh_diameter(&mesh) == 2,
          "distances");
}

static void test_identity(void)
{
    struct mesh_config mesh, same;
    struct pr_site_identity identity;
    accepted(STAR, &mesh);
    mesh_identify_site(&identity, &mesh, 2, 0);
    check(identity.topology == PR_TOPOLOGY_GRAPH && identity.size_x == 4 && identity.size_y == 3 &&
              identity.address == 2 && identity.links == 1 && pr_shape_valid(&identity.shape) &&
              pr_shape_sites(&identity.shape) == 4,
          "the node ID block of a graph");
    accepted("; the same\n" GRAPH "[cables]\n3.2=2.0 9\n3.0=0.0 1\n1.0=3.1   2\n[sites]\nswitch=3\n", &same);
    check(same.hash == mesh.hash, "the hash of another order");
    accepted(CABLES "3.2=2.0 8\n", &same);
    check(same.hash != mesh.hash, "the hash of another delay");
    accepted(CABLES "3.2=2.1 9\n", &same);
    check(same.hash != mesh.hash, "the hash of another port");
    accepted(GRAPH "[cables]\n0.0=3.0\n1.0=3.1 2\n3.2=2.0 9\n", &same);
    check(same.hash != mesh.hash, "the hash without a switch");
}

static void test_kinds(void)
{
    struct mesh_config mesh;
    enum site_kind kinds[4];
    char error[256] = "";
    accepted(STAR, &mesh);
    check(site_kinds_parse("core:1", &mesh, SITE_NATIVE, kinds, error, sizeof error) == 0 && kinds[0] == SITE_NATIVE &&
              kinds[1] == SITE_CORE && kinds[3] == SITE_SWITCH,
          "kinds of sites: %s", error);
    check(!site_kinds_all(kinds, 4, SITE_NATIVE) && site_kinds_have(kinds, 4, SITE_SWITCH), "kinds of all and some");
    check(site_kinds_parse("native", &mesh, SITE_CORE, kinds, error, sizeof error) == 0 &&
              site_kinds_all(kinds, 4, SITE_NATIVE),
          "all operators are native");
    check(site_kinds_parse("native:0-3", &mesh, SITE_CORE, kinds, error, sizeof error) == -1 &&
              strstr(error, "a switch has none"),
          "a switch is given a kind: %s", error);
    check(site_kinds_parse("switch:0", &mesh, SITE_CORE, kinds, error, sizeof error) == -1 &&
              strstr(error, "expected native, core or qemu"),
          "a text makes a switch: %s", error);
}

/* No packet begins at a switch or is for one, whatever the pattern. */
static void test_traffic(void)
{
    static const enum traffic_pattern patterns[] = {TRAFFIC_UNIFORM, TRAFFIC_BIT_COMPLEMENT, TRAFFIC_HOT_SPOT};
    struct mesh_config mesh;
    char error[256] = "";
    unsigned seen[8] = {0};
    accepted("[mesh]\nfabric=star\ntopology=graph\nsites=5\nlinks=4\n[sites]\nswitch=1\n[cables]\n"
             "0.0=1.0\n2.0=1.2\n3.0=1.3\n4.0=1.1\n",
             &mesh);
    struct traffic_options options = {.load = 0.5, .length = 4, .hot_site = 1, .hot_share = 0.5, .seed = check_seed()};
    options.pattern = TRAFFIC_HOT_SPOT;
    check(!traffic_create(&mesh, &options, error, sizeof error) && strstr(error, "hot site"), "a hot switch");
    options.pattern = TRAFFIC_NEIGHBOUR;
    check(!traffic_create(&mesh, &options, error, sizeof error) && strstr(error, "no neighbours"), "neighbours");
    options.hot_site = 2;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        options.pattern = patterns[i];
        options.multicast = patterns[i] == TRAFFIC_UNIFORM ? 0.5 : 0;
        options.targets = 3;
        struct traffic *traffic = traffic_create(&mesh, &options, error, sizeof error);
        CHECK(traffic);
        for (unsigned n = 0; n < 3000; n++) {
            struct traffic_packet packet;
            traffic_next(traffic, &packet);
            check(packet.source != 1 && packet.source < 5, "%s: source %" PRIu32, traffic_pattern_name(options.pattern),
                  packet.source);
            for (unsigned k = 0; k < packet.target_count; k++) {
                check(packet.targets[k] != 1 && packet.targets[k] < 5, "%s: target %" PRIu32,
                      traffic_pattern_name(options.pattern), packet.targets[k]);
                seen[packet.targets[k] % 8]++;
            }
        }
        traffic_free(traffic);
    }
    check(seen[0] > 500 && seen[2] > 500 && seen[3] > 500 && seen[4] > 500, "targets: each site with an operator");
}

struct arrivals {
    struct simulation *simulation;
    struct simulation_arrival last;
    unsigned count;
};

static void note(void *context, const struct pr_delivery *delivery)
{
    struct arrivals *arrivals = context;
    (void)delivery;
    arrivals->last = simulation_arrival(arrivals->simulation, 1);
    arrivals->count++;
}

/* One packet from site 0 to site 1 over a cable of this delay; when its terminator arrived. */
static uint64_t arrival(unsigned delay, bool sleepless)
{
    char text[200];
    struct mesh_config mesh;
    struct pr_target target = {.site = 1};
    uint32_t data[] = {1, 2, 3};
    snprintf(text, sizeof text, "[mesh]\nfabric=wire\ntopology=graph\nsites=2\nlinks=4\n[cables]\n0.0=1.1 %u\n", delay);
    accepted(text, &mesh);
    mesh_set_reliable(&mesh, false);
    struct simulation *simulation = start(
        &(struct simulation_options){.mesh = &mesh, .seed = 1, .sleepless = sleepless});
    struct arrivals arrivals = {.simulation = simulation};
    simulation_run(simulation, 5000); /* all fall asleep */
    pr_operator_register(simulation_operator(simulation, 1), 1, note, &arrivals);
    CHECK(pr_operator_send(simulation_operator(simulation, 0), &target, 1, 1, data, 3, NULL) == 0);
    check(run_until_idle(simulation, 20000) || sleepless, "delay %u: comes to rest", delay);
    check(arrivals.count == 1, "delay %u: %u packets have arrived", delay, arrivals.count);
    simulation_destroy(simulation);
    return arrivals.last.last;
}

/* A delay of n clocks makes each word n - 1 clocks later, and sleeping sites see the same. */
static void test_delays(void)
{
    static const unsigned delays[] = {2, 3, 17, 1000, MESH_DELAY_MAX};
    uint64_t first = arrival(1, false);
    check(arrival(1, true) == first, "a wire without sleep");
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        uint64_t there = arrival(delays[i], false);
        check(there == first + delays[i] - 1, "delay %u: arrives in clock %" PRIu64 ", expected %" PRIu64, delays[i],
              there, first + delays[i] - 1);
        check(arrival(delays[i], true) == there, "delay %u: the same without sleep", delays[i]);
    }
}

static void test_delay_faults(void)
{
    struct mesh_config mesh;
    struct fault fault;
    char error[256] = "";
    accepted(STAR, &mesh);
    CHECK(fault_parse("corrupt:0.1", &mesh, &fault, error, sizeof error) == 0);
    check(fault_parse("link:3.2:5", &mesh, &fault, error, sizeof error) == 0 && fault.site == 3 && fault.link == 2,
          "a link by its port: %s", error);
    check(fault_parse("link:0.1:5", &mesh, &fault, error, sizeof error) != 0, "a link without a cable");
    check(fault_parse("link:3.east:5", &mesh, &fault, error, sizeof error) != 0 &&
              strstr(error, "the number of a port"),
          "a link by another name: %s", error);
}

/* It is an operator that is stopped; a reset may hit a switch, too. */
static void test_switch_faults(void)
{
    struct mesh_config mesh;
    struct fault fault;
    struct fault_schedule schedule;
    char error[256] = "";
    accepted(STAR, &mesh);
    check(fault_parse("stop:3:5", &mesh, &fault, error, sizeof error) != 0 && strstr(error, "3, a switch"),
          "a switch is stopped: %s", error);
    CHECK(fault_parse("reset:3:5", &mesh, &fault, error, sizeof error) == 0);
    CHECK(fault_parse("stop:any:~1:1", &mesh, &fault, error, sizeof error) == 0);
    struct simulation_options options = {.mesh = &mesh, .seed = 1, .faults = &fault, .fault_count = 1};
    CHECK(fault_schedule_init(&schedule, &options, NULL, NULL));
    for (uint64_t clock = 0; clock < 200; clock++)
        fault_schedule_begin(&schedule, clock, NULL, NULL);
    for (unsigned site = 0; site < 4; site++)
        check((schedule.hits[site].stop_until > 0) == (site < 3), "site %u is stopped until %" PRIu64, site,
              schedule.hits[site].stop_until);
    fault_schedule_free(&schedule);
}

int main(void)
{
    test_refused();
    test_far_ends();
    test_identity();
    test_kinds();
    test_traffic();
    test_delays();
    test_delay_faults();
    test_switch_faults();
    return verdict("test_graph");
}
