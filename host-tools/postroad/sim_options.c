/* See sim_options.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "postroad/sim_options.h"

#include "mesh/topology_view.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyser/mesh_ports.h"
#include "operator/send_window.h"
#include "ranks/ranks.h"

enum { MAX_POOL = 65536, SITES_MAX = PR_SHAPE_SIDE_MAX * PR_SHAPE_SIDE_MAX };

#define PACKETS            10000
#define CHECKPOINT_SECONDS 600
#define UNTIL_REPEATS      100 /* at most, unless --repeat says it */

#define CLOCKS_MAX 1000000000000
#define SEED_MAX   999999999999999 /* exact in JSON */

_Static_assert((int)OPTION_LIST_MAX <= (int)EXPERIMENT_FAULTS, "a run has room for all faults that users give");

const char *const sim_options_pictures[] = {[SIM_PICTURE_LATENCY] = "-latency.svg",
                                            [SIM_PICTURE_HISTOGRAM] = "-histogram.svg",
                                            [SIM_PICTURE_LINKS] = "-links.svg",
                                            [SIM_PICTURE_TIME] = "-time.svg",
                                            NULL};

static const char rest_name[] = "rest"; /* of the packets that are in no class */

static bool read_real(const char *text, double lowest, double highest, double *out)
{
    char *end;
    if (!*text || strspn(text, "0123456789.eE+-") != strlen(text))
        return false;
    *out = strtod(text, &end);
    return !*end && *out >= lowest && *out <= highest;
}

static bool read_unsigned(const char *text, unsigned lowest, unsigned highest, unsigned *out)
{
    long value;
    if (!options_number(text, lowest, highest, &value))
        return false;
    *out = (unsigned)value;
    return true;
}

static bool read_trace_setting(const char *word, struct trace_file_options *options)
{
    static const char region[] = "region=";
    if (strcmp(word, "independent") == 0)
        return options->independent = true;
    return strncmp(word, region, strlen(region)) == 0 &&
           read_unsigned(word + strlen(region), 0, UINT16_MAX, &options->region);
}

/* FILE[,SETTING]..., where the name of the file may have commas, too. */
static bool read_trace(const char *value, struct sim_options *options)
{
    char *comma;
    if (strlen(value) >= sizeof options->traffic_path)
        return false;
    strcpy(options->traffic_path, value);
    options->trace_file = (struct trace_file_options){.path = NULL};
    while ((comma = strrchr(options->traffic_path, ',')) && read_trace_setting(comma + 1, &options->trace_file))
        *comma = 0;
    return *options->traffic_path && (!comma || access(options->traffic_path, F_OK) == 0);
}

/* FOLDER[,every=CLOCKS|,every=SECONDSs]. */
static bool read_checkpoint(const char *value, void *context)
{
    static const char every[] = ",every=";
    struct sim_options *options = context;
    struct sim_checkpoint_period *period = &options->checkpoint_period;
    char *setting = options->checkpoint;
    long number;
    if (strlen(value) >= sizeof options->checkpoint)
        return false;
    strcpy(options->checkpoint, value);
    *period = (struct sim_checkpoint_period){.seconds = CHECKPOINT_SECONDS};
    setting = strstr(setting, every);
    if (!setting)
        return *value;
    *setting = 0;
    setting += strlen(every);
    char *last = setting + strlen(setting) - 1;
    bool seconds = *setting && *last == 's';
    if (seconds)
        *last = 0;
    if (!options_number(setting, 1, CLOCKS_MAX, &number))
        return false;
    *period = seconds ? (struct sim_checkpoint_period){.seconds = (double)number}
                      : (struct sim_checkpoint_period){.clocks = (uint64_t)number};
    return *options->checkpoint;
}

static bool read_traffic(const char *value, void *context)
{
    static const char trace[] = "trace:", matrix[] = "matrix:";
    struct sim_options *options = context;
    enum traffic_pattern *pattern = &options->experiment.traffic.pattern;
    int named = traffic_pattern_by_name(value);
    if (strncmp(value, trace, strlen(trace)) == 0) {
        *pattern = TRAFFIC_TRACE;
        return read_trace(value + strlen(trace), options);
    }
    if (strncmp(value, matrix, strlen(matrix)) == 0) {
        *pattern = TRAFFIC_MATRIX;
        value += strlen(matrix);
        int length = snprintf(options->traffic_path, sizeof options->traffic_path, "%s", value);
        return length > 0 && length < SIM_PATH;
    }
    *pattern = (enum traffic_pattern)named;
    return named >= 0 && named < TRAFFIC_MATRIX;
}

/* receive=N,send=N,handler=N, each of them or not. */
static bool read_operator_clocks(const char *value, void *context)
{
    struct operator_clocks *clocks = &((struct sim_options *)context)->experiment.clocks;
    const struct {
        const char *name;
        uint32_t *clocks;
    } settings[] = {{"receive=", &clocks->receive}, {"send=", &clocks->send}, {"handler=", &clocks->handler}};
    *clocks = (struct operator_clocks){0};
    for (bool last = false; !last;) {
        char setting[32];
        size_t length = strcspn(value, ","), k = 0;
        unsigned number;
        snprintf(setting, sizeof setting, "%.*s", (int)length, value);
        while (k < 3 && strncmp(setting, settings[k].name, strlen(settings[k].name)) != 0)
            k++;
        if (k == 3 || length >= sizeof setting ||
            !read_unsigned(setting + strlen(settings[k].name), 0, OPERATOR_CLOCKS_MOST, &number))
            return false;
        *settings[k].clocks = number;
        last = value[length] == 0;
        value += length + 1;
    }
    return true;
}

static bool read_process(const char *value, void *context)
{
    struct sim_options *options = context;
    struct traffic_options *traffic = &options->experiment.traffic;
    bool bursty = strncmp(value, "bursty", 6) == 0;
    traffic->process = bursty ? TRAFFIC_BURSTY : TRAFFIC_BERNOULLI;
    if (bursty && value[6] == ':')
        return read_real(value + 7, 1, 1e6, &traffic->burst);
    return strcmp(value, "bursty") == 0 || strcmp(value, "bernoulli") == 0;
}

static bool read_length(const char *value, void *context)
{
    struct sim_options *options = context;
    struct traffic_options *traffic = &options->experiment.traffic;
    traffic->geometric = strncmp(value, "geometric:", 10) == 0;
    return read_unsigned(traffic->geometric ? value + 10 : value, traffic->geometric, 4096, &traffic->length);
}

/* FROM:TO:STEP. */
static bool read_load_range(char *text, struct sim_options *options)
{
    double first, last, step;
    char *to = strchr(text, ':'), *by = strchr(to + 1, ':');
    *to++ = 0;
    if (!by)
        return false;
    *by++ = 0;
    if (!read_real(text, 1e-9, 1, &first) || !read_real(to, first, 1, &last) || !read_real(by, 1e-9, 1, &step))
        return false;
    double loads = floor((last - first) / step + 1e-6) + 1;
    if (loads > SIM_MAX_POINTS - options->load_count)
        return false;
    for (int i = 0; i < (int)loads; i++)
        options->loads[options->load_count++] = first + i * step;
    options->load_range = true;
    return true;
}

static bool read_one_load(char *text, struct sim_options *options)
{
    if (strchr(text, ':'))
        return read_load_range(text, options);
    double *load = &options->loads[options->load_count++];
    return options->load_count < SIM_MAX_POINTS && (read_real(text, 1e-9, 1, load) || read_real(text, 0, 0, load));
}

/* X or FROM:TO:STEP, one behind the other. */
static bool read_load(const char *value, void *context)
{
    struct sim_options *options = context;
    char text[1024], *rest = text;
    if (strlen(value) >= sizeof text)
        return false;
    strcpy(text, value);
    options->load_count = 0;
    options->saturation = strcmp(value, "saturation") == 0;
    if (options->saturation)
        strcpy(text, "0.5"); /* of the first run */
    options->load_range = strchr(text, ',') != NULL;
    options->load_ends = !options->load_range && strchr(text, ':');
    for (char *part = strsep(&rest, ","); part; part = strsep(&rest, ","))
        if (!read_one_load(part, options))
            return false;
    return true;
}

static bool read_warmup(const char *value, void *context)
{
    struct sim_options *options = context;
    int64_t *warmup = &options->experiment.warmup;
    long clocks;
    if (strcmp(value, "auto") == 0) {
        *warmup = EXPERIMENT_SEARCHED;
        return true;
    }
    bool good = options_number(value, 0, CLOCKS_MAX, &clocks);
    *warmup = clocks;
    return good;
}

/* K/N. */
static bool read_part(const char *value, void *context)
{
    struct sim_part *part = &((struct sim_options *)context)->part;
    int length;
    return sscanf(value, "%d/%d%n", &part->number, &part->of, &length) == 2 && !value[length] && part->number >= 1 &&
           part->number <= part->of && part->of <= SIM_MAX_POINTS;
}

static bool read_until(const char *value, void *context)
{
    struct sim_options *options = context;
    char number[16];
    size_t length = strlen(value);
    if (length < 2 || length > sizeof number || value[length - 1] != '%')
        return false;
    snprintf(number, sizeof number, "%.*s", (int)length - 1, value);
    bool good = read_real(number, 0.01, 50, &options->until);
    options->until /= 100;
    return good;
}

static bool read_multicast(const char *value, void *context)
{
    struct sim_options *options = context;
    return read_real(value, 0, 1, &options->experiment.traffic.multicast);
}

/* N or LEAST:MOST. */
static bool read_targets(const char *value, void *context)
{
    struct sim_options *options = context;
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

/* SITE:CLOCKS. */
static bool read_broadcast(const char *value, void *context)
{
    struct sim_options *options = context;
    struct traffic_options *traffic = &options->experiment.traffic;
    const char *clocks = strchr(value, ':');
    char site[16] = "";
    if (!clocks || (size_t)(clocks - value) >= sizeof site)
        return false;
    memcpy(site, value, (size_t)(clocks - value));
    long every;
    if (!read_unsigned(site, 0, SITES_MAX - 1, &traffic->broadcast_site) ||
        !options_number(clocks + 1, 1, CLOCKS_MAX, &every))
        return false;
    traffic->broadcast_every = (uint64_t)every;
    return true;
}

static bool read_hot_share(const char *value, void *context)
{
    struct sim_options *options = context;
    return read_real(value, 0, 1, &options->experiment.traffic.hot_share);
}

static bool read_shape(const char *value, void *context)
{
    struct sim_options *options = context;
    int shape = traffic_shape_by_name(value);
    options->experiment.traffic.shape = (unsigned)shape;
    return shape >= 0;
}

static bool read_group_share(const char *value, void *context)
{
    struct sim_options *options = context;
    return read_real(value, 0, 1, &options->experiment.traffic.group_share);
}

#define EXPERIMENT(member) OPTION_FIELD(struct sim_options, experiment.member)

const struct option_row sim_option_rows[] = {
    {.name = "nodes",
     .kind = OPTION_TEXT,
     .argument = "KINDS",
     OPTION_FIELD(struct sim_options, nodes_text),
     .expected = "kinds of nodes",
     .words = SITE_KIND_WORDS,
     .otherwise = "native, unlike up",
     .help = "what runs the firmware: native, core or qemu; or some sites: qemu:0-3,core"},
    {.name = "engine",
     .kind = OPTION_TEXT,
     .argument = "NAME",
     EXPERIMENT(engine),
     .expected = "the name of a simulator",
     .words = "rtl functional",
     .otherwise = "rtl",
     .help = "the simulator; rtl: the fabric is the Verilog, clock by clock; functional: an event-driven model of the "
             "fabrics that have one, faster (sim/functional/README.md)"},
    {.name = "model",
     .kind = OPTION_TEXT,
     .argument = "SETTINGS",
     EXPERIMENT(model),
     .expected = "settings of the functional simulator",
     .help = "key=value,...: what the functional simulator can do and the RTL cannot (sim/functional/README.md)"},
    {.name = "traffic",
     .kind = OPTION_READ,
     .argument = "PATTERN",
     .read = read_traffic,
     .expected =
         "uniform, transpose, bit-complement, bit-reverse, shuffle, permutation, asymmetric, tornado, neighbour, "
         "hot-spot, matrix:FILE or trace:FILE[,region=N][,independent]",
     .words = "uniform transpose bit-complement bit-reverse shuffle permutation asymmetric tornado neighbour hot-spot "
              "matrix: trace:",
     .initial = "uniform",
     .help = "uniform, transpose, bit-complement, bit-reverse, shuffle, permutation, asymmetric, tornado, neighbour, "
             "hot-spot; matrix:FILE: by its rates; trace:FILE: its packets",
     .manual =
         "`uniform` sends to any site, the sender included, and `neighbour` to one a link away. From (x, y) `transpose` "
         "sends to (y, x), on a hypercube to the address with its halves exchanged; `bit-complement` to (w-1-x, h-1-y), "
         "on a hypercube with all bits flipped; `tornado` to x + ceil(w/2) - 1 modulo w, the same for y. "
         "`bit-reverse` and `shuffle` (bits turned left by one) take the number of a site, `permutation` is one that is "
         "drawn from the seed, and `asymmetric` sends to a site's number modulo half of the sites, in either half. "
         "`hot-spot` sends the share `--hot-share` to `--hot-site`, the rest as `uniform`. "
         "`matrix:`<FILE> has a row for each source, with a number for each target, the relative rate of packets; blanks or "
         "commas separate numbers, and a # begins a comment. Rows and columns are the sites that have an operator. "
         "A row of zeros sends nothing, and `--load` is the mean of all sites, these included. "
         "`trace:`<FILE>`[,region=`<N>`][,independent]` sends the packets of a trace in place of synthetic ones, so "
         "that `--load`, `--process`, `--length` and the like have no meaning. A trace is text, a line a packet, or "
         "a file of netrace; either may be compressed with bzip2. In text, a line is a clock, the sending site, the "
         "targets with commas between them and the number of data words; `after` and numbers of earlier packets "
         "(from 0) makes the packet wait for their arrival. A netrace file begins at its region <N> (0). With "
         "`independent` no packet waits for another. `--packets` reads so many packets (all)."},
    {.name = "process",
     .kind = OPTION_READ,
     .argument = "PROCESS",
     .read = read_process,
     .expected = "bernoulli, bursty or bursty:PACKETS",
     .words = "bernoulli bursty",
     .initial = "bernoulli",
     .help = "bernoulli, bursty:PACKETS with that mean of a burst, or bursty, with a mean of 8"},
    {.name = "length",
     .kind = OPTION_READ,
     .argument = "LENGTH",
     .read = read_length,
     .expected = "a number of words up to 4096, or geometric:MEAN",
     .initial = "8",
     .help = "data words behind the operator's header of 3; geometric:MEAN"},
    {.name = "load",
     .kind = OPTION_READ,
     .argument = "LOAD",
     .read = read_load,
     .expected =
         "a number from 1e-9 to 1, or FROM:TO:STEP, or several with commas between them, at most 1000 points; or saturation",
     .words = "saturation",
     .initial = "0.1",
     .help =
         "words per site and clock, a multicast counted once; FROM:TO:STEP and LOAD,LOAD sweep; saturation: finds the load "
         "at which the mesh saturates",
     .manual =
         "Words per site and clock; a multicast counts once. <FROM>`:`<TO>`:`<STEP> and loads with commas between them make a "
         "point each. A range ends with the second load at which all runs are saturated, and greater ones are `not run`; but "
         "with `--fault`, or with a comma, as in `0.05,0.1:0.5:0.05`, all are. With `saturation` a bisection finds the load at "
         "which the mesh saturates or is not steady any more, to 2 %, and with `--repeat` one for each seed; the picture has "
         "the loads that were tried with the first one. The result is the mean of the seeds with its interval of 95 % "
         "(`saturation_load`), the greatest load that any of them has seen not saturated (`saturation_greatest`) and the least "
         "that any has seen saturated (`saturation_least`), which may be less. It assumes that a mesh which is saturated at a "
         "load is so at every greater one, and depends on `--packets`: a longer run notices saturation at a lower load."},
    {.name = "jobs",
     .letter = 'J',
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct sim_options, jobs),
     .minimum = 1,
     .maximum = SIM_MAX_JOBS,
     .initial = "1",
     .help = "runs at a time; the results are the same, and in the same order"},
    {.name = "ranks",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct sim_options, ranks),
     .minimum = 1,
     .maximum = RANKS_PROCESSES_MOST,
     .initial = "1",
     .help = "functional: processes that run the mesh together, on this machine"},
    {.name = "multicast",
     .kind = OPTION_READ,
     .argument = "SHARE",
     .read = read_multicast,
     .expected = "a number from 0 to 1",
     .initial = "0",
     .help = "share of the packets that are multicast"},
    {.name = "targets",
     .kind = OPTION_READ,
     .argument = "N",
     .read = read_targets,
     .expected = "a number from 2 to 256, or LEAST:MOST",
     .initial = "4",
     .help = "targets of a multicast; LEAST:MOST draws each number alike"},
    {.name = "info",
     .kind = OPTION_NUMBER,
     .argument = "N",
     EXPERIMENT(traffic.info),
     .maximum = TRAFFIC_MAX_INFO,
     .initial = "0",
     .help = "native nodes: target_info words behind each target, others for each"},
    {.name = "class",
     .kind = OPTION_LIST,
     .argument = "CLASS",
     OPTION_FIELD(struct sim_options, classes),
     .expected = "a class",
     .help = "NAME:share=0.2,length=64, or with traffic= or multicast=: this share of the packets is so, and measured "
             "apart; may be given often",
     .manual =
         "Sends a class of packets among the others, and measures its load and latency apart (`class_`NAME in JSON and CSV). "
         "<CLASS> is a name of up to 15 letters, digits, - and _, a colon, and settings with commas between them: `share=`, "
         "the share of all packets, and `traffic=`, `length=` and `multicast=`, as the options of these names; what is not "
         "given is as the options say. Packets that are in no class are the class `rest`. `--load` is that of all classes. At "
         "most 8 classes, the rest included, and none with `--groups`, `--broadcast` and traces."},
    {.name = "broadcast",
     .kind = OPTION_READ,
     .argument = "SITE:CLOCKS",
     .read = read_broadcast,
     .expected = "the number of a site and a number of clocks, SITE:CLOCKS",
     .help =
         "this site sends to all others, or to its groups, every so many clocks, and nothing else; --load 0: alone"},
    {.name = "hot-site",
     .kind = OPTION_NUMBER,
     .argument = "SITE",
     EXPERIMENT(traffic.hot_site),
     .maximum = SITES_MAX - 1,
     .expected = "the number of a site",
     .otherwise = "the middle",
     .help = "hot-spot: the site"},
    {.name = "hot-share",
     .kind = OPTION_READ,
     .argument = "SHARE",
     .read = read_hot_share,
     .expected = "a number from 0 to 1",
     .initial = "0.2",
     .help = "hot-spot: share of the packets that go there"},
    {.name = "groups",
     .kind = OPTION_NUMBER,
     .argument = "N",
     EXPERIMENT(traffic.groups),
     .maximum = TRAFFIC_MAX_GROUPS,
     .initial = "0",
     .help = "native nodes: so many groups of sites, drawn from the seed; each member sends to its own"},
    {.name = "members",
     .kind = OPTION_NUMBER,
     .argument = "N",
     EXPERIMENT(traffic.members),
     .minimum = 2,
     .maximum = PR_GROUP_MEMBERS_MAX,
     .initial = "8",
     .help = "groups: members of each"},
    {.name = "shape",
     .kind = OPTION_READ,
     .argument = "SHAPE",
     .read = read_shape,
     .expected = "direct, direct-order, circuit, circuit-return, circuit-order, tree, tree-order, gt, gt-order or "
                 "multicast",
     .words = "direct direct-order circuit circuit-return circuit-order tree tree-order gt gt-order multicast",
     .initial = "gt",
     .help = "groups: the way of a packet (firmware/multicast); multicast: as the operator's to all other members"},
    {.name = "group-share",
     .kind = OPTION_READ,
     .argument = "SHARE",
     .read = read_group_share,
     .expected = "a number from 0 to 1",
     .initial = "1",
     .help =
         "groups: share of a member's packets that go to one of its groups; a site that is in none sends the others"},
    {.name = "joins",
     .kind = OPTION_NUMBER,
     .argument = "N",
     EXPERIMENT(traffic.joins),
     .maximum = PR_GROUP_MEMBERS_MAX - 1,
     .initial = "0",
     .help = "groups: so many members of the first one join it one by one during the run"},
    {.name = "packets",
     .kind = OPTION_NUMBER,
     .argument = "N",
     EXPERIMENT(packets),
     .minimum = 1,
     .maximum = 1000000000,
     .otherwise = OPTION_CONSTANT(PACKETS) "; all of a trace",
     .help = "packets to generate"},
    {.name = "warmup",
     .kind = OPTION_READ,
     .argument = "CLOCKS|auto",
     .read = read_warmup,
     .expected = "a number of clocks from 0 to 1000000000000, or auto",
     .words = "auto",
     .otherwise = "a tenth, at most 1000; of a trace 0",
     .help = "clocks before the measurement; auto: finds where the transient ends, which takes a run of its own",
     .manual =
         "The measurement begins after so many clocks. With `auto` each run is made twice: first without a warm-up, to find "
         "where the transient ends, then with it. The rule is MSER (White's marginal standard error) on the latencies in the "
         "order of generation: of the logarithms of the means of 256 batches (of five packets at least) so many are left out "
         "from the beginning that the squared standard error of the mean of the rest is least. If these are more than half "
         "of the batches, or if there are fewer than 20, nothing is found (`warmup_found` is false): half of the packets are "
         "left out, and the run is not called steady. The time of both runs counts in `cpu_seconds`."},
    {.name = "seed",
     .kind = OPTION_NUMBER,
     .argument = "N",
     EXPERIMENT(traffic.seed),
     .maximum = SEED_MAX,
     .initial = "1",
     .help = "seed of all randomness"},
    {.name = "repeat",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct sim_options, repeat),
     .minimum = 1,
     .maximum = SIM_MAX_REPEATS,
     .otherwise = "1; with --until " OPTION_CONSTANT(UNTIL_REPEATS) ", at most",
     .help = "runs of each point, with the seeds SEED, SEED+1, ...: means with intervals of 95 %",
     .manual =
         "Makes <N> runs of each point, with the seeds <SEED>, <SEED>+1 and so on. Each number that is measured becomes the mean "
         "of the runs, with half the width of its interval of 95 % by Student's distribution (`_ci95` in CSV and JSON). The "
         "runs count alike. All of them are in the means, and the result says how many were saturated, not steady, "
         "undecided or not complete. The runs one by one are in the `runs.csv` of `--out`. The pictures have error bars; the "
         "histogram and the links are of the last run. The exit code is that of the worst run."},
    {.name = "until",
     .kind = OPTION_READ,
     .argument = "PERCENT%",
     .read = read_until,
     .expected = "a percentage from 0.01% to 50%, such as 2%",
     .help = "repeats each point until the interval of its mean latency is +-PERCENT of it, --repeat times at most",
     .manual =
         "Repeats a point until half the width of the interval of its mean latency is at most so many percent of the mean: five "
         "times at least, and at most as often as `--repeat` says, or 100 times; what ends there is said not to be narrow "
         "(`until_met` is false). A point whose first five runs are all saturated ends with them, because their latency "
         "depends on the length of the run. A rule that stops when the interval happens to be narrow makes it miss the mean "
         "a little more often than in 5 of 100 cases (`sim/README.md`)."},
    {.name = "pool",
     .kind = OPTION_NUMBER,
     .argument = "N",
     EXPERIMENT(pool),
     .minimum = 3,
     .maximum = MAX_POOL,
     .otherwise = OPTION_CONSTANT(SIMULATION_DEFAULT_POOL),
     .help = "native nodes: packet buffers of a site"},
    {.name = "window",
     .kind = OPTION_NUMBER,
     .argument = "N",
     EXPERIMENT(window),
     .minimum = 1,
     .maximum = MAX_POOL,
     .otherwise = OPTION_CONSTANT(SIMULATION_DEFAULT_WINDOW),
     .help = "packets of its own that a source has unsettled, raw service: in its pool; an image has a limit of 8"},
    {.name = "reliable",
     .kind = OPTION_NUMBER,
     .argument = "0|1",
     OPTION_FIELD(struct sim_options, reliable),
     .maximum = 1,
     .words = "0 1",
     .otherwise = "the file's, 1 if it has none",
     .help = "1: every packet delivered or reported; 0: the papers' raw service"},
    {.name = "ordered",
     .kind = OPTION_FLAG,
     EXPERIMENT(ordered),
     .help = "each pair of sites sees its packets in order; reliable, native nodes"},
    {.name = "repeated-unicasts",
     .kind = OPTION_FLAG,
     EXPERIMENT(repeated_unicasts),
     .help = "packets to several sites leave as one unicast a target, native nodes"},
    {.name = "relays",
     .kind = OPTION_FLAG,
     EXPERIMENT(relays),
     .help = "busy native sites send packets to several sites along a tree of operators, reliable service",
     .manual =
         "While its links are busy and another packet waits, a site sends a packet for several sites as unicasts along "
         "a tree: each target's operator sends it on to those behind it, and acknowledges it for all of them "
         "(rules O10 and O11). Needs 8 buffers. Sites that run an image send such packets on if it can: node.elf does, "
         "the small operators do not, and packets for them take no relays."},
    {.name = "fault",
     .kind = OPTION_LIST,
     .argument = "FAULT",
     OPTION_FIELD(struct sim_options, faults),
     .expected = "a fault",
     .words = "corrupt: link: reset: stop:",
     .help = "something goes wrong, see below; may be given often"},
    {.name = "stall",
     .kind = OPTION_NUMBER,
     .argument = "PERCENT",
     EXPERIMENT(stall),
     .maximum = 99,
     .initial = "0",
     .help = "native nodes: the share of its polls that an operator misses, at random"},
    {.name = "operator-clocks",
     .kind = OPTION_READ,
     .argument = "CLOCKS",
     .read = read_operator_clocks,
     .expected = "receive=N,send=N,handler=N, each of them or not, 0 to 1000000",
     .words = "receive= send= handler=",
     .otherwise = "no time",
     .help = "native nodes: receive=N,send=N,handler=N: clocks that a packet takes an operator, and an evaluator"},
    {.name = "csv",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct sim_options, csv),
     .expected = "a file name",
     .file = FILE_WRITTEN,
     .words = "@file",
     .help = "writes CSV, a line a point; -: to standard output"},
    {.name = "plot",
     .kind = OPTION_TEXT,
     .argument = "PREFIX",
     OPTION_FIELD(struct sim_options, plot),
     .expected = "the start of a file name",
     .file = FILE_WRITTEN_PREFIX,
     .endings = sim_options_pictures,
     .words = "@file",
     .help = "draws PREFIX-latency.svg (sweeps, searches), -histogram.svg and -links.svg; with --over-time -time.svg"},
    {.name = "over-time",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct sim_options, over_time),
     .expected = "a file name",
     .file = FILE_WRITTEN,
     .words = "@file",
     .help = "writes accepted load and percentiles of the latency in slices of time, as CSV; of a single run",
     .manual =
         "Writes CSV of a single run, a line for each of 64 to 128 slices of time of equal length: its first clock, its clocks, "
         "deliveries, accepted load, and mean, median (p50) and p99 of their latencies. A delivery counts where it comes, "
         "and a packet where it is completed, whenever it was generated; the warm-up and the end of the run are there too. "
         "Percentiles are exact up to 1023 clocks, above that to 1.6 %. With `--plot` the same is <PREFIX>`-time.svg`. With "
         "`--resume` the run must have begun with this option."},
    {.name = "waves",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     EXPERIMENT(waves),
     .expected = "a file name",
     .file = FILE_WRITTEN,
     .words = "@file",
     .help = "writes an FST file, and is slow"},
    {.name = "capture",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     EXPERIMENT(capture),
     .expected = CAPTURE_OPTIONS_FORM,
     .file = FILE_WRITTEN_SETTINGS,
     .words = "@file",
     .help = "what an analyser sees: FILE.sr or .vcd[,sites=0-3+8][,rate=24m]...",
     .manual =
         "A virtual logic analyser writes what the links show. For each port of a site it has the channels "
         "<SITE>`.`<PORT>`.head` and `.terminator`, which change when the first or last word of a packet has left "
         "through that port; of a mesh of board links, <SITE>`.`<PORT>, the line itself; of a mesh whose links carry lines, "
         "the wires of the link, <SITE>`.`<PORT>`.data0` and on, `.busy0` and on, or `.word0` and on, `.tag0` and on. "
         "<FILE> ends with .sr (sigrok, PulseView) or .vcd. At most 64 channels: `,sites=0-3+8+9.east` chooses "
         "sites, and single ports. `,rate=`<SAMPLES> per second (default 24m), `,ppm=`<N> and `,jitter=100p` are as in "
         "`up --capture`. Time is that of the mesh's key `clock_hz`; with `--testbed` of the boards' links, and the "
         "channels are those of the testbed."},
    {.name = "set",
     .kind = OPTION_LIST,
     .argument = "KEY=VALUE",
     OPTION_FIELD(struct sim_options, set),
     .help = "another value of a key of FILE.mesh, buffers.max_packet=64; may be given often",
     .manual =
         "Sets <SECTION>`.`<KEY> of the `.mesh` file to another value, as if the file had it; without a value, to "
         "the key's default. The option may be given often."},
    {.name = "sweep",
     .kind = OPTION_LIST,
     .argument = "KEY=VALUES",
     OPTION_FIELD(struct sim_options, sweeps),
     .help =
         "VALUE,VALUE,... for a key of FILE.mesh or an option: mesh.topology=grid,torus, length=4,16; may be given often",
     .manual =
         "Makes the runs once for each value of <KEY>, which is <SECTION>`.`<KEY> of the `.mesh` file, as with `--set`, or the "
         "name of an option: `engine`, `model`, `nodes`, `traffic`, `process`, `length`, `load`, `multicast`, `targets`, "
         "`info`, `groups`, `group-share`, `members`, `shape`, `packets`, `warmup`, `pool`, `window`, `reliable`, `stall`, "
         "`hot-share`, `hot-site`, and `ordered`, `relays` and `repeated-unicasts` with the values `yes` and `no`. Given several "
         "times it makes all combinations, and the last key varies fastest. The values are the first columns of CSV "
         "(`swept_`<KEY>) and of the lines, and the object `swept` of JSON; the picture of latencies has the mean latency of "
         "each combination as a curve. `load` is no combination but a list of loads. A value has no comma in it."},
    {.name = "testbed",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct sim_options, testbed),
     .expected = "a testbed file",
     .file = FILE_READ,
     .words = "@file",
     .help = "in the place of FILE.mesh: the mesh of these boards, with their kind of links",
     .manual =
         "Simulates the mesh that a testbed file names, with links of the kind that its boards have: the shared "
         "engine, or eager links. A `--capture` then has the channels that the file names in `[analyser]`, or all "
         "lines, <BOARD>`.`<CONNECTOR>; probe pins are left out. `postroad latency` reads it with the same file, as "
         "the prediction beside a capture of the boards. Boards with several sites in an FPGA are refused."},
    {.name = "checkpoint",
     .kind = OPTION_READ,
     .argument = "FOLDER",
     .read = read_checkpoint,
     .expected = "a folder for checkpoints, FOLDER, FOLDER,every=CLOCKS or FOLDER,every=SECONDSs",
     .words = "@file",
     .help = "functional: keeps a checkpoint of the run there; FOLDER,every=CLOCKS or ,every=SECONDSs",
     .otherwise = "none; FOLDER alone: every " OPTION_CONSTANT(CHECKPOINT_SECONDS) " s",
     .manual =
         "Writes all state of the run into <FOLDER> from time to time, and when SIGINT or SIGTERM ends the run. `--resume` "
         "goes on from there. A checkpoint replaces the one before it when it is complete. If it cannot be written the run "
         "goes on, and the exit code is 2. For `--engine functional` and one load, on one process or, with `mpirun`, on "
         "several."},
    {.name = "resume",
     .kind = OPTION_TEXT,
     .argument = "FOLDER",
     OPTION_FIELD(struct sim_options, resume),
     .expected = "a run folder, or a folder with a checkpoint",
     .words = "@file",
     .help =
         "makes what a run folder lacks; or goes on from the checkpoint in this folder, which you have written: it is a "
         "program; without FILE.mesh and options but those of output",
     .manual =
         "Makes what the run folder of `--out` <FOLDER> lacks, and its table and pictures once all points are there. They are "
         "those of a run that was not interrupted. The folder has the mesh and the options; `--jobs`, `--part`, `--json` and the "
         "like are given again, and a larger `--repeat` adds seeds. Files that options name are read again where they were. "
         "Several processes may do this at once, also on several machines that share the folder: each run is made once, and "
         "what a process that has ended was making is made by another. The exit code is 4 while another still makes some. "
         "Points may also be copied from one folder of the same plan into another, from `points` to `points`; their content is "
         "trusted, as that of a checkpoint. "
         "Or goes on from the checkpoint that `--checkpoint` <FOLDER> has left, with the mesh and the options of "
         "that run, and prints what it would have printed. Only `--json`, `--csv`, `--plot`, `--checkpoint` and "
         "the like are given again. The same build of `postroad` and the same number of ranks are needed. The "
         "folder and its files have to belong to this user, and no other may be able to write to them. A checkpoint is a "
         "program: resume only what you have written yourself."},
    {.name = "out",
     .kind = OPTION_TEXT,
     .argument = "FOLDER",
     OPTION_FIELD(struct sim_options, out),
     .expected = "a name for a new folder",
     .words = "@file",
     .help = "a run folder: settings, a file a run, the table and the pictures; --resume makes what is missing",
     .manual =
         "Makes a new folder with the settings (`run.json`), a copy of the mesh, and a file for each run of a point in "
         "`points`, which appears whole. Once all are there, it gets the table as `--csv` and as `--json` write it "
         "(`table.csv`, `table.json`), `runs.csv` with a line for each run, be it one of the seeds of a point or a load that a "
         "search has tried, and the pictures of `--plot` as SVG, as PDF and as the script for gnuplot that draws them "
         "(`plot-*`). A run that was interrupted or killed goes on with `--resume` <FOLDER>."},
    {.name = "part",
     .kind = OPTION_READ,
     .argument = "K/N",
     .read = read_part,
     .expected = "K/N, the K-th of N parts, such as 1/2",
     .initial = "1/1",
     .help = "of a run folder: makes the K-th of N parts of the runs that are missing",
     .manual =
         "Makes only the <K>-th of <N> parts of what is missing in a run folder, so that several machines divide a plan: "
         "`ssh` <HOST> `postroad sim --resume` <FOLDER> `--part 2/2`, or with Slurm `srun -n 8 sh -c 'postroad sim --resume` "
         "<FOLDER> `--part $((SLURM_PROCID+1))/8'`. A point with `--until` or of a range of loads is of one part as a "
         "whole. Who makes the last run makes table and pictures."},
    {.name = "check",
     .kind = OPTION_TEXT,
     .argument = "FOLDER",
     OPTION_FIELD(struct sim_options, verify),
     .expected = "a run folder",
     .words = "@file",
     .help = "names the runs that a run folder lacks, and the files that are damaged or of something else",
     .manual =
         "Runs nothing, and prints a line for each file of a run folder that is missing, damaged, of another program, of "
         "another mesh or of other settings. The exit code is 0 if the folder is whole, 4 if something is missing or "
         "damaged, and 3 if a file is of something else."},
    {.name = "quantum",
     .kind = OPTION_NUMBER,
     .argument = "CLOCKS",
     EXPERIMENT(quantum),
     .minimum = 1,
     .maximum = 1000000,
     .otherwise = "free",
     .help = "with qemu: clocks between two looks at the guests; time repeats then"},
    {.name = "firmware",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     EXPERIMENT(firmware),
     .expected = "a file name",
     .file = FILE_READ,
     .words = "@file",
     .otherwise = "the node's",
     .help = "not native: the image; cores take NAME.hex, QEMU NAME.elf"},
    {.name = NULL},
};

const struct sim_options sim_option_defaults = {
    .reliable = -1,
    .experiment = {.warmup = EXPERIMENT_AUTOMATIC, .traffic = {.burst = 8, .hot_site = UINT32_MAX}},
};

static int check_capture(const struct mesh_config *mesh, const struct experiment_options *experiment, char *error,
                         size_t error_size)
{
    static const char option[] = "--capture ";
    struct mesh_ports ports;
    size_t used = (size_t)snprintf(error, error_size, "%s", option);
    return mesh_ports_choose(mesh, experiment->testbed, experiment->capture, &ports, error + used, error_size - used);
}

int sim_options_check(const struct sim_options *options, const struct mesh_config *mesh, char *error, size_t error_size)
{
    const struct experiment_options *experiment = &options->experiment;
    const char *reason = NULL;
    bool native = experiment_is_native(mesh, experiment), several = sim_options_several(options);
    if (!native && experiment->pool)
        reason = "--pool with nodes that run an image, where it is a build parameter, expected --nodes native";
    else if (!native && experiment->traffic.info)
        reason = "--info with nodes that run an image, expected --nodes native";
    else if (!native && experiment->traffic.groups)
        reason = "--groups with nodes that run an image, expected --nodes native";
    else if (experiment->traffic.groups && options->ranks > 1)
        reason = "--groups with --ranks, expected one process";
    else if (!native && experiment->stall)
        reason = "--stall with nodes that run an image, expected --nodes native";
    else if (!native && (experiment->clocks.receive || experiment->clocks.send || experiment->clocks.handler))
        reason = "--operator-clocks with nodes that run an image, expected --nodes native";
    else if (!native && experiment->repeated_unicasts)
        reason = "--repeated-unicasts with nodes that run an image, expected --nodes native";
    else if (experiment->relays &&
             !(mesh->reliable && (native || site_kinds_have(experiment->nodes, mesh->sites, SITE_NATIVE))))
        reason = "--relays, expected a native node and the reliable service";
    else if (native && experiment->firmware)
        reason = "--firmware with native nodes, expected --nodes core or qemu";
    else if (!mesh->reliable && native && experiment->window > experiment->pool)
        reason = "--window is larger than the pool, expected at most --pool";
    else if (mesh->reliable && native && experiment->window > PR_WINDOW_MAX)
        reason = "--window of the reliable service is larger than 32, expected 1 to 32";
    else if (experiment->ordered && (!mesh->reliable || !native))
        reason =
            "--ordered with the raw service or nodes that run an image, expected the reliable service and --nodes native";
    else if (options->common.json && options->csv_to_stdout)
        reason = "--json and --csv - would both be on standard output, expected one of them";
    else if (options->testbed && options->sweeps.count)
        reason = "--sweep with --testbed, expected a .mesh file";
    else if (experiment->waves && several)
        reason = "--waves with several runs, expected one load, no --repeat and no --sweep";
    else if (experiment->capture && several)
        reason = "--capture with several runs, expected one load, no --repeat and no --sweep";
    else if (options->over_time && several)
        reason = "--over-time with several runs, expected one load, no --repeat and no --sweep";
    else if (*options->checkpoint && !simulation_find_engine(experiment->engine)->restorable)
        reason =
            "--checkpoint with a simulator whose state is not all in its own memory (verilated models, processes of "
            "QEMU), expected --engine functional";
    else if (*options->checkpoint && several)
        reason = "--checkpoint with several runs, expected one load, no --repeat and no --sweep";
    else if (*options->checkpoint && experiment->warmup == EXPERIMENT_SEARCHED)
        reason = "--checkpoint with --warmup auto, expected a number of clocks";
    else if (options->out && (options->csv || options->plot))
        reason = "--out with --csv or --plot, expected one of them: the folder has a table and pictures";
    else if (options->out && (experiment->waves || experiment->capture || *options->checkpoint || options->testbed ||
                              options->over_time))
        reason = "--out with --waves, --capture, --checkpoint, --testbed or --over-time, expected points alone";
    else if (options->out && (options->ranks > 1 || ranks_count() > 1))
        reason = "--out with several ranks, expected --jobs";
    else if (options->saturation && options->until > 0)
        reason = "--load saturation with --until, expected loads";
    else if (options->trace && (options->load_range || options->saturation))
        reason = "--traffic trace: with several loads, expected no --load";
    else if (options->trace &&
             (experiment->traffic.multicast > 0 || experiment->traffic.broadcast_every || experiment->traffic.groups))
        reason = "--traffic trace: with --multicast, --broadcast or --groups, expected the packets of the trace alone";
    else if (experiment->traffic.class_count &&
             (options->trace || experiment->traffic.broadcast_every || experiment->traffic.groups))
        reason = "--class with --groups, --broadcast or --traffic trace:, expected none of these";
    if (reason) {
        snprintf(error, error_size, "%s", reason);
        return -1;
    }
    if (experiment->capture && check_capture(mesh, experiment, error, error_size) != 0)
        return -1;
    struct experiment_options probe = *experiment;
    probe.traffic.load = options->loads[0];
    struct traffic *traffic = traffic_create(mesh, &probe.traffic, error, error_size);
    traffic_free(traffic);
    return traffic ? 0 : -1;
}

int sim_options_check_resume(const struct verb *verb, const struct sim_options *options, char *error, size_t error_size)
{
    struct sim_options defaults;
    options_begin(verb, &defaults.common);
    bool same = memcmp(&options->experiment, &defaults.experiment, sizeof defaults.experiment) == 0;
    if (same && options->loads[0] == defaults.loads[0] && !sim_options_several(options) && options->reliable == -1 &&
        !options->faults.count && !options->nodes_text && !options->testbed && !options->set.count &&
        !options->classes.count && !options->common.operand_count)
        return 0;
    snprintf(error, error_size,
             "--resume: mesh and options of the run are those of the checkpoint, expected options of output alone");
    return -1;
}

static int read_traffic_file(struct sim_options *options, const struct mesh_config *mesh, char *error,
                             size_t error_size)
{
    struct experiment_options *experiment = &options->experiment;
    if (experiment->traffic.pattern == TRAFFIC_TRACE) {
        options->trace_file.path = options->traffic_path;
        options->trace_file.most = experiment->packets ? experiment->packets : UINT32_MAX;
        options->trace = trace_file_load(mesh, &options->trace_file, error, error_size);
        if (!options->trace)
            return -1;
        experiment->traffic.trace = options->trace;
        experiment->packets = options->trace->count;
    }
    if (experiment->traffic.pattern == TRAFFIC_MATRIX) {
        options->matrix = traffic_matrix_load(mesh, options->traffic_path, error, error_size);
        experiment->traffic.matrix = options->matrix;
        if (!options->matrix)
            return -1;
    }
    if (!experiment->packets)
        experiment->packets = PACKETS;
    return 0;
}

/* KEY=VALUE: the share, or an option of packets, which is set in `own`. */
static int set_in_class(struct sim_options *own, double *share, char *setting, char *error, size_t error_size)
{
    static const struct verb rows = {.rows = sim_option_rows}; /* the verb itself is in sim.c, above this file */
    static const char *const keys[] = {"traffic", "length", "multicast"};
    char *value = setting + strcspn(setting, "=");
    if (*value)
        *value++ = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(setting, keys[i]) == 0)
            return options_assign(&rows, &own->common, setting, value, error, error_size);
    if (strcmp(setting, "share") == 0 && read_real(value, 1e-6, 1, share))
        return 0;
    snprintf(error, error_size,
             "%s=%s: expected share=SHARE above 0 up to 1, traffic=PATTERN, length=LENGTH or multicast=SHARE", setting,
             value);
    return -1;
}

static bool is_class_name(const struct traffic_options *traffic, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    bool good = *name && strlen(name) < TRAFFIC_CLASS_NAME && strspn(name, letters) == strlen(name);
    for (unsigned i = 0; i < traffic->class_count; i++)
        good = good && strcmp(traffic->classes[i].name, name) != 0;
    return good && strcmp(name, rest_name) != 0;
}

static int read_class(const struct sim_options *options, const char *text, struct traffic_class *out, char *error,
                      size_t error_size)
{
    struct sim_options own = *options;
    const struct traffic_options *traffic = &own.experiment.traffic;
    char copy[256], *rest = copy;
    double share = 0;
    snprintf(copy, sizeof copy, "%s", text);
    const char *name = strsep(&rest, ":");
    if (strlen(text) >= sizeof copy || !is_class_name(&options->experiment.traffic, name)) {
        snprintf(error, error_size, "expected NAME:share=SHARE,..., each NAME once, up to 15 letters, digits, - and _");
        return -1;
    }
    for (char *setting = strsep(&rest, ","); setting; setting = strsep(&rest, ","))
        if (set_in_class(&own, &share, setting, error, error_size) != 0)
            return -1;
    bool file = traffic->pattern >= TRAFFIC_MATRIX && traffic->pattern != options->experiment.traffic.pattern;
    if (share == 0 || file) {
        snprintf(error, error_size,
                 file ? "expected a pattern, a file is that of --traffic" : "expected a share=SHARE");
        return -1;
    }
    *out = (struct traffic_class){.share = share,
                                  .pattern = traffic->pattern,
                                  .length = traffic->length,
                                  .geometric = traffic->geometric,
                                  .multicast = traffic->multicast};
    snprintf(out->name, sizeof out->name, "%s", name);
    return 0;
}

/* What is in no class is one, too. */
static int read_classes(struct sim_options *options, char *error, size_t error_size)
{
    struct traffic_options *traffic = &options->experiment.traffic;
    struct traffic_class rest = {"", 1, traffic->pattern, traffic->length, traffic->geometric, traffic->multicast};
    const double little = 1e-9; /* sums of shares are rounded */
    strcpy(rest.name, rest_name);
    for (size_t i = 0; i < options->classes.count; i++) {
        struct traffic_class *class = &traffic->classes[traffic->class_count];
        int used = snprintf(error, error_size, "--class %s: ", options->classes.items[i]);
        size_t at = used < (int)error_size ? (size_t)used : error_size;
        bool room = traffic->class_count < TRAFFIC_CLASSES;
        if (room && read_class(options, options->classes.items[i], class, error + at, error_size - at) != 0)
            return -1;
        rest.share -= room ? class->share : 0;
        if (!room || rest.share < -little || (traffic->class_count == TRAFFIC_CLASSES - 1 && rest.share > little)) {
            snprintf(error + at, error_size - at,
                     "expected at most 8 classes, the rest included, with shares of 1 together");
            return -1;
        }
        traffic->class_count++;
    }
    if (options->classes.count && rest.share > little)
        traffic->classes[traffic->class_count++] = rest;
    return 0;
}

/* A pool smaller than the default window is no error: the window shrinks to the pool. */
static void set_defaults(const struct mesh_config *mesh, struct experiment_options *options)
{
    struct traffic_options *traffic = &options->traffic;
    bool native = experiment_is_native(mesh, options);
    if (native && options->pool == 0)
        options->pool = SIMULATION_DEFAULT_POOL;
    if (options->window == 0)
        options->window = native && options->pool < SIMULATION_DEFAULT_WINDOW ? options->pool
                                                                              : SIMULATION_DEFAULT_WINDOW;
    if (traffic->hot_site == UINT32_MAX)
        traffic->hot_site = (unsigned)topology_view(mesh)->middle(mesh);
    if (traffic->hot_site >= (unsigned)mesh->sites && traffic->pattern != TRAFFIC_HOT_SPOT)
        traffic->hot_site = 0;
}

int sim_options_apply(struct sim_options *options, struct mesh_config *mesh, char *error, size_t error_size)
{
    struct experiment_options *experiment = &options->experiment;
    if (!simulation_find_engine(experiment->engine)) {
        char names[200];
        simulation_engine_names(names, sizeof names);
        snprintf(error, error_size, "--engine %s: expected %s", experiment->engine, names);
        return -1;
    }
    if (options->nodes_text) {
        options->nodes = calloc((size_t)mesh->sites, sizeof *options->nodes);
        experiment->nodes = options->nodes;
        char reason[200];
        if (!options->nodes)
            abort();
        if (site_kinds_parse(options->nodes_text, mesh, SITE_NATIVE, options->nodes, reason, sizeof reason) != 0) {
            snprintf(error, error_size, "--nodes %s", reason);
            return -1;
        }
    }
    set_defaults(mesh, experiment);
    experiment->slices = options->over_time != NULL;
    options->load_ends = options->load_ends && options->faults.count == 0; /* with a fault any load may be too much */
    if (read_classes(options, error, error_size) != 0)
        return -1;
    if (options->reliable >= 0 && mesh_choose_service(mesh, options->reliable, error, error_size) != 0)
        return -1;
    for (size_t i = 0; i < options->faults.count; i++) {
        const char *text = options->faults.items[i];
        struct fault *fault = &experiment->faults[experiment->fault_count++];
        if (fault_parse(text, mesh, fault, error, error_size) != 0)
            return -1;
        if (fault->kind == FAULT_RESET && !mesh->reliable) {
            snprintf(error, error_size,
                     "--fault %s with the raw service, whose packets carry no epoch, expected "
                     "--reliable 1",
                     text);
            return -1;
        }
        if ((fault->kind == FAULT_STOP || fault->kind == FAULT_RESET) && !experiment_is_native(mesh, experiment)) {
            snprintf(error, error_size, "--fault %s with nodes that run an image, expected --nodes native", text);
            return -1;
        }
    }
    return read_traffic_file(options, mesh, error, error_size);
}

void sim_options_free(struct sim_options *options)
{
    free(options->nodes);
    packet_trace_free(options->trace);
    traffic_matrix_free(options->matrix);
}

bool sim_options_several(const struct sim_options *options)
{
    return options->load_range || options->saturation || sim_options_repeats(options) > 1 || options->sweeps.count > 0;
}

int sim_options_repeats(const struct sim_options *options)
{
    return options->repeat ? options->repeat : options->until > 0 ? UNTIL_REPEATS : 1;
}
