/* The model of wormlan/lan_network.h with the timing of hw/wormlan beside the switches themselves, verilated: the same
 * worms on the same cables. Every first and every last word arrives in the same clock: of lone worms, for which there
 * is a formula; of two worms that meet, from every distance; of random ones at light and at heavy load. Eight hosts on
 * four switches and a torus, with cables of several delays. Operators take every word at once.
 *
 * time limit: 600 s
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "engine/verilated_site.h"
#include "mesh/mesh_straps.h"
#include "protocol.h"
#include "wormlan/lan_network.h"

/* DELAY_MOST: with a slack of 64 words (W4). */
enum {
    WORMS = 1000,
    SITES = 16,
    LINKS = 4,
    WIDTH = 16,
    DELAY_MOST = 28,
    RESET_CLOCKS = 8,
    FIRST_CLOCK = 100,
    TEXT = 2000
};

/* The model's hosts have a link of a clock to their switches, operators a queue: it shows the switch a word two clocks
 * sooner after it was sent, and the operator sees what has left the switch a clock later. */
enum { HOST_DELAY = 1, HOST_AHEAD = 2, DELIVERY = 1 };

/* The registers on the way, and W4 and W5. */
static const struct lan_timing switch_timing = {.store = 2,
                                                .next = 1,
                                                .ask = 1,
                                                .release = 1,
                                                .leave = 2,
                                                .say = 4,
                                                .hear = 2,
                                                .repeat = 32,
                                                .slack = 64,
                                                .margin = 6,
                                                .turn = LINKS};

struct arrival {
    uint64_t first, last;
};

/* Of one host, worms stand in the order of their starts. */
struct flight {
    struct lan_worm worm; /* first */
    unsigned from, to;
    uint64_t start;
    struct arrival model, rtl;
};

struct traffic {
    const struct lan_graph *graph;
    struct flight flights[WORMS];
    unsigned count, arrived;
    unsigned next[SITES]; /* of each host: the first that it has not begun to send; `count`: none */
};

static struct traffic traffic;

/* The next worm of this host from number i on. */
static unsigned next_of(unsigned host, unsigned i)
{
    while (i < traffic.count && traffic.flights[i].from != host)
        i++;
    return i;
}

static void rewind_traffic(void)
{
    traffic.arrived = 0;
    for (unsigned host = 0; host < traffic.graph->hosts; host++)
        traffic.next[host] = next_of(host, 0);
}

/* ---- the model ---- */

static struct lan_network *network;

static void begin_next(unsigned host)
{
    unsigned i = traffic.next[host];
    if (i == traffic.count || traffic.flights[i].start > lan_network_now(network) + HOST_AHEAD ||
        lan_network_busy(network, host))
        return;
    traffic.next[host] = next_of(host, i + 1);
    lan_network_start(network, host, &traffic.flights[i].worm, false);
}

static void model_header(void *context, unsigned host, struct lan_worm *worm)
{
    (void)context, (void)host;
    ((struct flight *)worm)->model.first = lan_network_now(network) + DELIVERY;
}

static void model_received(void *context, unsigned host, struct lan_worm *worm)
{
    (void)context, (void)host;
    ((struct flight *)worm)->model.last = lan_network_now(network) + DELIVERY;
    traffic.arrived++;
}

static void model_sent(void *context, unsigned host, struct lan_worm *worm)
{
    (void)context, (void)worm;
    begin_next(host);
}

static void model_alarm(void *context, unsigned host, uint64_t about)
{
    (void)context, (void)about;
    begin_next(host);
}

static void run_model(void)
{
    static const struct lan_listener listener = {model_header, model_received, model_sent, model_alarm};
    network = lan_network_create(traffic.graph, &switch_timing, 1, &listener, NULL);
    rewind_traffic();
    for (unsigned i = 0; i < traffic.count; i++)
        lan_network_alarm(network, traffic.flights[i].start - HOST_AHEAD, traffic.flights[i].from, 0);
    lan_network_run(network, UINT64_MAX / 32);
    lan_network_free(network);
    CHECK_EQUAL(traffic.arrived, traffic.count);
}

/* ---- the RTL ---- */

struct site {
    void *model;
    struct site_ports ports;
    int host; /* or LAN_NOWHERE */
    /* The worm that the host sends, WORMS: none, and its words so far; that which arrives. */
    unsigned sends, words, receives;
    uint64_t cable[LINKS][DELAY_MOST]; /* what was put on each link, by clock */
};

static const struct site_model_table *table;
static struct site sites[SITES];
static unsigned long stops; /* on all links */

static uint64_t load(const void *slots, unsigned k)
{
    uint64_t value;
    memcpy(&value, (const unsigned char *)slots + 8 * k, sizeof value);
    return value;
}

static void store(void *slots, unsigned k, uint64_t value)
{
    memcpy((unsigned char *)slots + 8 * k, &value, sizeof value);
}

static uint64_t tagged(unsigned tag, unsigned word)
{
    return (uint64_t)tag << WIDTH | word;
}

/* A worm's word: the ports of its route, the target, data, the end. */
static uint64_t word_of(unsigned number, unsigned k)
{
    const struct flight *flight = &traffic.flights[number];
    const struct lan_graph *graph = traffic.graph;
    const struct lan_path *path = flight->worm.path;
    unsigned route = path->count - 1;
    if (k < route) {
        unsigned port = 0, from = (unsigned)graph->links[path->links[k + 1]].from;
        while (graph->outputs[from * graph->ports + port] != path->links[k + 1])
            port++;
        return tagged(PR_TAG_TARGET_INFO, port);
    }
    if (k == route)
        return tagged(PR_TAG_UNICAST_SITE, number);
    return tagged(k + 1 == route + flight->worm.length ? PR_TAG_END_OF_PACKET : PR_TAG_DATA, k);
}

static void receive(struct site *site, uint64_t shown, uint64_t now)
{
    unsigned tag = (unsigned)(shown >> WIDTH) & 0xf;
    CHECK(tag != PR_TAG_ABORT_PACKET);
    if (tag == PR_TAG_UNICAST_SITE) {
        site->receives = (unsigned)shown & 0xffff;
        CHECK(site->receives < traffic.count && (int)traffic.flights[site->receives].to == site->host);
        traffic.flights[site->receives].rtl.first = now;
    } else if (tag == PR_TAG_END_OF_PACKET) {
        traffic.flights[site->receives].rtl.last = now;
        traffic.arrived++;
    }
}

static uint64_t to_send(struct site *site, uint64_t now)
{
    unsigned host = (unsigned)site->host, next = traffic.next[host];
    if (site->sends == WORMS && next < traffic.count && traffic.flights[next].start <= now) {
        site->sends = next;
        site->words = 0;
        traffic.next[host] = next_of(host, next + 1);
    }
    return site->sends == WORMS ? 0 : word_of(site->sends, site->words);
}

static void clock_operator(struct site *site, uint64_t now)
{
    uint64_t shown = load(site->ports.local_out, 0), sent = to_send(site, now);
    receive(site, shown, now);
    store(site->ports.local_in, 0, sent);
    if (!sent || shown & LINK_SLOT_WAIT)
        return;
    const struct lan_worm *worm = &traffic.flights[site->sends].worm;
    if (++site->words == worm->path->count - 1 + worm->length)
        site->sends = WORMS;
}

/* What a site shows on a link in the next clock goes into its cable; out comes what went in a delay before. */
static void clock_links(const struct mesh_config *mesh, uint64_t now)
{
    for (int i = 0; i < mesh->sites; i++)
        for (unsigned link = 0; link < LINKS; link++) {
            uint64_t shown = load(sites[i].ports.link_out, link);
            sites[i].cable[link][now % DELAY_MOST] = shown;
            stops += shown == PR_WORM_CONTROL_STOP;
        }
    for (int i = 0; i < mesh->sites; i++)
        for (unsigned link = 0; link < LINKS; link++) {
            struct pr_far_end far = mesh_far_end(mesh, i, (int)link);
            uint64_t then = now + 1 + DELAY_MOST - mesh_delay(mesh, i, (int)link);
            if (far.site >= 0)
                store(sites[i].ports.link_in, link, sites[far.site].cable[far.link][then % DELAY_MOST]);
        }
}

static void clock_sites(const struct mesh_config *mesh)
{
    for (int i = 0; i < mesh->sites; i++)
        table->clock(sites[i].model);
}

static void start_sites(const struct mesh_config *mesh, void *context)
{
    int host = 0;
    for (int i = 0; i < mesh->sites; i++) {
        sites[i] = (struct site){.model = table->create(context, "site"), .sends = WORMS};
        CHECK(sites[i].model);
        table->ports(sites[i].model, &sites[i].ports);
        mesh_straps(mesh, (unsigned)i, 0, sites[i].ports.straps);
        *sites[i].ports.reset = 1;
        sites[i].host = mesh_is_switch(mesh, i) ? LAN_NOWHERE : host++;
    }
    for (unsigned clock = 0; clock < RESET_CLOCKS; clock++)
        clock_sites(mesh);
    for (int i = 0; i < mesh->sites; i++) {
        *sites[i].ports.reset = 0;
        table->settle(sites[i].model);
    }
}

static void run_rtl(const struct mesh_config *mesh)
{
    void *context = table->context_create(NULL);
    CHECK(context);
    start_sites(mesh, context);
    rewind_traffic();
    for (uint64_t now = 0; traffic.arrived < traffic.count; now++) {
        CHECK(now < 10000000);
        clock_links(mesh, now);
        for (int i = 0; i < mesh->sites; i++)
            if (sites[i].host != LAN_NOWHERE)
                clock_operator(&sites[i], now);
        clock_sites(mesh);
    }
    for (int i = 0; i < mesh->sites; i++)
        table->destroy(sites[i].model);
    table->context_destroy(context);
}

/* ---- meshes ---- */

/* The mesh of a file as a graph, with drawn delays of at most `longest`; 0: those of the file. */
static void draw_mesh(const char *file, unsigned longest, uint64_t *seed, struct mesh_config *out)
{
    char text[TEXT], error[300];
    struct mesh_config mesh;
    CHECK_EQUAL(mesh_config_load(file, &mesh, error, sizeof error), 0);
    int length = snprintf(text, sizeof text,
                          "[mesh]\nfabric = wormlan\ntopology = graph\nsites = %d\nlinks = %d\nword_width = %d\n"
                          "[wormlan]\npatience = 32768\n[cables]\n",
                          mesh.sites, LINKS, WIDTH);
    for (int site = 0; site < mesh.sites; site++)
        for (int link = 0; link < mesh.links; link++) {
            struct pr_far_end far = mesh_far_end(&mesh, site, link);
            unsigned delay = longest ? 1 + check_below(seed, longest) : mesh_delay(&mesh, site, link);
            if (far.site > site)
                length += snprintf(text + length, sizeof text - (size_t)length, "%d.%d = %d.%d %u\n", site, link,
                                   far.site, far.link, delay);
        }
    CHECK((size_t)length < sizeof text);
    CHECK_EQUAL(mesh_config_parse(file, text, (size_t)length, out, error, sizeof error), 0);
    memcpy(out->switches, mesh.switches, sizeof out->switches);
}

/* ---- traffic ---- */

static void add_flight(unsigned from, unsigned to, unsigned length, uint64_t start)
{
    struct flight *flight = &traffic.flights[traffic.count++];
    *flight = (struct flight){.from = from, .to = to, .start = start};
    flight->worm.path = lan_path(traffic.graph, from, to);
    flight->worm.length = length;
}

/* Clocks from the first word that a host sends to the first that arrives, if nothing is in its way: six, and five and
 * the cable for each further switch. */
static unsigned lone_clocks(unsigned from, unsigned to)
{
    const struct lan_path *path = lan_path(traffic.graph, from, to);
    unsigned clocks = 6;
    for (unsigned k = 1; k + 1 < path->count; k++)
        clocks += 5 + traffic.graph->links[path->links[k]].delay;
    return clocks;
}

static void draw_pair(uint64_t *seed, unsigned *from, unsigned *to)
{
    unsigned hosts = traffic.graph->hosts;
    *from = check_below(seed, hosts);
    *to = (*from + 1 + check_below(seed, hosts - 1)) % hosts;
}

/* `gap`: clocks between two worms, on average; `hot`: so many of eight go to one host. */
static void draw_traffic(unsigned gap, unsigned longest, unsigned hot, uint64_t *seed)
{
    unsigned spot = check_below(seed, traffic.graph->hosts), from, to;
    uint64_t time = FIRST_CLOCK;
    for (traffic.count = 0; traffic.count < WORMS; time += check_below(seed, 2 * gap + 1)) {
        draw_pair(seed, &from, &to);
        if (from != spot && check_below(seed, 8) < hot)
            to = spot;
        add_flight(from, to, 2 + check_below(seed, longest), time);
    }
}

/* ---- both ---- */

static unsigned long compared, waited;

static void run_both(const struct mesh_config *mesh)
{
    run_model();
    run_rtl(mesh);
    for (unsigned i = 0; i < traffic.count; i++) {
        const struct flight *flight = &traffic.flights[i];
        bool same = flight->model.first == flight->rtl.first && flight->model.last == flight->rtl.last;
        check(same, "worm %u from %u to %u, %u words, sent at %llu: at %llu and %llu, expected %llu and %llu", i,
              flight->from, flight->to, flight->worm.length, (unsigned long long)flight->start,
              (unsigned long long)flight->model.first, (unsigned long long)flight->model.last,
              (unsigned long long)flight->rtl.first, (unsigned long long)flight->rtl.last);
        waited += flight->rtl.first != flight->start + lone_clocks(flight->from, flight->to);
        compared++;
        if (!same)
            exit(verdict("wormlan rtl")); /* what follows differs too */
    }
}

/* Each pair of hosts; the next worm begins when the one before has arrived. Where K_s is so small that the words that
 * come while a head asks reach it, they are stopped. */
static void test_lone(const struct mesh_config *mesh, bool stops_heads, uint64_t *seed)
{
    uint64_t time = FIRST_CLOCK;
    traffic.count = 0;
    for (unsigned from = 0; from < traffic.graph->hosts; from++)
        for (unsigned to = 0; to < traffic.graph->hosts; to++) {
            unsigned length = 2 + check_below(seed, 100);
            if (from == to)
                continue;
            add_flight(from, to, length, time);
            time += (stops_heads ? 5 : 1) * (lone_clocks(from, to) + length) + check_below(seed, 40);
        }
    run_both(mesh);
    for (unsigned i = 0; i < traffic.count; i++) {
        const struct flight *flight = &traffic.flights[i];
        CHECK_EQUAL(flight->rtl.first, flight->start + lone_clocks(flight->from, flight->to));
        if (!stops_heads)
            CHECK_EQUAL(flight->rtl.last, flight->rtl.first + flight->worm.length - 1);
    }
}

/* Two worms to one host, the second so much sooner or later than together, in a LAN that has just been reset. */
static void test_meeting(const struct mesh_config *mesh, uint64_t *seed)
{
    enum { APART = 12, WAY_MOST = 400 };
    unsigned one, other, to, length = 2 + check_below(seed, 60);
    draw_pair(seed, &one, &to);
    do
        other = check_below(seed, traffic.graph->hosts);
    while (other == one || other == to);
    for (unsigned apart = 0; apart <= 2 * APART; apart++) {
        traffic.count = 0;
        add_flight(one, to, length, FIRST_CLOCK + WAY_MOST + APART - lone_clocks(one, to));
        add_flight(other, to, length, FIRST_CLOCK + WAY_MOST + apart - lone_clocks(other, to));
        run_both(mesh);
    }
}

static void test_random(const struct mesh_config *mesh, uint64_t *seed)
{
    static const unsigned gaps[] = {8, 16, 32, 64};
    draw_traffic(gaps[check_below(seed, 4)], 1 + check_below(seed, 150), check_below(seed, 5), seed);
    run_both(mesh);
}

static void test_mesh(const char *file, unsigned longest, uint64_t *seed)
{
    static struct mesh_config mesh;
    static struct verilated_site library;
    const struct lan_graph_options options = {.host_delay = HOST_DELAY};
    char error[300] = "";
    draw_mesh(file, longest, seed, &mesh);
    if (!table)
        check(verilated_site_open(&library, &mesh, false, SITE_PLAIN, error, sizeof error) == 0, "%s", error);
    table = library.table;
    struct lan_graph *graph = lan_graph_create(&mesh, &options, error, sizeof error);
    CHECK(table && graph);
    traffic.graph = graph;
    test_lone(&mesh, longest == DELAY_MOST, seed);
    test_meeting(&mesh, seed);
    test_random(&mesh, seed);
    lan_graph_free(graph);
}

int main(void)
{
    static const unsigned longest[] = {0, 3, DELAY_MOST};
    uint64_t seed = check_seed();
    unsigned long rounds = check_rounds(6), round = 0;
    do
        test_mesh(round % 2 ? "hw/mesh/wormlan-torus-4x4.mesh" : "hw/mesh/wormlan-lan.mesh", longest[round / 2 % 3],
                  &seed);
    while (++round < rounds);
    printf("%lu worms, %lu of which waited; %lu times STOP\n", compared, waited, stops);
    check(rounds == 0 || (waited > 100 * rounds && stops > 100 * rounds), "too little happens");
    return verdict("wormlan rtl");
}
