/* Random small meshes with every option, and random traffic: every packet arrives exactly once, and nothing hangs.
 *
 * A run has BUILDS builds of a site (the options that change what is elaborated), and each mesh takes one of them; the
 * first is the default build. All else is drawn for each mesh: topology and size, thresholds, service, storage from
 * three buffers on, operators that miss polls, traffic. Both follow from SEED and the number of the build or mesh.
 * Native operators throughout.
 *
 * The raw service may lock up where storage is small (rules.md, R); such runs are counted. A source of the reliable
 * service gives nothing up here: its operators miss two polls of three at most.
 *
 * environment: MESHES (150), BUILDS (4), FIRST (0: number of the first mesh), VERBOSE (a line for each mesh).
 * make paper-meshes runs 10000 meshes of 40 builds.
 * time limit: 900 s
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "engine/rtl_engine.h"
#include "engine/verilated_site.h"
#include "experiment/experiment.h"
#include "mesh/mesh.h"
#include "workload/traffic.h"

enum {
    TEXT_SIZE = 1024,
    BUILDS_MOST = 256,
    REDRAWS_MOST = 100, /* of a mesh that its parser refuses */
    PACKETS_MOST = 300,
    SMALL_POOL = 64 /* below that the raw service may lock up */
};

struct tally {
    unsigned complete, locked_up, reliable;
    uint64_t packets, deliveries;
};

static uint64_t seed;

static unsigned number_of(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static uint64_t stream(const char *kind, unsigned number)
{
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + ((uint64_t)(unsigned char)*kind << 32) + number;
    check_random(&state);
    return state;
}

/* One of the words of a list. */
static const char *one_of(uint64_t *random, const char *const *words)
{
    unsigned count = 0;
    while (words[count])
        count++;
    return words[check_below(random, count)];
}

#define ONE_OF(random, ...) one_of(random, (const char *const[]){__VA_ARGS__, NULL})

/* What is elaborated. */
struct build {
    unsigned dimensions; /* of a hypercube; 0: grid or torus */
    const char *width, *unicast, *net_input, *downstream, *upstream;
};

static const struct build default_build = {0, "16", "strict", "1", "32", "64"};

static struct build draw_build(unsigned number)
{
    uint64_t random = stream("build", number);
    struct build build = default_build;
    if (number == 0)
        return build;
    build.dimensions = check_below(&random, 2) * (1 + check_below(&random, 4));
    build.width = ONE_OF(&random, "16", "32");
    build.unicast = ONE_OF(&random, "strict", "adaptive", "list");
    build.net_input = ONE_OF(&random, "1", "1", "4", "8", "16", "64");
    build.downstream = ONE_OF(&random, "4", "32");
    build.upstream = ONE_OF(&random, "4", "64");
    return build;
}

static int append(char *text, int used, const char *line, const char *value)
{
    return used + snprintf(text + used, (size_t)(TEXT_SIZE - used), line, value);
}

static int draw_topology(const struct build *build, uint64_t *random, char *text)
{
    if (build->dimensions)
        return snprintf(text, TEXT_SIZE, "[mesh]\ntopology = hypercube\ndimensions = %u\n", build->dimensions);
    bool torus = check_below(random, 2);
    unsigned x = 2 + check_below(random, 3), y = 1 + check_below(random, 4);
    return snprintf(text, TEXT_SIZE, "[mesh]\ntopology = %s\nsize = %ux%u\n", torus ? "torus" : "grid", x, y);
}

static int draw_lists(const struct build *build, uint64_t *random, char *text, int used)
{
    if (strcmp(build->unicast, "list") != 0)
        return used;
    if (build->dimensions)
        return append(text, used, "[unicast]\nany = %s\n",
                      ONE_OF(random, "lowest", "highest", "lowest_first", "highest_first"));
    used = append(text, used, "[unicast]\nnorth_east = %s\n",
                  ONE_OF(random, "north", "east", "north east", "east north"));
    used = append(text, used, "north_west = %s\n", ONE_OF(random, "north", "west", "north west", "west north"));
    used = append(text, used, "south_east = %s\n", ONE_OF(random, "south", "east", "south east", "east south"));
    return append(text, used, "south_west = %s\n", ONE_OF(random, "south", "west", "south west", "west south"));
}

static int draw_thresholds(uint64_t *random, char *text, int used)
{
    used = append(text, used, "[thresholds]\ndivert = %s\n", ONE_OF(random, "0", "1", "8", "8", "32", "128", "never"));
    if (check_below(random, 2))
        used = append(text, used, "abort = %s\n", ONE_OF(random, "32", "64", "256", "2048"));
    if (check_below(random, 2))
        used = append(text, used, "relief = %s\n", ONE_OF(random, "0", "128", "1024"));
    return append(text, used, "retry_limit = %s\n", ONE_OF(random, "0", "1", "2", "3", "255"));
}

/* The text of a mesh; some combinations are refused by the parser. */
static void draw_text(const struct build *build, uint64_t *random, char *text)
{
    int used = draw_topology(build, random, text);
    used = append(text, used, "word_width = %s\n", build->width);
    used = append(text, used, "[routing]\nunicast = %s\n", build->unicast);
    used = draw_lists(build, random, text, used);
    used = append(text, used, "[buffers]\nnet_input = %s\n", build->net_input);
    used = append(text, used, "downstream = %s\n", build->downstream);
    used = append(text, used, "upstream = %s\n", build->upstream);
    used = append(text, used, "max_packet = %s\n", ONE_OF(random, "31", "63", "127"));
    used = append(text, used, "[service]\nreliable = %s\n", ONE_OF(random, "yes", "no"));
    draw_thresholds(random, text, used);
}

static void draw_mesh(const struct build *build, uint64_t *random, struct mesh_config *mesh, char *text)
{
    char error[512];
    for (unsigned redraw = 0; redraw < REDRAWS_MOST; redraw++) {
        draw_text(build, random, text);
        if (mesh_config_parse("random.mesh", text, strlen(text), mesh, error, sizeof error) == 0)
            return;
    }
    fprintf(stderr, "%s%s\n", text, error);
    CHECK(!"a mesh that its parser accepts");
}

static double draw_load(uint64_t *random)
{
    static const double loads[] = {0.01, 0.05, 0.2, 1};
    return loads[check_below(random, 4)];
}

/* Patterns that every mesh has. */
static enum traffic_pattern draw_pattern(uint64_t *random)
{
    static const enum traffic_pattern patterns[] = {TRAFFIC_UNIFORM, TRAFFIC_BIT_COMPLEMENT, TRAFFIC_NEIGHBOUR,
                                                    TRAFFIC_HOT_SPOT};
    return patterns[check_below(random, 4)];
}

/* What fits in the shortest packet: targets, their target_info, the header and the data. */
static void draw_traffic(const struct mesh_config *mesh, uint64_t *random, struct traffic_options *traffic)
{
    unsigned most = (unsigned)mesh->sites;
    unsigned targets = 2 + check_below(random, most - 1);
    unsigned room = mesh->max_packet - TRAFFIC_HEADER_WORDS - targets;
    *traffic = (struct traffic_options){.pattern = draw_pattern(random),
                                        .process = check_below(random, 4) ? TRAFFIC_BERNOULLI : TRAFFIC_BURSTY,
                                        .load = draw_load(random),
                                        .burst = 8,
                                        .multicast = check_below(random, 5) / 4.0,
                                        .targets = targets,
                                        .targets_least = check_below(random, 2) ? 2 : 0,
                                        .info = targets < room && check_below(random, 4) == 0,
                                        .hot_site = check_below(random, most),
                                        .hot_share = 0.2,
                                        .seed = check_random(random)};
    room -= targets * traffic->info;
    traffic->length = check_below(random, (room < 48 ? room : 48) + 1);
}

static unsigned draw_pool(uint64_t *random)
{
    static const unsigned pools[] = {3, 4, 6, 12, 32, 512};
    return pools[check_below(random, 6)];
}

static struct experiment_options draw_experiment(const struct mesh_config *mesh, uint64_t *random)
{
    struct experiment_options options = {.packets = 20 + check_below(random, PACKETS_MOST - 19),
                                         .warmup = EXPERIMENT_AUTOMATIC,
                                         .pool = draw_pool(random),
                                         .window = 1 + check_below(random, 16),
                                         .stall = check_below(random, 3) == 0 ? check_below(random, 67) : 0};
    if (!mesh->reliable && options.pool < SMALL_POOL && check_below(random, 2))
        options.pool = 512;
    if (!mesh->reliable && options.window > options.pool)
        options.window = options.pool;
    options.repeated_unicasts = check_below(random, 8) == 0;
    options.ordered = mesh->reliable && check_below(random, 4) == 0;
    draw_traffic(mesh, random, &options.traffic);
    return options;
}

/* All that the mesh of a failure needs to be run again. */
static void describe(unsigned number, const char *text, const struct experiment_options *options)
{
    const struct traffic_options *traffic = &options->traffic;
    fprintf(
        stderr,
        "mesh %u; replay with MESHES=1 FIRST=%u and the same SEED and BUILDS\n%s--pool %u --window %u --stall %u%s%s "
        "--packets %llu --traffic %s --process %s --load %g --multicast %g --targets %u:%u --length %u --info %u\n",
        number, number, text, options->pool, options->window, options->stall, options->ordered ? " --ordered" : "",
        options->repeated_unicasts ? " --repeated-unicasts" : "", (unsigned long long)options->packets,
        traffic_pattern_name(traffic->pattern), traffic_process_name(traffic->process), traffic->load,
        traffic->multicast, traffic->targets_least ? traffic->targets_least : traffic->targets, traffic->targets,
        traffic->length, traffic->info);
}

/* Sites stay open, so that no run looks whether its build is up to date. */
static void keep_open(const struct mesh_config *mesh, unsigned build)
{
    static struct verilated_site libraries[BUILDS_MOST];
    char error[1024];
    if (libraries[build].handle)
        return;
    if (verilated_site_open(&libraries[build], mesh, false, SITE_PLAIN, error, sizeof error) != 0) {
        fprintf(stderr, "%s\n", error);
        CHECK(!"a site that can be built");
    }
}

static void run_mesh(unsigned number, unsigned builds, struct tally *tally)
{
    static char text[TEXT_SIZE];
    struct mesh_config mesh;
    struct experiment_result result;
    uint64_t random = stream("mesh", number);
    struct build build = draw_build(number % builds);
    draw_mesh(&build, &random, &mesh, text);
    struct experiment_options options = draw_experiment(&mesh, &random);
    keep_open(&mesh, number % builds);
    experiment_run(&mesh, &options, NULL, NULL, &result);
    bool may_lock = !mesh.reliable && options.pool < SMALL_POOL;
    bool good = result.end == END_COMPLETE || (result.end == END_LOCKED_UP && may_lock);
    check(good, "mesh %u: %s: %s", number, experiment_end_name(result.end), result.diagnosis);
    if (!good || getenv("VERBOSE"))
        describe(number, text, &options);
    tally->complete += result.end == END_COMPLETE;
    tally->locked_up += result.end == END_LOCKED_UP;
    tally->reliable += mesh.reliable;
    tally->packets += result.totals.packets;
    tally->deliveries += result.totals.deliveries;
    experiment_result_free(&result);
}

int main(void)
{
    unsigned meshes = number_of("MESHES", 150), builds = number_of("BUILDS", 4), first = number_of("FIRST", 0);
    struct tally tally = {0};
    seed = check_seed();
    CHECK(builds > 0 && builds <= BUILDS_MOST);
    simulation_register(&rtl_engine);
    for (unsigned number = first; number < first + meshes; number++)
        run_mesh(number, builds, &tally);
    printf(
        "%u meshes of %u builds, %u with the reliable service: %u complete, %u locked up; %llu packets, %llu deliveries\n",
        meshes, builds, tally.reliable, tally.complete, tally.locked_up, (unsigned long long)tally.packets,
        (unsigned long long)tally.deliveries);
    return verdict("random_meshes");
}
