/* Synthetic traffic: the load it offers, where packets go, that targets differ, that clocks never fall, that
 * a seed replays; and the random numbers and statistics beneath.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "mesh/topology_view.h"
#include "workload/statistics.h"
#include "workload/time_slices.h"
#include "workload/traffic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACKETS = 200000 };

#define GROUPS_MESH "[mesh]\ntopology=grid\nsize=4x4\n[buffers]\nmax_packet=63\n[service]\nreliable=yes\n"

static struct mesh_config load_mesh(const char *text)
{
    struct mesh_config mesh;
    char error[256];
    if (mesh_config_parse("traffic.mesh", text, strlen(text), &mesh, error, sizeof error) != 0) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    return mesh;
}

static struct traffic *create(const struct mesh_config *mesh, const struct traffic_options *options)
{
    char error[256];
    struct traffic *traffic = traffic_create(mesh, options, error, sizeof error);
    if (!traffic) {
        fprintf(stderr, "FAIL traffic refused: %s\n", error);
        exit(1);
    }
    return traffic;
}

static bool all_different(const struct traffic_packet *packet, int sites)
{
    bool seen[65536] = {false};
    for (int i = 0; i < packet->target_count; i++) {
        if (packet->targets[i] >= (uint32_t)sites || seen[packet->targets[i]])
            return false;
        seen[packet->targets[i]] = true;
    }
    return true;
}

/* Draws many packets: the words they offer, the share of multicasts, order and targets. */
static void test_load(const struct mesh_config *mesh, const struct traffic_options *options, const char *name)
{
    struct traffic *traffic = create(mesh, options);
    struct traffic_packet packet;
    uint64_t words = 0, last = 0, multicasts = 0;
    bool ordered = true, different = true, fits = true;
    for (int i = 0; i < PACKETS; i++) {
        uint64_t announced = traffic_clock(traffic);
        traffic_next(traffic, &packet);
        ordered = ordered && packet.clock >= last && packet.clock == announced;
        different = different && all_different(&packet, mesh->sites);
        fits = fits && traffic_packet_words(&packet) <= mesh->max_packet + 1;
        last = packet.clock;
        words += traffic_packet_words(&packet);
        multicasts += packet.target_count > 1;
    }
    double load = (double)words / (double)(last + 1) / mesh->sites;
    check(ordered, "%s", name);
    check(different, "%s", name);
    check(fits, "%s", name);
    check(fabs(load / options->load - 1) < 0.05, "%s: %g", name, load);
    check(fabs((double)multicasts / PACKETS - options->multicast) < 0.01, "%s: %g", name, (double)multicasts / PACKETS);
    traffic_free(traffic);
}

static void test_loads(void)
{
    struct mesh_config grid = load_mesh("[mesh]\ntopology=grid\nsize=4x4\n");
    struct traffic_options options = {.load = 0.1, .length = 8, .targets = 4, .seed = 7, .burst = 8};
    test_load(&grid, &options, "uniform");
    options.multicast = 0.3;
    test_load(&grid, &options, "multicast");
    options.targets = 16;
    test_load(&grid, &options, "multicast to all");
    options.geometric = true;
    options.length = 20;
    test_load(&grid, &options, "geometric");
    options.length = 100;
    test_load(&grid, &options, "geometric, often cut off");
    options.process = TRAFFIC_BURSTY;
    options.length = 10;
    test_load(&grid, &options, "bursty");
    options.load = 1;
    test_load(&grid, &options, "bursty, full load");
    options.process = TRAFFIC_BERNOULLI;
    test_load(&grid, &options, "bernoulli, full load");
    options.load = 0.0001;
    test_load(&grid, &options, "light load");
}

/* Where the pattern sends site `from`; fails if two packets differ. */
static void expect_target(const struct mesh_config *mesh, enum traffic_pattern pattern, int from, int to)
{
    struct traffic_options options = {.pattern = pattern, .load = 0.5, .length = 0, .seed = 3};
    struct traffic *traffic = create(mesh, &options);
    struct traffic_packet packet;
    for (int i = 0; i < 1000; i++) {
        traffic_next(traffic, &packet);
        if (packet.source == (uint32_t)from)
            check(packet.target_count == 1 && (int)packet.targets[0] == to, "%s: %d", traffic_pattern_name(pattern),
                  packet.targets[0]);
    }
    traffic_free(traffic);
}

static void test_patterns(void)
{
    struct mesh_config grid = load_mesh("[mesh]\ntopology=grid\nsize=4x4\n");
    struct mesh_config torus = load_mesh("[mesh]\ntopology=torus\nsize=5x3\n");
    struct mesh_config cube = load_mesh("[mesh]\ntopology=hypercube\ndimensions=4\n");
    expect_target(&grid, TRAFFIC_TRANSPOSE, 1, 4);
    expect_target(&grid, TRAFFIC_TRANSPOSE, 5, 5);
    expect_target(&grid, TRAFFIC_BIT_COMPLEMENT, 1, 14);
    expect_target(&grid, TRAFFIC_TORNADO, 0, 5);
    expect_target(&torus, TRAFFIC_TORNADO, 4, 1 + 5 * 1);
    expect_target(&cube, TRAFFIC_TRANSPOSE, 1, 4);
    expect_target(&cube, TRAFFIC_TRANSPOSE, 13, 7);
    expect_target(&cube, TRAFFIC_BIT_COMPLEMENT, 5, 10);
    expect_target(&grid, TRAFFIC_BIT_REVERSE, 1, 8);
    expect_target(&grid, TRAFFIC_BIT_REVERSE, 13, 11);
    expect_target(&cube, TRAFFIC_SHUFFLE, 5, 10);
    expect_target(&grid, TRAFFIC_SHUFFLE, 13, 11);
}

/* Notes the targets of all sites, of which each has one. */
static void note_targets(const struct mesh_config *mesh, uint64_t permutation_seed, int *targets)
{
    struct traffic_options options = {.pattern = TRAFFIC_PERMUTATION, .load = 0.5, .seed = permutation_seed};
    struct traffic *traffic = create(mesh, &options);
    struct traffic_packet packet;
    for (int site = 0; site < mesh->sites; site++)
        targets[site] = -1;
    for (int i = 0; i < 1000; i++) {
        traffic_next(traffic, &packet);
        int *target = &targets[packet.source];
        check(*target < 0 || *target == (int)packet.targets[0], "permutation: %d", *target);
        *target = (int)packet.targets[0];
    }
    traffic_free(traffic);
}

/* Each site is the target of one, and another seed has another permutation. */
static void test_permutation(void)
{
    enum { SITES = 15 };
    struct mesh_config torus = load_mesh("[mesh]\ntopology=torus\nsize=5x3\n");
    int targets[SITES], others[SITES];
    unsigned reached = 0;
    note_targets(&torus, 1, targets);
    note_targets(&torus, 2, others);
    for (int site = 0; site < SITES; site++)
        reached |= 1u << targets[site];
    CHECK_EQUAL(reached, (1u << SITES) - 1);
    CHECK(memcmp(targets, others, sizeof targets) != 0);
}

/* Half of the packets of sites 3 and 11 go to either, and none elsewhere. */
static void test_halves(void)
{
    struct mesh_config grid = load_mesh("[mesh]\ntopology=grid\nsize=4x4\n");
    struct traffic_options options = {.pattern = TRAFFIC_ASYMMETRIC, .load = 0.5, .seed = 3};
    struct traffic *traffic = create(&grid, &options);
    struct traffic_packet packet;
    int near = 0, far = 0;
    for (int i = 0; i < PACKETS; i++) {
        traffic_next(traffic, &packet);
        check(packet.targets[0] % 8 == packet.source % 8, "asymmetric: %d", packet.targets[0]);
        near += packet.targets[0] < 8;
        far += packet.targets[0] >= 8;
    }
    traffic_free(traffic);
    check(fabs((double)near / PACKETS - 0.5) < 0.01, "asymmetric: %d and %d", near, far);
}

static void test_neighbours_and_hot_spot(void)
{
    struct mesh_config grid = load_mesh("[mesh]\ntopology=grid\nsize=4x4\n");
    struct traffic_options options = {
        .pattern = TRAFFIC_NEIGHBOUR, .load = 0.5, .seed = 3, .hot_site = 9, .hot_share = 0.25};
    struct traffic *traffic = create(&grid, &options);
    struct traffic_packet packet;
    int hot = 0;
    for (int i = 0; i < 10000; i++) {
        traffic_next(traffic, &packet);
        check(mesh_hops(&grid, (int)packet.source, packet.targets[0]) == 1, "neighbour: %d", packet.targets[0]);
    }
    traffic_free(traffic);
    options.pattern = TRAFFIC_HOT_SPOT;
    traffic = create(&grid, &options);
    for (int i = 0; i < PACKETS; i++) {
        traffic_next(traffic, &packet);
        hot += packet.targets[0] == 9;
    }
    traffic_free(traffic);
    check(fabs((double)hot / PACKETS - (0.25 + 0.75 / 16)) < 0.005, "hot spot: %g", (double)hot / PACKETS);
}

/* Each number of targets as often as the others; the words are what the load says. */
static void test_target_range(void)
{
    struct mesh_config grid = load_mesh("[mesh]\ntopology=grid\nsize=4x4\n");
    struct traffic_options options = {
        .load = 0.2, .length = 8, .targets = 16, .targets_least = 2, .multicast = 1, .seed = 5};
    test_load(&grid, &options, "2 to all targets");
    struct traffic *traffic = create(&grid, &options);
    struct traffic_packet packet;
    int counts[17] = {0};
    for (int i = 0; i < PACKETS; i++) {
        traffic_next(traffic, &packet);
        counts[packet.target_count]++;
    }
    for (int i = 2; i <= 16; i++)
        check(fabs(counts[i] * 15.0 / PACKETS - 1) < 0.05, "numbers of targets: %d", i);
    check(traffic_most_targets(traffic) == 16, "most targets: %u", traffic_most_targets(traffic));
    traffic_free(traffic);
}

/* Each class has its share of the packets, with its own targets and words; all together have the load. */
static void test_classes(void)
{
    struct mesh_config grid = load_mesh("[mesh]\ntopology=grid\nsize=4x4\n");
    double sums[16 * 16] = {0};
    struct traffic_matrix matrix = {.sites = 16, .mean = 1.0 / 16, .sums = sums};
    struct traffic_options options = {
        .load = 0.2,
        .targets = 4,
        .seed = 7,
        .matrix = &matrix,
        .class_count = 3,
        .classes = {{.name = "control", .share = 0.5, .pattern = TRAFFIC_TRANSPOSE, .length = 1},
                    {.name = "mc", .share = 0.2, .length = 20, .geometric = true, .multicast = 1},
                    {.name = "bulk", .share = 0.3, .pattern = TRAFFIC_MATRIX, .length = 64}},
    };
    for (int to = 9; to < 16; to++)
        sums[3 * 16 + to] = 1; /* site 3 alone sends it, to site 9 */
    struct traffic *traffic = create(&grid, &options);
    struct traffic_packet packet;
    int counts[3] = {0};
    double words = 0, of_geometric = 0;
    for (int i = 0; i < PACKETS; i++) {
        traffic_next(traffic, &packet);
        counts[packet.class_number]++;
        words += traffic_packet_words(&packet);
        of_geometric += packet.class_number == 1 ? packet.data_words : 0;
        bool good = packet.class_number == 0 ? packet.data_words == 1 && packet.target_count == 1 &&
                                                   packet.targets[0] == packet.source % 4 * 4 + packet.source / 4
                    : packet.class_number == 1
                        ? packet.target_count == 4
                        : packet.data_words == 64 && packet.source == 3 && packet.targets[0] == 9;
        check(good, "packet %d of class %d", i, packet.class_number);
    }
    for (int i = 0; i < 3; i++)
        check(fabs((double)counts[i] / PACKETS - options.classes[i].share) < 0.02, "share of class %d: %g", i,
              (double)counts[i] / PACKETS);
    check(fabs(words / (double)packet.clock / 16 / options.load - 1) < 0.03, "load %g",
          words / (double)packet.clock / 16);
    check(fabs(of_geometric / counts[1] - 20) < 1 && traffic_most_targets(traffic) == 4, "words %g",
          of_geometric / counts[1]);
    traffic_free(traffic);
}

/* One site sends to all others at regular intervals; the others go on, or are silent. */
static void test_broadcast(double load)
{
    struct mesh_config grid = load_mesh("[mesh]\ntopology=grid\nsize=4x4\n");
    struct traffic_options options = {
        .load = load, .length = 8, .targets = 4, .seed = 5, .broadcast_site = 5, .broadcast_every = 100};
    struct traffic *traffic = create(&grid, &options);
    struct traffic_packet packet;
    uint64_t next = 0;
    int others = 0;
    for (int i = 0; i < 10000; i++) {
        traffic_next(traffic, &packet);
        if (packet.source != 5) {
            others++;
            continue;
        }
        check(packet.clock == next && packet.target_count == 15 && packet.member == 0 && all_different(&packet, 16),
              "broadcast: %d", i);
        for (int k = 0; k < packet.target_count; k++)
            check(packet.targets[k] != 5, "not to itself: %d", i);
        next += 100;
    }
    check(load == 0 ? others == 0 : others > 100, "the others: %d", others);
    check(traffic_most_targets(traffic) == 15, "most targets: %u", traffic_most_targets(traffic));
    traffic_free(traffic);
}

static void test_replay(void)
{
    struct mesh_config grid = load_mesh("[mesh]\ntopology=grid\nsize=8x8\n");
    struct traffic_options options = {.load = 0.2,
                                      .length = 4,
                                      .geometric = true,
                                      .multicast = 0.5,
                                      .targets = 6,
                                      .process = TRAFFIC_BURSTY,
                                      .burst = 4,
                                      .seed = 42};
    struct traffic *first = create(&grid, &options), *second = create(&grid, &options);
    options.seed = 43;
    struct traffic *other = create(&grid, &options);
    struct traffic_packet a, b, c;
    int equal = 0;
    for (int i = 0; i < 10000; i++) {
        traffic_next(first, &a);
        traffic_next(second, &b);
        traffic_next(other, &c);
        check(a.clock == b.clock && a.source == b.source && a.data_words == b.data_words &&
                  a.target_count == b.target_count &&
                  memcmp(a.targets, b.targets, a.target_count * sizeof *a.targets) == 0,
              "replay: %d", i);
        equal += a.clock == c.clock && a.source == c.source;
    }
    check(equal < 1000, "another seed is another run: %d", equal);
    traffic_free(first);
    traffic_free(second);
    traffic_free(other);
}

/* All sites are in as many groups, or one more; members are in the order of their numbers. */
static void check_members(const uint16_t *sites, unsigned groups, unsigned members, unsigned all)
{
    unsigned counts[16] = {0};
    bool good = true;
    for (unsigned i = 0; i < groups * members; i++) {
        counts[sites[i]]++;
        good = good && (i % members == 0 || sites[i] > sites[i - 1]);
    }
    check(good, "members are sorted, and different");
    for (unsigned site = 0; site < all; site++)
        check(counts[site] == groups * members / all || counts[site] == groups * members / all + 1,
              "site %u: %u groups", site, counts[site]);
}

/* The share of packets to groups, and that they go to the other members of a group of their source. */
static void test_groups(unsigned shape, unsigned groups)
{
    struct mesh_config grid = load_mesh(GROUPS_MESH);
    struct traffic_options options = {
        .load = 0.1, .length = 8, .groups = groups, .members = 5, .shape = shape, .group_share = 0.4, .seed = 7};
    struct traffic *traffic = create(&grid, &options);
    struct traffic_packet packet;
    unsigned to_groups = 0, of_members = 0, count, targets = shape == PR_GROUP_SHAPE_GT_ORDER ? 5 : 4;
    const uint16_t *sites = traffic_members(traffic, &count);
    check_members(sites, groups, 5, 16);
    check(count == (shape == TRAFFIC_NO_SHAPE ? 0 : 5 * groups) && traffic_most_targets(traffic) == 5, "members");
    for (int i = 0; i < PACKETS / 10; i++) {
        traffic_next(traffic, &packet);
        bool to_group = packet.target_count > 1, member = false;
        for (unsigned k = 0; k < 5 * groups; k++)
            member = member || sites[k] == packet.source;
        to_groups += to_group;
        of_members += member;
        check(!to_group || packet.target_count == targets, "%u targets", packet.target_count);
        check((packet.member != 0) == (to_group && shape != TRAFFIC_NO_SHAPE), "as whose packet");
        check(packet.member == 0 || (sites[packet.member - 1] == packet.source && traffic_packet_words(&packet) == 13),
              "its member and its words");
        for (unsigned k = 0; packet.member && k < packet.target_count; k++) {
            bool in_group = false;
            for (unsigned place = 0; place < 5; place++)
                in_group = in_group || sites[(packet.member - 1) / 5 * 5 + place] == packet.targets[k];
            check(in_group && (targets == 5 || packet.targets[k] != packet.source), "target %u", packet.targets[k]);
        }
    }
    check(fabs((double)to_groups / of_members - 0.4) < 0.02, "share: %g", (double)to_groups / of_members);
    traffic_free(traffic);
}

/* Who is in no group sends nothing if all packets go to groups. */
static void test_lonely(void)
{
    struct mesh_config grid = load_mesh(GROUPS_MESH);
    struct traffic_options options = {.load = 0.1, .groups = 1, .members = 2, .group_share = 1, .seed = 7};
    struct traffic *traffic = create(&grid, &options);
    struct traffic_packet packet;
    for (int i = 0; i < 1000; i++) {
        traffic_next(traffic, &packet);
        check(packet.member == 1 || packet.member == 2, "of a member");
    }
    traffic_free(traffic);
}

static void test_refusals(void)
{
    static const struct {
        const char *mesh, *reason;
        struct traffic_options options;
    } rows[] = {
        {"[mesh]\ntopology=grid\nsize=4x4\n", "load", {.load = 0}},
        {"[mesh]\ntopology=grid\nsize=4x4\n", "load", {.load = 1.5}},
        {"[mesh]\ntopology=grid\nsize=4x4\n", "load", {.load = NAN}},
        {"[mesh]\ntopology=grid\nsize=4x4\n", "multicast", {.load = 0.1, .multicast = 2}},
        {"[mesh]\ntopology=grid\nsize=4x4\n", "targets", {.load = 0.1, .multicast = 0.1, .targets = 17}},
        {"[mesh]\ntopology=grid\nsize=4x4\n", "too long", {.load = 0.1, .length = 1000}},
        {"[mesh]\ntopology=grid\nsize=4x4\n[buffers]\nmax_packet=20\n",
         "too long",
         {.load = 0.1, .multicast = 0.1, .targets = 16, .length = 2}},
        {"[mesh]\ntopology=grid\nsize=4x3\n", "transpose", {.load = 0.1, .pattern = TRAFFIC_TRANSPOSE}},
        {"[mesh]\ntopology=hypercube\ndimensions=3\n", "transpose", {.load = 0.1, .pattern = TRAFFIC_TRANSPOSE}},
        {"[mesh]\ntopology=hypercube\ndimensions=3\n", "tornado", {.load = 0.1, .pattern = TRAFFIC_TORNADO}},
        {"[mesh]\ntopology=grid\nsize=4x3\n", "such bits", {.load = 0.1, .pattern = TRAFFIC_BIT_REVERSE}},
        {"[mesh]\ntopology=grid\nsize=4x3\n", "such bits", {.load = 0.1, .pattern = TRAFFIC_SHUFFLE}},
        {"[mesh]\ntopology=grid\nsize=5x3\n", "halves", {.load = 0.1, .pattern = TRAFFIC_ASYMMETRIC}},
        {"[mesh]\ntopology=grid\nsize=4x4\n", "hot site", {.load = 0.1, .pattern = TRAFFIC_HOT_SPOT, .hot_site = 16}},
        {"[mesh]\ntopology=grid\nsize=4x4\n[service]\nreliable=no\n",
         "reliable service",
         {.load = 0.1, .groups = 1, .members = 4, .group_share = 1, .joins = 1}},
        {GROUPS_MESH, "members", {.load = 0.1, .groups = 1, .members = 17, .group_share = 1}},
        {GROUPS_MESH, "members", {.load = 0.1, .groups = 1, .members = 1, .group_share = 1}},
        {GROUPS_MESH, "too many groups", {.load = 0.1, .groups = 33, .members = 4, .group_share = 1}},
        {GROUPS_MESH, "groups out of range", {.load = 0.1, .groups = 257, .members = 2, .group_share = 1}},
        {GROUPS_MESH, "group share", {.load = 0.1, .groups = 1, .members = 4}},
        {GROUPS_MESH, "joins", {.load = 0.1, .groups = 1, .members = 4, .group_share = 1, .joins = 4}},
        {GROUPS_MESH, "too long", {.load = 0.1, .groups = 1, .members = 4, .group_share = 1, .length = 54}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mesh_config mesh = load_mesh(rows[i].mesh);
        char error[256] = "";
        struct traffic *traffic = traffic_create(&mesh, &rows[i].options, error, sizeof error);
        check(!traffic && strstr(error, rows[i].reason) && strstr(error, "expected"), "%s: %g", rows[i].reason,
              (double)i);
        traffic_free(traffic);
    }
}

static void test_statistics(void)
{
    struct statistics statistics;
    if (statistics_init(&statistics) != 0)
        exit(1);
    for (uint64_t i = 1; i <= 1000; i++)
        statistics_add(&statistics, i);
    double median = (double)statistics_quantile(&statistics, 0.5), p99 = (double)statistics_quantile(&statistics, 0.99);
    check(median == 500, "median: %g", median);
    check(p99 == 990, "p99: %g", p99);
    check(statistics_mean(&statistics) == 500.5, "mean: %g", statistics_mean(&statistics));
    check(statistics.min == 1 && statistics.max == 1000, "range");
    check(statistics_between(&statistics, 10, 20) == 10, "between");
    statistics_add(&statistics, UINT64_C(123456789012));
    double top = (double)statistics_quantile(&statistics, 1);
    check(top <= 123456789012.0 && top > 123456789012.0 * 0.999, "a long one: %g", top);
    check(statistics.max == UINT64_C(123456789012), "max is exact");
    statistics_add(&statistics, UINT64_MAX);
    check(statistics_quantile(&statistics, 1) > UINT64_MAX / 1024 * 1023, "the longest");
    statistics_free(&statistics);
}

/* Latencies of 1 to 1000 in each thousand clocks, and one of 5000: whatever the slices become, nothing is lost. */
static void test_slices(void)
{
    static struct time_slices slices = {.origin = 77};
    uint64_t deliveries = 0, words = 0;
    for (uint64_t clock = 0; clock < 1000000; clock++) {
        time_slices_deliver(&slices, 77 + clock, clock % 1000 + 1);
        if (clock % 10 == 0)
            time_slices_complete(&slices, 77 + clock, 3);
    }
    time_slices_deliver(&slices, 77 + 999999, 5000);
    unsigned count = time_slices_end(&slices, 1000000);
    check(slices.shift == 13 && count == 1000000 / 8192 + 1, "%u slices of 2^%u clocks", count, slices.shift);
    for (unsigned i = 0; i < TIME_SLICES; i++) {
        const struct time_slice *slice = &slices.slices[i];
        deliveries += slice->deliveries;
        words += slice->words;
        check((slice->deliveries > 0) == (i < count), "slice %u: %g deliveries", i, (double)slice->deliveries);
        if (i + 1 >= count)
            continue;
        double median = (double)time_slice_quantile(slice, 0.5), p99 = (double)time_slice_quantile(slice, 0.99);
        check(slice->deliveries == 8192 && fabs(median - 500) < 20 && fabs(p99 - 990) < 3, "slice %u: %g, %g", i,
              median, p99);
    }
    double last = (double)time_slice_quantile(&slices.slices[count - 1], 1);
    check(deliveries == 1000001 && words == 300000 && last <= 5000 && last > 5000 * 0.984, "%g, %g, %g",
          (double)deliveries, (double)words, last);
}

int main(void)
{
    test_loads();
    test_patterns();
    test_permutation();
    test_halves();
    test_neighbours_and_hot_spot();
    test_target_range();
    test_classes();
    test_broadcast(0);
    test_broadcast(0.1);
    test_replay();
    test_groups(PR_GROUP_SHAPE_GT, 3);
    test_groups(PR_GROUP_SHAPE_GT_ORDER, 7);
    test_groups(TRAFFIC_NO_SHAPE, 2);
    test_lonely();
    test_refusals();
    test_statistics();
    test_slices();
    return verdict("traffic");
}
