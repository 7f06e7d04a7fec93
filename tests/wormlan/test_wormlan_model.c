/* Multicasts over a wormhole LAN (sim/wormlan): lone ones beside closed forms, conservation under load for every
 * scheme, with and without bounded buffers, total order, and the orders of Figures 10 and 11 in short runs.
 *
 * SPDX-License-Identifier: ISC
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "wormlan/lan_backlog.h"
#include "wormlan/lan_run.h"

/* Byte times of any run, if nobody waits for ever. */
#define LONGEST (UINT64_C(1) << 26)

enum { HEADER = 4, LENGTH = 300, MOST_HOSTS = 64, MOST_MESSAGES = 4000 };

static struct mesh_config config;

static struct lan_graph *make_graph(bool torus, uint64_t seed)
{
    char error[256];
    struct lan_graph_options options = {
        .delay = torus ? 5 : 1000, .host_delay = 5, .drawn_numbers = true, .drawn_paths = true, .seed = seed};
    if (torus)
        lan_torus(&config, 8, 8);
    else
        lan_shufflenet(&config);
    struct lan_graph *graph = lan_graph_create(&config, &options, error, sizeof error);
    CHECK(graph);
    return graph;
}

static struct lan_groups *make_groups(const struct lan_graph *graph, bool torus, const struct lan_scheme *scheme,
                                      uint64_t seed)
{
    struct lan_group_options options = {.count = torus ? 10 : 4,
                                        .size = torus ? 10 : 6,
                                        .shape = scheme->shape,
                                        .costs = {400, torus ? 7 : 1002, 72, 60, 2, NULL},
                                        .heaviest_first = true,
                                        .seed = seed};
    return lan_groups_create(graph, &options);
}

/* ---- what hosts get ---- */

struct record {
    const struct lan_groups *groups;
    struct lan_hosts *hosts;
    uint64_t came[MOST_HOSTS]; /* the last delivery of a host */
    unsigned delivered, copies, late;
    uint32_t *got;               /* [message * hosts + host] */
    uint16_t *order[MOST_HOSTS]; /* messages of group 0 in the order in which a host got them */
    unsigned ordered[MOST_HOSTS], to_send, next_number;
    uint64_t seed;
};

static void delivered(void *context, unsigned host, const struct lan_message *message)
{
    struct record *record = context;
    record->came[host] = lan_network_now(lan_hosts_network(record->hosts));
    record->delivered++;
    if (!record->got)
        return;
    unsigned number = (unsigned)message->born;
    CHECK_EQUAL(record->got[number * MOST_HOSTS + host]++, 0);
    if (message->group == 0)
        record->order[host][record->ordered[host]++] = (uint16_t)number;
}

static void due(void *context, unsigned host)
{
    struct record *record = context;
    const struct lan_groups *groups = record->groups;
    unsigned joined = groups->joined_count[host];
    struct lan_message message = {.born = record->next_number++,
                                  .length = 1 + check_below(&record->seed, 600),
                                  .group = LAN_NOWHERE,
                                  .origin = (uint16_t)host};
    if (joined && check_below(&record->seed, 2)) {
        message.group = groups->joined[host * groups->count + check_below(&record->seed, joined)];
        record->copies += groups->size - 1;
        lan_hosts_multicast(record->hosts, &message);
    } else {
        record->copies++;
        lan_hosts_unicast(record->hosts, &message,
                          (host + 1 + check_below(&record->seed, groups->graph->hosts - 1)) % groups->graph->hosts);
    }
}

static const struct lan_hosts_listener listener = {delivered, due, NULL};

/* ---- lone worms ---- */

/* Byte times from the byte time of the first byte at its host to that of the first byte behind the route at another. */
static uint64_t reach(const struct lan_graph *graph, unsigned from, unsigned to)
{
    const struct lan_path *path = lan_path(graph, from, to);
    uint64_t time = 2 * (path->count - 1);
    for (unsigned k = 0; k < path->count; k++)
        time += graph->links[path->links[k]].delay;
    return time;
}

/* Cables of each switch from switch 0. */
static void measure_levels(const struct lan_graph *graph, unsigned levels[MOST_HOSTS])
{
    for (unsigned i = 0; i < graph->switches; i++)
        levels[i] = i == 0 ? 0 : graph->switches;
    for (unsigned round = 0; round < graph->switches; round++)
        for (unsigned link = 0; link < graph->link_count; link++) {
            const struct lan_link *cable = &graph->links[link];
            if (cable->from != LAN_NOWHERE && cable->to != LAN_NOWHERE && levels[cable->to] > levels[cable->from] + 1)
                levels[cable->to] = levels[cable->from] + 1;
        }
}

static void check_path(const struct lan_graph *graph, const unsigned *levels, unsigned from, unsigned to)
{
    const struct lan_path *path = lan_path(graph, from, to);
    bool down = false;
    CHECK_EQUAL(graph->links[path->links[0]].host, from);
    CHECK_EQUAL(graph->links[path->links[path->count - 1]].host, to);
    for (unsigned k = 1; k < path->count; k++) {
        const struct lan_link *link = &graph->links[path->links[k]];
        CHECK_EQUAL(link->from, graph->links[path->links[k - 1]].to);
        if (link->to == LAN_NOWHERE)
            continue;
        bool up = levels[link->to] < levels[link->from] ||
                  (levels[link->to] == levels[link->from] && link->to < link->from);
        check(!up || !down, "from %u to %u a way leads up after down", from, to);
        down = down || !up;
    }
}

/* Every switch has its host, and ways go up and then down. Those that are drawn are no longer than the first ones. */
static void test_routes(void)
{
    for (unsigned torus = 0; torus < 2; torus++) {
        char error[256];
        struct lan_graph_options options = {.delay = 1, .host_delay = 1, .seed = 3};
        struct lan_graph *graph = make_graph(torus, 3),
                         *first = lan_graph_create(&config, &options, error, sizeof error);
        unsigned levels[MOST_HOSTS], other = 0;
        bool seen[MOST_HOSTS] = {false};
        CHECK(first);
        measure_levels(graph, levels);
        for (unsigned host = 0; host < graph->hosts; host++) {
            CHECK(!seen[graph->places[host]]);
            seen[graph->places[host]] = true;
        }
        for (unsigned from = 0; from < graph->hosts; from++)
            for (unsigned to = 0; to < graph->hosts; to++) {
                const struct lan_path *drawn = lan_path(graph, from, to);
                const struct lan_path *found = lan_path(first, graph->places[from], graph->places[to]);
                check_path(graph, levels, from, to);
                CHECK_EQUAL(drawn->count, found->count);
                other += memcmp(&drawn->links[1], &found->links[1], (drawn->count - 2) * sizeof drawn->links[0]) != 0;
            }
        check(other > graph->hosts, "%u drawn ways are others than the first ones", other);
        lan_graph_free(graph);
        lan_graph_free(first);
    }
}

static struct record *begin(const struct lan_groups *groups, const struct lan_scheme *scheme, unsigned buffers,
                            enum lan_full full)
{
    static struct record record;
    struct lan_hosts_options options = {scheme, HEADER, buffers, 1000, full};
    memset(&record, 0, sizeof record);
    record.groups = groups;
    record.hosts = lan_hosts_create(groups, &options, &listener, &record);
    return &record;
}

static void finish(struct record *record)
{
    lan_network_run(lan_hosts_network(record->hosts), LONGEST);
    CHECK(lan_network_is_quiet(lan_hosts_network(record->hosts)));
    check(record->delivered == record->copies, "%u deliveries, expected %u", record->delivered, record->copies);
    check(lan_hosts_buffers_taken(record->hosts) == 0, "buffers are taken");
    lan_hosts_free(record->hosts);
}

static void test_lone_unicast(const struct lan_groups *groups, const struct lan_scheme *scheme)
{
    const struct lan_graph *graph = groups->graph;
    for (unsigned from = 0; from < graph->hosts; from += 5)
        for (unsigned to = 0; to < graph->hosts; to += 3) {
            if (from == to)
                continue;
            struct record *record = begin(groups, scheme, 0, LAN_REFUSE);
            struct lan_message message = {.length = LENGTH, .group = LAN_NOWHERE, .origin = (uint16_t)from};
            lan_hosts_unicast(record->hosts, &message, to);
            record->copies = 1;
            finish(record);
            CHECK_EQUAL(record->came[to], LENGTH - 1 + reach(graph, from, to));
        }
}

/* Around a circuit nothing is in the way of a short worm; a long one meets itself. */
static void test_lone_circuit(const struct lan_groups *groups, const struct lan_scheme *scheme, unsigned length)
{
    for (unsigned group = 0; group < groups->count; group++)
        for (unsigned origin = 0; origin < groups->size; origin++) {
            struct record *record = begin(groups, scheme, 0, LAN_REFUSE);
            unsigned from = lan_member(groups, group, origin);
            struct lan_message message = {.length = length, .group = (int)group, .origin = (uint16_t)from};
            lan_hosts_multicast(record->hosts, &message);
            record->copies = groups->size - 1;
            finish(record);
            uint64_t time = 0;
            for (unsigned k = 1; k < groups->size; k++) {
                unsigned to = lan_member(groups, group, (origin + k) % groups->size);
                uint64_t first = time + reach(groups->graph, from, to);
                uint64_t least = scheme->cuts_through && length > HEADER ? HEADER : length;
                check(record->came[to] == first + length - 1 || (length > 10 && record->came[to] > first + length - 1),
                      "%s: at member %u at %llu, expected %llu", scheme->name, k, (unsigned long long)record->came[to],
                      (unsigned long long)(first + length - 1));
                time = first + least;
                from = to;
            }
        }
}

/* A tree whose copies are stored: a host sends one after the other. They come then, or later: copies of different hosts
 * can meet. */
static void expect_branch(struct record *record, unsigned group, unsigned origin, unsigned host, uint64_t time)
{
    const struct lan_groups *groups = record->groups;
    const struct lan_branch *branch = lan_branch(groups, group, origin, host);
    for (unsigned k = 0; k < branch->count; k++) {
        unsigned to = lan_member(groups, group, branch->children[k]);
        uint64_t came = time + reach(groups->graph, host, to);
        check(to == origin || record->came[to] >= came, "at %llu, expected %llu", (unsigned long long)record->came[to],
              (unsigned long long)came);
        record->late += to != origin && record->came[to] > came;
        expect_branch(record, group, origin, to, came + 1);
        time += 1 + lan_switches(groups->graph, host, to);
    }
}

/* Worms of one byte, which hardly meet. */
static void test_lone_tree(const struct lan_groups *groups, const struct lan_scheme *scheme)
{
    unsigned late = 0, copies = 0;
    double sent = 0;
    for (unsigned group = 0; group < groups->count; group++)
        for (unsigned origin = 0; origin < groups->size; origin++) {
            struct record *record = begin(groups, scheme, 0, LAN_REFUSE);
            unsigned from = lan_member(groups, group, origin), leader = lan_member(groups, group, 0);
            struct lan_message message = {.length = 1, .group = (int)group, .origin = (uint16_t)from};
            uint64_t time = 0;
            lan_hosts_multicast(record->hosts, &message);
            record->copies = groups->size - 1;
            lan_network_run(lan_hosts_network(record->hosts), LONGEST);
            sent += (double)lan_hosts_counts(record->hosts)->copies / groups->joined_count[from];
            finish(record);
            if (groups->orders && from != leader)
                time = reach(groups->graph, from, leader) + 1;
            expect_branch(record, group, from, groups->orders ? leader : from, time);
            late += record->late;
            copies += record->copies;
        }
    struct lan_traffic_means means = lan_groups_means(groups, 1, 1);
    check(fabs(sent / groups->graph->hosts - means.multicast_copies) < 1e-9, "%s: %.3f copies, expected %.3f",
          scheme->name, means.multicast_copies, sent / groups->graph->hosts);
    check(late < copies / 10, "%s: %u of %u copies are late", scheme->name, late, copies);
}

static void test_lone(void)
{
    for (unsigned torus = 0; torus < 2; torus++) {
        struct lan_graph *graph = make_graph(torus, 1);
        for (unsigned i = 0; lan_scheme_name(i); i++) {
            const struct lan_scheme *scheme = lan_scheme_by_name(lan_scheme_name(i));
            struct lan_groups *groups = make_groups(graph, torus, scheme, 1);
            check_about(scheme->name);
            if (i == 0)
                test_lone_unicast(groups, scheme);
            if (scheme->shape == PR_GROUP_SHAPE_CIRCUIT) {
                test_lone_circuit(groups, scheme, 6);
                test_lone_circuit(groups, scheme, LENGTH);
            } else {
                test_lone_tree(groups, scheme);
            }
            lan_groups_free(groups);
        }
        check_about(NULL);
        lan_graph_free(graph);
    }
}

/* ---- a total order ---- */

struct overtaken {
    const struct lan_groups *groups;
    struct lan_hosts *hosts;
    unsigned group, delivered;
    int last[MOST_HOSTS]; /* the multicast that came last */
};

static void note_order(void *context, unsigned host, const struct lan_message *message)
{
    struct overtaken *overtaken = context;
    check((int)message->born > overtaken->last[host], "host %u gets the second multicast first", host);
    overtaken->last[host] = (int)message->born;
    overtaken->delivered++;
}

static void leader_sends(void *context, unsigned host)
{
    struct overtaken *overtaken = context;
    lan_hosts_multicast(
        overtaken->hosts,
        &(struct lan_message){.born = 1, .length = 50, .group = (int)overtaken->group, .origin = (uint16_t)host});
}

/* While the leader sends a multicast on as it comes, it begins one of its own, which everybody gets after the other. */
static void test_order(void)
{
    static const struct lan_hosts_listener order = {note_order, leader_sends, NULL};
    const struct lan_scheme *scheme = lan_scheme_by_name("gtorder");
    struct lan_graph *graph = make_graph(true, 1);
    struct lan_groups *groups = make_groups(graph, true, scheme, 1);
    for (unsigned group = 0; group < groups->count; group++) {
        unsigned leader = lan_member(groups, group, 0), origin = lan_member(groups, group, groups->size - 1);
        struct lan_hosts_options options = {scheme, HEADER, 0, 1000, LAN_REFUSE};
        struct lan_message first = {.length = 600, .group = (int)group, .origin = (uint16_t)origin};
        struct overtaken overtaken = {.groups = groups, .group = group};
        for (unsigned host = 0; host < MOST_HOSTS; host++)
            overtaken.last[host] = -1;
        overtaken.hosts = lan_hosts_create(groups, &options, &order, &overtaken);
        lan_hosts_multicast(overtaken.hosts, &first);
        lan_hosts_alarm(overtaken.hosts, reach(graph, origin, leader) + 100, leader);
        lan_network_run(lan_hosts_network(overtaken.hosts), LONGEST);
        CHECK_EQUAL(overtaken.delivered, 2 * (groups->size - 1));
        lan_hosts_free(overtaken.hosts);
    }
    lan_groups_free(groups);
    lan_graph_free(graph);
}

/* ---- load ---- */

static void check_order(const struct record *record)
{
    const struct lan_groups *groups = record->groups;
    uint16_t both[2][MOST_MESSAGES];
    for (unsigned one = 0; one < groups->size; one++)
        for (unsigned other = 0; other < one; other++) {
            unsigned pair[2] = {lan_member(groups, 0, one), lan_member(groups, 0, other)}, counts[2] = {0};
            for (unsigned side = 0; side < 2; side++)
                for (unsigned k = 0; k < record->ordered[pair[side]]; k++) {
                    unsigned number = record->order[pair[side]][k];
                    if (record->got[number * MOST_HOSTS + pair[1 - side]])
                        both[side][counts[side]++] = (uint16_t)number;
                }
            check(counts[0] == counts[1] && memcmp(both[0], both[1], counts[0] * sizeof both[0][0]) == 0,
                  "members %u and %u do not have the same order", one, other);
        }
}

/* Everything drains, and everybody has everything once. */
static void test_conservation(const struct lan_graph *graph, bool torus, const struct lan_scheme *scheme,
                              unsigned buffers, enum lan_full full, uint64_t *seed)
{
    struct lan_groups *groups = make_groups(graph, torus, scheme, check_random(seed));
    struct record *record = begin(groups, scheme, buffers, full);
    unsigned count = (unsigned)check_rounds(MOST_MESSAGES / 16), time = 0;
    record->got = calloc((size_t)MOST_MESSAGES * MOST_HOSTS, sizeof *record->got);
    for (unsigned host = 0; host < graph->hosts; host++)
        CHECK((record->order[host] = calloc(MOST_MESSAGES, sizeof(uint16_t))) != NULL);
    record->seed = check_random(seed);
    for (unsigned i = 0; i < count && i < MOST_MESSAGES; i++)
        lan_hosts_alarm(record->hosts, time += check_below(seed, 100), check_below(seed, graph->hosts));
    check_about(scheme->name);
    lan_network_run(lan_hosts_network(record->hosts), LONGEST);
    check(buffers == 0 || buffers > 1 || scheme->shape == PR_GROUP_SHAPE_DIRECT || count < 200 ||
              (lan_hosts_counts(record->hosts)->refused > 0) == (full == LAN_REFUSE),
          "%u copies are refused", (unsigned)lan_hosts_counts(record->hosts)->refused);
    bool orders = groups->orders && buffers == 0;
    finish(record);
    if (orders)
        check_order(record);
    check_about(NULL);
    free(record->got);
    for (unsigned host = 0; host < graph->hosts; host++)
        free(record->order[host]);
    lan_groups_free(groups);
}

static void test_load(uint64_t *seed)
{
    for (unsigned torus = 0; torus < 2; torus++) {
        struct lan_graph *graph = make_graph(torus, check_random(seed));
        for (unsigned i = 0; lan_scheme_name(i); i++)
            for (unsigned buffers = 0; buffers < 5; buffers++)
                test_conservation(graph, torus, lan_scheme_by_name(lan_scheme_name(i)),
                                  buffers < 3 ? buffers : buffers - 2, buffers < 3 ? LAN_REFUSE : LAN_CREDIT, seed);
        lan_graph_free(graph);
    }
}

/* A lone multicast with credits waits for the way to the manager and back. Three in a row with a buffer each: the
 * second one starts when the token has been everywhere once more. */
static void test_credits(void)
{
    const struct lan_scheme *scheme = lan_scheme_by_name("hamsf");
    struct lan_graph *graph = make_graph(true, 1);
    struct lan_groups *groups = make_groups(graph, true, scheme, 1);
    uint64_t round = 0;
    for (unsigned host = 0; host < graph->hosts; host++)
        round += reach(graph, host, (host + 1) % graph->hosts);
    for (unsigned group = 0; group < groups->count; group++) {
        unsigned origin = lan_member(groups, group, 1), second = lan_member(groups, group, 2);
        uint64_t asks = origin ? reach(graph, origin, 0) + reach(graph, 0, origin) : 0, alone;
        struct lan_message message = {.length = LENGTH, .group = (int)group, .origin = (uint16_t)origin};
        struct record *record = begin(groups, scheme, 1, LAN_CREDIT);
        lan_hosts_multicast(record->hosts, &message);
        record->copies = groups->size - 1;
        finish(record);
        alone = record->came[second];
        CHECK_EQUAL(alone, asks + LENGTH - 1 + reach(graph, origin, second));
        for (unsigned count = 2; count < 4; count++) {
            record = begin(groups, scheme, 1, LAN_CREDIT);
            for (unsigned k = 0; k < count; k++)
                lan_hosts_multicast(record->hosts, &message);
            record->copies = count * (groups->size - 1);
            finish(record);
            uint64_t later = record->came[second] - alone;
            check(later % round == 0 && later / round >= count - 1, "multicast %u comes %llu later, a round is %llu",
                  count, (unsigned long long)later, (unsigned long long)round);
        }
    }
    lan_groups_free(groups);
    lan_graph_free(graph);
}

/* ---- figures ---- */

static double latency_of(const struct lan_graph *graph, bool torus, const char *name, double load)
{
    const struct lan_scheme *scheme = lan_scheme_by_name(name);
    struct lan_groups *groups = make_groups(graph, torus, scheme, 1);
    struct lan_hosts_options hosts = {scheme, HEADER, 0, 1000, LAN_REFUSE};
    struct lan_run_options options = {.load = load,
                                      .share = 0.1,
                                      .length = 400,
                                      .warm_up = 50000,
                                      .measured = torus ? 1000000 : 1500000,
                                      .drain = 400000,
                                      .seed = 1};
    struct lan_figures figures;
    lan_run(groups, &hosts, &options, &figures);
    check(figures.stable && figures.unfinished == 0, "%s at %.2f is not stable", name, load);
    check(fabs(figures.carried / load - 1) < 0.1, "%s carries %.4f, expected %.4f", name, figures.carried, load);
    check(fabs(figures.share_sent - figures.share_expected) < 0.06, "%s: a share of %.3f, expected %.3f", name,
          figures.share_sent, figures.share_expected);
    lan_groups_free(groups);
    return figures.latency;
}

/* Section 7.1, at loads well below saturation. */
static void test_figures(void)
{
    struct lan_graph *torus = make_graph(true, 1), *shufflenet = make_graph(false, 1);
    double stored = latency_of(torus, true, "hamsf", 0.02), cut = latency_of(torus, true, "hamct", 0.02);
    double rooted = latency_of(torus, true, "treeroot", 0.02), grown = latency_of(torus, true, "gt", 0.02);
    check(cut < rooted && rooted < stored, "torus, 0.02: %.0f cut through, %.0f tree, %.0f stored", cut, rooted,
          stored);
    check(grown < cut, "torus, 0.02: %.0f grown, %.0f cut through", grown, cut);
    cut = latency_of(torus, true, "hamct", 0.08);
    rooted = latency_of(torus, true, "treeroot", 0.08);
    grown = latency_of(torus, true, "gt", 0.08);
    check(rooted < cut, "torus, 0.08: %.0f tree, %.0f cut through", rooted, cut);
    check(grown < rooted, "torus, 0.08: %.0f grown, %.0f tree", grown, rooted);
    stored = latency_of(shufflenet, false, "hamsf", 0.1);
    rooted = latency_of(shufflenet, false, "treeroot", 0.1);
    grown = latency_of(shufflenet, false, "gt", 0.1);
    check(grown < rooted && rooted < stored, "shufflenet, 0.1: %.0f grown, %.0f tree, %.0f stored", grown, rooted,
          stored);
    lan_graph_free(torus);
    lan_graph_free(shufflenet);
}

/* ---- buffers that overflow ---- */

static struct lan_backlog_figures backlog_of(unsigned sources, unsigned buffers, enum lan_full full, bool drawn)
{
    char error[256];
    const struct lan_scheme *scheme = lan_scheme_by_name("hamsf");
    struct lan_graph_options options = {.delay = 5, .host_delay = 5, .drawn_numbers = drawn, .seed = 1};
    struct lan_group_options group = {.count = 1, .size = 8, .shape = scheme->shape, .seed = 1};
    struct lan_hosts_options hosts = {scheme, HEADER, buffers, 1000, full};
    struct lan_backlog_options backlog = {
        .sources = sources, .length = 1000, .byte_time = 2, .warm_up = 100000, .measured = 500000};
    struct lan_backlog_figures figures;
    lan_ring(&config);
    struct lan_graph *graph = lan_graph_create(&config, &options, error, sizeof error);
    CHECK(graph && graph->hosts == 8);
    struct lan_groups *groups = lan_groups_create(graph, &group);
    lan_backlog(groups, &hosts, &backlog, &figures);
    lan_groups_free(groups);
    lan_graph_free(graph);
    return figures;
}

/* Section 8.2. A source is as fast as its host, a byte each second byte time. What nobody loses comes to seven hosts.
 */
static void test_backlog(void)
{
    struct lan_backlog_figures one = backlog_of(1, 24, LAN_DROP, false), all = backlog_of(8, 24, LAN_DROP, true);
    struct lan_backlog_figures ruled = backlog_of(8, 12, LAN_REFUSE, true), apart = backlog_of(8, 24, LAN_DROP, false);
    check(fabs(one.sent - 0.5) < 0.01 && one.refused == 0 && fabs(one.received - 0.5 * 7 / 8) < 0.01,
          "one source: %.3f sent, %.3f received, %.3f lost", one.sent, one.received, one.refused);
    check(all.refused > 0.1 && all.received < 7 * all.sent * 0.9, "all: %.3f sent, %.3f received, %.3f lost", all.sent,
          all.received, all.refused);
    check(fabs(ruled.received / ruled.sent - 7) < 0.5 && ruled.received > 0.3, "with classes: %.3f sent, %.3f received",
          ruled.sent, ruled.received);
    check(!one.stands_still && !all.stands_still && !ruled.stands_still, "a run stands still");
    check(fabs(apart.sent - 1.0 / 7) < 0.01 && apart.refused == 0, "each step on its own cable: %.3f sent, %.3f lost",
          apart.sent, apart.refused);
}

/* Figure 4: two classes keep buffers free of circles, but who holds its links while it waits for a buffer is in the way
 * of others. The same hosts with the rules, and with credits. */
static void test_back_pressure(void)
{
    for (unsigned buffers = 1; buffers < 8; buffers += 3) {
        struct lan_backlog_figures held = backlog_of(8, buffers, LAN_HOLD, true);
        struct lan_backlog_figures refused = backlog_of(8, buffers, LAN_REFUSE, true);
        struct lan_backlog_figures credited = backlog_of(8, buffers, LAN_CREDIT, true);
        check(held.stands_still, "%u buffers: hosts that hold worms do not stand still", buffers);
        check(!refused.stands_still && refused.received > 0.1, "%u buffers: hosts that refuse", buffers);
        check(!credited.stands_still && credited.received > 0.1 && credited.refused == 0, "%u buffers: credits",
              buffers);
    }
    struct lan_backlog_figures roomy = backlog_of(1, 24, LAN_HOLD, true);
    check(!roomy.stands_still && roomy.refused == 0, "one source stands still");
}

int main(void)
{
    uint64_t seed = check_seed();
    RUN(test_routes);
    RUN(test_lone);
    RUN(test_order);
    printf("test_load\n");
    test_load(&seed);
    RUN(test_credits);
    RUN(test_figures);
    RUN(test_backlog);
    RUN(test_back_pressure);
    return verdict("wormlan model");
}
