/* The verb `postroad sim`: options, one experiment a point, results and pictures.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* sigaction, clock_gettime */

#include "postroad/sim.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/output_file.h"
#include "cli/report.h"
#include "postroad/sim_options.h"
#include "postroad/sim_plot.h"
#include "postroad/sim_report.h"

enum { ERROR_SIZE = 512, BAR_WIDTH = 30 };

static volatile sig_atomic_t interrupted;

struct run_progress {
    bool quiet, terminal, drawn;
    double load;
    double started, last; /* seconds */
    uint64_t packets;
};

struct verb {
    struct sim_options options;
    struct mesh_config mesh;
    struct run_progress progress;
    struct output_file csv, waves;
    struct plot_sample *samples;
    int exit_code;
    int stdout_error; /* errno of a write to stdout that failed, 0 */
    char error[ERROR_SIZE];
};

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void complain(const char *text)
{
    fprintf(stderr, "postroad sim: %s\n", text);
}

static void clear_bar(struct run_progress *progress)
{
    if (progress->drawn)
        fprintf(stderr, "\r\033[K");
    progress->drawn = false;
}

static void draw_bar(struct run_progress *progress, const struct experiment_progress *now)
{
    char bar[BAR_WIDTH + 1];
    double expected = now->packets ? (double)now->expected / (double)now->packets * (double)progress->packets : 1;
    double share = (double)now->delivered / expected;
    int filled = share < 1 ? (int)(share * BAR_WIDTH) : BAR_WIDTH;
    memset(bar, ' ', BAR_WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[BAR_WIDTH] = 0;
    fprintf(stderr, "\rload %.4g [%s] %3.0f %%, clock %llu\033[K", progress->load, bar, 100 * (share < 1 ? share : 1),
            (unsigned long long)now->clock);
    progress->drawn = true;
}

/* A bar on a terminal for what takes longer than a second, otherwise a line an event. */
static void report(void *context, const struct experiment_progress *now)
{
    struct run_progress *progress = context;
    if (progress->quiet)
        return;
    if (!progress->terminal) {
        if (now->event)
            fprintf(stderr, "postroad sim: load %.4g: %s: clock %llu, %llu packets, %llu of %llu deliveries\n",
                    progress->load, now->event, (unsigned long long)now->clock, (unsigned long long)now->packets,
                    (unsigned long long)now->delivered, (unsigned long long)now->expected);
        return;
    }
    double time = seconds();
    if (time - progress->started < 1 || time - progress->last < 0.1)
        return;
    progress->last = time;
    draw_bar(progress, now);
}

static void keep_sample(struct verb *verb, int point, double load, const struct experiment_result *result)
{
    struct plot_sample *sample = &verb->samples[point];
    *sample = (struct plot_sample){.load = load,
                                   .accepted = result->accepted_load,
                                   .measured = result->latency.count > 0,
                                   .saturated = result->saturated};
    if (!sample->measured)
        return;
    sample->median = (double)statistics_quantile(&result->latency, 0.5);
    sample->mean = statistics_mean(&result->latency);
    sample->p99 = (double)statistics_quantile(&result->latency, 0.99);
}

static void print_point(struct verb *verb, const struct sim_point *point, bool first)
{
    if (verb->options.json) {
        if (sim_report_json(stdout, point) != 0)
            complain("out of memory for JSON");
    } else if (verb->options.sweep || verb->options.csv_to_stdout) {
        if (first)
            sim_report_csv_heading(stdout, point);
        sim_report_csv(stdout, point);
    } else {
        sim_report_table(stdout, point);
    }
    if (fflush(stdout) != 0 && !verb->stdout_error)
        verb->stdout_error = errno;
    if (verb->csv.file) {
        if (first)
            sim_report_csv_heading(verb->csv.file, point);
        sim_report_csv(verb->csv.file, point);
    }
}

static void note_exit(struct verb *verb, int code)
{
    static const int order[] = {EXIT_OK,      EXIT_PARTIAL,  EXIT_LOCKED_UP, EXIT_TRANSPORT,
                                EXIT_TIMEOUT, EXIT_MISMATCH, EXIT_USAGE,     EXIT_INTERRUPTED};
    int worst = 0, mine = 0;
    for (int i = 0; i < (int)(sizeof order / sizeof order[0]); i++) {
        worst = order[i] == verb->exit_code ? i : worst;
        mine = order[i] == code ? i : mine;
    }
    verb->exit_code = order[mine > worst ? mine : worst];
}

/* A file could not be written: said, and remembered. */
static void note_write(struct verb *verb, int result)
{
    if (result == 0)
        return;
    complain(verb->error);
    note_exit(verb, EXIT_TRANSPORT);
}

static void draw_last(struct verb *verb, const struct sim_point *point)
{
    if (!verb->options.plot || !point->result->link_use)
        return;
    note_write(verb, sim_plot_histogram(verb->options.plot, point, verb->error, ERROR_SIZE));
    note_write(verb, sim_plot_links(verb->options.plot, point, verb->error, ERROR_SIZE));
}

/* The waves are written by the engine, under the name of the file in the making. */
static void end_waves(struct verb *verb, const struct experiment_result *result)
{
    if (verb->waves.file && result->ran && result->waves_error == 0) {
        note_write(verb, output_file_close(&verb->waves, verb->error, ERROR_SIZE));
        return;
    }
    output_file_abandon(&verb->waves);
    if (result->waves_error == 0)
        return;
    snprintf(verb->error, ERROR_SIZE, "%s: %s", verb->waves.path, strerror(result->waves_error));
    note_write(verb, -1);
}

static void run_point(struct verb *verb, int number, bool last)
{
    struct experiment_options options = verb->options.experiment;
    struct experiment_result result;
    struct sim_point point = {&verb->mesh, &options, &result};
    options.traffic.load = sim_options_load(&verb->options, number);
    verb->progress.load = options.traffic.load;
    verb->progress.packets = options.packets;
    verb->progress.started = verb->progress.last = seconds();
    experiment_run(&verb->mesh, &options, report, &verb->progress, &result);
    clear_bar(&verb->progress);
    if (result.end != END_COMPLETE)
        complain(*result.diagnosis ? result.diagnosis : experiment_end_name(result.end));
    note_exit(verb, interrupted ? EXIT_INTERRUPTED : experiment_exit_code(result.end));
    print_point(verb, &point, number == 0);
    end_waves(verb, &result);
    keep_sample(verb, number, options.traffic.load, &result);
    if (last || interrupted)
        draw_last(verb, &point);
    experiment_result_free(&result);
}

static void run_points(struct verb *verb)
{
    int points = verb->options.points, done = 0;
    struct sim_point question = {&verb->mesh, &verb->options.experiment, NULL};
    while (done < points && !interrupted) {
        run_point(verb, done, done == points - 1);
        done++;
    }
    if (!verb->options.plot || !verb->options.sweep)
        return;
    note_write(verb, sim_plot_latency(verb->options.plot, verb->samples, done, &question, verb->error, ERROR_SIZE));
}

/* A pool smaller than the default window is no reason to refuse. */
static void set_defaults(struct experiment_options *options)
{
    bool fabric = options->level == LEVEL_FABRIC;
    if (fabric && options->pool == 0)
        options->pool = EXPERIMENT_DEFAULT_POOL;
    if (options->window == 0)
        options->window = fabric && options->pool < EXPERIMENT_DEFAULT_WINDOW ? options->pool
                                                                              : EXPERIMENT_DEFAULT_WINDOW;
}

/* The waves need a file of their own: a device or a pipe is not written twice over. */
static int open_waves(struct verb *verb)
{
    struct experiment_options *options = &verb->options.experiment;
    if (!options->waves)
        return 0;
    if (output_file_open(&verb->waves, options->waves, verb->error, ERROR_SIZE) != 0)
        return -1;
    if (!verb->waves.temporary) {
        snprintf(verb->error, ERROR_SIZE, "%s is no ordinary file, expected a name for an FST file", options->waves);
        return -1;
    }
    options->waves = verb->waves.temporary;
    return 0;
}

/* A picture could be written, where the pictures will be. */
static int try_plot(struct verb *verb)
{
    struct output_file file;
    char path[PATH_MAX];
    if (!verb->options.plot)
        return 0;
    snprintf(path, sizeof path, "%s-links.svg", verb->options.plot);
    if (sim_plot_check(verb->error, ERROR_SIZE) != 0 || output_file_open(&file, path, verb->error, ERROR_SIZE) != 0)
        return -1;
    output_file_abandon(&file);
    return 0;
}

static int open_outputs(struct verb *verb)
{
    const char *csv = verb->options.csv;
    if (try_plot(verb) != 0 || open_waves(verb) != 0)
        return -1;
    return csv ? output_file_open(&verb->csv, csv, verb->error, ERROR_SIZE) : 0;
}

/* Everything that can be refused is refused before the first clock. */
static int prepare(struct verb *verb)
{
    struct sim_options *options = &verb->options;
    struct traffic_options *traffic = &options->experiment.traffic;
    if (mesh_config_load(options->mesh_path, &verb->mesh, verb->error, ERROR_SIZE) != 0)
        return -1;
    if (traffic->hot_site == UINT32_MAX)
        traffic->hot_site = (unsigned)(verb->mesh.sites + (verb->mesh.size_y > 1 ? verb->mesh.size_x : 0)) / 2;
    if (traffic->hot_site >= (unsigned)verb->mesh.sites && traffic->pattern != TRAFFIC_HOT_SPOT)
        traffic->hot_site = 0;
    if (sim_options_apply(options, &verb->mesh, verb->error, ERROR_SIZE) != 0)
        return -1;
    set_defaults(&options->experiment);
    if (sim_options_check(options, &verb->mesh, verb->error, ERROR_SIZE) != 0)
        return -1;
    verb->samples = calloc((size_t)options->points, sizeof *verb->samples);
    if (!verb->samples) {
        snprintf(verb->error, ERROR_SIZE, "out of memory");
        return -1;
    }
    return open_outputs(verb);
}

static void close_outputs(struct verb *verb)
{
    output_file_abandon(&verb->waves); /* of a run that was not made */
    if (verb->csv.file)
        note_write(verb, output_file_close(&verb->csv, verb->error, ERROR_SIZE));
    if (verb->stdout_error) {
        snprintf(verb->error, ERROR_SIZE, "standard output: %s", strerror(verb->stdout_error));
        note_write(verb, -1);
        clearerr(stdout); /* it has been reported */
    }
}

int sim_verb(int argc, char **argv)
{
    struct verb *verb = calloc(1, sizeof *verb);
    struct sigaction action = {.sa_handler = on_signal}, old_interrupt, old_terminate;
    int code = EXIT_USAGE;
    if (!verb)
        return EXIT_USAGE;
    if (sim_options_parse(argc, argv, &verb->options, verb->error, ERROR_SIZE) != 0) {
        complain(verb->error);
    } else if (verb->options.help) {
        sim_options_help(stdout);
        code = EXIT_OK;
    } else if (verb->options.version) {
        report_version();
        code = EXIT_OK;
    } else if (prepare(verb) != 0) {
        complain(verb->error);
        output_file_abandon(&verb->waves);
    } else {
        sigaction(SIGINT, &action, &old_interrupt);
        sigaction(SIGTERM, &action, &old_terminate);
        verb->options.experiment.stop = &interrupted;
        verb->progress.quiet = verb->options.quiet;
        verb->progress.terminal = isatty(STDERR_FILENO) && !verb->options.verbose;
        run_points(verb);
        close_outputs(verb);
        sigaction(SIGINT, &old_interrupt, NULL);
        sigaction(SIGTERM, &old_terminate, NULL);
        code = verb->exit_code;
    }
    free(verb->options.nodes);
    free(verb->samples);
    free(verb);
    return code;
}
