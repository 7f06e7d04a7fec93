/* csr_model: runs of conflict sense routing on a hypercube, and of the schemes that its paper compares it with
 * (Varvarigos and Bertsekas 1993); prints one JSON object.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <string.h>

#include "csr/csr_analysis.h"
#include "csr/csr_model.h"
#include "csr/csr_runs.h"
#include "support/number_option.h"

enum { EXIT_USAGE = 1 };

static const char usage[] =
    "usage: csr_model SCHEME [OPTION...]\n"
    "  runs a scheme of routing, and prints one JSON object: throughputs are packets a node and slot\n"
    "SCHEME:\n"
    "  csr                  conflict sense routing on a hypercube; uniform traffic has the sender among the targets\n"
    "  multicast            the same, with one forked packet at a time\n"
    "  graph NAME           the same with K buffers a link on a graph: hypercube (as csr), cube, ring, torus, shuffle\n"
    "  graph paths:FILE     the same with a table of paths: a line 'nodes N', then the links of a path in each line\n"
    "  deflection           deflection routing on a hypercube\n"
    "  unbuffered           packet switching without buffers on the switch of csr\n"
    "  analysis             section 4: throughput of an attempt rate\n"
    "  inverse              section 4: attempt rate of a throughput\n"
    "  stable               section 4: the stable point of Figure 4\n"
    "OPTION:\n"
    "  --dimensions D       the cube has 2^D nodes (7)\n"
    "  --arrival P          an empty entry buffer gets a packet in a slot with this probability (1)\n"
    "  --retry P            a backlogged one tries again (1)\n"
    "  --redraw             a blocked packet is given up, so that --arrival is the attempt rate\n"
    "  --throughput R       of inverse\n"
    "  --slots N            slots that are measured (10000)\n"
    "  --warm-up N          slots before them (1000)\n"
    "  --seed N             (1)\n"
    "  --traffic PATTERN    uniform (default), complement, reversal, transpose, hot-spot, lockout; csr and deflection\n"
    "  --hot-share P        of the packets to node 0 (0.2)\n"
    "  --exits N            packets that a node accepts in a slot (all)\n"
    "  --targets N          of a multicast, a power of two (1)\n"
    "  --buffers K          of a link of a graph, beside the packet being sent (0)\n"
    "  --patience N         slots that a packet waits at one link of a graph at most (any number)\n"
    "  --priority           deflection: closer packets first; unbuffered: packets that have crossed most links first\n"
    "  --two-phases         deflection: the links that packets prefer first, then all others\n"
    "  --new-last           unbuffered: new packets enter only links that no other wants\n"
    "  --help, --version\n"
    "exit status: 0 ok, 1 usage\n";

struct arguments {
    struct csr_run run;
    double throughput;
};

static void run_analysis(const struct arguments *arguments, struct csr_figures *figures)
{
    double throughput = csr_analysis_throughput(arguments->run.dimensions, arguments->run.arrival);
    csr_figures_add(figures, "throughput", throughput);
    csr_figures_add(figures, "saturation", throughput / 2);
}

static void run_inverse(const struct arguments *arguments, struct csr_figures *figures)
{
    unsigned dimensions = arguments->run.dimensions;
    csr_figures_add(figures, "attempts", csr_analysis_attempts(dimensions, arguments->throughput / (2 * dimensions)));
}

static void run_stable(const struct arguments *arguments, struct csr_figures *figures)
{
    const struct csr_run *run = &arguments->run;
    struct csr_stable_point point = csr_analysis_stable_point(run->dimensions, run->arrival, run->retry);
    csr_figures_add(figures, "backlogged", point.backlogged);
    csr_figures_add(figures, "attempt_rate", point.attempts);
    csr_figures_add(figures, "throughput", point.throughput);
}

struct scheme {
    const char *name;
    void (*run)(const struct csr_run *run, struct csr_figures *figures);
    void (*analyse)(const struct arguments *arguments, struct csr_figures *figures);
};

static const struct scheme schemes[] = {
    {"csr", csr_run_csr, NULL},
    {"multicast", csr_run_multicast, NULL},
    {"graph", csr_run_graph, NULL},
    {"deflection", csr_run_deflection, NULL},
    {"unbuffered", csr_run_unbuffered, NULL},
    {"analysis", NULL, run_analysis},
    {"inverse", NULL, run_inverse},
    {"stable", NULL, run_stable},
};

static int usage_error(const char *argument, const char *expected)
{
    fprintf(stderr, "csr_model: '%s', expected %s; csr_model --help lists all\n", argument, expected);
    return EXIT_USAGE;
}

static bool read_pattern(const char *text, enum csr_pattern *pattern)
{
    for (int i = 0; i < CSR_PATTERNS; i++)
        if (!strcmp(text, csr_pattern_names[i])) {
            *pattern = (enum csr_pattern)i;
            return true;
        }
    return false;
}

/* The options behind the scheme. 0, or an exit status. */
static int read_options(struct arguments *arguments, char **options)
{
    struct csr_run *run = &arguments->run;
    const struct number_option numbers[] = {
        {"--dimensions", "2 to 16", NULL, &run->dimensions, NULL, CSR_LEAST_DIMENSIONS, CSR_MOST_DIMENSIONS},
        {"--arrival", "a probability", &run->arrival, NULL, NULL, 0, 1},
        {"--retry", "a probability", &run->retry, NULL, NULL, 0, 1},
        {"--throughput", "0 to 2", &arguments->throughput, NULL, NULL, 0, 2},
        {"--slots", "2 to 1e12", NULL, NULL, &run->slots, 2, 1e12},
        {"--warm-up", "0 to 1e12", NULL, NULL, &run->warm_up, 0, 1e12},
        {"--seed", "a whole number", NULL, NULL, &run->seed, 0, 1e15},
        {"--hot-share", "a probability", &run->destinations.hot_share, NULL, NULL, 0, 1},
        {"--exits", "1 to 32", NULL, &run->exits, NULL, 1, CSR_MOST_LINKS},
        {"--targets", "a power of two up to the nodes", NULL, &run->targets, NULL, 1, 1u << CSR_MOST_DIMENSIONS},
        {"--buffers", "0 to 255", NULL, &run->buffers, NULL, 0, 255},
        {"--patience", "1 to 1000000", NULL, &run->patience, NULL, 1, 1000000},
    };
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--redraw", &run->redraw},
                 {"--priority", &run->priority},
                 {"--two-phases", &run->two_phases},
                 {"--new-last", &run->new_last}};
    for (; *options; options++) {
        const char *name = *options;
        bool known = false;
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
            if (!strcmp(name, flags[i].name))
                known = *flags[i].flag = true;
        if (known)
            continue;
        const char *value = options[1];
        if (!strcmp(name, "--traffic")) {
            if (!value || !read_pattern(value, &run->destinations.pattern))
                return usage_error(value ? value : name, "a pattern behind --traffic");
            known = true;
        }
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            if (!strcmp(name, numbers[i].name)) {
                if (!value || !number_option_read(&numbers[i], value))
                    return usage_error(value ? value : name, numbers[i].expected);
                known = true;
            }
        if (!known)
            return usage_error(name, "an option");
        options++;
    }
    if (run->targets & (run->targets - 1) || run->targets > 1u << run->dimensions)
        return usage_error("--targets", "a power of two up to the nodes");
    return 0;
}

/* A graph by its name, or a path table: paths:FILE. NULL: it has been said why. */
static struct csr_routes *routes_of(const char *graph, unsigned dimensions)
{
    static const char prefix[] = "paths:";
    char error[512];
    struct csr_routes *routes;
    if (!strncmp(graph, prefix, sizeof prefix - 1)) {
        routes = csr_routes_read(graph + sizeof prefix - 1, error, sizeof error);
        if (!routes)
            fprintf(stderr, "csr_model: %s\n", error);
        return routes;
    }
    routes = csr_routes_create(graph, dimensions);
    if (!routes)
        fprintf(stderr,
                "csr_model: '%s' of %u dimensions, expected hypercube, cube, ring, torus or shuffle of 2 to 8\n", graph,
                dimensions);
    return routes;
}

static void print(const char *scheme, const struct csr_figures *figures)
{
    printf("{\"scheme\": \"%s\"", scheme);
    for (unsigned i = 0; i < figures->count; i++)
        if (isfinite(figures->figures[i].value))
            printf(", \"%s\": %.9g", figures->figures[i].name, figures->figures[i].value);
    printf("}\n");
}

int main(int count, char **words)
{
    struct arguments arguments = {.run = {.dimensions = 7,
                                          .arrival = 1,
                                          .slots = 10000,
                                          .warm_up = 1000,
                                          .seed = 1,
                                          .destinations.hot_share = 0.2,
                                          .retry = 1,
                                          .targets = 1}};
    struct csr_figures figures = {0};
    const struct scheme *scheme = NULL;
    const char *graph = NULL;
    struct csr_routes *routes = NULL;
    if (count == 2 && !strcmp(words[1], "--help"))
        return fputs(usage, stdout) < 0;
    if (count == 2 && !strcmp(words[1], "--version"))
        return puts("csr_model " POSTROAD_VERSION) < 0;
    for (size_t i = 0; count > 1 && i < sizeof schemes / sizeof *schemes; i++)
        if (!strcmp(words[1], schemes[i].name))
            scheme = &schemes[i];
    if (!scheme)
        return usage_error(count > 1 ? words[1] : "", "a scheme");
    char **options = words + 2;
    if (scheme->run == csr_run_graph) {
        graph = *options++;
        if (!graph)
            return usage_error("graph", "the name of a graph behind it");
    }
    int status = read_options(&arguments, options);
    if (status)
        return status;
    if (graph && !(arguments.run.routes = routes = routes_of(graph, arguments.run.dimensions)))
        return EXIT_USAGE;
    if (scheme->run)
        scheme->run(&arguments.run, &figures);
    else
        scheme->analyse(&arguments, &figures);
    csr_routes_free(routes);
    print(scheme->name, &figures);
    return 0;
}
