/* wormlan_model: a run of multicasts over a wormhole LAN (Gerla, Palnati, Walton 1996, sections 4 to 7); prints one
 * JSON object.
 *
 * SPDX-License-Identifier: ISC
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/number_option.h"
#include "wormlan/lan_backlog.h"
#include "wormlan/lan_run.h"

enum { EXIT_USAGE = 1 };

static const char usage[] =
    "usage: wormlan_model NETWORK SCHEME [OPTION...]\n"
    "  runs random traffic over a wormhole LAN, and prints one JSON object; times are byte times of a link\n"
    "NETWORK:\n"
    "  torus                8x8 switches, a host each; ten groups of ten; a tenth of the new worms are multicasts\n"
    "  shufflenet           24 switches, a host each; four groups of six; 1000 byte times between switches\n"
    "  ring                 four switches, two hosts each; a group of all eight\n"
    "  FILE.mesh            the sites of a mesh as switches, with a host unless it is a bare switch\n"
    "SCHEME:\n"
    "  hamsf, hamct         circuit of host numbers: each host stores a multicast, or sends it on as it comes\n"
    "  hamorder             as hamct, from the lowest host on: total order\n"
    "  treeroot, treect     rooted tree, from its root on: stored, or the first copy of a host as it comes\n"
    "  treebcast, treebct   the same tree, from the sender on to all neighbours\n"
    "  gt, gtsf             a tree for each sender, grown by the time of arrival: as it comes, or stored\n"
    "  gtorder              as gt, from the lowest host on: total order\n"
    "  unicasts             the sender sends to each member\n"
    "OPTION:\n"
    "  --load L             bytes that a host puts on its link in a byte time, all copies with it (0.05)\n"
    "  --share P            of multicasts among new worms (0.1)\n"
    "  --length N           mean bytes of a worm without its route (400)\n"
    "  --groups N, --members N\n"
    "  --delay N            byte times between switches (5; a graph: as its cables say)\n"
    "  --host-delay N       byte times between host and switch (5)\n"
    "  --header N           bytes after which a host can send on what comes (4)\n"
    "  --forward N, --spared N\n"
    "                       gt: byte times that a host is reckoned to add, and that a link counts for more (60, 60)\n"
    "  --runs N             gt: runs of rising host numbers on a way, each a class of buffers; 0: any number (2)\n"
    "  --buffers N          multicasts that a host can keep, of each of two classes, or of the one of drop and credit;\n"
    "                       0: any number (0)\n"
    "  --full ANSWER        of a host without a buffer: refuse; drop, and nobody is told; hold: the worm waits on its links;\n"
    "                       credit: a manager gives buffers away before a host sends (refuse)\n"
    "  --time-out N         byte times from a refusal until the multicast is sent again (1000)\n"
    "  --numbers ORDER      of hosts: random, or row, that of the switches (random)\n"
    "  --paths CHOICE       of the shortest ways up and down: random for each pair, or first (random)\n"
    "  --children ORDER     of the copies of a host: heaviest subtree first, or by number (heaviest)\n"
    "  --backlog N          so many hosts always have a next multicast, of the length given; 0: random traffic (0)\n"
    "  --worm-time N, --byte-time X\n"
    "                       byte times until a backlogged host has the next one, for a worm and for each byte (0, 0)\n"
    "  --warm-up N, --measured N, --drain N\n"
    "                       byte times (200000, 1500000, 1000000)\n"
    "  --configuration N    seed of numbers, ways and groups (1)\n"
    "  --seed N             of the traffic (1)\n"
    "  --help, --version\n"
    "exit status: 0 ok, 1 usage or a bad mesh\n";

struct arguments {
    const struct lan_scheme *scheme;
    struct mesh_config mesh;
    struct lan_graph_options graph;
    struct lan_group_options groups;
    struct lan_hosts_options hosts;
    struct lan_run_options run;
    struct lan_backlog_options backlog; /* without what `run` has, too */
    double forward, spared;
    uint64_t configuration;
};

static int usage_error(const char *argument, const char *expected)
{
    fprintf(stderr, "wormlan_model: '%s', expected %s; wormlan_model --help lists all\n", argument, expected);
    return EXIT_USAGE;
}

/* ---- options ---- */

enum { CHOICE_WORDS = 4 };

/* The first word sets the flag; or the number of the word is what a host does without a buffer. */
struct choice {
    const char *name, *words[CHOICE_WORDS + 1], *expected;
    bool *flag;
    enum lan_full *full;
};

static bool read_choice(const struct choice *choice, const char *text)
{
    unsigned number = 0;
    while (choice->words[number] && strcmp(text, choice->words[number]) != 0)
        number++;
    if (choice->flag)
        *choice->flag = number == 0;
    else
        *choice->full = number;
    return choice->words[number] != NULL;
}

static int read_option(const char *name, const char *value, const struct number_option *numbers,
                       const struct choice *choices)
{
    for (; numbers->name; numbers++)
        if (strcmp(name, numbers->name) == 0)
            return value && number_option_read(numbers, value) ? 0
                                                               : usage_error(value ? value : name, numbers->expected);
    for (; choices->name; choices++)
        if (strcmp(name, choices->name) == 0)
            return value && read_choice(choices, value) ? 0 : usage_error(value ? value : name, choices->expected);
    return usage_error(name, "an option");
}

static int read_options(struct arguments *arguments, char **options)
{
    struct lan_group_options *groups = &arguments->groups;
    struct lan_run_options *run = &arguments->run;
    static const char whole[] = "a whole number", times[] = "1 to 1e12";
    const struct number_option numbers[] = {
        {"--load", "above 0, up to 1", &run->load, NULL, NULL, 1e-9, 1},
        {"--share", "a probability", &run->share, NULL, NULL, 0, 1},
        {"--length", "1 to 1000000", &run->length, NULL, NULL, 1, 1e6},
        {"--groups", "1 to 1000", NULL, &groups->count, NULL, 1, 1000},
        {"--members", "2 to 32", NULL, &groups->size, NULL, 2, PR_GROUP_MEMBERS_MAX},
        {"--delay", "1 to 1000000", NULL, &arguments->graph.delay, NULL, 1, 1e6},
        {"--host-delay", "1 to 1000000", NULL, &arguments->graph.host_delay, NULL, 1, 1e6},
        {"--header", "1 to 1000", NULL, &arguments->hosts.header_bytes, NULL, 1, 1000},
        {"--forward", "0 to 1000000", &arguments->forward, NULL, NULL, 0, 1e6},
        {"--spared", "0 to 1000000", &arguments->spared, NULL, NULL, 0, 1e6},
        {"--runs", "0 to 31", NULL, &groups->costs.runs, NULL, 0, PR_GROUP_MEMBERS_MAX - 1},
        {"--buffers", "0 to 1000000", NULL, &arguments->hosts.buffers, NULL, 0, 1e6},
        {"--backlog", whole, NULL, &arguments->backlog.sources, NULL, 0, 1e6},
        {"--worm-time", "0 to 1000000", &arguments->backlog.worm_time, NULL, NULL, 0, 1e6},
        {"--byte-time", "0 to 1000", &arguments->backlog.byte_time, NULL, NULL, 0, 1000},
        {"--time-out", "1 to 1000000", NULL, &arguments->hosts.time_out, NULL, 1, 1e6},
        {"--warm-up", "0 to 1e12", NULL, NULL, &run->warm_up, 0, 1e12},
        {"--measured", times, NULL, NULL, &run->measured, 1, 1e12},
        {"--drain", "0 to 1e12", NULL, NULL, &run->drain, 0, 1e12},
        {"--configuration", whole, NULL, NULL, &arguments->configuration, 0, 1e15},
        {"--seed", whole, NULL, NULL, &run->seed, 0, 1e15},
        {0}};
    const struct choice choices[] = {
        {"--numbers", {"random", "row"}, "random or row", &arguments->graph.drawn_numbers, NULL},
        {"--paths", {"random", "first"}, "random or first", &arguments->graph.drawn_paths, NULL},
        {"--children", {"heaviest", "number"}, "heaviest or number", &groups->heaviest_first, NULL},
        {"--full",
         {[LAN_REFUSE] = "refuse", [LAN_DROP] = "drop", [LAN_HOLD] = "hold", [LAN_CREDIT] = "credit"},
         "refuse, drop, hold or credit",
         NULL,
         &arguments->hosts.full},
        {0}};
    for (; *options; options += 2) {
        int status = read_option(*options, options[1], numbers, choices);
        if (status)
            return status;
    }
    if (arguments->hosts.full != LAN_REFUSE && !arguments->hosts.buffers)
        return usage_error("--full", "--buffers with it");
    if (arguments->hosts.buffers && lan_full_has_classes(arguments->hosts.full) && groups->shape == PR_GROUP_SHAPE_GT &&
        groups->costs.runs - 1u > 1)
        return usage_error("--runs", "1 or 2 with --buffers, which have two classes");
    return 0;
}

/* ---- networks ---- */

/* Sections 7 and 7.1. The paper tells no delay of the torus. */
static int choose_network(struct arguments *arguments, const char *name)
{
    char error[512];
    arguments->graph.delay = 5;
    arguments->groups.count = arguments->groups.size = 10;
    if (strcmp(name, "torus") == 0) {
        lan_torus(&arguments->mesh, 8, 8);
    } else if (strcmp(name, "shufflenet") == 0) {
        lan_shufflenet(&arguments->mesh);
        arguments->graph.delay = 1000;
        arguments->groups.count = 4;
        arguments->groups.size = 6;
    } else if (strcmp(name, "ring") == 0) {
        lan_ring(&arguments->mesh);
        arguments->groups.count = 1;
        arguments->groups.size = 8;
    } else if (mesh_config_load(name, &arguments->mesh, error, sizeof error) == 0) {
        arguments->graph.delay = arguments->mesh.topology == PR_TOPOLOGY_GRAPH ? 0 : 5;
    } else {
        fprintf(stderr, "wormlan_model: %s\n", error);
        return EXIT_USAGE;
    }
    return 0;
}

/* In byte times. A head needs two for a switch. */
static void choose_costs(struct arguments *arguments)
{
    const struct lan_graph_options *graph = &arguments->graph;
    struct pr_group_costs *costs = &arguments->groups.costs;
    unsigned delay = graph->delay ? graph->delay : mesh_delay(&arguments->mesh, 0, 0);
    costs->copy = (unsigned)arguments->run.length;
    costs->link = 2 + delay;
    costs->pass_on = 2 + 2 * graph->host_delay + (unsigned)arguments->forward;
    costs->spared = (unsigned)arguments->spared;
}

/* ---- the run ---- */

struct row {
    const char *name;
    double value;
};

static void print(const struct row *rows, size_t count)
{
    const char *before = "{";
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(rows[i].value))
            continue;
        printf("%s\"%s\": %.9g", before, rows[i].name, rows[i].value);
        before = ", ";
    }
    puts("}");
}

static void run_random(const struct arguments *arguments, const struct lan_groups *groups)
{
    struct lan_figures figures;
    lan_run(groups, &arguments->hosts, &arguments->run, &figures);
    const struct row rows[] = {{"latency", figures.latency},
                               {"latency_error", figures.latency_error},
                               {"completion", figures.completion},
                               {"unicast_latency", figures.unicast_latency},
                               {"carried", figures.carried},
                               {"share_sent", figures.share_sent},
                               {"share_expected", figures.share_expected},
                               {"copies", figures.copies},
                               {"switches", figures.switches},
                               {"multicast_switches", figures.multicast_switches},
                               {"cut_through", figures.cut_through},
                               {"unfinished", figures.unfinished},
                               {"unsent", figures.unsent},
                               {"longest_queue", figures.longest_queue},
                               {"slack", figures.slack},
                               {"refused", figures.refused},
                               {"multicasts", figures.multicasts},
                               {"events", figures.events},
                               {"bytes", figures.bytes},
                               {"stable", figures.stable}};
    print(rows, sizeof rows / sizeof *rows);
}

static void run_backlog(struct arguments *arguments, const struct lan_groups *groups)
{
    struct lan_backlog_figures figures;
    arguments->backlog.length = (unsigned)arguments->run.length;
    arguments->backlog.warm_up = arguments->run.warm_up;
    arguments->backlog.measured = arguments->run.measured;
    lan_backlog(groups, &arguments->hosts, &arguments->backlog, &figures);
    const struct row rows[] = {{"sent", figures.sent},
                               {"received", figures.received},
                               {"refused", figures.refused},
                               {"stands_still", figures.stands_still}};
    print(rows, sizeof rows / sizeof *rows);
}

/* Has each backlogged host a group? */
static bool can_multicast(const struct lan_groups *groups, unsigned sources)
{
    unsigned host = 0;
    while (host < sources && host < groups->graph->hosts && groups->joined_count[host] > 0)
        host++;
    return host == sources;
}

static int run(struct arguments *arguments)
{
    char error[512];
    choose_costs(arguments);
    arguments->graph.seed = arguments->groups.seed = arguments->configuration;
    struct lan_graph *graph = lan_graph_create(&arguments->mesh, &arguments->graph, error, sizeof error);
    if (!graph) {
        fprintf(stderr, "wormlan_model: %s\n", error);
        return EXIT_USAGE;
    }
    if (arguments->groups.size > graph->hosts)
        return usage_error("--members", "at most the hosts of the network");
    struct lan_groups *groups = lan_groups_create(graph, &arguments->groups);
    if (!can_multicast(groups, arguments->backlog.sources))
        return usage_error("--backlog", "at most so many hosts that the lowest numbers are all in groups");
    if (arguments->backlog.sources)
        run_backlog(arguments, groups);
    else
        run_random(arguments, groups);
    lan_groups_free(groups);
    lan_graph_free(graph);
    return 0;
}

int main(int count, char **words)
{
    static struct arguments arguments = {.graph = {.host_delay = 5, .drawn_numbers = true, .drawn_paths = true},
                                         .groups = {.costs = {.runs = 2}, .heaviest_first = true},
                                         .hosts = {.header_bytes = 4, .time_out = 1000},
                                         .run = {.load = 0.05,
                                                 .share = 0.1,
                                                 .length = 400,
                                                 .warm_up = 200000,
                                                 .measured = 1500000,
                                                 .drain = 1000000,
                                                 .seed = 1},
                                         .forward = 60,
                                         .spared = 60,
                                         .configuration = 1};
    if (count == 2 && strcmp(words[1], "--help") == 0)
        return fputs(usage, stdout) < 0;
    if (count == 2 && strcmp(words[1], "--version") == 0)
        return puts("wormlan_model " POSTROAD_VERSION) < 0;
    if (count < 3)
        return usage_error(count > 1 ? words[1] : "", "a network and a scheme");
    arguments.hosts.scheme = lan_scheme_by_name(words[2]);
    if (!arguments.hosts.scheme)
        return usage_error(words[2], "a scheme");
    arguments.groups.shape = arguments.hosts.scheme->shape;
    int status = choose_network(&arguments, words[1]);
    if (!status)
        status = read_options(&arguments, words + 3);
    return status ? status : run(&arguments);
}
