/* Options of `postroad sim`: one table for parser and help.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* getopt_long */

#include "postroad/sim_options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "operator/send_window.h"

enum { MAX_POOL = 65536 };

struct row {
    const char *name, *argument; /* argument NULL: a switch */
    const char *expected;        /* what a refused value should have been */
    const char *help;
    bool (*set)(struct sim_options *options, const char *value);
    char letter; /* 0: long only */
};

static bool read_real(const char *text, double lowest, double highest, double *out)
{
    char *end;
    if (!*text || strspn(text, "0123456789.eE+-") != strlen(text))
        return false;
    *out = strtod(text, &end);
    return !*end && *out >= lowest && *out <= highest;
}

static bool read_whole(const char *text, uint64_t lowest, uint64_t highest, uint64_t *out)
{
    if (!*text || strspn(text, "0123456789") != strlen(text))
        return false;
    errno = 0;
    *out = strtoull(text, NULL, 10);
    return errno == 0 && *out >= lowest && *out <= highest;
}

static bool read_unsigned(const char *text, unsigned lowest, unsigned highest, unsigned *out)
{
    uint64_t value;
    if (!read_whole(text, lowest, highest, &value))
        return false;
    *out = (unsigned)value;
    return true;
}

static bool set_level(struct sim_options *options, const char *value)
{
    options->experiment.level = strcmp(value, "site") == 0 ? LEVEL_SITE : LEVEL_FABRIC;
    return strcmp(value, "site") == 0 || strcmp(value, "fabric") == 0;
}

static bool set_traffic(struct sim_options *options, const char *value)
{
    int pattern = traffic_pattern_by_name(value);
    options->experiment.traffic.pattern = (enum traffic_pattern)pattern;
    return pattern >= 0;
}

static bool set_process(struct sim_options *options, const char *value)
{
    struct traffic_options *traffic = &options->experiment.traffic;
    bool bursty = strncmp(value, "bursty", 6) == 0;
    traffic->process = bursty ? TRAFFIC_BURSTY : TRAFFIC_BERNOULLI;
    if (bursty && value[6] == ':')
        return read_real(value + 7, 1, 1e6, &traffic->burst);
    return strcmp(value, "bursty") == 0 || strcmp(value, "bernoulli") == 0;
}

static bool set_length(struct sim_options *options, const char *value)
{
    struct traffic_options *traffic = &options->experiment.traffic;
    traffic->geometric = strncmp(value, "geometric:", 10) == 0;
    return read_unsigned(traffic->geometric ? value + 10 : value, traffic->geometric, 4096, &traffic->length);
}

/* X or FROM:TO:STEP. */
static bool set_load(struct sim_options *options, const char *value)
{
    char text[64], *to, *step;
    double last;
    if (strlen(value) >= sizeof text)
        return false;
    strcpy(text, value);
    to = strchr(text, ':');
    options->sweep = to != NULL;
    options->points = 1;
    if (!to)
        return read_real(text, 1e-9, 1, &options->load_from) || read_real(text, 0, 0, &options->load_from);
    *to++ = 0;
    step = strchr(to, ':');
    if (!step)
        return false;
    *step++ = 0;
    if (!read_real(text, 1e-9, 1, &options->load_from) || !read_real(to, options->load_from, 1, &last) ||
        !read_real(step, 1e-9, 1, &options->load_step))
        return false;
    double points = floor((last - options->load_from) / options->load_step + 1e-6) + 1;
    options->points = points <= SIM_MAX_POINTS ? (int)points : 0;
    return options->points > 0;
}

static bool set_multicast(struct sim_options *options, const char *value)
{
    return read_real(value, 0, 1, &options->experiment.traffic.multicast);
}

/* N or LEAST:MOST. */
static bool set_targets(struct sim_options *options, const char *value)
{
    struct traffic_options *traffic = &options->experiment.traffic;
    const char *most = strchr(value, ':');
    char least[16] = "";
    traffic->targets_least = 0;
    if (!most)
        return read_unsigned(value, 2, TRAFFIC_MAX_TARGETS, &traffic->targets);
    if ((size_t)(most - value) >= sizeof least)
        return false;
    memcpy(least, value, (size_t)(most - value));
    return read_unsigned(most + 1, 2, TRAFFIC_MAX_TARGETS, &traffic->targets) &&
           read_unsigned(least, 2, traffic->targets, &traffic->targets_least);
}

static bool set_info(struct sim_options *options, const char *value)
{
    return read_unsigned(value, 0, TRAFFIC_MAX_INFO, &options->experiment.traffic.info);
}

/* SITE:CLOCKS. */
static bool set_broadcast(struct sim_options *options, const char *value)
{
    struct traffic_options *traffic = &options->experiment.traffic;
    const char *clocks = strchr(value, ':');
    char site[16] = "";
    if (!clocks || (size_t)(clocks - value) >= sizeof site)
        return false;
    memcpy(site, value, (size_t)(clocks - value));
    return read_unsigned(site, 0, 65534, &traffic->broadcast_site) &&
           read_whole(clocks + 1, 1, UINT64_C(1000000000000), &traffic->broadcast_every);
}

static bool set_hot_site(struct sim_options *options, const char *value)
{
    return read_unsigned(value, 0, 65534, &options->experiment.traffic.hot_site);
}

static bool set_hot_share(struct sim_options *options, const char *value)
{
    return read_real(value, 0, 1, &options->experiment.traffic.hot_share);
}

static bool set_packets(struct sim_options *options, const char *value)
{
    return read_whole(value, 1, 1000000000, &options->experiment.packets);
}

static bool set_warmup(struct sim_options *options, const char *value)
{
    uint64_t clocks;
    if (!read_whole(value, 0, 1000000000000, &clocks))
        return false;
    options->experiment.warmup = (int64_t)clocks;
    return true;
}

static bool set_seed(struct sim_options *options, const char *value)
{
    return read_whole(value, 0, UINT64_C(999999999999999), &options->experiment.traffic.seed); /* exact in JSON */
}

static bool set_pool(struct sim_options *options, const char *value)
{
    return read_unsigned(value, 3, MAX_POOL, &options->experiment.pool);
}

static bool set_window(struct sim_options *options, const char *value)
{
    return read_unsigned(value, 1, MAX_POOL, &options->experiment.window);
}

static bool set_reliable(struct sim_options *options, const char *value)
{
    options->service = strcmp(value, "1") == 0 ? SERVICE_RELIABLE : SERVICE_RAW;
    return strcmp(value, "1") == 0 || strcmp(value, "0") == 0;
}

static bool set_ordered(struct sim_options *options, const char *value)
{
    (void)value;
    return options->experiment.ordered = true;
}

/* What it says needs the mesh: sim_options_apply reads it. */
static bool set_fault(struct sim_options *options, const char *value)
{
    if (options->fault_texts == EXPERIMENT_FAULTS)
        return false;
    options->fault_text[options->fault_texts++] = value;
    return *value;
}

static bool set_stall(struct sim_options *options, const char *value)
{
    return read_unsigned(value, 0, 99, &options->experiment.stall);
}

static bool set_json(struct sim_options *options, const char *value)
{
    (void)value;
    return options->json = true;
}

static bool set_csv(struct sim_options *options, const char *value)
{
    options->csv_to_stdout = strcmp(value, "-") == 0;
    options->csv = options->csv_to_stdout ? NULL : value;
    return *value;
}

static bool set_plot(struct sim_options *options, const char *value)
{
    options->plot = value;
    return *value;
}

static bool set_waves(struct sim_options *options, const char *value)
{
    options->experiment.waves = value;
    return *value;
}

static bool set_firmware(struct sim_options *options, const char *value)
{
    options->experiment.firmware = value;
    return *value;
}

static bool set_nodes(struct sim_options *options, const char *value)
{
    options->experiment.level = LEVEL_SITE;
    options->nodes_text = value;
    return *value;
}

static bool set_quantum(struct sim_options *options, const char *value)
{
    return read_unsigned(value, 1, 1000000, &options->experiment.quantum);
}

static bool set_quiet(struct sim_options *options, const char *value)
{
    (void)value;
    return options->quiet = true;
}

static bool set_verbose(struct sim_options *options, const char *value)
{
    (void)value;
    return options->verbose = true;
}

static bool set_version(struct sim_options *options, const char *value)
{
    (void)value;
    return options->version = true;
}

static bool set_help(struct sim_options *options, const char *value)
{
    (void)value;
    return options->help = true;
}

static const struct row table[] = {
    {"level", "LEVEL", "fabric or site",
     "fabric: native operators (default, unlike `up`); site: whole sites running the firmware", set_level, 0},
    {"traffic", "PATTERN", "uniform, transpose, bit-complement, tornado, neighbour or hot-spot",
     "uniform (default), transpose, bit-complement, tornado, neighbour, hot-spot", set_traffic, 0},
    {"process", "PROCESS", "bernoulli, bursty or bursty:PACKETS",
     "bernoulli (default), or bursty:PACKETS with a mean burst (8)", set_process, 0},
    {"length", "LENGTH", "a number of words up to 4096, or geometric:MEAN",
     "data words behind the operator's header of 3 (8); geometric:MEAN", set_length, 0},
    {"load", "LOAD", "a number from 1e-9 to 1, or FROM:TO:STEP with at most 1000 points",
     "words per site and clock (0.1), a multicast counted once; FROM:TO:STEP sweeps", set_load, 0},
    {"multicast", "SHARE", "a number from 0 to 1", "share of the packets that are multicast (0)", set_multicast, 0},
    {"targets", "N", "a number from 2 to 256, or LEAST:MOST",
     "targets of a multicast (4); LEAST:MOST draws each number alike", set_targets, 0},
    {"info", "N", "a number from 0 to 8", "target_info words behind each target, others for each, fabric level (0)",
     set_info, 0},
    {"broadcast", "SITE:CLOCKS", "the number of a site and a number of clocks, SITE:CLOCKS",
     "this site sends to all others every so many clocks, and nothing else; --load 0: alone", set_broadcast, 0},
    {"hot-site", "SITE", "the number of a site", "hot-spot: the site (the middle)", set_hot_site, 0},
    {"hot-share", "SHARE", "a number from 0 to 1", "hot-spot: share of the packets that go there (0.2)", set_hot_share,
     0},
    {"packets", "N", "a number from 1 to 1000000000", "packets to generate (10000)", set_packets, 0},
    {"warmup", "CLOCKS", "a number of clocks", "clocks before the measurement (a tenth, at most 1000)", set_warmup, 0},
    {"seed", "N", "a number of at most 15 digits", "seed of all randomness (1)", set_seed, 0},
    {"pool", "N", "a number from 3 to 65536", "buffers of an operator, fabric level (32; the image has 28 of its own)",
     set_pool, 0},
    {"window", "N", "a number from 1 to 65536",
     "packets of its own that a source has unsettled, raw service: in its pool (4; the image's limit: 8)", set_window,
     0},
    {"reliable", "0|1", "0 or 1", "1: delivery end to end, 0: the papers' raw service (as the .mesh file has it)",
     set_reliable, 0},
    {"ordered", NULL, NULL, "each pair of sites sees its packets in order; reliable, fabric level", set_ordered, 0},
    {"fault", "FAULT", "at most 32 faults", "something goes wrong, see below; may be given often", set_fault, 0},
    {"stall", "PERCENT", "a number from 0 to 99", "polls that an operator misses, fabric level (0)", set_stall, 0},
    {"json", NULL, NULL, "print JSON: one object a point, on a line", set_json, 'j'},
    {"csv", "FILE", "a file name", "writes CSV, a line a point; -: to standard output", set_csv, 0},
    {"plot", "PREFIX", "the start of a file name", "draws PREFIX-latency.svg (sweeps), -histogram.svg and -links.svg",
     set_plot, 0},
    {"waves", "FILE", "a file name", "writes an FST file, and is slow", set_waves, 0},
    {"nodes", "KINDS", "kinds of nodes",
     "site level, and what runs the firmware: core, qemu or native; or some sites: qemu:0-3,native:4-7", set_nodes, 0},
    {"quantum", "CLOCKS", "a number from 1 to 1000000",
     "qemu: clocks between two looks at the guests, which makes runs repeat; default: free", set_quantum, 0},
    {"firmware", "FILE", "a file name",
     "site level: the image; cores take NAME.hex, QEMU NAME.elf (build/firmware/node.hex)", set_firmware, 0},
    {"quiet", NULL, NULL, "no progress", set_quiet, 'q'},
    {"verbose", NULL, NULL, "progress as lines, also on a terminal", set_verbose, 'v'},
    {"help", NULL, NULL, "this text", set_help, 'h'},
    {"version", NULL, NULL, "version of this program", set_version, 'V'},
};

enum { ROWS = sizeof table / sizeof table[0], OPTION_BASE = 256 };

static void print_row(FILE *out, const struct row *row)
{
    char left[64], letter[8] = "    ";
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, row->name, row->argument ? "=" : "",
             row->argument ? row->argument : "");
    fprintf(out, "  %-26s %s\n", left, row->help);
}

void sim_options_help(FILE *out)
{
    fprintf(out,
            "Usage: postroad sim FILE.mesh [OPTION...]\n"
            "Generates traffic on a simulated mesh, checks that every packet arrives exactly once, and measures.\n\n");
    for (int i = 0; i < ROWS; i++)
        print_row(out, &table[i]);
    fprintf(
        out,
        "\nfaults:\n"
        "  corrupt:SHARE                    a word on any link is damaged with this probability\n"
        "  corrupt:SITE.DIRECTION:SHARE     only words that SITE sends in DIRECTION\n"
        "  link:SITE.DIRECTION:AT[:CLOCKS]  a cable is dead both ways from clock AT, or for CLOCKS only\n"
        "  reset:SITE:AT[:CLOCKS]           a site is held in reset for CLOCKS (16), and starts afresh\n"
        "  stop:SITE:AT[:CLOCKS]            an operator does nothing any more, or for CLOCKS\n"
        "SITE: a number, or any: a random one each time (link:any:AT: any cable). DIRECTION: north, east, south,\n"
        "west; hypercube: the dimension. AT: a clock, or ~MEAN: again and again, at intervals of that mean.\n"
        "\nexit: 0 every packet arrived exactly once, and nothing was reported as failed or written off, 1 usage or\n"
        "      configuration, 2 a file cannot be written, 3 lost, duplicated or corrupted, 4 nothing lost, but\n"
        "      something reported as failed, written off with its source, or not accepted, 5 hang, 6 storage\n"
        "      locked up (raw service), 130 interrupted\n"
        "\nThe manual page, postroad(1), says more.\n");
}

static void set_defaults(struct sim_options *options)
{
    *options = (struct sim_options){
        .load_from = 0.1,
        .points = 1,
        .experiment = {.packets = 10000, .warmup = EXPERIMENT_AUTOMATIC},
    };
    options->experiment.traffic = (struct traffic_options){
        .burst = 8,
        .length = 8,
        .targets = 4,
        .hot_site = UINT32_MAX,
        .hot_share = 0.2,
        .seed = 1,
    };
}

/* One option at argv[*at]; moves on over its value. */
/* What getopt_long wants. */
struct tables {
    char letters[2 * ROWS + 2];
    struct option longs[ROWS + 1];
};

static void make_tables(struct tables *tables)
{
    size_t letters = 0;
    *tables = (struct tables){.letters = ":"};
    for (int i = 0; i < ROWS; i++) {
        tables->longs[i] = (struct option){table[i].name, table[i].argument ? required_argument : no_argument, NULL,
                                           OPTION_BASE + i};
        if (table[i].letter)
            tables->letters[++letters] = table[i].letter;
    }
}

static const struct row *find_row(int code)
{
    if (code >= OPTION_BASE)
        return &table[code - OPTION_BASE];
    for (int i = 0; i < ROWS; i++)
        if (table[i].letter && table[i].letter == code)
            return &table[i];
    return NULL;
}

/* An option that getopt_long does not take. */
static int refuse(int code, char **argv, char *error, size_t error_size)
{
    char letter[3] = {'-', (char)optopt, 0};
    const char *text = optopt && optopt < OPTION_BASE ? letter : argv[optind - 1];
    if (code == ':')
        snprintf(error, error_size, "%s: expected %s", text, find_row(optopt)->expected);
    else
        snprintf(error, error_size, "%s: no such option, or not with an argument (see postroad sim --help)", text);
    return -1;
}

static int take_operands(int count, char **operands, struct sim_options *out, char *error, size_t error_size)
{
    out->mesh_path = count ? operands[0] : NULL;
    if (count == 1 || out->help || out->version)
        return 0;
    if (count > 1)
        snprintf(error, error_size, "%s: expected FILE.mesh", operands[1]);
    else
        snprintf(error, error_size, "expected FILE.mesh (see postroad sim --help)");
    return -1;
}

int sim_options_parse(int argc, char **argv, struct sim_options *out, char *error, size_t error_size)
{
    struct tables tables;
    int code;
    make_tables(&tables);
    set_defaults(out);
    opterr = 0;
    while ((code = getopt_long(argc, argv, tables.letters, tables.longs, NULL)) != -1) {
        const struct row *row = code == '?' || code == ':' ? NULL : find_row(code);
        if (!row)
            return refuse(code, argv, error, error_size);
        if (row->set(out, optarg))
            continue;
        snprintf(error, error_size, "--%s %s: expected %s", row->name, optarg, row->expected);
        return -1;
    }
    return take_operands(argc - optind, argv + optind, out, error, error_size);
}

int sim_options_check(const struct sim_options *options, const struct mesh_config *mesh, char *error, size_t error_size)
{
    const struct experiment_options *experiment = &options->experiment;
    const char *reason = NULL;
    if (experiment->level == LEVEL_SITE && experiment->pool)
        reason = "--pool at site level: it is a build parameter of the firmware, expected --level fabric";
    else if (experiment->level == LEVEL_SITE && experiment->traffic.info)
        reason = "--info at site level, expected --level fabric";
    else if (experiment->level == LEVEL_SITE && experiment->stall)
        reason = "--stall at site level, expected --level fabric";
    else if (experiment->level == LEVEL_FABRIC && experiment->firmware)
        reason = "--firmware at fabric level, expected --level site";
    else if (!mesh->reliable && experiment->level == LEVEL_FABRIC && experiment->window > experiment->pool)
        reason = "--window is larger than the pool, expected at most --pool";
    else if (mesh->reliable && experiment->level == LEVEL_FABRIC && experiment->window > PR_WINDOW_MAX)
        reason = "--window of the reliable service is larger than 32, expected 1 to 32";
    else if (experiment->ordered && (!mesh->reliable || experiment->level == LEVEL_SITE))
        reason = "--ordered with the raw service or at site level, expected the reliable service and --level fabric";
    else if (options->json && options->csv_to_stdout)
        reason = "--json and --csv - would both be on standard output, expected one of them";
    else if (experiment->waves && options->sweep)
        reason = "--waves in a sweep, expected one load";
    if (reason) {
        snprintf(error, error_size, "%s", reason);
        return -1;
    }
    struct experiment_options probe = *experiment;
    probe.traffic.load = options->load_from;
    struct traffic *traffic = traffic_create(mesh, &probe.traffic, error, error_size);
    traffic_free(traffic);
    return traffic ? 0 : -1;
}

int sim_options_apply(struct sim_options *options, struct mesh_config *mesh, char *error, size_t error_size)
{
    struct experiment_options *experiment = &options->experiment;
    if (options->nodes_text) {
        options->nodes = calloc((size_t)mesh->sites, sizeof *options->nodes);
        experiment->nodes = options->nodes;
        char reason[200];
        if (!options->nodes)
            abort();
        if (site_kinds_parse(options->nodes_text, mesh, SITE_CORE, options->nodes, reason, sizeof reason) != 0) {
            snprintf(error, error_size, "--nodes %s", reason);
            return -1;
        }
    }
    if (options->service != SERVICE_OF_MESH)
        mesh_set_reliable(mesh, options->service == SERVICE_RELIABLE);
    for (int i = 0; i < options->fault_texts; i++) {
        struct fault *fault = &experiment->faults[experiment->fault_count++];
        if (fault_parse(options->fault_text[i], mesh, fault, error, error_size) != 0)
            return -1;
        if (fault->kind == FAULT_RESET && !mesh->reliable) {
            snprintf(error, error_size,
                     "--fault %s with the raw service, whose packets carry no epoch, expected "
                     "--reliable 1",
                     options->fault_text[i]);
            return -1;
        }
        if ((fault->kind == FAULT_STOP || fault->kind == FAULT_RESET) && experiment->level == LEVEL_SITE) {
            snprintf(error, error_size, "--fault %s at site level, expected --level fabric", options->fault_text[i]);
            return -1;
        }
    }
    return 0;
}

double sim_options_load(const struct sim_options *options, int point)
{
    return options->load_from + point * options->load_step;
}
