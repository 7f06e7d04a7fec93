/* The report as text and JSON. See latency_report.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/latency_report.h"

#include "cli/report.h"
#include "cli/table.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

static const double nanosecond = 1e-9;

void latency_lists(const struct analysis *analysis, struct latency_list lists[LATENCY_LISTS])
{
    lists[0] = (struct latency_list){"per hop, from start bit to start bit", "hops", analysis->hops,
                                     analysis->hop_count};
    lists[1] = (struct latency_list){"end to end, from the first line to the last", "ends", analysis->ways,
                                     analysis->way_count};
    lists[2] = (struct latency_list){"to and from probe pins", "strobes", analysis->strobes, analysis->strobe_count};
}

void latency_row_name(const struct wires *wires, const struct latency_row *row, char text[LATENCY_TEXT])
{
    snprintf(text, LATENCY_TEXT, "%s -> %s", wires->wires[row->pair->from].name, wires->wires[row->pair->to].name);
}

/* The unit in which a time has one to three digits before its point. */
static double unit_of(double seconds, const char **name)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (fabs(seconds) >= units[i].unit) {
            *name = units[i].name;
            return units[i].unit;
        }
    *name = "ns";
    return nanosecond;
}

/* As many digits behind the point as the interval makes sense of: two of the narrower side. */
static int digits_of(double width, double unit)
{
    double digits = isfinite(width) && width > 0 ? ceil(-log10(width / unit)) + 1 : 2;
    return (int)fmin(fmax(digits, 0), 6);
}

const char *latency_figure_text(const struct figure *figure, char text[LATENCY_TEXT])
{
    const char *name;
    char up[LATENCY_TEXT / 4] = "open", down[LATENCY_TEXT / 4] = "open";
    double unit = unit_of(figure->value, &name);
    int digits = digits_of(fmin(figure->high - figure->value, figure->value - figure->low), unit);
    if (isfinite(figure->high))
        snprintf(up, sizeof up, "%.*f", digits, (figure->high - figure->value) / unit);
    if (isfinite(figure->low))
        snprintf(down, sizeof down, "%.*f", digits, (figure->value - figure->low) / unit);
    snprintf(text, LATENCY_TEXT, "%.*f %s +%s -%s", digits, figure->value / unit, name, up, down);
    return text;
}

const char *latency_compared_text(const struct compared *compared, char text[LATENCY_TEXT])
{
    const char *name;
    double unit = unit_of(compared->difference, &name);
    if (compared->there)
        snprintf(text, LATENCY_TEXT, "%+.2f %s, %s", compared->difference / unit, name,
                 compared->inside ? "inside" : "outside");
    else
        text[0] = '\0';
    return text;
}

/* ---- Text. */

enum { FROM, TO, HOPS, COUNT, FIGURE, LATENCY, SIMULATED };

static void add_figure_cells(struct table *table, const char *name, const struct figure *figure, const char *mark,
                             const struct compared *compared)
{
    char text[LATENCY_TEXT];
    table_cell(table, FIGURE, "%s", name);
    table_cell(table, LATENCY, "%s%s", latency_figure_text(figure, text), mark);
    if (compared)
        table_cell(table, SIMULATED, "%s", latency_compared_text(compared, text));
}

static enum style style_of(const struct compared *compared)
{
    return compared->there && !compared->inside ? STYLE_DOUBTFUL : STYLE_PLAIN;
}

/* A line for each figure: with their intervals, five of them side by side are too wide. */
static void add_figure_lines(struct table *table, const struct latency_report *report, const struct latency_list *list,
                             const struct latency_row *row)
{
    const struct wires *wires = report->analysis->wires;
    const struct figures *figures = &row->figures;
    struct compared_row compared = compare_row(report->other, list->key, wires, row);
    table_row(table, STYLE_PLAIN);
    table_cell(table, FROM, "%s", wires->wires[row->pair->from].name);
    table_cell(table, TO, "%s", wires->wires[row->pair->to].name);
    table_cell(table, HOPS, "%u", row->pair->hops);
    table_cell(table, COUNT, "%zu", figures->count);
    add_figure_cells(table, "min", &figures->min, "", NULL);
    table_row(table, style_of(&compared.median));
    add_figure_cells(table, "median", &figures->median, row->resolution_limited ? " *" : "", &compared.median);
    table_row(table, STYLE_PLAIN);
    add_figure_cells(table, "p99", &figures->p99, "", NULL);
    table_row(table, STYLE_PLAIN);
    add_figure_cells(table, "max", &figures->max, "", NULL);
    table_row(table, style_of(&compared.mean));
    add_figure_cells(table, "mean", &figures->mean, "", &compared.mean);
}

static void print_list(const struct latency_report *report, const struct latency_list *list, int width)
{
    enum { FIGURES = 5 };
    static const struct table_column columns[] = {
        {.title = "from", .left = true},
        {.title = "to", .left = true},
        {.title = "hops", .rank = 2, .if_not_zero = true},
        {.title = "packets"},
        {.title = "figure", .left = true},
        {.title = "latency, interval", .left = true},
        {.title = "less simulated", .left = true, .rank = 1, .if_not_zero = true},
    };
    struct table table;
    if (list->count == 0)
        return;
    printf("\n%s\n", list->title);
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < list->count; i++)
        add_figure_lines(&table, report, list, &list->rows[i]);
    table_print(&table, stdout, FIGURES * list->count, width);
    table_end(&table);
}

static void print_clocks(const struct analysis *analysis)
{
    printf("\nclocks, against the analyser's\n");
    for (size_t i = 0; i < analysis->clock_count; i++) {
        const struct clock_row *clock = &analysis->clocks[i];
        printf("  %-12s %+8.2f ppm, within %.2f%s", analysis->wires->testbed->boards[clock->board].name,
               clock->offset.value, clock->offset.error, clock->locked ? ", may be locked to it" : "");
        if (clock->jitter > 0)
            printf("; edges are moved by up to %.2g ns", clock->jitter / nanosecond);
        printf("\n");
    }
    for (size_t i = 0; i < analysis->unmeasured_count; i++)
        printf("  %-12s not measured: too few frames behind each other, or eager links\n",
               analysis->wires->testbed->boards[analysis->unmeasured[i]].name);
    printf("  the analyser's own lies between %+.0f and %+.0f ppm, if all are within %g ppm\n", analysis->slowest,
           analysis->fastest, analysis->tolerance);
}

static void print_fit(const struct latency_report *report)
{
    const struct latency_fit *fit = &report->analysis->fit;
    char text[LATENCY_TEXT];
    if (!fit->valid)
        return;
    struct compared compared = compare_slope(report->other, &fit->slope);
    printf("\nlatency against hops, %zu packets, %u hops at most\n", fit->count, fit->most);
    printf("  per hop                 %s\n", latency_figure_text(&fit->slope, text));
    printf("  intercept               %s\n", latency_figure_text(&fit->intercept, text));
    if (compared.there)
        printf("  per hop less simulated  %s\n", latency_compared_text(&compared, text));
}

static bool is_limited(const struct analysis *analysis)
{
    struct latency_list lists[LATENCY_LISTS];
    latency_lists(analysis, lists);
    for (int i = 0; i < LATENCY_LISTS; i++)
        for (size_t k = 0; k < lists[i].count; k++)
            if (lists[i].rows[k].resolution_limited)
                return true;
    return false;
}

void latency_print_text(const struct latency_report *report, int width)
{
    const struct analysis *analysis = report->analysis;
    struct latency_list lists[LATENCY_LISTS];
    if (analysis->wires->exact_guessed)
        printf("%s: %.3g s, edges are exact to %.3g ns; intervals of 99 %%\n", report->capture, analysis->seconds,
               analysis->resolution / nanosecond);
    else
        printf("%s: %.3g s at %g MS/s, a sample is %.3g ns; intervals of 99 %%\n", report->capture, analysis->seconds,
               1e-6 / analysis->resolution, analysis->resolution / nanosecond);
    latency_lists(analysis, lists);
    for (int i = 0; i < LATENCY_LISTS; i++)
        print_list(report, &lists[i], width);
    if (is_limited(analysis))
        printf("* resolution-limited: most of the interval is the sample period\n");
    print_fit(report);
    if (analysis->clock_count + analysis->unmeasured_count)
        print_clocks(analysis);
}

/* ---- JSON. */

static void add_time(cJSON *object, const char *name, double seconds)
{
    if (isfinite(seconds))
        cJSON_AddNumberToObject(object, name, seconds / nanosecond);
    else
        cJSON_AddNullToObject(object, name);
}

void latency_add_figure(cJSON *object, const char *name, const struct figure *figure)
{
    cJSON *entry = cJSON_AddObjectToObject(object, name);
    add_time(entry, "value_ns", figure->value);
    add_time(entry, "low_ns", figure->low);
    add_time(entry, "high_ns", figure->high);
}

static void add_compared(cJSON *object, const char *name, const struct compared *compared)
{
    if (!compared->there)
        return;
    cJSON *entry = cJSON_AddObjectToObject(object, name);
    add_time(entry, "difference_ns", compared->difference);
    cJSON_AddBoolToObject(entry, "inside", compared->inside);
}

static void add_row(const struct latency_report *report, const char *list, cJSON *array, const struct latency_row *row)
{
    const struct figures *figures = &row->figures;
    const struct wires *wires = report->analysis->wires;
    struct compared_row compared = compare_row(report->other, list, wires, row);
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToArray(array, entry);
    cJSON_AddStringToObject(entry, "from", wires->wires[row->pair->from].name);
    cJSON_AddStringToObject(entry, "to", wires->wires[row->pair->to].name);
    cJSON_AddNumberToObject(entry, "hops", row->pair->hops);
    cJSON_AddNumberToObject(entry, "count", (double)figures->count);
    latency_add_figure(entry, "min", &figures->min);
    latency_add_figure(entry, "median", &figures->median);
    latency_add_figure(entry, "p99", &figures->p99);
    latency_add_figure(entry, "max", &figures->max);
    latency_add_figure(entry, "mean", &figures->mean);
    cJSON_AddBoolToObject(entry, "resolution_limited", row->resolution_limited);
    cJSON *histogram = cJSON_AddObjectToObject(entry, "histogram");
    add_time(histogram, "from_ns", figures->bar_from);
    add_time(histogram, "width_ns", figures->bar_width);
    cJSON *bars = cJSON_AddArrayToObject(histogram, "counts");
    for (unsigned i = 0; i < figures->bar_count; i++)
        cJSON_AddItemToArray(bars, cJSON_CreateNumber((double)figures->bars[i]));
    add_compared(entry, "median_less_simulated", &compared.median);
    add_compared(entry, "mean_less_simulated", &compared.mean);
}

static void add_clocks(const struct analysis *analysis, cJSON *object)
{
    cJSON *clocks = cJSON_AddArrayToObject(object, "clocks");
    for (size_t i = 0; i < analysis->clock_count; i++) {
        const struct clock_row *clock = &analysis->clocks[i];
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddItemToArray(clocks, entry);
        cJSON_AddStringToObject(entry, "board", analysis->wires->testbed->boards[clock->board].name);
        cJSON_AddNumberToObject(entry, "ppm", clock->offset.value);
        cJSON_AddNumberToObject(entry, "ppm_error", clock->offset.error);
        cJSON_AddBoolToObject(entry, "locked", clock->locked);
        add_time(entry, "jitter_ns", clock->jitter);
    }
    for (size_t i = 0; i < analysis->unmeasured_count; i++) {
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddItemToArray(clocks, entry);
        cJSON_AddStringToObject(entry, "board", analysis->wires->testbed->boards[analysis->unmeasured[i]].name);
        cJSON_AddNullToObject(entry, "ppm");
    }
    cJSON *analyser = cJSON_AddObjectToObject(object, "analyser_ppm");
    cJSON_AddNumberToObject(analyser, "low", analysis->slowest);
    cJSON_AddNumberToObject(analyser, "high", analysis->fastest);
}

static void add_lines(const struct analysis *analysis, cJSON *object)
{
    cJSON *lines = cJSON_AddArrayToObject(object, "lines");
    for (unsigned i = 0; i < analysis->wires->count; i++) {
        const struct wire *wire = &analysis->wires->wires[i];
        if (!wire_is_line(wire))
            continue;
        const struct line_counts *counts = &wire->line->counts;
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddItemToArray(lines, entry);
        cJSON_AddStringToObject(entry, "channel", wire->channel);
        cJSON_AddStringToObject(entry, "line", wire->name);
        const char *links = line_links_name(line_counts_links(counts));
        cJSON_AddItemToObject(entry, "links", links ? cJSON_CreateString(links) : cJSON_CreateNull());
        cJSON_AddNumberToObject(entry, "frames", (double)counts->frames);
        cJSON_AddNumberToObject(entry, "damaged_frames", (double)counts->damaged);
        cJSON_AddNumberToObject(entry, "packets", (double)counts->packets);
        cJSON_AddNumberToObject(entry, "aborted_packets", (double)counts->aborted);
        cJSON_AddNumberToObject(entry, "glitches", (double)counts->glitches);
    }
}

static void add_probes(const struct analysis *analysis, cJSON *object)
{
    cJSON *probes = cJSON_AddArrayToObject(object, "probes");
    for (unsigned i = 0; i < analysis->wires->count; i++) {
        const struct wire *wire = &analysis->wires->wires[i];
        if (!wire->seen || !wire->strobe)
            continue;
        const struct strobe_counts *counts = &wire->strobe->counts;
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddItemToArray(probes, entry);
        cJSON_AddStringToObject(entry, "channel", wire->channel);
        cJSON_AddStringToObject(entry, "strobe", wire->name);
        cJSON_AddNumberToObject(entry, "events", (double)counts->events);
        cJSON_AddNumberToObject(entry, "matched", (double)counts->matched);
        cJSON_AddNumberToObject(entry, "ambiguous", (double)counts->ambiguous);
        cJSON_AddNumberToObject(entry, "strays", (double)counts->strays);
        cJSON_AddNumberToObject(entry, "missing", (double)counts->missing);
        cJSON_AddNumberToObject(entry, "unpaired", (double)counts->unpaired);
        cJSON_AddNumberToObject(entry, "disorder", (double)counts->disorder);
    }
}

void latency_print_json(const struct latency_report *report)
{
    const struct analysis *analysis = report->analysis;
    struct latency_list lists[LATENCY_LISTS];
    cJSON *object = report_object("latency");
    cJSON_AddStringToObject(object, "capture", report->capture);
    if (analysis->wires->exact_guessed)
        cJSON_AddNullToObject(object, "samples_per_second");
    else
        cJSON_AddNumberToObject(object, "samples_per_second", 1 / analysis->resolution);
    cJSON_AddNumberToObject(object, "seconds", analysis->seconds);
    add_time(object, "resolution_ns", analysis->resolution);
    latency_lists(analysis, lists);
    for (int i = 0; i < LATENCY_LISTS; i++) {
        cJSON *array = cJSON_AddArrayToObject(object, lists[i].key);
        for (size_t k = 0; k < lists[i].count; k++)
            add_row(report, lists[i].key, array, &lists[i].rows[k]);
    }
    if (analysis->fit.valid) {
        struct compared compared = compare_slope(report->other, &analysis->fit.slope);
        cJSON *fit = cJSON_AddObjectToObject(object, "fit");
        latency_add_figure(fit, "per_hop", &analysis->fit.slope);
        latency_add_figure(fit, "intercept", &analysis->fit.intercept);
        add_compared(fit, "per_hop_less_simulated", &compared);
    }
    add_clocks(analysis, object);
    add_lines(analysis, object);
    add_probes(analysis, object);
    cJSON *notes = cJSON_AddArrayToObject(object, "notes");
    for (size_t i = 0; i < analysis->notes.count; i++)
        cJSON_AddItemToArray(notes, cJSON_CreateString(analysis->notes.texts[i]));
    report_print(object, false);
}
