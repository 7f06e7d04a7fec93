/* The verb `postroad sim`: options, one experiment a point, results and pictures. Points of a sweep may run
 * beside each other (sim_workers.h).
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* PATH_MAX */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board/testbed.h"
#include "cli/exit_code.h"
#include "cli/report.h"
#include "cli/signals.h"
#include "engine/verilated_site.h"
#include "mesh/mesh_settings.h"
#include "postroad/sim_checkpoint.h"
#include "postroad/sim_options.h"
#include "postroad/sim_plot.h"
#include "postroad/sim_report.h"
#include "postroad/sim_workers.h"
#include "postroad/verbs.h"
#include "ranks/ranks.h"
#include "support/output_file.h"
#include "support/run_memory.h"

enum { ERROR_SIZE = 512 };

struct run {
    struct sim_options options;
    struct mesh_config mesh;
    struct testbed testbed; /* nothing in it, without --testbed */
    struct progress progress;
    char label[64];
    const volatile sig_atomic_t *interrupted;
    struct output_file csv, waves;
    struct plot_sample *samples;
    struct sim_workers *workers; /* NULL: one point at a time, in this process */
    int exit_code;
    int stdout_error; /* errno of a write to stdout that failed, 0 */
    char error[ERROR_SIZE];
};

/* The expected number of packets delivered at the end, estimated from the present state. */
static size_t expected_in_the_end(const struct run *run, const struct experiment_progress *now)
{
    if (!now->packets)
        return 1;
    return (size_t)((double)now->expected / (double)now->packets * (double)run->options.experiment.packets);
}

/* The point by which a user tells a run from others. */
static void name_point(const struct traffic_options *traffic, char *out, size_t size)
{
    if (traffic->trace)
        snprintf(out, size, "trace");
    else
        snprintf(out, size, "load %.4g", traffic->load);
}

/* Progress: a bar on a terminal, otherwise a line for each event. */
static void show_progress(void *context, const struct experiment_progress *now)
{
    struct run *run = context;
    char point[32];
    name_point(&run->options.experiment.traffic, point, sizeof point);
    if (run->progress.terminal) {
        snprintf(run->label, sizeof run->label, "%s, clock %" PRIu64 ",", point, now->clock);
        progress_show(&run->progress, now->delivered, expected_in_the_end(run, now));
    } else if (now->event) {
        report_note(&run->options.common,
                    "%s: %s: clock %" PRIu64 ", %" PRIu64 " packets, %" PRIu64 " of %" PRIu64 " deliveries", point,
                    now->event, now->clock, now->packets, now->delivered, now->expected);
    }
}

static void keep_sample(struct run *run, int point, double load, const struct experiment_result *result)
{
    struct plot_sample *sample = &run->samples[point];
    *sample = (struct plot_sample){.load = load,
                                   .accepted = result->accepted_load,
                                   .measured = result->latency.count > 0,
                                   .diverges = experiment_diverges(result)};
    if (!sample->measured)
        return;
    sample->median = (double)statistics_quantile(&result->latency, 0.5);
    sample->mean = statistics_mean(&result->latency);
    sample->p99 = (double)statistics_quantile(&result->latency, 0.99);
}

static const char *nodes_of(const struct run *run)
{
    return experiment_is_native(&run->mesh, &run->options.experiment) ? "native" : run->options.nodes_text;
}

static void print_point(struct run *run, const struct sim_point *point, bool first)
{
    if (run->options.common.json) {
        if (sim_report_json(stdout, point) != 0)
            report_error("sim", "out of memory for JSON");
    } else if (run->options.load_range || run->options.csv_to_stdout) {
        if (first)
            sim_report_csv_heading(stdout, point);
        sim_report_csv(stdout, point);
    } else {
        sim_report_table(stdout, point);
    }
    if (fflush(stdout) != 0 && !run->stdout_error)
        run->stdout_error = errno;
    if (run->csv.file) {
        if (first)
            sim_report_csv_heading(run->csv.file, point);
        sim_report_csv(run->csv.file, point);
    }
}

static void note_exit(struct run *run, int code)
{
    static const int order[] = {EXIT_OK,      EXIT_PARTIAL,  EXIT_LOCKED_UP, EXIT_TRANSPORT,
                                EXIT_TIMEOUT, EXIT_MISMATCH, EXIT_USAGE,     EXIT_INTERRUPTED};
    int worst = 0, mine = 0;
    for (int i = 0; i < (int)(sizeof order / sizeof order[0]); i++) {
        worst = order[i] == run->exit_code ? i : worst;
        mine = order[i] == code ? i : mine;
    }
    run->exit_code = order[mine > worst ? mine : worst];
}

/* A file could not be written: the run continues, and its exit code reports the failure. */
static void note_write(struct run *run, int result)
{
    if (result == 0)
        return;
    report_error("sim", "%s", run->error);
    note_exit(run, EXIT_TRANSPORT);
}

static void draw_last(struct run *run, const struct sim_point *point)
{
    if (!run->options.plot || !point->result->link_use)
        return;
    note_write(run, sim_plot_histogram(run->options.plot, point, run->error, ERROR_SIZE));
    note_write(run, sim_plot_links(run->options.plot, point, run->error, ERROR_SIZE));
}

/* The waves are written by the engine, under the name of the file in the making. */
static void end_waves(struct run *run, const struct experiment_result *result)
{
    if (run->waves.file && result->ran && result->waves_error == 0) {
        note_write(run, output_file_close(&run->waves, run->error, ERROR_SIZE));
        return;
    }
    output_file_abandon(&run->waves);
    if (result->waves_error == 0)
        return;
    snprintf(run->error, ERROR_SIZE, "%s: %s", run->waves.path, strerror(result->waves_error));
    note_write(run, -1);
}

static void report_capture(struct run *run, const struct experiment_result *result)
{
    if (!*result->capture_error)
        return;
    snprintf(run->error, ERROR_SIZE, "%s", result->capture_error);
    note_write(run, -1);
}

static void run_point(struct run *run, int number, bool last)
{
    struct experiment_options *options = &run->options.experiment;
    struct experiment_result result;
    struct sim_point point = {&run->mesh, options, &result, nodes_of(run)};
    options->traffic.load = sim_options_load(&run->options, number);
    progress_begin(&run->progress, &run->options.common, run->label, 0);
    run->progress.terminal = run->progress.terminal && !run->options.common.verbose;
    if (run->workers)
        sim_workers_result(run->workers, number, show_progress, run, &result);
    else
        experiment_run(&run->mesh, options, show_progress, run, &result);
    progress_end(&run->progress);
    if (result.end != END_COMPLETE)
        report_error("sim", "%s", *result.diagnosis ? result.diagnosis : experiment_end_name(result.end));
    note_exit(run, *run->interrupted ? EXIT_INTERRUPTED : exit_code_of_experiment(result.end));
    print_point(run, &point, number == 0);
    end_waves(run, &result);
    report_capture(run, &result);
    keep_sample(run, number, options->traffic.load, &result);
    if (last || *run->interrupted)
        draw_last(run, &point);
    experiment_result_free(&result);
}

/* Without memory for workers the points run one after the other. */
static void begin_workers(struct run *run)
{
    const struct sim_options *options = &run->options;
    int jobs = options->jobs < options->points ? options->jobs : options->points;
    bool draws = isatty(STDERR_FILENO) && !options->common.quiet;
    if (jobs > 1)
        run->workers = sim_workers_start(&run->mesh, options, jobs, draws);
}

static void run_points(struct run *run)
{
    int points = run->options.points, done = 0;
    struct sim_point question = {&run->mesh, &run->options.experiment, NULL, nodes_of(run)};
    begin_workers(run);
    while (done < points && !*run->interrupted) {
        run_point(run, done, done == points - 1);
        done++;
    }
    sim_workers_end(run->workers);
    if (!run->options.plot || !run->options.load_range)
        return;
    note_write(run, sim_plot_latency(run->options.plot, run->samples, done, &question, run->error, ERROR_SIZE));
}

/* The waves need a regular file: a device or a pipe cannot be written a second time. */
static int open_waves(struct run *run)
{
    struct experiment_options *options = &run->options.experiment;
    if (!options->waves)
        return 0;
    if (output_file_open(&run->waves, options->waves, run->error, ERROR_SIZE) != 0)
        return -1;
    if (!run->waves.temporary) {
        snprintf(run->error, ERROR_SIZE, "%s is no ordinary file, expected a name for an FST file", options->waves);
        return -1;
    }
    options->waves = run->waves.temporary;
    return 0;
}

/* Checks that a picture can be written in the place of the pictures. */
static int try_plot(struct run *run)
{
    struct output_file file;
    char path[PATH_MAX];
    if (!run->options.plot)
        return 0;
    snprintf(path, sizeof path, "%s-links.svg", run->options.plot);
    if (sim_plot_check(run->error, ERROR_SIZE) != 0 || output_file_open(&file, path, run->error, ERROR_SIZE) != 0)
        return -1;
    output_file_abandon(&file);
    return 0;
}

static int open_outputs(struct run *run)
{
    const char *csv = run->options.csv;
    if (try_plot(run) != 0 || open_waves(run) != 0)
        return -1;
    return csv ? output_file_open(&run->csv, csv, run->error, ERROR_SIZE) : 0;
}

/* Cables that join boards need one clock of the links, and the simulated sites have no other. */
static int load_testbed(struct run *run)
{
    struct sim_options *options = &run->options;
    struct testbed *testbed = &run->testbed;
    if (options->set.count > 0) {
        snprintf(run->error, ERROR_SIZE, "--set %s with --testbed, expected a .mesh file", options->set.items[0]);
        return -1;
    }
    if (options->common.operand_count) {
        snprintf(run->error, ERROR_SIZE, "%s and --testbed, expected one of them: a testbed names its mesh",
                 options->common.operands[0]);
        return -1;
    }
    if (testbed_load(options->testbed, testbed, run->error, ERROR_SIZE) != 0 ||
        testbed_simulated_mesh(testbed, &run->mesh, run->error, ERROR_SIZE) != 0)
        return -1;
    options->experiment.testbed = testbed;
    if (testbed->boards->link_ratio > 1)
        report_note(&options->common,
                    "the links of these boards have %u times the clock of their fabrics, which are simulated with the "
                    "clock of the links: what passes a fabric takes some clocks less than there",
                    testbed->boards->link_ratio);
    return 0;
}

static int load_mesh(struct run *run)
{
    struct sim_options *options = &run->options;
    const struct mesh_settings settings = {options->set.count, options->set.items};
    if (options->testbed)
        return load_testbed(run);
    if (options->common.operand_count == 0) {
        snprintf(run->error, ERROR_SIZE, "expected %s (see postroad sim --help)", verb_sim.operands);
        return -1;
    }
    return mesh_config_load_set(options->common.operands[0], &settings, &run->mesh, NULL, run->error, ERROR_SIZE);
}

static int begin_checkpoints(struct run *run)
{
    const struct sim_options *options = &run->options;
    if (!*options->checkpoint)
        return 0;
    return sim_checkpoint_begin(options->checkpoint, options->resume, &options->checkpoint_period,
                                (unsigned)options->ranks, run->error, ERROR_SIZE);
}

/* What a checkpoint has to restore lies in run memory, the texts of options too. */
static void keep_options(struct run *run)
{
    struct experiment_options *experiment = &run->options.experiment;
    if (!*run->options.checkpoint)
        return;
    experiment->engine = run_memory_text(experiment->engine);
    experiment->model = run_memory_text(experiment->model);
    if (experiment_is_native(&run->mesh, experiment))
        experiment->nodes = NULL; /* means the same; others are refused */
}

static int configure(struct run *run)
{
    struct sim_options *options = &run->options;
    if (load_mesh(run) != 0 || begin_checkpoints(run) != 0 ||
        sim_options_apply(options, &run->mesh, run->error, ERROR_SIZE) != 0)
        return -1;
    if (sim_options_check(options, &run->mesh, run->error, ERROR_SIZE) != 0)
        return -1;
    keep_options(run);
    return 0;
}

/* The options of output stay this command's. */
static int restore(struct run *run)
{
    struct sim_options *options = &run->options;
    double seconds_spent;
    if (sim_options_check_resume(&verb_sim, options, run->error, ERROR_SIZE) != 0 ||
        sim_checkpoint_restore(options->resume, &seconds_spent, run->error, ERROR_SIZE) != 0 ||
        begin_checkpoints(run) != 0)
        return -1;
    experiment_restored(&run->mesh, &options->experiment);
    options->experiment.restored = true;
    options->experiment.seconds_spent = seconds_spent;
    options->load_from = options->experiment.traffic.load;
    return 0;
}

/* All checks that may refuse the run precede the first clock. */
static int prepare(struct run *run)
{
    if ((run->options.resume ? restore(run) : configure(run)) != 0)
        return -1;
    run->samples = calloc((size_t)run->options.points, sizeof *run->samples);
    if (!run->samples) {
        snprintf(run->error, ERROR_SIZE, "out of memory");
        return -1;
    }
    return open_outputs(run);
}

static void close_outputs(struct run *run)
{
    output_file_abandon(&run->waves); /* of a run that was not made */
    if (run->csv.file)
        note_write(run, output_file_close(&run->csv, run->error, ERROR_SIZE));
    if (run->stdout_error && *run->interrupted) {
        note_exit(run, EXIT_INTERRUPTED); /* nobody reads any more */
        clearerr(stdout);
    } else if (run->stdout_error) {
        snprintf(run->error, ERROR_SIZE, "standard output: %s", strerror(run->stdout_error));
        note_write(run, -1);
        clearerr(stdout); /* it has been reported */
    }
}

/* Of several ranks, rank 0 alone writes. */
static void write_nothing(struct sim_options *options)
{
    options->csv = options->plot = NULL;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
        abort();
    close(nowhere);
}

/* What several ranks cannot do is refused; what one of them does alone is taken from the others. */
static int prepare_ranks(struct run *run)
{
    struct sim_options *options = &run->options;
    const char *engine = options->experiment.engine;
    if (ranks_count() == 1)
        return 0;
    if (ranks_own() != 0)
        write_nothing(options);
    options->jobs = 1;
    if (options->resume || (engine && strcmp(engine, "functional") == 0))
        return 0;
    snprintf(run->error, ERROR_SIZE, "several ranks: expected --engine functional");
    return -1;
}

/* Several ranks would notice a signal in different clocks: it ends their run at once, or, if it has checkpoints,
 * between two stretches. */
static void note_signals(struct run *run)
{
    static const volatile sig_atomic_t never;
    struct experiment_options *options = &run->options.experiment;
    bool alone = ranks_count() == 1, checkpoints = *run->options.checkpoint;
    run->interrupted = checkpoints ? sim_checkpoint_signals() : alone ? signals_note() : &never;
    options->stop = alone ? run->interrupted : &never;
    options->between = checkpoints ? sim_checkpoint_between : NULL;
}

/* If one rank is refused, all are: the others would wait for it. */
static bool all_prepared(struct run *run)
{
    uint64_t refused = prepare_ranks(run) != 0 || prepare(run) != 0;
    uint64_t own_refused = refused;
    ranks_sum(&refused, 1);
    if (refused && !own_refused)
        snprintf(run->error, ERROR_SIZE, "another rank cannot run");
    return !refused;
}

static int run_sim(struct run *run)
{
    if (!all_prepared(run)) {
        report_error("sim", "%s", run->error);
        output_file_abandon(&run->waves);
        return EXIT_USAGE;
    }
    note_signals(run);
    run_points(run);
    close_outputs(run);
    if (sim_checkpoint_failed())
        note_exit(run, EXIT_TRANSPORT);
    return run->exit_code;
}

/* All ranks end with 0 but rank 0: its exit code is that of mpirun. */
static int run_rank(struct run *run)
{
    fflush(NULL);
    if (ranks_begin((unsigned)run->options.ranks, run->error, ERROR_SIZE) != 0) {
        report_error("sim", "%s", run->error);
        return EXIT_TRANSPORT;
    }
    int code = run_sim(run);
    fflush(NULL);
    ranks_end();
    return ranks_own() == 0 ? code : EXIT_OK;
}

static void tell_note(const void *options, const char *text)
{
    report_note(options, "%s", text);
}

static int run_verb(const struct options *options)
{
    struct run *run = calloc(1, sizeof *run); /* large */
    if (!run)
        abort();
    verilated_site_on_note(tell_note, options);
    run->options = *(const struct sim_options *)(const void *)options;
    int code = run_rank(run);
    sim_options_free(&run->options);
    testbed_free(&run->testbed);
    free(run->samples);
    free(run);
    return code;
}

static const char notes[] = "Faults:\n"
                            "  corrupt:SHARE                    a word on any link is damaged with this\n"
                            "                                   probability\n"
                            "  corrupt:SITE.DIRECTION:SHARE     only words that SITE sends in DIRECTION\n"
                            "  link:SITE.DIRECTION:AT[:CLOCKS]  a cable is dead both ways from clock AT, or\n"
                            "                                   for CLOCKS only\n"
                            "  reset:SITE:AT[:CLOCKS]           a site is held in reset for CLOCKS (16), and\n"
                            "                                   starts afresh\n"
                            "  stop:SITE:AT[:CLOCKS]            an operator does nothing any more, or for\n"
                            "                                   CLOCKS\n"
                            "SITE: a number, or any: a random one each time (link:any:AT: any cable).\n"
                            "DIRECTION: north, east, south, west; hypercube: the dimension. AT: a clock, or\n"
                            "~MEAN: again and again, at intervals of that mean.\n"
                            "\n"
                            "Exit codes: 0 every packet arrived exactly once, and nothing was reported as\n"
                            "failed or written off, 1 usage or configuration, 2 a file cannot be written,\n"
                            "3 lost, duplicated or corrupted, 4 nothing lost, but something reported as\n"
                            "failed, written off with its source, or not accepted, 5 hang, 6 storage locked\n"
                            "up (raw service), 130 interrupted; with --ranks 128 and the number of the\n"
                            "signal by which one of the processes was killed.\n";

static const char manual[] =
    "Generates traffic on a simulated mesh of its own, checks that every packet arrives exactly once or is "
    "accounted for, and measures. With `--reliable 0` packets get the raw service of the papers, whose storage "
    "may lock up. `--fault` damages words, cuts cables, resets sites and stops operators. `--waves` <FILE.fst> "
    "writes the signals of all sites, which `gtkwave`(1) shows. With `--ranks` several processes run one mesh; the result "
    "is the same. If one of them is killed, the exit code is 128 and the number of the signal.";

const struct verb verb_sim = {
    .name = "sim",
    .operands = "FILE.mesh",
    .summary = "Sends traffic through a simulated mesh, checks every delivery, and measures.",
    .manual = manual,
    .notes = notes,
    .operands_max = 1,
    .operand_words = {"@mesh-file"},
    .common = COMMON_OUTPUT | COMMON_VERBOSE,
    .rows = sim_option_rows,
    .keys = sim_report_keys,
    .size = sizeof(struct sim_options),
    .defaults = &sim_option_defaults,
    .run = run_verb,
};
