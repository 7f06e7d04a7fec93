/* Random search for deadlocks of the fabric: short runs on small meshes, settings and buffers at their limits, traffic
 * that gets in its own way, operators that stall. Run number N of a seed is always the same run.
 *
 * `--help` has the options. An interrupt ends it early: the table is that of the runs made so far.
 * exit: 0 no hang, 1 usage or configuration, 3 something arrived wrongly or not at all, 5 a hang. Storage that is
 * locked up in the raw service is counted, and is no hang.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "deadlock_case.h"
#include "deadlock_picture.h"
#include "deadlock_run.h"
#include "engine/rtl_engine.h"
#include "engine/verilated_site.h"
#include "functional/functional_engine.h"
#include "mesh/discipline.h"
#include "simulation/simulation.h"

enum { JOBS_MAX = 16, SETS_MAX = 24, HANGS_MAX = 1000, PICTURES = 3, SERVICES = 2, PROGRESS = 2000 };

/* What is told apart beside mesh and service: may packets divert, and if not, are there packets to
 * several sites, which go as unicasts then? */
enum group { DIVERTS, NEVER_UNICASTS, NEVER_MULTICASTS, GROUPS };

struct arguments {
    uint64_t seed, runs, first, replay;
    unsigned jobs;
    int service, mesh; /* -1: all */
    bool stop, replays, relays;
    const struct simulation_engine *engine;
    const char *model;
    const struct discipline *fabric;
    const char *table, *dot, *waves;
};

/* What a process tells of a run. */
struct message {
    uint64_t run, clocks, longest_wait, longest_way;
    uint32_t mesh, service, group, end;
};

struct tally {
    uint64_t runs, ends[DEADLOCK_ENDS], clocks, longest_wait, longest_way;
};

struct summary {
    struct tally tallies[16][SERVICES][GROUPS];
    struct message hangs[HANGS_MAX];
    unsigned hang_count;
    uint64_t runs;
};

static unsigned mesh_of(const struct arguments *arguments, uint64_t run)
{
    struct deadlock_mesh_range range = deadlock_mesh_range(arguments->engine);
    return range.first + (unsigned)(run % (range.end - range.first));
}

static unsigned service_of(const struct arguments *arguments, uint64_t run)
{
    struct deadlock_mesh_range range = deadlock_mesh_range(arguments->engine);
    return (unsigned)(run / (range.end - range.first) % SERVICES);
}

static enum group group_of(const struct deadlock_case *drawn)
{
    if (drawn->mesh.divert_threshold != MESH_DIVERT_NEVER)
        return DIVERTS;
    return drawn->multicasts ? NEVER_MULTICASTS : NEVER_UNICASTS;
}

/* Of the ends that are failures. */
static bool is_bad(enum deadlock_end end)
{
    return end != DEADLOCK_COMPLETE && end != DEADLOCK_STORAGE && end != DEADLOCK_GIVEN_UP;
}

/* Keeps the verilated site of this mesh open, so that it is built and loaded once in a process. */
static bool keep_open(const struct mesh_config *mesh)
{
    static struct verilated_site libraries[SETS_MAX];
    static unsigned count;
    char error[300], set[VERILATED_SITE_SET];
    verilated_site_set(set, mesh, false, SITE_PLAIN);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(libraries[i].table->parameters, set) == 0)
            return true;
    if (count == SETS_MAX || verilated_site_open_set(&libraries[count], set, error, sizeof error) != 0) {
        fprintf(stderr, "deadlock_search: %s\n", count == SETS_MAX ? "too many parameter sets" : error);
        return false;
    }
    count++;
    return true;
}

static bool draw(const struct arguments *arguments, uint64_t run, struct deadlock_case *drawn)
{
    char error[300];
    if (deadlock_draw(drawn, arguments->engine, arguments->fabric, arguments->seed, run, mesh_of(arguments, run),
                      service_of(arguments, run), error, sizeof error)) {
        drawn->model = arguments->model;
        drawn->relays = arguments->relays && drawn->mesh.reliable;
        return true;
    }
    fprintf(stderr, "deadlock_search: run %" PRIu64 ": %s\n%s", run, error, drawn->text);
    return false;
}

/* Makes every jobs-th run, and tells of each. Returns false if that failed. */
static bool work(const struct arguments *arguments, unsigned job, int pipe)
{
    static struct deadlock_case drawn;
    struct deadlock_result result = {0};
    for (uint64_t run = arguments->first + job; run < arguments->first + arguments->runs; run += arguments->jobs) {
        unsigned mesh = mesh_of(arguments, run), service = service_of(arguments, run);
        if ((arguments->mesh >= 0 && mesh != (unsigned)arguments->mesh) ||
            (arguments->service >= 0 && service != (unsigned)arguments->service))
            continue;
        if (!draw(arguments, run, &drawn) || (drawn.engine == &rtl_engine && !keep_open(&drawn.mesh)))
            return false;
        deadlock_run(&drawn, NULL, &result);
        if (result.end == DEADLOCK_FAILED)
            fprintf(stderr, "deadlock_search: run %" PRIu64 ": %s\n", run, result.detail);
        struct message message = {.run = run,
                                  .clocks = result.clocks,
                                  .longest_wait = result.longest_wait,
                                  .longest_way = result.longest_way,
                                  .mesh = mesh,
                                  .service = service,
                                  .group = group_of(&drawn),
                                  .end = result.end};
        if (write(pipe, &message, sizeof message) != (ssize_t)sizeof message || result.end == DEADLOCK_FAILED)
            return false;
    }
    return true;
}

static void count_run(struct summary *summary, const struct message *message)
{
    struct tally *tally = &summary->tallies[message->mesh][message->service][message->group];
    tally->runs++;
    tally->ends[message->end]++;
    tally->clocks += message->clocks;
    if (message->end != DEADLOCK_STORAGE && message->longest_wait > tally->longest_wait)
        tally->longest_wait = message->longest_wait;
    if (message->end == DEADLOCK_COMPLETE && message->longest_way > tally->longest_way)
        tally->longest_way = message->longest_way;
    if (is_bad(message->end) && summary->hang_count < HANGS_MAX)
        summary->hangs[summary->hang_count++] = *message;
    if (++summary->runs % PROGRESS == 0)
        fprintf(stderr, "%" PRIu64 " runs, %u hangs\n", summary->runs, summary->hang_count);
}

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* Makes all runs in so many processes, or as many as there is time for. False if one of them failed. */
static bool search(const struct arguments *arguments, struct summary *summary)
{
    int ends[2], status;
    bool good = true;
    if (pipe(ends) != 0)
        return false;
    sigaction(SIGINT, &(struct sigaction){.sa_handler = interrupt}, NULL);
    fflush(NULL);
    for (unsigned job = 0; job < arguments->jobs; job++) {
        pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            signal(SIGINT, SIG_DFL);
            _exit(work(arguments, job, ends[1]) ? 0 : 1);
        }
        good = good && child > 0;
    }
    close(ends[1]);
    struct message message;
    bool stopped = false;
    while (!stopped && read(ends[0], &message, sizeof message) == (ssize_t)sizeof message) {
        count_run(summary, &message);
        stopped = interrupted || (arguments->stop && summary->hang_count);
    }
    /* A worker ends by SIGPIPE with its next result, and not before: it may be building a site, which must not go on
     * alone. */
    close(ends[0]);
    stopped |= interrupted;
    while (wait(&status) > 0)
        good = good && (stopped || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return good;
}

/* How a replayed run is looked at. */
struct view {
    struct deadlock_picture *picture;
    const struct arguments *arguments;
    enum deadlock_end end;
};

static void show(const struct view *view, const struct simulation *simulation)
{
    deadlock_picture_print(view->picture, simulation, stdout);
    FILE *dot = view->arguments->dot ? fopen(view->arguments->dot, "w") : NULL;
    if (dot) {
        deadlock_picture_draw(view->picture, simulation, dot);
        fclose(dot);
    }
}

static void on_clock(void *context, const struct simulation *simulation)
{
    deadlock_picture_follow(((struct view *)context)->picture, simulation);
}

/* A deadlock is shown when all else has left the fabric; any other stand-still as it was. */
static void on_stalled(void *context, struct simulation *simulation)
{
    const struct view *view = context;
    if (view->end != DEADLOCK_FABRIC)
        show(view, simulation);
}

static void on_emptied(void *context, struct simulation *simulation)
{
    const struct view *view = context;
    if (view->end == DEADLOCK_FABRIC)
        show(view, simulation);
}

static void print_case(const struct deadlock_case *drawn)
{
    printf("%spool %u, window %u, stall %u %%\n", drawn->text, drawn->pool, drawn->window, drawn->stall);
    printf("%u packets; unicasts: %s; multicasts: %s\n", drawn->packet_count,
           drawn->unicasts ? drawn->unicasts : "none", drawn->multicasts ? drawn->multicasts : "none");
    for (unsigned i = 0; i < drawn->packet_count; i++) {
        const struct case_packet *packet = &drawn->packets[i];
        printf("  packet %u, clock %" PRIu64 ": site %u to", i, packet->due, packet->source);
        for (unsigned j = 0; j < packet->target_count; j++)
            printf(" %u", packet->targets[j]);
        printf(", %u data words\n", packet->data_words);
    }
}

/* The run again, twice: how it ends decides when it is looked at. */
static enum deadlock_end replay(const struct arguments *arguments, uint64_t run)
{
    static struct deadlock_case drawn;
    struct deadlock_result result;
    struct view view = {.arguments = arguments};
    struct deadlock_observer observer = {on_clock, on_stalled, on_emptied, &view, NULL};
    if (!draw(arguments, run, &drawn))
        return DEADLOCK_FAILED;
    printf("run %" PRIu64 " of seed %" PRIu64 ": %s\n", run, arguments->seed,
           deadlock_mesh_name(mesh_of(arguments, run)));
    print_case(&drawn);
    deadlock_run(&drawn, arguments->waves ? &(struct deadlock_observer){.waves = arguments->waves} : NULL, &result);
    view.end = result.end;
    view.picture = drawn.engine == &rtl_engine ? deadlock_picture_create(&drawn) : NULL;
    if (result.end != DEADLOCK_COMPLETE && view.picture && !arguments->waves)
        deadlock_run(&drawn, &observer, &result);
    deadlock_picture_free(view.picture);
    printf("%s in clock %" PRIu64 ", last movement in clock %" PRIu64 ", longest wait on a link %" PRIu64 " clocks\n",
           deadlock_end_name(result.end), result.clocks, result.moved, result.longest_wait);
    if (*result.detail)
        printf("%s\n", result.detail);
    if (result.end != view.end)
        printf("it ended otherwise than unobserved: %s\n", deadlock_end_name(view.end));
    return result.end;
}

static void add_tally(struct tally *to, const struct tally *from)
{
    to->runs += from->runs;
    to->clocks += from->clocks;
    for (unsigned end = 0; end < DEADLOCK_ENDS; end++)
        to->ends[end] += from->ends[end];
    if (from->longest_wait > to->longest_wait)
        to->longest_wait = from->longest_wait;
    if (from->longest_way > to->longest_way)
        to->longest_way = from->longest_way;
}

static void print_row(FILE *out, const char *name, const char *service, const struct tally *tally)
{
    uint64_t broken = tally->ends[DEADLOCK_LOST] + tally->ends[DEADLOCK_WRONG];
    if (tally->runs == 0)
        return;
    const uint64_t numbers[] = {tally->runs,
                                tally->ends[DEADLOCK_COMPLETE],
                                tally->ends[DEADLOCK_GIVEN_UP],
                                tally->ends[DEADLOCK_STORAGE],
                                tally->ends[DEADLOCK_FABRIC],
                                tally->ends[DEADLOCK_HELD],
                                tally->ends[DEADLOCK_STARVED] + tally->ends[DEADLOCK_LIVELOCK],
                                broken,
                                tally->longest_wait,
                                tally->longest_way};
    fprintf(out, "| %s | %s |", name, service);
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fprintf(out, " %" PRIu64 " |", numbers[i]);
    fprintf(out, " %.1f |\n", (double)tally->clocks / 1e6);
}

static void print_table(FILE *out, const struct summary *summary)
{
    static const char *const services[SERVICES] = {"raw", "reliable"};
    static const char *const groups[GROUPS] = {"", "`divert = never`, unicasts only",
                                               "`divert = never`, several sites"};
    struct tally total = {0};
    fprintf(
        out,
        "| mesh | service | runs | complete | given up | storage | deadlock | held | starved | lost or wrong | "
        "longest wait | longest way | million clocks |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (unsigned mesh = 0; mesh < deadlock_meshes(); mesh++)
        for (unsigned service = 0; service < SERVICES; service++) {
            print_row(out, deadlock_mesh_name(mesh), services[service], &summary->tallies[mesh][service][DIVERTS]);
            add_tally(&total, &summary->tallies[mesh][service][DIVERTS]);
        }
    print_row(out, "all of these", "both", &total);
    for (unsigned group = NEVER_UNICASTS; group < GROUPS; group++)
        for (unsigned service = 0; service < SERVICES; service++) {
            struct tally tally = {0};
            for (unsigned mesh = 0; mesh < deadlock_meshes(); mesh++)
                add_tally(&tally, &summary->tallies[mesh][service][group]);
            print_row(out, groups[group], services[service], &tally);
        }
}

static int conclude(const struct arguments *arguments, const struct summary *summary)
{
    int code = EXIT_OK;
    for (unsigned i = 0; i < summary->hang_count; i++) {
        const struct message *hang = &summary->hangs[i];
        printf("%s: %s, %s service, build/deadlock_search --engine %s%s%s --fabric %s --seed %" PRIu64
               " --replay %" PRIu64 "\n",
               deadlock_end_name(hang->end), deadlock_mesh_name(hang->mesh), hang->service ? "reliable" : "raw",
               arguments->engine->name, arguments->model ? " --model " : "", arguments->model ? arguments->model : "",
               arguments->fabric->name, arguments->seed, hang->run);
        bool broken = hang->end == DEADLOCK_LOST || hang->end == DEADLOCK_WRONG;
        if (!broken || code == EXIT_OK)
            code = broken ? EXIT_MISMATCH : EXIT_TIMEOUT;
    }
    for (unsigned i = 0; i < summary->hang_count && i < PICTURES; i++) {
        printf("\n");
        replay(arguments, summary->hangs[i].run);
    }
    return code;
}

static int find_mesh(const char *name)
{
    for (unsigned mesh = 0; mesh < deadlock_meshes(); mesh++)
        if (strcmp(deadlock_mesh_name(mesh), name) == 0)
            return (int)mesh;
    return -1;
}

/* A decimal number; exits if it is none. */
static uint64_t number(const char *option, const char *value, uint64_t highest)
{
    char *end;
    uint64_t result = strtoull(value, &end, 10);
    if (*value >= '0' && *value <= '9' && !*end && result <= highest)
        return result;
    fprintf(stderr, "deadlock_search: %s %s, expected a number up to %" PRIu64 "\n", option, value, highest);
    exit(EXIT_USAGE);
}

/* False: the value is refused. */
static bool take_option(struct arguments *arguments, const char *option, int letter, const char *value)
{
    switch (letter) {
    case 's':
        arguments->seed = number(option, value, UINT64_MAX);
        break;
    case 'n':
        arguments->runs = number(option, value, 1000000000);
        break;
    case 'f':
        arguments->first = number(option, value, UINT64_MAX / 2);
        break;
    case 'j':
        arguments->jobs = (unsigned)number(option, value, JOBS_MAX);
        break;
    case 'r':
        arguments->service = (int)number(option, value, 1);
        break;
    case 'p':
        arguments->replay = number(option, value, UINT64_MAX / 2);
        arguments->replays = true;
        break;
    case 'm':
        arguments->mesh = find_mesh(value);
        break;
    case 'b':
        arguments->fabric = discipline_find(value);
        break;
    case 'e':
        arguments->engine = simulation_find_engine(value);
        break;
    case 'o':
        arguments->model = value;
        break;
    case 't':
        arguments->table = value;
        break;
    case 'd':
        arguments->dot = value;
        break;
    case 'w':
        arguments->waves = value;
        break;
    case 'y':
        arguments->relays = true;
        break;
    default:
        arguments->stop = true;
        break;
    }
    return (letter != 'm' || arguments->mesh >= 0) && arguments->fabric && arguments->engine;
}

static const char usage[] =
    "usage: deadlock_search [--engine NAME] [--model TEXT] [--fabric NAME] [--seed N] [--runs N] [--first N] [--jobs N]\n"
    "                       [--reliable 0|1] [--relays] [--mesh NAME] [--stop] [--table FILE]\n"
    "       deadlock_search [--engine NAME] [--model TEXT] [--fabric NAME] [--seed N] [--relays] --replay N [--dot FILE]\n"
    "                       [--waves FILE]\n"
    "  --runs      how many (1000), from number --first (0) on; --jobs: processes (2)\n"
    "  --reliable  only this service; --mesh: only this mesh (\"grid 2x2\"): of the runs whose turn it is\n"
    "  --relays    with the reliable service packets to several sites go by relays, where the pool has 8 buffers\n"
    "  --engine    the simulator: rtl, or functional, which has no pictures and no waves\n"
    "  --model     settings of the functional simulator, as of postroad sim\n"
    "  --fabric    the discipline (cutthrough), of those whose links carry words\n"
    "  --stop      at the first hang\n"
    "  --table     the table, as text in Markdown\n"
    "  --replay    that run once more, with all it was drawn to be, and a picture of what stands still at its end\n"
    "  --dot       the picture for Graphviz; --waves: the run as an FST file, without a picture\n";

/* Returns EXIT_OK to go on, else prints why not. */
static int parse(struct arguments *arguments, int argc, char **argv)
{
    static const struct option options[] = {
        {"seed", required_argument, NULL, 's'},
        {"runs", required_argument, NULL, 'n'},
        {"first", required_argument, NULL, 'f'},
        {"jobs", required_argument, NULL, 'j'},
        {"mesh", required_argument, NULL, 'm'},
        {"reliable", required_argument, NULL, 'r'},
        {"fabric", required_argument, NULL, 'b'},
        {"stop", no_argument, NULL, 'x'},
        {"table", required_argument, NULL, 't'},
        {"dot", required_argument, NULL, 'd'},
        {"replay", required_argument, NULL, 'p'},
        {"waves", required_argument, NULL, 'w'},
        {"engine", required_argument, NULL, 'e'},
        {"model", required_argument, NULL, 'o'},
        {"relays", no_argument, NULL, 'y'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    int letter, place;
    while ((letter = getopt_long(argc, argv, "", options, &place)) != -1) {
        if (letter == 'h') {
            fputs(usage, stdout);
            exit(EXIT_OK);
        }
        if (letter == '?' || !take_option(arguments, options[place].name, letter, optarg)) {
            fprintf(stderr, "deadlock_search: expected an option and its value (--help has them)\n");
            return EXIT_USAGE;
        }
    }
    return optind == argc ? EXIT_OK : EXIT_USAGE;
}

int main(int argc, char **argv)
{
    static struct summary summary;
    struct arguments arguments = {
        .seed = 1, .runs = 1000, .jobs = 2, .service = -1, .mesh = -1, .fabric = discipline_default()};
    simulation_register(&rtl_engine);
    simulation_register(&functional_engine);
    arguments.engine = simulation_find_engine(NULL);
    if (parse(&arguments, argc, argv) != EXIT_OK)
        return EXIT_USAGE;
    if (arguments.replays) {
        enum deadlock_end end = replay(&arguments, arguments.replay);
        return end == DEADLOCK_FAILED ? EXIT_USAGE : end == DEADLOCK_COMPLETE ? EXIT_OK : EXIT_TIMEOUT;
    }
    if (arguments.jobs == 0 || !search(&arguments, &summary))
        return EXIT_USAGE;
    print_table(stdout, &summary);
    FILE *table = arguments.table ? fopen(arguments.table, "w") : NULL;
    if (table) {
        print_table(table, &summary);
        fclose(table);
    }
    return conclude(&arguments, &summary);
}
