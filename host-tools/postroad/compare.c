/* postroad compare: results of `sim` beside each other, load by load, and whether they differ by more than chance.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/report.h"
#include "cli/table.h"
#include "postroad/compare_file.h"
#include "postroad/sim_plot.h"
#include "postroad/verbs.h"
#include "support/or_abort.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ERROR_SIZE = 512, FILES_MAX = 32 };

static const double significant = 0.05;

struct compare_options {
    struct options common;
    const char *column;
    const char *by;   /* or NULL */
    const char *plot; /* or NULL */
};

/* A row of a series, beside that of its base at the same load. */
struct pair {
    const struct compare_series *series, *base;
    const struct compare_row *row, *base_row;
    struct sample_difference difference;
};

static bool has_several(const struct compare_files *files)
{
    return files->series[files->count - 1].path != files->series[0].path;
}

/* The first series of the file that differs in one key alone. */
static const struct compare_series *base_by_key(const struct compare_files *files, const struct compare_series *series)
{
    const struct compare_series *base = files->series;
    while (base->path != series->path || strcmp(base->others, series->others) != 0)
        base++;
    return base;
}

/* The series with the same swept values in the first file; for others, and in the first file, the first of all. */
static const struct compare_series *base_of(const struct compare_files *files, const struct compare_series *series)
{
    const struct compare_series *first = &files->series[0];
    for (size_t i = 0; i < files->count && files->series[i].path == first->path; i++)
        if (series->path != first->path && strcmp(files->series[i].swept, series->swept) == 0)
            return &files->series[i];
    return first;
}

static const struct compare_row *row_at(const struct compare_series *series, double load)
{
    for (size_t i = 0; i < series->count; i++)
        if (fabs(series->rows[i].load - load) < 1e-9)
            return &series->rows[i];
    return NULL;
}

typedef void take_pair(void *context, const struct pair *pair);

/* Without a key, the series of the first of several files are what the others are compared with, and not compared
 * themselves. */
static void each_pair(const struct compare_files *files, const char *by, take_pair *take, void *context)
{
    for (size_t i = 1; i < files->count; i++) {
        const struct compare_series *series = &files->series[i];
        const struct compare_series *base = by ? base_by_key(files, series) : base_of(files, series);
        bool compared = series != base && (by || !has_several(files) || series->path != files->series[0].path);
        for (size_t k = 0; k < series->count && compared; k++) {
            struct pair pair = {series, base, &series->rows[k], row_at(base, series->rows[k].load), {0, INFINITY, 1}};
            if (!pair.base_row || !pair.row->measured || !pair.base_row->measured)
                continue;
            pair.difference = sample_compare(&pair.base_row->figure, &pair.row->figure);
            take(context, &pair);
        }
    }
}

/* The name of its file, unless there is only one, and the swept values. */
static const char *name_of(const struct compare_series *series, bool file, const char *values, char *out, size_t size)
{
    const char *slash = strrchr(series->path, '/'), *name = slash ? slash + 1 : series->path;
    file = file || !*values;
    snprintf(out, size, "%s%s%s", file ? name : "", file && *values ? " " : "", values);
    return out;
}

static const char *verdict(const struct pair *pair)
{
    if (!isfinite(pair->difference.half))
        return "unknown: one run";
    if (pair->difference.chance >= significant)
        return "not significant";
    return pair->difference.value < 0 ? "less" : "greater";
}

enum { SERIES, BASE, LOAD, BASE_VALUE, VALUE, DIFFERENCE, PERCENT, CHANCE, VERDICT, NOTE };

/* With two digits of the interval, or five of a value without one. */
static void put_estimate(struct table *table, size_t column, double value, double half)
{
    int digits = half > 0 && isfinite(half) ? (int)fmin(fmax(1 - floor(log10(half)), 0), 6) : 0;
    if (half > 0 && isfinite(half))
        table_cell(table, column, "%.*f +-%.*f", digits, value, digits, half);
    else
        table_cell(table, column, "%.5g", value);
}

struct listing {
    struct table table;
    bool several; /* files */
};

static void add_to_table(void *context, const struct pair *pair)
{
    struct listing *listing = context;
    struct table *table = &listing->table;
    char name[COMPARE_NAME];
    bool known = isfinite(pair->difference.half), diverges = pair->row->diverges || pair->base_row->diverges;
    table_row(table, diverges ? STYLE_DOUBTFUL : STYLE_PLAIN);
    table_cell(table, SERIES, "%s", name_of(pair->series, listing->several, pair->series->values, name, sizeof name));
    table_cell(table, BASE, "%s", name_of(pair->base, listing->several, pair->base->values, name, sizeof name));
    if (pair->row->load >= 0)
        table_cell(table, LOAD, "%.6g", pair->row->load);
    put_estimate(table, BASE_VALUE, pair->base_row->figure.mean, pair->base_row->figure.half);
    put_estimate(table, VALUE, pair->row->figure.mean, pair->row->figure.half);
    put_estimate(table, DIFFERENCE, pair->difference.value, pair->difference.half);
    if (pair->base_row->figure.mean != 0)
        table_cell(table, PERCENT, "%+.1f %%", 100 * pair->difference.value / pair->base_row->figure.mean);
    if (known)
        table_cell(table, CHANCE, "%.2g", pair->difference.chance);
    table_cell(table, VERDICT, "%s", verdict(pair));
    if (diverges)
        table_cell(table, NOTE, "saturated or not steady");
}

static void print_table(const struct compare_files *files, const struct compare_options *options)
{
    static const struct table_column columns[] = {
        {.title = "series", .left = true}, {.title = "base", .left = true}, {.title = "load", .left = true},
        {.title = "of the base"},          {.title = "of the series"},      {.title = "difference"},
        {.title = "", .rank = 2},          {.title = "chance", .rank = 1},  {.title = "verdict", .left = true},
        {.title = "note", .left = true},
    };
    struct listing listing = {.several = has_several(files)};
    table_begin(&listing.table, columns, sizeof columns / sizeof *columns);
    each_pair(files, options->by, add_to_table, &listing);
    printf("%s, intervals of 95 %%\n", options->column);
    table_print(&listing.table, stdout, listing.table.row_count,
                isatty(STDOUT_FILENO) ? terminal_width(STDOUT_FILENO) : 0);
    table_end(&listing.table);
}

static void add_number(cJSON *object, const char *key, double value, bool there)
{
    cJSON_AddItemToObject(object, key, there && isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

static void add_to_json(void *context, const struct pair *pair)
{
    cJSON *object = cJSON_CreateObject();
    const struct compare_row *row = pair->row, *base = pair->base_row;
    bool known = isfinite(pair->difference.half);
    cJSON_AddStringToObject(object, "file", pair->series->path);
    cJSON_AddStringToObject(object, "swept", pair->series->swept);
    cJSON_AddStringToObject(object, "base_file", pair->base->path);
    cJSON_AddStringToObject(object, "base_swept", pair->base->swept);
    add_number(object, "load", row->load, row->load >= 0);
    add_number(object, "base", base->figure.mean, true);
    add_number(object, "base_ci95", base->figure.half, true);
    add_number(object, "value", row->figure.mean, true);
    add_number(object, "value_ci95", row->figure.half, true);
    add_number(object, "difference", pair->difference.value, true);
    add_number(object, "difference_ci95", pair->difference.half, true);
    add_number(object, "chance", pair->difference.chance, known);
    cJSON_AddItemToObject(object, "significant",
                          known ? cJSON_CreateBool(pair->difference.chance < significant) : cJSON_CreateNull());
    cJSON_AddBoolToObject(object, "diverges", row->diverges || base->diverges);
    cJSON_AddItemToArray(context, object);
}

static void print_json(const struct compare_files *files, const struct compare_options *options)
{
    cJSON *object = report_object("compare");
    cJSON_AddStringToObject(object, "column", options->column);
    each_pair(files, options->by, add_to_json, cJSON_AddArrayToObject(object, "rows"));
    report_print(object, false);
}

static struct plot_sample *samples_of(const struct compare_series *series)
{
    struct plot_sample *samples = or_abort(calloc(series->count, sizeof *samples));
    for (size_t i = 0; i < series->count; i++) {
        const struct compare_row *row = &series->rows[i];
        double half = isfinite(row->figure.half) ? row->figure.half : 0;
        samples[i] = (struct plot_sample){.load = row->load,
                                          .measured = row->measured && row->load >= 0,
                                          .diverges = row->diverges,
                                          .mean = {row->figure.mean, half}};
    }
    return samples;
}

static int draw(const struct compare_files *files, const struct compare_options *options, char *error)
{
    const char *const title[] = {"results of postroad sim", "intervals of 95 %"};
    struct plot_curve *curves = or_abort(calloc(files->count, sizeof *curves));
    char(*names)[COMPARE_NAME] = or_abort(calloc(files->count, sizeof *names));
    for (size_t i = 0; i < files->count; i++)
        curves[i] = (struct plot_curve){
            name_of(&files->series[i], has_several(files), files->series[i].swept, names[i], sizeof names[i]),
            samples_of(&files->series[i]), (int)files->series[i].count, true};
    int status = sim_plot_curves((struct plot_files){options->plot, false}, title, options->column, curves,
                                 (int)files->count, error, ERROR_SIZE);
    for (size_t i = 0; i < files->count; i++)
        free((struct plot_sample *)(uintptr_t)curves[i].samples);
    free(curves);
    free(names);
    return status;
}

static bool has_curve(const struct compare_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        if (files->series[i].count > 1)
            return true;
    return false;
}

static int read_files(const struct compare_options *options, struct compare_files *files, char *error)
{
    for (int i = 0; i < options->common.operand_count; i++) {
        char *path = options->common.operands[i];
        size_t length = strlen(path);
        if (length > 1 && path[length - 1] == '/')
            path[length - 1] = 0; /* behind the name of a folder */
        if (compare_file_read(path, options->column, options->by, files, error, ERROR_SIZE) != 0)
            return -1;
    }
    if (options->plot && !has_curve(files)) {
        snprintf(error, ERROR_SIZE, "--plot: each series has one point, expected several loads");
        return -1;
    }
    if (files->count > 1)
        return options->plot ? sim_plot_check(error, ERROR_SIZE) : 0;
    snprintf(error, ERROR_SIZE, "%s: nothing to compare it with, expected another file, or one of postroad sim --sweep",
             options->common.operands[0]);
    return -1;
}

static int compare(const struct options *common)
{
    const struct compare_options *options = (const void *)common;
    struct compare_files files = {0};
    char error[ERROR_SIZE];
    int code = EXIT_OK;
    if (read_files(options, &files, error) != 0)
        code = EXIT_USAGE;
    else if (common->json)
        print_json(&files, options);
    else
        print_table(&files, options);
    if (code == EXIT_OK && options->plot && draw(&files, options, error) != 0)
        code = EXIT_TRANSPORT;
    if (code != EXIT_OK)
        report_error("compare", "%s", error);
    compare_files_free(&files);
    return code;
}

static const struct option_row rows[] = {
    {.name = "column",
     .kind = OPTION_TEXT,
     .argument = "NAME",
     OPTION_FIELD(struct compare_options, column),
     .expected = "the name of a column",
     .words = "latency_clocks_mean latency_clocks_p99 accepted_load saturation_load",
     .initial = "latency_clocks_mean",
     .help = "the figure, a column of the files"},
    {.name = "by",
     .kind = OPTION_TEXT,
     .argument = "KEY",
     OPTION_FIELD(struct compare_options, by),
     .expected = "a key that was swept",
     .help = "pairs of series that differ in this key alone"},
    {.name = "plot",
     .kind = OPTION_TEXT,
     .argument = "PREFIX",
     OPTION_FIELD(struct compare_options, plot),
     .expected = "the start of a file name",
     .file = FILE_WRITTEN_PREFIX,
     .endings = sim_plot_curves_endings,
     .words = "@file",
     .help = "draws PREFIX-compare.svg, a curve a series"},
    {.name = NULL},
};

static const struct json_key keys[] = {
    {"column", "text", "the figure that is compared"},
    {"rows[].file", "text", "of the series"},
    {"rows[].swept", "text", "its swept values"},
    {"rows[].base_file", "text", "of what it is compared with"},
    {"rows[].base_swept", "text", "its swept values"},
    {"rows[].load", "words per site and clock", "null: results of `--load saturation`"},
    {"rows[].base", "as the column", "of the base"},
    {"rows[].base_ci95", "as the column", "half its interval; null: one run"},
    {"rows[].value", "as the column", "of the series"},
    {"rows[].value_ci95", "as the column", "half its interval; null: one run"},
    {"rows[].difference", "as the column", "value less base"},
    {"rows[].difference_ci95", "as the column", "half its interval (Welch); null: one of them has one run"},
    {"rows[].chance", "probability", "of such a difference if both were equal; null: unknown"},
    {"rows[].significant", "true or false", "`chance` is less than .05; null: unknown"},
    {"rows[].diverges", "true or false", "a run of either was saturated or not steady"},
    {NULL, NULL, NULL},
};

static const char manual[] =
    "Compares results that `sim --csv` has written, or the tables of run folders, load by load. A file has a series for each "
    "combination of the values of `--sweep`. A series is compared with the one of the first file that has the same values, or "
    "else with the first series of the first file; the series of a single file with its first. With `--by` a series is "
    "compared with the first one of its file that has the same values of all other keys. The difference has an interval of 95 "
    "% by Welch's test, and is called `less` or `greater` if it is larger than chance explains in 5 of 100 cases, else `not "
    "significant`. Of twenty such verdicts on equal meshes one is wrong on average. Runs with the same seeds have much of "
    "their traffic in common, which the test does not use. Without `--repeat` there is no interval and no verdict. Where a run "
    "was saturated or not steady, latencies depend on the length of the runs.";

const struct verb verb_compare = {
    .name = "compare",
    .operands = "FILE.csv|FOLDER...",
    .summary = "Compares results of sim: one table, one picture, and which differences are more than chance.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = FILES_MAX,
    .operand_words = {"@file", "@file"},
    .common = COMMON_OUTPUT,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct compare_options),
    .run = compare,
};
