/* Pictures, drawn by gnuplot from a script that contains the data, once for each form. gnuplot's standard output
 * becomes the picture, in its place when gnuplot has succeeded and the file is complete.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* pipe2 */

#include "postroad/sim_plot.h"

#include "mesh/topology_view.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "postroad/sim_replay.h"
#include "postroad/sim_report.h"
#include "support/or_abort.h"
#include "support/output_file.h"
#include "support/shown_text.h"

enum { PATH_SIZE = 1024, TAIL = 16, TEXT_SIZE = 200, HISTOGRAM_BARS = 60, CUBE_LABELS = 32, LABELLED_SITES = 10 };

struct plot {
    FILE *gnuplot; /* the script, but for its first lines */
    char *script;
    size_t length;
    struct plot_files files;
    const char *ending; /* of the SVG */
    int width, height;  /* pixels of the SVG */
};

/* The forms of a picture. `size`: of a pixel. */
static const struct plot_form {
    const char *ending, *terminal, *unit, *font, *last;
    double size;
} plot_svg = {".svg", "svg", "", "sans,12", "</svg>", 1},
  plot_pdf = {".pdf", "pdfcairo", "in", "sans,13", "%%EOF", 0.01};

const char *const sim_plot_curves_endings[] = {"-compare.svg", NULL};

int sim_plot_check(char *error, size_t error_size)
{
    if (system("gnuplot --version >/dev/null 2>&1") == 0)
        return 0;
    snprintf(error, error_size, "--plot needs gnuplot, which cannot be run");
    return -1;
}

/* gnuplot's single quotes: a quote is doubled. A line break would end the text, and what is behind it would be a
 * command. */
static void put_quoted(FILE *out, const char *text)
{
    struct shown_text state = {0};
    fputc('\'', out);
    for (; *text; text++) {
        char shown = shown_text_byte(&state, *text);
        if (shown == '\'')
            fputc('\'', out);
        fputc(shown == '\n' ? '?' : shown, out);
    }
    fputc('\'', out);
}

static void describe_traffic(const struct traffic_options *traffic, bool load_range, char *text, size_t size)
{
    char load[32] = "", multicast[64] = "no multicast", least[16] = "";
    if (traffic->broadcast_every) {
        snprintf(text, size, "site %u sends to all others every %" PRIu64 " clocks", traffic->broadcast_site,
                 traffic->broadcast_every);
        return;
    }
    if (traffic->trace) {
        snprintf(text, size, "packets of %s", traffic->trace->path);
        return;
    }
    if (!load_range)
        snprintf(load, sizeof load, ", load %.4g", traffic->load);
    if (traffic->class_count) {
        snprintf(text, size, "%u classes of packets%s", traffic->class_count, load);
        return;
    }
    if (traffic->targets_least)
        snprintf(least, sizeof least, "%u-", traffic->targets_least);
    if (traffic->multicast > 0)
        snprintf(multicast, sizeof multicast, "%.4g %% multicast to %s%u targets", 100 * traffic->multicast, least,
                 traffic->targets);
    snprintf(text, size, "%s traffic%s, %s", traffic_pattern_name(traffic->pattern), load, multicast);
}

static void put_line(FILE *out, const char *text)
{
    fprintf(out, ".\"\\n\".");
    put_quoted(out, text);
}

static void describe_run(const struct sim_point *point, bool load_range, char *text, size_t size)
{
    const struct traffic_options *traffic = &point->options->traffic;
    bool intervals = load_range && point->summary->repeated;
    snprintf(text, size,
             "%s service, %s nodes, %s arrivals, %u data words, %" PRIu64 " packets%s, seed%s %" PRIu64 "%s",
             point->mesh->reliable ? "reliable" : "raw", point->nodes, traffic_process_name(traffic->process),
             traffic->length, point->options->packets, load_range && !intervals ? " a point" : "",
             intervals ? "s from" : "", traffic->seed, intervals ? ", intervals of 95 %" : "");
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void describe_mesh(const struct sim_point *point, bool load_range, char *text, size_t size)
{
    const struct mesh_config *mesh = point->mesh;
    char traffic[TEXT_SIZE];
    describe_traffic(&point->options->traffic, load_range, traffic, sizeof traffic);
    snprintf(text, size, "%s (%s of %d sites): %s", file_name(mesh->path), mesh_topology_name(mesh->topology),
             mesh->sites, traffic);
}

/* Three lines: mesh and traffic; the run; and `more`, if it is not NULL. A range of loads has no load of its own. */
static void put_title(FILE *out, const struct sim_point *point, bool load_range, const char *more)
{
    char text[2 * TEXT_SIZE];
    fprintf(out, "set title ");
    describe_mesh(point, load_range, text, sizeof text);
    put_quoted(out, text);
    describe_run(point, load_range, text, sizeof text);
    put_line(out, text);
    if (more)
        put_line(out, more);
    fprintf(out, " noenhanced\n");
}

static int name_file(const struct plot *plot, const char *ending, char path[PATH_SIZE], char *error, size_t error_size)
{
    int stem = (int)(strlen(plot->ending) - strlen(plot_svg.ending));
    int length = snprintf(path, PATH_SIZE, "%s%.*s%s", plot->files.prefix, stem, plot->ending, ending);
    if (length >= 0 && length < PATH_SIZE)
        return 0;
    snprintf(error, error_size, "%s: name too long", plot->files.prefix);
    return -1;
}

/* Starts gnuplot, which reads its script from a pipe and draws into a file. -1 with errno. */
static int start_gnuplot(const struct output_file *output, pid_t *process, FILE **script)
{
    extern char **environ;
    char *arguments[] = {"gnuplot", NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(output->file), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failure = posix_spawnp(process, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    *script = failure ? NULL : fdopen(ends[1], "w");
    if (*script)
        return 0;
    close(ends[1]);
    errno = failure ? failure : errno;
    return -1;
}

static void put_terminal(FILE *out, const struct plot *plot, const struct plot_form *form)
{
    fprintf(out, "set terminal %s size %g%s,%g%s enhanced background rgb 'white' font '%s'\n", form->terminal,
            plot->width * form->size, form->unit, plot->height * form->size, form->unit, form->font);
}

/* A truncated file has no end. A device or a pipe cannot be looked at. */
static bool complete(const struct output_file *output, const struct plot_form *form)
{
    char tail[TAIL + 1] = "";
    FILE *file = output->temporary ? fopen(output->temporary, "re") : NULL;
    if (!file)
        return !output->temporary;
    if (fseek(file, -TAIL, SEEK_END) == 0)
        tail[fread(tail, 1, TAIL, file)] = 0;
    fclose(file);
    return strstr(tail, form->last) != NULL;
}

static int draw_form(const struct plot *plot, const struct plot_form *form, char *error, size_t error_size)
{
    struct output_file output;
    char path[PATH_SIZE];
    pid_t process;
    FILE *script;
    int status = -1;
    if (name_file(plot, form->ending, path, error, error_size) != 0 ||
        output_file_open(&output, path, error, error_size) != 0)
        return -1;
    if (start_gnuplot(&output, &process, &script) != 0) {
        snprintf(error, error_size, "gnuplot: %s", strerror(errno));
        output_file_abandon(&output);
        return -1;
    }
    put_terminal(script, plot, form);
    fwrite(plot->script, 1, plot->length, script);
    fclose(script);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    if (status == 0 && complete(&output, form))
        return output_file_close(&output, error, error_size);
    snprintf(error, error_size, "%s: gnuplot could not write it", path);
    output_file_abandon(&output);
    return -1;
}

/* For `gnuplot FILE.gp` in its folder, which draws the PDF. */
static int write_script(const struct plot *plot, char *error, size_t error_size)
{
    struct output_file output;
    char path[PATH_SIZE], pdf[PATH_SIZE];
    if (name_file(plot, ".gp", path, error, error_size) != 0 ||
        name_file(plot, plot_pdf.ending, pdf, error, error_size) != 0 ||
        output_file_open(&output, path, error, error_size) != 0)
        return -1;
    put_terminal(output.file, plot, &plot_pdf);
    fprintf(output.file, "set output ");
    put_quoted(output.file, file_name(pdf));
    fputc('\n', output.file);
    fwrite(plot->script, 1, plot->length, output.file);
    return output_file_close(&output, error, error_size);
}

/* The caller writes the script, and ends with plot_close. */
static void plot_open(struct plot *plot, struct plot_files files, const char *ending, int width, int height)
{
    *plot = (struct plot){.files = files, .ending = ending, .width = width, .height = height};
    plot->gnuplot = or_abort(open_memstream(&plot->script, &plot->length));
    fprintf(plot->gnuplot, "set border 11\nset tics nomirror\nset key below vertical maxrows 3 height 1\n");
}

static int plot_close(struct plot *plot, char *error, size_t error_size)
{
    if (fclose(plot->gnuplot) != 0)
        abort();
    int status = draw_form(plot, &plot_svg, error, error_size);
    if (status == 0 && plot->files.all)
        status = write_script(plot, error, error_size);
    if (status == 0 && plot->files.all)
        status = draw_form(plot, &plot_pdf, error, error_size);
    free(plot->script);
    return status;
}

/* From the first load on at which a run diverges, the latencies depend on how long it was. */
static void mark_divergence(FILE *out, const struct plot_sample *samples, int count)
{
    for (int i = 0; i < count; i++) {
        if (!samples[i].measured || !samples[i].diverges)
            continue;
        fprintf(out,
                "set object rectangle from first %g, graph 0 to graph 1, graph 1 behind fillstyle solid noborder "
                "fillcolor rgb '#eeeeee'\nset arrow from first %g, graph 0 to first %g, graph 1 nohead dashtype 3\n"
                "set label \"saturated or\\nnot steady\" at first %g, graph 0.08 offset 0.5\n",
                samples[i].load, samples[i].load, samples[i].load, samples[i].load);
        return;
    }
}

/* Of the load: those that lie within the picture. */
static void mark_bounds(FILE *out, const struct load_bounds *bounds, double greatest_load)
{
    for (int i = 0; i < LOAD_BOUNDS; i++) {
        double bound = bounds->load[i];
        if (bound > 0 && bound <= greatest_load)
            fprintf(
                out,
                "set arrow from first %g, graph 0 to first %g, graph 1 nohead dashtype 2 lc rgb '#cc79a7'\n"
                "set label '%s bound %.4g' at first %g, graph 0.98 right rotate by 90 offset -1.2,0 tc rgb '#cc79a7'\n",
                bound, bound, sim_bound_names[i], bound, bound);
    }
}

static int count_measured(const struct plot_sample *samples, int count)
{
    int measured = 0;
    for (int i = 0; i < count; i++)
        measured += samples[i].measured;
    return measured;
}

/* Mean and interval; an axis of logarithms has no place for 0. */
static void put_figure(FILE *out, const struct plot_figure *figure)
{
    double low = figure->mean - figure->half;
    fprintf(out, " %g %g %g", figure->mean, low > 0 ? low : fmin(figure->mean, 1), figure->mean + figure->half);
}

enum { COLUMN_MEDIAN = 4, COLUMN_MEAN = 7, COLUMN_P99 = 10 };

static void put_samples(FILE *out, int block, const struct plot_sample *samples, int count)
{
    fprintf(out, "$samples%d << end\n", block);
    for (int i = 0; i < count; i++) {
        const struct plot_sample *sample = &samples[i];
        if (!sample->measured)
            continue;
        fprintf(out, "%g %g %d", sample->load, sample->accepted, sample->diverges);
        put_figure(out, &sample->median);
        put_figure(out, &sample->mean);
        put_figure(out, &sample->p99);
        fputc('\n', out);
    }
    fprintf(out, "end\n");
}

struct look {
    const char *colour;
    int filled, hollow; /* gnuplot's types of points */
};

/* Points of runs that diverge are hollow, and no line joins them. */
static void plot_curve(FILE *out, int block, int column, struct look look, int dash, const char *title, bool intervals)
{
    fprintf(out, "$samples%d using 1:($3 == 1 ? NaN : $%d) with linespoints lw 2 dt %d pt %d ps 0.6 lc rgb '%s' title ",
            block, column, dash, look.filled, look.colour);
    put_quoted(out, title);
    fprintf(out, ", $samples%d using 1:($3 == 1 ? $%d : NaN) with points pt %d ps 0.6 lc rgb '%s' notitle, ", block,
            column, look.hollow, look.colour);
    if (intervals)
        fprintf(
            out,
            "$samples%d using 1:%d:(0):($%d - $%d) with vectors heads size graph 0.006,90 lw 1.5 lc rgb '%s' notitle, ",
            block, column + 1, column + 2, column + 1, look.colour);
}

static void begin_latencies(FILE *out, bool intervals)
{
    if (intervals)
        fprintf(out, "set offsets graph 0.02, graph 0.02, 0, 0\n");
    fprintf(out,
            "set xlabel \"offered load (words per site and clock)\\n"
            "saturated or not steady: the latencies depend on the length of the run\"\nset logscale y\nset grid\n");
}

static void end_latencies(FILE *out)
{
    fprintf(out, "$samples0 using 1:(NaN) with points pt 6 ps 0.6 lc rgb 'black' title 'saturated or not steady'\n");
}

/* The samples of one mesh and its traffic: three figures, and what was accepted. */
static void plot_one(FILE *out, const struct plot_curve *curve)
{
    const struct plot_sample *last = &curve->samples[curve->count - 1];
    while (!last->measured)
        last--;
    double idle = last->bounds.zero_load_latency;
    mark_bounds(out, &last->bounds, last->load);
    fprintf(out, "$idle << end\n%g %g\n%g %g\nend\n", curve->samples->load, idle, last->load, idle);
    mark_divergence(out, curve->samples, curve->count);
    put_samples(out, 0, curve->samples, curve->count);
    begin_latencies(out, curve->intervals);
    fprintf(out, "set ylabel 'latency (clocks)'\nset y2label 'accepted load (words per site and clock)'\nset y2tics\n"
                 "set y2range [0:*]\nplot ");
    plot_curve(out, 0, COLUMN_MEDIAN, (struct look){"#0072b2", 7, 6}, 1, "median", curve->intervals);
    plot_curve(out, 0, COLUMN_MEAN, (struct look){"#009e73", 5, 4}, 1, "mean", curve->intervals);
    plot_curve(out, 0, COLUMN_P99, (struct look){"#d55e00", 9, 8}, 1, "p99", curve->intervals);
    fprintf(out, "$samples0 using 1:2 axes x1y2 with lines dt 2 lc rgb '#666666' title 'accepted load', ");
    if (idle > 0)
        fprintf(out, "$idle using 1:2 with lines dt 4 lc rgb '#cc79a7' title 'network latency of an idle mesh', ");
    end_latencies(out);
}

/* The mean of each curve. Eight colours; from the ninth on the lines are dashed. */
static void plot_several(FILE *out, const char *figure, const struct plot_curve *curves, int count)
{
    static const struct look looks[] = {{"#0072b2", 7, 6},   {"#d55e00", 9, 8},   {"#009e73", 5, 4},
                                        {"#cc79a7", 11, 10}, {"#e69f00", 13, 12}, {"#56b4e9", 15, 14},
                                        {"#000000", 7, 6},   {"#999933", 9, 8}};
    enum { LOOKS = sizeof looks / sizeof *looks };
    for (int i = 0; i < count; i++)
        put_samples(out, i, curves[i].samples, curves[i].count);
    begin_latencies(out, curves->intervals);
    fprintf(out, "set termoption noenhanced\nset border 3\nset ylabel ");
    put_quoted(out, figure);
    fprintf(out, "\nplot ");
    for (int i = 0; i < count; i++)
        plot_curve(out, i, COLUMN_MEAN, looks[i % LOOKS], 1 + i / LOOKS, curves[i].title, curves[i].intervals);
    end_latencies(out);
}

/* Of the key, which has one more for what is hollow: in one column, if two would not fit. */
static int key_rows(const struct plot_curve *curves, int count)
{
    enum { HALF_WIDTH = 36 };
    size_t longest = 0;
    for (int i = 0; i < count; i++)
        longest = strlen(curves[i].title) > longest ? strlen(curves[i].title) : longest;
    return longest > HALF_WIDTH ? count + 1 : (count + 2) / 2;
}

struct drawing {
    const char *ending, *figure; /* figure: of several curves; NULL: one mesh */
    const char *title[2];
};

static int draw_curves(struct plot_files files, const struct drawing *drawing, const struct plot_curve *curves,
                       int count, char *error, size_t error_size)
{
    struct plot plot;
    int measured = 0;
    for (int i = 0; i < count; i++)
        measured += count_measured(curves[i].samples, curves[i].count);
    if (measured == 0)
        return 0;
    int rows = drawing->figure ? key_rows(curves, count) : 3;
    plot_open(&plot, files, drawing->ending, 760, 486 + 18 * rows);
    fprintf(plot.gnuplot, "set key maxrows %d\nset title ", rows);
    put_quoted(plot.gnuplot, drawing->title[0]);
    put_line(plot.gnuplot, drawing->title[1]);
    fprintf(plot.gnuplot, " noenhanced\n");
    if (drawing->figure)
        plot_several(plot.gnuplot, drawing->figure, curves, count);
    else
        plot_one(plot.gnuplot, curves);
    return plot_close(&plot, error, error_size);
}

int sim_plot_curves(struct plot_files files, const char *const title[2], const char *figure,
                    const struct plot_curve *curves, int count, char *error, size_t error_size)
{
    const struct drawing drawing = {sim_plot_curves_endings[0], figure, {title[0], title[1]}};
    return draw_curves(files, &drawing, curves, count, error, error_size);
}

/* What is said of all cases alike; of each other line, nothing. */
static void describe_cases(const struct sim_plan *plan, const struct sim_summary *summary, char *first, char *second,
                           size_t size)
{
    struct sim_point point = sim_case_point(plan->cases, summary);
    char other[2 * TEXT_SIZE];
    describe_mesh(&point, true, first, size);
    describe_run(&point, true, second, size);
    for (int i = 1; i < plan->case_count; i++) {
        point = sim_case_point(&plan->cases[i], summary);
        describe_mesh(&point, true, other, sizeof other);
        if (strcmp(first, other) != 0)
            snprintf(first, size, "%.*s", (int)size - 1, file_name(point.mesh->path));
        describe_run(&point, true, other, sizeof other);
        if (strcmp(second, other) != 0)
            *second = 0;
    }
}

static void name_case(const struct sim_case *of, char *out, size_t size)
{
    size_t used = 0;
    *out = 0;
    for (unsigned i = 0; i < of->swept_count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s=%s", i ? " " : "", of->swept[i].key,
                                 of->swept[i].value);
}

static int compare_samples(const void *one, const void *other)
{
    const struct plot_sample *a = one, *b = other;
    return a->number != b->number ? a->number - b->number : (a->load > b->load) - (a->load < b->load);
}

int sim_plot_latency(struct plot_files files, const struct sim_plan *plan, struct plot_sample *samples, int count,
                     char *error, size_t error_size)
{
    const struct sim_summary summary = {.repeated = !plan->searches && sim_options_repeats(&plan->cases->options) > 1};
    struct plot_curve *curves = or_abort(calloc((size_t)plan->case_count, sizeof *curves));
    char(*titles)[TEXT_SIZE] = or_abort(calloc((size_t)plan->case_count, sizeof *titles));
    char first[2 * TEXT_SIZE], second[2 * TEXT_SIZE];
    qsort(samples, (size_t)count, sizeof *samples, compare_samples);
    for (int i = 0, next = 0; i < plan->case_count; i++) {
        int begin = next;
        while (next < count && samples[next].number == i)
            next++;
        name_case(&plan->cases[i], titles[i], sizeof titles[i]);
        curves[i] = (struct plot_curve){titles[i], samples + begin, next - begin, summary.repeated};
    }
    describe_cases(plan, &summary, first, second, sizeof first);
    const struct drawing drawing = {sim_options_pictures[SIM_PICTURE_LATENCY],
                                    plan->case_count > 1 ? "mean latency (clocks)" : NULL,
                                    {first, second}};
    int result = draw_curves(files, &drawing, curves, plan->case_count, error, error_size);
    free(curves);
    free(titles);
    return result;
}

/* Edges of the bars: equally wide, or in equal ratios if the range is too wide for that. Returns how many bars. */
static int choose_bars(uint64_t lowest, uint64_t highest, uint64_t edges[HISTOGRAM_BARS + 1], bool *ratios)
{
    uint64_t width = (highest - lowest) / HISTOGRAM_BARS + 1;
    double first = (double)(lowest ? lowest : 1), ratio = pow((double)(highest + 1) / first, 1.0 / HISTOGRAM_BARS);
    int bars = 0;
    *ratios = highest > 30 * (lowest + 1);
    edges[0] = lowest;
    while (bars < HISTOGRAM_BARS && edges[bars] <= highest) {
        uint64_t next = *ratios ? (uint64_t)ceil(first * pow(ratio, bars + 1)) : edges[bars] + width;
        edges[bars + 1] = next > edges[bars] ? next : edges[bars] + 1;
        bars++;
    }
    return bars;
}

/* Writes the edges of each bar, the percentage of deliveries in it, and the percentage up to its end. */
static void put_histogram(FILE *out, const char *name, const struct statistics *statistics, const uint64_t *edges,
                          int bars)
{
    double sum = 0;
    fprintf(out, "$%s << end\n", name);
    for (int bar = 0; bar < bars; bar++) {
        double inside = 100 * (double)statistics_between(statistics, edges[bar], edges[bar + 1]) /
                        (double)statistics->count;
        sum += inside;
        fprintf(out, "%" PRIu64 " %" PRIu64 " %g %g\n", edges[bar], edges[bar + 1], inside, sum);
    }
    fprintf(out, "end\n");
}

/* A logarithmic axis with labels at 1, 2 and 5 of each decade. */
static void put_log_axis(FILE *out, uint64_t highest)
{
    const char *separator = "";
    fprintf(out, "set logscale x\nset xtics (");
    for (uint64_t decade = 1; decade <= highest; decade *= 10)
        for (uint64_t digit = 1; digit <= 5; digit = digit == 1 ? 2 : digit + 3) {
            fprintf(out, "%s%" PRIu64, separator, digit * decade);
            separator = ", ";
        }
    fprintf(out, ")\n");
}

static void plot_bars(FILE *out)
{
    static const struct {
        const char *data, *what, *colour;
    } kinds[] = {{"latency", "from generation", "#d55e00"}, {"network", "in the network", "#0072b2"}};
    fprintf(out, "set style fill transparent solid 0.5 noborder\nplot ");
    for (int i = 0; i < 2; i++)
        fprintf(out,
                "$%s using 1:3:1:2:(0):3 with boxxyerror lc rgb '%s' title '%s', "
                "'' using 2:4 axes x1y2 with lines lw 2 lc rgb '%s' title 'cumulative (right)'%s",
                kinds[i].data, kinds[i].colour, kinds[i].what, kinds[i].colour, i == 0 ? ", " : "\n");
}

int sim_plot_histogram(struct plot_files files, const struct sim_point *point, char *error, size_t error_size)
{
    const struct statistics *latency = &point->result->latency, *network = &point->result->network_latency;
    struct plot plot;
    uint64_t edges[HISTOGRAM_BARS + 1];
    bool ratios;
    if (latency->count == 0 || network->count == 0)
        return 0;
    plot_open(&plot, files, sim_options_pictures[SIM_PICTURE_HISTOGRAM], 760, 460);
    put_title(plot.gnuplot, point, false, NULL);
    uint64_t lowest = network->min < latency->min ? network->min : latency->min;
    int bars = choose_bars(lowest, statistics_quantile(latency, 0.995), edges, &ratios);
    put_histogram(plot.gnuplot, "latency", latency, edges, bars);
    put_histogram(plot.gnuplot, "network", network, edges, bars);
    fprintf(plot.gnuplot,
            "set xlabel 'latency (clocks; the slowest 0.5 %% are not shown)'\n"
            "set ylabel 'deliveries in a bar (%%)'\nset y2label 'cumulative deliveries (%%)'\n"
            "set yrange [0:*]\nset y2range [0:100]\nset y2tics\nset xrange [%g:%" PRIu64 "]\nset grid y\n",
            ratios && lowest == 0 ? 0.5 : (double)lowest, edges[bars]);
    if (ratios)
        put_log_axis(plot.gnuplot, edges[bars]);
    plot_bars(plot.gnuplot);
    return plot_close(&plot, error, error_size);
}

int sim_plot_time(struct plot_files files, const struct sim_point *point, char *error, size_t error_size)
{
    struct plot plot;
    if (point->result->latency.count == 0)
        return 0;
    plot_open(&plot, files, sim_options_pictures[SIM_PICTURE_TIME], 760, 460);
    put_title(plot.gnuplot, point, false, NULL);
    fprintf(plot.gnuplot, "$slices << end\n");
    sim_report_over_time(plot.gnuplot, point);
    fprintf(plot.gnuplot,
            "end\nset datafile separator ','\nset logscale y\nset grid\nset y2tics\nset y2range [0:*]\n"
            "set xlabel 'clock of the delivery; behind the dotted line the warm-up is over'\n"
            "set ylabel 'latency (clocks)'\nset y2label 'accepted load (words per site and clock)'\n"
            "set arrow from first %" PRIu64 ", graph 0 to first %" PRIu64 ", graph 1 nohead dashtype 3\nplot "
            "$slices every ::1 using ($1+$2/2):6 with lines lw 2 lc rgb '#0072b2' title 'median', "
            "'' every ::1 using ($1+$2/2):7 with lines lw 2 lc rgb '#d55e00' title 'p99', "
            "'' every ::1 using ($1+$2/2):4 axes x1y2 with lines dt 2 lc rgb '#666666' title 'accepted load'\n",
            point->result->warmup_clocks, point->result->warmup_clocks);
    return plot_close(&plot, error, error_size);
}

/* Words a clock over one link. */
static double use_of(const struct sim_point *point, int site, int link)
{
    const struct experiment_result *result = point->result;
    double clocks = result->clocks ? (double)result->clocks : 1;
    return result->link_use[site * point->mesh->links + link] / clocks;
}

/* The link with the most words, and its use. */
static void name_busiest(const struct sim_point *point, char *text, size_t size)
{
    int busiest = sim_busiest_link(point);
    int site = busiest / point->mesh->links, link = busiest % point->mesh->links;
    snprintf(text, size, "busiest link: site %d %s, %.3g words per clock", site, mesh_link_name(point->mesh, link),
             use_of(point, site, link));
}

static void put_links(FILE *out, const struct sim_point *point)
{
    const struct mesh_config *mesh = point->mesh;
    struct link_arrow arrow;
    for (int i = 0; i < mesh->sites * mesh->links; i++)
        if (sim_replay_arrow(mesh, i / mesh->links, i % mesh->links, &arrow))
            fprintf(out, "%g %g %g %g %g\n", arrow.x, arrow.y, arrow.dx, arrow.dy,
                    use_of(point, i / mesh->links, i % mesh->links));
}

/* A small mesh shows each site's number, a large mesh shows numbers at its edges only. */
static void put_site_numbers(FILE *out, const struct topology_picture *shape, int size)
{
    int step = (size + 15) / 16;
    if (size <= LABELLED_SITES) {
        fprintf(out, "unset xtics\nunset ytics\n");
        return;
    }
    fprintf(out,
            "set xlabel 'column'\nset ylabel 'first site of the row'\nset tics scale 0\nset xtics 0, %d\nset ytics (",
            step);
    for (int row = 0; row < shape->rows; row += step)
        fprintf(out, "%s'%d' %d", row ? ", " : "", row * shape->columns, row);
    fprintf(out, ")\n");
}

static void plot_placed_links(FILE *out, const struct sim_point *point)
{
    const struct mesh_config *mesh = point->mesh;
    struct topology_picture shape = topology_view(mesh)->picture(mesh);
    int size = shape.columns > shape.rows ? shape.columns : shape.rows;
    bool labelled = size <= LABELLED_SITES;
    put_site_numbers(out, &shape, size);
    fprintf(out, "$links << end\n");
    put_links(out, point);
    fprintf(out, "end\n$sites << end\n");
    for (int site = 0; site < mesh->sites; site++) {
        struct topology_place at = topology_view(mesh)->place(mesh, site);
        fprintf(out, "%d %d %d\n", at.column, at.row, site);
    }
    fprintf(out,
            "end\nset size ratio -1\nset xrange [-0.6:%g]\nset yrange [-0.6:%g]\nunset border\n"
            "plot $links using 1:2:3:4:5 with vectors head filled size 0.1,15 lw %d lc palette, "
            "$sites using 1:2 with points pt 7 ps %g lc rgb '#d0d0d0'%s\n",
            shape.columns - 0.4, shape.rows - 0.4,
            labelled    ? 3
            : size > 16 ? 1
                        : 2,
            labelled ? 3 : 18.0 / size, labelled ? ", $sites using 1:2:3 with labels font ',9'" : "");
}

/* A field of sites by links. */
static void plot_field_of_links(FILE *out, const struct sim_point *point)
{
    const struct mesh_config *mesh = point->mesh;
    fprintf(out, "$links << end\n");
    for (int site = 0; site < mesh->sites; site++)
        for (int link = 0; link < mesh->links; link++)
            fprintf(out, "%d %d %g\n", site, link, use_of(point, site, link));
    fprintf(out,
            "end\nset xlabel 'site'\nset ylabel 'link (%s)'\nset xrange [-0.5:%g]\nset yrange [-0.5:%g]\n"
            "set border 3\nset xtics %d out\nset ytics 1 out\nplot $links using 1:2:3 with image pixels\n",
            topology_view(mesh)->link_axis, mesh->sites - 0.5, mesh->links - 0.5,
            mesh->sites > CUBE_LABELS ? mesh->sites / CUBE_LABELS : 1);
}

int sim_plot_links(struct plot_files files, const struct sim_point *point, char *error, size_t error_size)
{
    bool field = topology_view(point->mesh)->link_axis != NULL;
    struct plot plot;
    char busiest[TEXT_SIZE];
    name_busiest(point, busiest, sizeof busiest);
    plot_open(&plot, files, sim_options_pictures[SIM_PICTURE_LINKS], 760, field ? 340 : 700);
    put_title(plot.gnuplot, point, false, busiest);
    fprintf(plot.gnuplot,
            "set key off\nset cblabel 'words per clock over a link'\nset cbrange [0:%s]\n"
            "set palette defined (0 '#d0d0d0', 1 '#fdae61', 2 '#d73027', 3 '#67001f')\n",
            point->result->link_words ? "*" : "1");
    if (field)
        plot_field_of_links(plot.gnuplot, point);
    else
        plot_placed_links(plot.gnuplot, point);
    return plot_close(&plot, error, error_size);
}
