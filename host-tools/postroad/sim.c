/* The verb `postroad sim`: options, the runs of each point, results and pictures. Runs may go on beside each other
 * (sim_workers.h).
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* PATH_MAX */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
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
#include "postroad/sim_missing.h"
#include "postroad/sim_options.h"
#include "postroad/sim_plot.h"
#include "postroad/sim_replay.h"
#include "postroad/sim_report.h"
#include "postroad/sim_workers.h"
#include "postroad/verbs.h"
#include "ranks/ranks.h"
#include "support/or_abort.h"
#include "support/output_file.h"
#include "support/run_memory.h"

enum { ERROR_SIZE = 512 };

struct run {
    struct sim_options options; /* of output, and those of every case */
    struct sim_plan plan;
    struct testbed testbed; /* nothing in it, without --testbed */
    struct progress progress;
    const struct sim_run *now;  /* whose progress is shown */
    char name[160], label[224]; /* its */
    const volatile sig_atomic_t *interrupted;
    struct output_file csv, json, runs, replay, waves, over_time;
    struct sim_folder folder;    /* path NULL: none */
    bool collects;               /* its points are read */
    int repeats;                 /* that a folder gets; 0: as many as it has */
    struct sim_summary summary;  /* of the point whose runs are being made */
    struct plot_sample *samples; /* of the points, or of the runs of the searches with the first seed */
    int sample_count;
    int points_done;
    int saturated;               /* points of the range of loads that is being made */
    struct sim_summary *found;   /* by case, of saturation searches; or NULL */
    struct sim_workers *workers; /* NULL: one run at a time, in this process */
    int exit_code;
    int stdout_error; /* errno of a write to stdout that failed, 0 */
    char error[ERROR_SIZE];
};

/* The expected number of packets delivered at the end, estimated from the present state. */
static size_t expected_in_the_end(const struct run *run, const struct experiment_progress *now)
{
    if (!now->packets)
        return 1;
    return (size_t)((double)now->expected / (double)now->packets * (double)run->now->of->options.experiment.packets);
}

/* What a user tells a run, or a point, from others by. */
static void name_run(const struct sim_run *which, bool seed, char *out, size_t size)
{
    const struct sim_case *of = which->of;
    size_t used = 0;
    for (unsigned i = 0; i < of->swept_count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s=%s, ", of->swept[i].key, of->swept[i].value);
    if (used < size)
        used += (size_t)(of->options.trace ? snprintf(out + used, size - used, "trace")
                                           : snprintf(out + used, size - used, "load %.4g", which->load));
    if (seed && used < size)
        snprintf(out + used, size - used, ", seed %" PRIu64, which->seed);
}

/* Progress: a bar on a terminal, otherwise a line for each event. */
static void show_progress(void *context, const struct experiment_progress *now)
{
    struct run *run = context;
    const char *name = run->name;
    if (run->progress.terminal) {
        snprintf(run->label, sizeof run->label, "%s, clock %" PRIu64 ",", name, now->clock);
        progress_show(&run->progress, now->delivered, expected_in_the_end(run, now));
    } else if (now->event) {
        report_note(&run->options.common,
                    "%s: %s: clock %" PRIu64 ", %" PRIu64 " packets, %" PRIu64 " of %" PRIu64 " deliveries", name,
                    now->event, now->clock, now->packets, now->delivered, now->expected);
    }
}

static struct plot_figure figure(const struct sim_summary *summary, const char *group, const char *name)
{
    const struct sample *sample = sim_summary_figure(summary, group, name);
    double half = sample_half_width(sample);
    return (struct plot_figure){sample->mean, isfinite(half) ? half : 0};
}

static void keep_sample(struct run *run, const struct sim_run *which)
{
    const struct sim_summary *summary = &run->summary;
    run->samples = or_abort(realloc(run->samples, ((size_t)run->sample_count + 1) * sizeof *run->samples));
    run->samples[run->sample_count++] = (struct plot_sample){
        .number = (int)(which->of - run->plan.cases),
        .load = which->load,
        .accepted = figure(summary, NULL, "accepted_load").mean,
        .measured = sim_summary_figure(summary, "latency_clocks", "mean")->count > 0,
        .diverges = summary->saturated || summary->unsteady,
        .median = figure(summary, "latency_clocks", "median"),
        .mean = figure(summary, "latency_clocks", "mean"),
        .p99 = figure(summary, "latency_clocks", "p99"),
        .bounds = summary->worst.bounds,
    };
}

static void print_csv(FILE *out, const struct sim_point *point, bool first)
{
    if (first)
        sim_report_csv_heading(out, point);
    sim_report_csv(out, point);
}

static void print_line(const struct sim_point *point, bool first)
{
    if (first)
        sim_report_line_heading(stdout, point);
    sim_report_line(stdout, point);
}

static void print_point(struct run *run, const struct sim_point *point)
{
    bool first = run->points_done == 0;
    if (run->options.common.json && sim_report_json(stdout, point) != 0)
        report_error("sim", "out of memory for JSON");
    else if (run->options.csv_to_stdout)
        print_csv(stdout, point, first);
    else if (!run->options.common.json && sim_options_several(&run->options))
        print_line(point, first);
    else if (!run->options.common.json)
        sim_report_table(stdout, point);
    if (fflush(stdout) != 0 && !run->stdout_error)
        run->stdout_error = errno;
    if (run->csv.file)
        print_csv(run->csv.file, point, first);
    if (run->json.file)
        sim_report_json(run->json.file, point);
}

/* A run by itself, whatever it is a part of. */
static void print_run(struct run *run, const struct sim_point *point)
{
    struct sim_summary summary = {.repeated = false};
    struct sim_point alone = *point;
    if (!run->runs.file)
        return;
    alone.summary = &summary;
    sim_summary_add(&summary, &alone);
    print_csv(run->runs.file, &alone, ftell(run->runs.file) == 0);
}

static void note_exit(struct run *run, int code)
{
    run->exit_code = exit_code_worst(run->exit_code, code);
}

/* A file could not be written: the run continues, and its exit code reports the failure. */
static void note_write(struct run *run, int result)
{
    if (result == 0)
        return;
    report_error("sim", "%s", run->error);
    note_exit(run, EXIT_TRANSPORT);
}

static struct plot_files plot_files(const struct run *run)
{
    return (struct plot_files){run->options.plot, run->collects};
}

/* A run that goes on from a checkpoint may have begun without slices. */
static void write_over_time(struct run *run, const struct sim_point *point)
{
    if (run->over_time.file && point->result->slices && point->result->ran) {
        sim_report_over_time(run->over_time.file, point);
        note_write(run, output_file_close(&run->over_time, run->error, ERROR_SIZE));
        if (run->options.plot)
            note_write(run, sim_plot_time(plot_files(run), point, run->error, ERROR_SIZE));
    } else if (run->over_time.file && run->options.resume) {
        snprintf(run->error, ERROR_SIZE, "--over-time %s: the run has begun without it, and has no slices of time",
                 run->options.over_time);
        note_write(run, -1);
    }
    output_file_abandon(&run->over_time);
}

static void draw_latency(struct run *run)
{
    if (run->options.plot && run->samples)
        note_write(run, sim_plot_latency(plot_files(run), &run->plan, run->samples, run->sample_count, run->error,
                                         ERROR_SIZE));
}

static void draw_last(struct run *run, const struct sim_point *point)
{
    if (!run->options.plot || !point->result->link_use)
        return;
    note_write(run, sim_plot_histogram(plot_files(run), point, run->error, ERROR_SIZE));
    note_write(run, sim_plot_links(plot_files(run), point, run->error, ERROR_SIZE));
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

static void make_run(struct run *run, int number, struct experiment_result *result)
{
    const struct sim_run *which = &run->plan.runs[number];
    if (run->collects) {
        sim_point_read(&run->folder, which, result);
        return;
    }
    run->now = which;
    name_run(which, run->summary.repeated, run->name, sizeof run->name);
    progress_begin(&run->progress, &run->options.common, run->label, 0);
    run->progress.terminal = run->progress.terminal && !run->options.common.verbose;
    if (run->workers)
        sim_workers_result(run->workers, number, show_progress, run, result);
    else
        sim_point_make(which, show_progress, run, result);
    progress_end(&run->progress);
}

static void note_end(struct run *run, const struct experiment_result *result)
{
    bool several = run->plan.run_count > 1;
    if (result->end != END_COMPLETE && !run->collects)
        report_error("sim", "%s%s%s", several ? run->name : "", several ? ": " : "",
                     *result->diagnosis ? result->diagnosis : experiment_end_name(result->end));
    note_exit(run, *run->interrupted ? EXIT_INTERRUPTED : exit_code_of_experiment(result->end));
}

/* The run behind this one: the next of the point, or the first of the next point. */
static int next_run(const struct run *run, int number)
{
    const struct sim_run *runs = run->plan.runs;
    int next = number + 1;
    while (next < run->plan.run_count && runs[next].point == runs[number].point && sim_plan_enough(&run->summary))
        next++;
    return next;
}

/* The question of a point is that of its first run. */
static void end_point(struct run *run, const struct sim_run *which, struct sim_point point)
{
    struct experiment_options options = sim_run_options(which);
    options.traffic.seed = which->of->options.experiment.traffic.seed;
    point.options = &options;
    print_point(run, &point);
    keep_sample(run, which);
    run->points_done++;
    run->saturated += sim_summary_saturated(&run->summary);
    run->summary = sim_plan_summary(&run->plan);
}

static bool is_of(const struct run *run, int number, const struct sim_case *of)
{
    return number < run->plan.run_count && run->plan.runs[number].of == of;
}

/* The points of a range that are behind saturation are shown, and not run. Returns the first run of the next one. */
static int end_range(struct run *run, const struct sim_case *of, int next)
{
    const struct sim_run *runs = run->plan.runs;
    bool ends = of->options.load_ends && run->saturated == SIM_SATURATED_POINTS;
    if (ends && is_of(run, next, of)) {
        name_run(&runs[next], false, run->name, sizeof run->name);
        report_note(&run->options.common, "%s: not run, nor are greater loads: %d below it are saturated", run->name,
                    run->saturated);
    }
    for (; ends && is_of(run, next, of); next++)
        if (runs[next].point != runs[next - 1].point)
            end_point(run, &runs[next], sim_case_point(of, &run->summary));
    if (!is_of(run, next, of))
        run->saturated = 0;
    return next;
}

/* Returns the next one. */
static int take_run(struct run *run, int number)
{
    const struct sim_run *which = &run->plan.runs[number];
    struct experiment_options options = sim_run_options(which);
    struct experiment_result result;
    struct sim_point point = sim_case_point(which->of, &run->summary);
    make_run(run, number, &result);
    point.options = &options;
    point.result = &result;
    note_end(run, &result);
    sim_summary_add(&run->summary, &point);
    print_run(run, &point);
    if (run->replay.file)
        sim_replay_write(run->replay.file, &point, run->points_done);
    int next = *run->interrupted ? run->plan.run_count : next_run(run, number);
    if (next == run->plan.run_count || run->plan.runs[next].point != which->point) {
        end_point(run, which, point);
        next = end_range(run, which->of, next);
    }
    end_waves(run, &result);
    report_capture(run, &result);
    if (next == run->plan.run_count) {
        write_over_time(run, &point);
        draw_last(run, &point);
    }
    experiment_result_free(&result);
    return next;
}

/* Without memory for workers the runs are made one after the other. */
static void begin_workers(struct run *run)
{
    const struct sim_options *options = &run->options;
    int runs = run->plan.run_count, jobs = options->jobs < runs ? options->jobs : runs;
    bool draws = isatty(STDERR_FILENO) && !options->common.quiet;
    if (jobs > 1)
        run->workers = sim_workers_start(run->plan.runs, runs, jobs, draws);
}

static void take_search(struct run *run, int number)
{
    const struct sim_run *which = &run->plan.runs[number];
    struct experiment_options options = sim_run_options(which);
    struct experiment_result result;
    struct sim_point point = sim_case_point(which->of, &run->summary);
    make_run(run, number, &result);
    point.options = &options;
    point.result = &result;
    note_end(run, &result);
    print_run(run, &point);
    run->summary = sim_plan_summary(&run->plan);
    sim_summary_add(&run->summary, &point);
    if (which->seed == which->of->options.experiment.traffic.seed)
        keep_sample(run, which);
    sim_summary_count(&run->found[which->of - run->plan.cases], &result);
    sim_search_take(&run->plan.searches[which->point], which->load, &result);
    experiment_result_free(&result);
}

/* All searches go on together, one run after the other. */
static void search_saturation(struct run *run)
{
    while (!*run->interrupted && sim_plan_search(&run->plan) > 0) {
        begin_workers(run);
        for (int i = 0; i < run->plan.run_count && !*run->interrupted; i++)
            take_search(run, i);
        sim_workers_end(run->workers);
        run->workers = NULL;
    }
    int repeats = sim_options_repeats(&run->options);
    for (; run->points_done < run->plan.case_count; run->points_done++) {
        struct sim_summary *found = &run->found[run->points_done];
        struct sim_point point = sim_case_point(&run->plan.cases[run->points_done], found);
        found->repeated = repeats > 1;
        sim_search_conclude(run->plan.searches + run->points_done * repeats, repeats, &found->saturation);
        print_point(run, &point);
    }
    draw_latency(run);
}

/* Returns whether the folder has it then, or does not need it any more. */
static bool take_missing(struct run *run, int number)
{
    struct experiment_result result;
    make_run(run, number, &result);
    if (result.end != END_INTERRUPTED) /* else another process makes it */
        note_end(run, &result);
    report_capture(run, &result);
    experiment_result_free(&result);
    return sim_point_look(&run->folder, &run->plan.runs[number]) <= POINT_FAILED ||
           sim_point_behind(&run->folder, &run->plan.runs[number]);
}

static int make_round(struct run *run)
{
    int made = 0;
    begin_workers(run);
    for (int i = 0; i < run->plan.run_count && !*run->interrupted; i++)
        made += take_missing(run, i);
    sim_workers_end(run->workers);
    run->workers = NULL;
    return made;
}

/* Makes what a folder lacks, in rounds: with --until and in searches the runs of one tell those of the next. The last
 * round makes nothing, so that who has made the last run of all knows that nothing is missing. */
static struct sim_missing make_missing(struct run *run)
{
    const struct sim_options *options = &run->options;
    struct sim_missing found = {.open = run->plan.point_count};
    bool first = true;
    do {
        int ahead = 1 + (options->jobs - 1) / (found.open ? found.open : 1);
        found = sim_missing_list(&run->plan, &run->folder, &options->part, ahead, first);
        first = false;
    } while (!found.state && !*run->interrupted && make_round(run) > 0);
    return found;
}

static void run_points(struct run *run)
{
    begin_workers(run);
    for (int next = 0; next < run->plan.run_count;) {
        next = take_run(run, next);
        sim_workers_skip(run->workers, next);
    }
    sim_workers_end(run->workers);
    if (run->options.load_range)
        draw_latency(run);
}

/* The waves need a regular file: a device or a pipe cannot be written a second time. */
static int open_waves(struct run *run)
{
    struct experiment_options *options = &run->plan.cases->options.experiment; /* it is the only one */
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
    const char *csv = run->options.csv, *over_time = run->options.over_time;
    if (over_time && output_file_open(&run->over_time, over_time, run->error, ERROR_SIZE) != 0)
        return -1;
    if (try_plot(run) != 0 || open_waves(run) != 0)
        return -1;
    return csv ? output_file_open(&run->csv, csv, run->error, ERROR_SIZE) : 0;
}

/* Cables that join boards need one clock of the links, and the simulated sites have no other. */
static int load_testbed(struct run *run, struct sim_case *of)
{
    struct sim_options *options = &of->options;
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
        testbed_simulated_mesh(testbed, &of->mesh, run->error, ERROR_SIZE) != 0)
        return -1;
    options->experiment.testbed = testbed;
    if (testbed->boards->link_ratio > 1)
        report_note(&options->common,
                    "the links of these boards have %u times the clock of their fabrics, which are simulated with the "
                    "clock of the links: what passes a fabric takes some clocks less than there",
                    testbed->boards->link_ratio);
    return 0;
}

static int load_mesh(struct run *run, struct sim_case *of)
{
    const struct sim_options *options = &of->options;
    const struct mesh_settings settings = {options->set.count, options->set.items};
    const char *copy = run->folder.path ? run->folder.mesh : NULL;
    if (options->testbed)
        return load_testbed(run, of);
    if (options->common.operand_count == 0) {
        snprintf(run->error, ERROR_SIZE, "expected %s (see postroad sim --help)", verb_sim.operands);
        return -1;
    }
    if (mesh_config_load_set(copy ? copy : options->common.operands[0], &settings, &of->mesh, NULL, run->error,
                             ERROR_SIZE) != 0)
        return -1;
    if (copy)
        snprintf(of->mesh.path, sizeof of->mesh.path, "%s", options->common.operands[0]);
    return 0;
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
static void keep_options(struct sim_case *of)
{
    struct experiment_options *experiment = &of->options.experiment;
    if (!*of->options.checkpoint)
        return;
    experiment->engine = run_memory_text(experiment->engine);
    experiment->model = run_memory_text(experiment->model);
    if (experiment_is_native(&of->mesh, experiment))
        experiment->nodes = NULL; /* means the same; others are refused */
}

static int configure_case(struct run *run, struct sim_case *of)
{
    if (load_mesh(run, of) != 0 || begin_checkpoints(run) != 0 ||
        sim_options_apply(&of->options, &of->mesh, run->error, ERROR_SIZE) != 0)
        return -1;
    if (sim_options_check(&of->options, &of->mesh, run->error, ERROR_SIZE) != 0)
        return -1;
    keep_options(of);
    return 0;
}

static int configure(struct run *run)
{
    for (int i = 0; i < run->plan.case_count; i++)
        if (configure_case(run, &run->plan.cases[i]) != 0)
            return -1;
    return 0;
}

/* The options of output stay this command's. */
static int restore(struct run *run)
{
    struct sim_case *of = run->plan.cases;
    struct sim_options *options = &of->options;
    double seconds_spent;
    if (sim_options_check_resume(&verb_sim, options, run->error, ERROR_SIZE) != 0 ||
        sim_checkpoint_restore(options->resume, &seconds_spent, run->error, ERROR_SIZE) != 0 ||
        begin_checkpoints(run) != 0)
        return -1;
    experiment_restored(&of->mesh, &options->experiment);
    options->experiment.restored = true;
    options->experiment.seconds_spent = seconds_spent;
    options->loads[0] = options->experiment.traffic.load;
    return 0;
}

static int list_runs(struct run *run)
{
    int status = sim_plan_runs(&run->plan);
    run->summary = sim_plan_summary(&run->plan);
    run->found = calloc((size_t)run->plan.case_count, sizeof *run->found);
    if (status == 0 && run->found)
        return 0;
    snprintf(run->error, ERROR_SIZE, "out of memory");
    return -1;
}

static int make_cases(struct run *run)
{
    struct sim_options *options = &run->options;
    options->csv_to_stdout = options->csv && strcmp(options->csv, "-") == 0;
    if (options->csv_to_stdout)
        options->csv = NULL;
    return sim_plan_cases(&run->plan, &verb_sim, options, run->error, ERROR_SIZE);
}

/* A folder that is there has the options of the run. */
static int open_folder(struct run *run)
{
    struct sim_options *options = &run->options;
    const char *path = options->verify ? options->verify : options->resume;
    if (!!options->out + !!options->resume + !!options->verify > 1 || (options->verify && options->common.json)) {
        snprintf(run->error, ERROR_SIZE, "expected one of --out, --resume and --check; --check has no --json");
        return -1;
    }
    if (!path || (!options->verify && !sim_folder_there(path))) {
        snprintf(run->error, ERROR_SIZE, "--part without a run folder, expected --out or --resume");
        return options->part.of > 1 && !options->out ? -1 : 0;
    }
    if (options->csv && strcmp(options->csv, "-") != 0) {
        snprintf(run->error, ERROR_SIZE, "--csv %s with the run folder %s, which has a table", options->csv, path);
        return -1;
    }
    run->repeats = options->verify ? 0 : options->repeat;
    if (sim_folder_open(&run->folder, path, &verb_sim, options, run->error, ERROR_SIZE) != 0)
        return -1;
    return options->verify ? 0 : sim_folder_check_program(&run->folder, run->error, ERROR_SIZE);
}

/* Once nothing can be refused any more. */
static int begin_folder(struct run *run)
{
    const struct sim_options *options = &run->options;
    for (int i = 0; i < run->plan.case_count; i++)
        run->plan.cases[i].folder = &run->folder;
    if (options->out)
        return sim_folder_make(&run->folder, options->out, options, run->error, ERROR_SIZE);
    return run->repeats ? sim_folder_extend(&run->folder, run->repeats, run->error, ERROR_SIZE) : 0;
}

/* All checks that may refuse the run precede the first clock. */
static int prepare(struct run *run)
{
    if (open_folder(run) != 0 || make_cases(run) != 0 || (run->options.resume ? restore(run) : configure(run)) != 0 ||
        list_runs(run) != 0)
        return -1;
    return run->folder.path || run->options.out ? begin_folder(run) : open_outputs(run);
}

static void close_outputs(struct run *run)
{
    struct output_file *const files[] = {&run->csv, &run->json, &run->runs, &run->replay};
    output_file_abandon(&run->waves); /* of a run that was not made */
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (run->collects && *run->interrupted)
            output_file_abandon(files[i]); /* the table before stays */
        else if (files[i]->file)
            note_write(run, output_file_close(files[i], run->error, ERROR_SIZE));
    }
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
    options->over_time = options->over_time ? "/dev/null" : NULL;
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
    bool alone = ranks_count() == 1, checkpoints = *run->options.checkpoint;
    run->interrupted = checkpoints ? sim_checkpoint_signals() : alone ? signals_note() : &never;
    for (int i = 0; i < run->plan.case_count; i++) {
        struct experiment_options *options = &run->plan.cases[i].options.experiment;
        options->stop = alone ? run->interrupted : &never;
        options->between = checkpoints ? sim_checkpoint_between : NULL;
    }
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

/* What is shown and written of the whole plan. */
static void collect(struct run *run)
{
    struct sim_options *options = &run->options;
    const struct sim_folder *folder = &run->folder;
    char csv[SIM_PATH], json[SIM_PATH], runs[SIM_PATH], replay[SIM_PATH], plot[SIM_PATH];
    sim_plan_list(&run->plan);
    run->collects = true;
    options->csv = sim_folder_file(folder, "table.csv", csv);
    if (sim_plot_check(run->error, ERROR_SIZE) == 0)
        options->plot = sim_folder_file(folder, "plot", plot);
    else
        report_note(&options->common, "%s: no pictures", run->error);
    note_write(run, open_outputs(run));
    note_write(run, output_file_open(&run->json, sim_folder_file(folder, "table.json", json), run->error, ERROR_SIZE));
    note_write(run, output_file_open(&run->runs, sim_folder_file(folder, "runs.csv", runs), run->error, ERROR_SIZE));
    note_write(run,
               output_file_open(&run->replay, sim_folder_file(folder, "replay.json", replay), run->error, ERROR_SIZE));
    if (run->plan.searches)
        search_saturation(run);
    else
        run_points(run);
    close_outputs(run);
}

static void run_folder(struct run *run)
{
    struct sim_missing found = make_missing(run);
    const char *path = run->folder.path;
    char name[SIM_POINT_NAME];
    if (found.state) {
        report_error("sim", "%s/points/%s is %s: remove it, or see postroad sim --check %s", path,
                     sim_point_name(&found.odd, name), sim_point_states[found.state], path);
        note_exit(run, EXIT_USAGE);
    } else if (found.missing == 0 && !*run->interrupted) {
        collect(run);
    } else {
        report_note(&run->options.common,
                    "runs are missing in %s; what makes them, and then the table: postroad sim --resume %s", path,
                    path);
    }
    if (*run->interrupted)
        note_exit(run, EXIT_INTERRUPTED);
    else if (found.missing > 0 && run->options.part.of == 1)
        note_exit(run, EXIT_PARTIAL); /* another process is making them */
}

static int run_sim(struct run *run)
{
    if (!all_prepared(run)) {
        report_error("sim", "%s", run->error);
        output_file_abandon(&run->waves);
        output_file_abandon(&run->over_time);
        return EXIT_USAGE;
    }
    note_signals(run);
    if (run->options.verify)
        return sim_missing_print(&run->plan, &run->folder);
    if (run->folder.path) {
        run_folder(run);
        return run->exit_code;
    }
    if (run->plan.searches)
        search_saturation(run);
    else
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
    struct run *run = or_abort(calloc(1, sizeof *run)); /* large */
    verilated_site_on_note(tell_note, options);
    run->options = *(const struct sim_options *)(const void *)options;
    int code = run_rank(run);
    sim_plan_free(&run->plan);
    sim_folder_close(&run->folder);
    testbed_free(&run->testbed);
    free(run->samples);
    free(run->found);
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
