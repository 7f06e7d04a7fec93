/* Store-and-forward and circuit switching beside cut-through: the same packets over the same fabric and operators, sent
 * in one of three ways.
 *
 *   cut-through   an operator sends each packet to its target; the fabric passes it on word by word
 *   stored        an operator sends each packet to the next site of the dimension-ordered way only; the evaluator
 *                 there receives it whole and has its own operator send it on
 *   circuit       a probe goes that way first, from site to site, and reserves each link for its packet; it waits where
 *                 another packet has the link. The target answers, and only then the packet is sent. Its links are
 *                 free when it has arrived, all at once
 *
 *       source   probe ->                                          packet ->
 *       site               probe ->
 *       target                       <- answer, over the fabric                free the links
 *
 *   Links are reserved against other packets. Probes and answers, of two data words, use the same links: there is no
 *   network of their own for them. Probes wait for links in dimension order, which cannot deadlock but on a torus.
 *
 * The raw service, native operators that take no time, and storage that never runs out: what is left is the
 * difference between the ways. A packet has two words of data at least, its number; the size is the same both ways.
 *
 * usage: store_and_forward FILE.mesh cut-through|stored|circuit PATTERN LOAD DATA_WORDS PACKETS SEED rtl|functional
 * Prints one JSON object. Buffers are packets in a site's storage, its own on their way out included; packets that wait
 * in a source's queue until its operator takes them are not.
 * exit: 0, 1 usage, 3 a packet was not delivered exactly once
 *
 * SPDX-License-Identifier: ISC
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exit_code.h"
#include "engine/rtl_engine.h"
#include "functional/functional_engine.h"
#include "mesh/mesh.h"
#include "mesh/topology_view.h"
#include "operator/operator.h"
#include "protocol.h"
#include "simulation/simulation.h"
#include "workload/statistics.h"
#include "workload/traffic.h"

enum {
    HANDLER = 7,
    POOL = 1024,
    SENDING_MOST = 4, /* packets that a site gives its operator at once, as the default window of experiments */
    NUMBER_WORDS = 2, /* of the data: the packet's number */
    DATA_MOST = 120,
    WORD_BITS = 16,
    KIND_SHIFT = 30, /* the kind of a packet is in the two bits above its number */
    CHUNK = 64,
    SETTLE_LIMIT = 20000000
};

enum way { CUT_THROUGH, STORED, CIRCUIT };
static const char *const way_names[] = {"cut-through", "stored", "circuit"};

enum kind { PACKET, PROBE, ANSWER };

static const uint32_t none = UINT32_MAX;

struct packet {
    uint64_t generated;
    uint32_t next; /* in the queue that it waits in */
    uint16_t source, target;
    bool delivered;
};

struct queue {
    uint32_t first, last, length;
};

/* A link with circuits. */
struct line {
    bool reserved;
    struct queue waiting; /* packets whose probe is here */
};

struct site {
    unsigned number;
    struct pr_operator *op;
    struct queue own, stored; /* packets to send: generated here, and of other sites */
};

static struct {
    struct mesh_config mesh;
    struct simulation *simulation;
    struct traffic *traffic;
    struct site *sites;
    struct packet *packets;
    struct line *lines; /* [site * links + link] */
    enum way way;
    uint32_t wanted, generated, delivered, data_words;
    uint64_t forwarded; /* packets that an evaluator sent on */
    uint64_t buffers_sum, samples, buffers_most;
    struct statistics latency;
} run;

static _Noreturn void die(int code, const char *what)
{
    fprintf(stderr, "store_and_forward: %s\n", what);
    exit(code);
}

static void append(struct queue *queue, uint32_t number)
{
    run.packets[number].next = none;
    if (queue->length++ == 0)
        queue->first = number;
    else
        run.packets[queue->last].next = number;
    queue->last = number;
}

static uint32_t take(struct queue *queue)
{
    uint32_t number = queue->first;
    queue->first = run.packets[number].next;
    queue->length--;
    return number;
}

/* The link of the dimension-ordered way: east and west, the odd links, come first. -1 at the target itself. */
static int next_link(unsigned from, unsigned target)
{
    int hops = mesh_hops(&run.mesh, (int)from, (int)target);
    for (int odd = 1; odd >= 0; odd--)
        for (int link = odd; link < run.mesh.links; link += 2) {
            int neighbour = mesh_far_end(&run.mesh, (int)from, link).site;
            if (neighbour >= 0 && mesh_hops(&run.mesh, neighbour, (int)target) == hops - 1)
                return link;
        }
    return -1;
}

static unsigned next_site(unsigned from, unsigned target)
{
    int link = next_link(from, target);
    return link < 0 ? target : (unsigned)mesh_far_end(&run.mesh, (int)from, link).site;
}

static uint32_t buffers_in_use(const struct site *site)
{
    return POOL - pr_operator_counter(site->op, PR_COUNTER_FREE_BUFFERS);
}

static void send(struct site *site, unsigned target, uint32_t number, enum kind kind)
{
    uint32_t name = number | (uint32_t)kind << KIND_SHIFT;
    uint32_t data[DATA_MOST] = {name & ((1u << WORD_BITS) - 1), name >> WORD_BITS};
    struct pr_target to = {.site = (uint16_t)target};
    uint32_t words = kind == PACKET ? run.data_words : NUMBER_WORDS;
    if (pr_operator_send(site->op, &to, 1, HANDLER, data, words, NULL) != 0)
        die(EXIT_MISMATCH, "an operator refuses a packet");
}

static struct line *line_to(unsigned site, unsigned target)
{
    int link = next_link(site, target);
    return link < 0 ? NULL : &run.lines[site * (unsigned)run.mesh.links + (unsigned)link];
}

/* The probe reserves the next link and goes on, or waits for it. */
static void probe(struct site *site, uint32_t number)
{
    unsigned target = run.packets[number].target;
    struct line *line = line_to(site->number, target);
    if (line->reserved) {
        append(&line->waiting, number);
        return;
    }
    line->reserved = true;
    send(site, next_site(site->number, target), number, PROBE);
}

/* Each link of the packet's way goes to the probe that has waited longest. */
static void free_links(const struct packet *packet)
{
    struct line *line;
    for (unsigned at = packet->source; (line = line_to(at, packet->target)); at = next_site(at, packet->target)) {
        line->reserved = false;
        if (line->waiting.length > 0)
            probe(&run.sites[at], take(&line->waiting));
    }
}

/* The packets of others go first, as with operators that send diverted packets on. */
static void feed(struct site *site)
{
    while (site->stored.length + site->own.length > 0 && buffers_in_use(site) < SENDING_MOST) {
        uint32_t number = take(site->stored.length > 0 ? &site->stored : &site->own);
        unsigned target = run.packets[number].target;
        if (run.way == CIRCUIT && target != site->number)
            probe(site, number);
        else
            send(site, run.way == STORED ? next_site(site->number, target) : target, number, PACKET);
    }
}

/* A packet that is stored at a site on its way, or a probe or an answer: it goes on. */
static void go_on(struct site *site, uint32_t number, enum kind kind)
{
    const struct packet *packet = &run.packets[number];
    if (kind == ANSWER) {
        send(site, packet->target, number, PACKET);
    } else if (kind == PROBE && packet->target == site->number) {
        send(site, packet->source, number, ANSWER);
    } else if (kind == PROBE) {
        probe(site, number);
    } else {
        if (run.way != STORED)
            die(EXIT_MISMATCH, "a packet arrived at the wrong site");
        run.forwarded++;
        append(&site->stored, number);
    }
}

static void deliver(void *context, const struct pr_delivery *delivery)
{
    struct site *site = context;
    uint32_t name = delivery->data[0] | delivery->data[1] << WORD_BITS;
    uint32_t number = name & ((1u << KIND_SHIFT) - 1);
    enum kind kind = (enum kind)(name >> KIND_SHIFT);
    if (number >= run.generated || run.packets[number].delivered)
        die(EXIT_MISMATCH, "a packet arrived that was not sent, or a second time");
    if (kind != PACKET || run.packets[number].target != site->number) {
        go_on(site, number, kind);
        return;
    }
    run.packets[number].delivered = true;
    if (run.way == CIRCUIT)
        free_links(&run.packets[number]);
    run.delivered++;
    statistics_add(&run.latency, simulation_clock(run.simulation) - run.packets[number].generated);
}

static void generate(uint64_t clock)
{
    struct traffic_packet packet;
    while (run.generated < run.wanted && traffic_clock(run.traffic) <= clock) {
        traffic_next(run.traffic, &packet);
        run.packets[run.generated] = (struct packet){
            .generated = packet.clock, .source = (uint16_t)packet.source, .target = (uint16_t)packet.targets[0]};
        append(&run.sites[packet.source].own, run.generated++);
    }
}

static void sample(void)
{
    for (int site = 0; site < run.mesh.sites; site++) {
        uint64_t buffers = buffers_in_use(&run.sites[site]) + run.sites[site].stored.length;
        run.buffers_sum += buffers;
        run.buffers_most = buffers > run.buffers_most ? buffers : run.buffers_most;
    }
    run.samples++;
}

static void tick(void *context, struct simulation *simulation, uint64_t clock)
{
    (void)context;
    generate(clock);
    for (int site = 0; site < run.mesh.sites; site++)
        feed(&run.sites[site]);
    if (run.generated < run.wanted)
        sample();
    simulation_request_tick(simulation, clock + 1);
}

static void start(const char *engine, const struct traffic_options *traffic)
{
    char error[512];
    size_t sites = (size_t)run.mesh.sites;
    struct simulation_options options = {.engine = engine, .mesh = &run.mesh, .pool = POOL, .seed = traffic->seed};
    run.traffic = traffic_create(&run.mesh, traffic, error, sizeof error);
    if (!run.traffic)
        die(EXIT_USAGE, error);
    simulation_register(&rtl_engine);
    simulation_register(&functional_engine);
    run.simulation = simulation_create(&options, error, sizeof error);
    if (!run.simulation)
        die(EXIT_USAGE, error);
    run.sites = calloc(sites, sizeof *run.sites);
    run.packets = calloc(run.wanted, sizeof *run.packets);
    run.lines = calloc(sites * (size_t)run.mesh.links, sizeof *run.lines);
    if (!run.sites || !run.packets || !run.lines || statistics_init(&run.latency) != 0)
        die(EXIT_USAGE, "out of memory");
    for (unsigned i = 0; i < sites; i++) {
        run.sites[i] = (struct site){.number = i, .op = simulation_operator(run.simulation, i)};
        pr_operator_register(run.sites[i].op, HANDLER, deliver, &run.sites[i]);
    }
    simulation_set_tick(run.simulation, tick, NULL);
    simulation_request_tick(run.simulation, simulation_clock(run.simulation));
}

static void run_to_the_end(void)
{
    uint64_t ended = UINT64_MAX;
    while (run.delivered < run.wanted) {
        simulation_run(run.simulation, CHUNK);
        if (run.generated == run.wanted && ended == UINT64_MAX)
            ended = simulation_clock(run.simulation);
        if (ended != UINT64_MAX && simulation_clock(run.simulation) - ended > SETTLE_LIMIT)
            die(EXIT_MISMATCH, "not every packet arrives");
    }
}

static void print(void)
{
    double site_clocks = (double)simulation_clock(run.simulation) * run.mesh.sites;
    double sampled = (double)run.samples * run.mesh.sites;
    for (int site = 0; site < run.mesh.sites; site++)
        run.forwarded += pr_operator_counter(run.sites[site].op, PR_COUNTER_FORWARDED);
    printf("{\"run_load\":%.6f,\"stored\":%.6f,\"buffers_mean\":%.6f,\"buffers_most\":%" PRIu64
           ",\"latency_clocks\":{\"mean\":%.2f,\"p99\":%" PRIu64 "}}\n",
           run.wanted * traffic_mean_words(run.traffic) / site_clocks, (double)run.forwarded / run.wanted,
           (double)run.buffers_sum / sampled, run.buffers_most, statistics_mean(&run.latency),
           statistics_quantile(&run.latency, 0.99));
}

static void finish(void)
{
    simulation_destroy(run.simulation);
    traffic_free(run.traffic);
    statistics_free(&run.latency);
    free(run.sites);
    free(run.packets);
    free(run.lines);
}

static int way_by_name(const char *name)
{
    for (int way = CUT_THROUGH; way <= CIRCUIT; way++)
        if (strcmp(way_names[way], name) == 0)
            return way;
    return -1;
}

int main(int argc, char **argv)
{
    char error[512];
    if (argc != 9 || way_by_name(argv[2]) < 0 || traffic_pattern_by_name(argv[3]) < 0)
        die(EXIT_USAGE, "usage: store_and_forward FILE.mesh cut-through|stored|circuit PATTERN LOAD DATA_WORDS PACKETS "
                        "SEED rtl|functional");
    run.way = (enum way)way_by_name(argv[2]);
    run.data_words = (uint32_t)strtoul(argv[5], NULL, 10);
    run.wanted = (uint32_t)strtoul(argv[6], NULL, 10);
    if (run.data_words < NUMBER_WORDS || run.data_words > DATA_MOST || run.wanted == 0 || run.wanted >> KIND_SHIFT)
        die(EXIT_USAGE, "expected 2 to 120 data words, and 1 to 2^30 - 1 packets");
    if (mesh_config_load(argv[1], &run.mesh, error, sizeof error) != 0)
        die(EXIT_USAGE, error);
    if (run.way == CIRCUIT && run.mesh.topology == PR_TOPOLOGY_TORUS)
        die(EXIT_USAGE,
            "circuits on a torus, expected a grid or a hypercube: probes would wait for each other in a ring");
    mesh_set_reliable(&run.mesh, false);
    start(argv[8], &(struct traffic_options){.pattern = (enum traffic_pattern)traffic_pattern_by_name(argv[3]),
                                             .load = strtod(argv[4], NULL),
                                             .burst = 1,
                                             .length = run.data_words,
                                             .targets = 2,
                                             .hot_site = (unsigned)(run.mesh.sites + run.mesh.size_x) / 2,
                                             .hot_share = 0.2,
                                             .seed = strtoull(argv[7], NULL, 10)});
    run_to_the_end();
    print();
    finish();
    return EXIT_OK;
}
