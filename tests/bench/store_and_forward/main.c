/* Store-and-forward beside cut-through: the same packets over the same fabric and operators, sent in one of two ways.
 *
 *   cut-through   an operator sends each packet to its target; the fabric passes it on word by word
 *   stored        an operator sends each packet to the next site of the dimension-ordered way only; the evaluator
 *                 there receives it whole and has its own operator send it on
 *
 * The raw service, native operators that take no time, and storage that never runs out: what is left is the
 * difference between the ways. A packet has two words of data at least, its number; the size is the same both ways.
 *
 * usage: store_and_forward FILE.mesh cut-through|stored PATTERN LOAD DATA_WORDS PACKETS SEED rtl|functional
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
    CHUNK = 64,
    SETTLE_LIMIT = 20000000
};

static const uint32_t none = UINT32_MAX;

struct packet {
    uint64_t generated;
    uint32_t next; /* in the queue that it waits in */
    uint16_t target;
    bool delivered;
};

struct queue {
    uint32_t first, last, length;
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
    bool stored;
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

/* The neighbour on the dimension-ordered way: east and west, the odd links, come first. */
static unsigned next_site(unsigned from, unsigned target)
{
    int hops = mesh_hops(&run.mesh, (int)from, (int)target);
    for (int odd = 1; odd >= 0; odd--)
        for (int link = odd; link < run.mesh.links; link += 2) {
            int neighbour = mesh_neighbour(&run.mesh, (int)from, link);
            if (neighbour >= 0 && mesh_hops(&run.mesh, neighbour, (int)target) == hops - 1)
                return (unsigned)neighbour;
        }
    return target; /* the site itself */
}

static uint32_t buffers_in_use(const struct site *site)
{
    return POOL - pr_operator_counter(site->op, PR_COUNTER_FREE_BUFFERS);
}

static void send(struct site *site, uint32_t number)
{
    uint32_t data[DATA_MOST] = {number & ((1u << WORD_BITS) - 1), number >> WORD_BITS};
    unsigned target = run.packets[number].target;
    struct pr_target to = {.site = (uint16_t)(run.stored ? next_site(site->number, target) : target)};
    if (pr_operator_send(site->op, &to, 1, HANDLER, data, run.data_words, NULL) != 0)
        die(EXIT_MISMATCH, "an operator refuses a packet");
}

/* The packets of others go first, as with operators that send diverted packets on. */
static void feed(struct site *site)
{
    while (site->stored.length + site->own.length > 0 && buffers_in_use(site) < SENDING_MOST)
        send(site, take(site->stored.length > 0 ? &site->stored : &site->own));
}

static void deliver(void *context, const struct pr_delivery *delivery)
{
    struct site *site = context;
    uint32_t number = delivery->data[0] | delivery->data[1] << WORD_BITS;
    if (number >= run.generated || run.packets[number].delivered)
        die(EXIT_MISMATCH, "a packet arrived that was not sent, or a second time");
    if (run.packets[number].target != site->number) {
        if (!run.stored)
            die(EXIT_MISMATCH, "a packet arrived at the wrong site");
        run.forwarded++;
        append(&site->stored, number);
        return;
    }
    run.packets[number].delivered = true;
    run.delivered++;
    statistics_add(&run.latency, simulation_clock(run.simulation) - run.packets[number].generated);
}

static void generate(uint64_t clock)
{
    struct traffic_packet packet;
    while (run.generated < run.wanted && traffic_clock(run.traffic) <= clock) {
        traffic_next(run.traffic, &packet);
        run.packets[run.generated] = (struct packet){.generated = packet.clock, .target = packet.targets[0]};
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
    if (!run.sites || !run.packets || statistics_init(&run.latency) != 0)
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
}

int main(int argc, char **argv)
{
    char error[512];
    if (argc != 9 || (strcmp(argv[2], "stored") != 0 && strcmp(argv[2], "cut-through") != 0) ||
        traffic_pattern_by_name(argv[3]) < 0)
        die(EXIT_USAGE, "usage: store_and_forward FILE.mesh cut-through|stored PATTERN LOAD DATA_WORDS PACKETS SEED "
                        "rtl|functional");
    run.stored = strcmp(argv[2], "stored") == 0;
    run.data_words = (uint32_t)strtoul(argv[5], NULL, 10);
    run.wanted = (uint32_t)strtoul(argv[6], NULL, 10);
    if (run.data_words < NUMBER_WORDS || run.data_words > DATA_MOST || run.wanted == 0)
        die(EXIT_USAGE, "expected 2 to 120 data words, and a packet");
    if (mesh_config_load(argv[1], &run.mesh, error, sizeof error) != 0)
        die(EXIT_USAGE, error);
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
