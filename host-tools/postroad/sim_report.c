/* Output of `postroad sim`. JSON, CSV and the lines of several points come from one list of fields (sim_fields.h).
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/sim_report.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/discipline.h"

enum { KEY_SIZE = 80, CELL_SIZE = 48, SWEPT_WIDTH = 10 };

/* Six decimals at most: further digits are noise, and would make files hard to compare. */
static double rounded(double value)
{
    return round(value * 1e6) / 1e6;
}

static cJSON *json_value(const struct sim_value *value)
{
    switch (value->kind) {
    case VALUE_TEXT:
        return cJSON_CreateString(value->text);
    case VALUE_TRUTH:
        return cJSON_CreateBool(value->number != 0);
    case VALUE_COUNT:
        return cJSON_CreateNumber(value->number);
    case VALUE_REAL:
        return cJSON_CreateNumber(rounded(value->number));
    case VALUE_ABSENT:
        break;
    }
    return cJSON_CreateNull();
}

/* The object that contains a field; created with its first field. */
static cJSON *group_object(cJSON *object, const char *group)
{
    cJSON *found = group ? cJSON_GetObjectItemCaseSensitive(object, group) : object;
    return found ? found : cJSON_AddObjectToObject(object, group);
}

int sim_report_json(FILE *out, const struct sim_point *point)
{
    struct sim_fields fields;
    cJSON *object = cJSON_CreateObject();
    bool good = object;
    sim_fields_collect(&fields, point);
    for (int i = 0; i < fields.count && good; i++) {
        const struct sim_field *field = &fields.list[i];
        char key[KEY_SIZE];
        snprintf(key, sizeof key, "%s%s", field->name, field->ending);
        cJSON *group = group_object(object, field->group);
        good = group && cJSON_AddItemToObject(group, key, json_value(&field->value));
    }
    char *text = good ? cJSON_PrintUnformatted(object) : NULL;
    if (text)
        fprintf(out, "%s\n", text);
    int result = text ? 0 : -1;
    free(text);
    cJSON_Delete(object);
    return result;
}

void sim_report_csv_heading(FILE *out, const struct sim_point *point)
{
    struct sim_fields fields;
    sim_fields_collect(&fields, point);
    for (int i = 0; i < fields.count; i++) {
        const struct sim_field *field = &fields.list[i];
        fprintf(out, "%s%s%s%s%s", i ? "," : "", field->group ? field->group : "", field->group ? "_" : "", field->name,
                field->ending);
    }
    fputc('\n', out);
}

/* Quoted if need be, quotes doubled (RFC 4180). A spreadsheet takes a text that begins like a formula for one; here it
 * is the path of a file, which "./" does not change. */
static void csv_text(FILE *out, const char *text)
{
    bool quote = text[strcspn(text, ",\"\r\n")] != 0;
    if (quote)
        fputc('"', out);
    if (*text && strchr("=+-@", *text))
        fputs("./", out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    if (quote)
        fputc('"', out);
}

void sim_report_csv(FILE *out, const struct sim_point *point)
{
    struct sim_fields fields;
    sim_fields_collect(&fields, point);
    for (int i = 0; i < fields.count; i++) {
        const struct sim_value *value = &fields.list[i].value;
        if (i)
            fputc(',', out);
        if (value->kind == VALUE_TEXT)
            csv_text(out, value->text);
        else if (value->kind == VALUE_REAL)
            fprintf(out, "%.10g", rounded(value->number));
        else if (value->kind != VALUE_ABSENT)
            fprintf(out, "%.0f", value->number);
    }
    fputc('\n', out);
}

void sim_report_over_time(FILE *out, const struct sim_point *point)
{
    struct time_slices *slices = point->result->slices;
    uint64_t all = point->result->clocks, each = UINT64_C(1) << slices->shift;
    unsigned count = time_slices_end(slices, all);
    fputs("clock,clocks,deliveries,accepted_load,latency_mean,latency_p50,latency_p99\n", out);
    for (unsigned i = 0; i < count; i++) {
        const struct time_slice *slice = &slices->slices[i];
        uint64_t from = i * each, clocks = all - from < each ? all - from : each;
        fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,", from, clocks, slice->deliveries,
                (double)slice->words / (double)clocks / mesh_operators(point->mesh));
        if (slice->deliveries)
            fprintf(out, "%.2f,%" PRIu64 ",%" PRIu64 "\n", (double)slice->latencies / (double)slice->deliveries,
                    time_slice_quantile(slice, 0.5), time_slice_quantile(slice, 0.99));
        else
            fputs(",,\n", out);
    }
}

static void table_latency(FILE *out, const char *name, const struct statistics *statistics)
{
    if (statistics->count == 0)
        fprintf(out, "%-22s nothing delivered within the measurement\n", name);
    else
        fprintf(out, "%-22s min %" PRIu64 "  median %" PRIu64 "  mean %.1f  p99 %" PRIu64 "  max %" PRIu64 "\n", name,
                statistics->min, statistics_quantile(statistics, 0.5), statistics_mean(statistics),
                statistics_quantile(statistics, 0.99), statistics->max);
}

/* What the discipline counts, by the names of registers.ini. */
static void table_events(FILE *out, const struct discipline *discipline, const struct experiment_result *result)
{
    const char *between = "";
    if (!discipline->counters->name)
        return;
    fprintf(out, "%-22s ", "events");
    for (const struct discipline_counter *counter = discipline->counters; counter->name; counter++) {
        fprintf(out, "%s%" PRIu64 " ", between, result->counters[counter->index]);
        for (const char *letter = counter->name; *letter; letter++)
            fputc(*letter == '_' ? ' ' : *letter, out);
        between = ", ";
    }
    fputc('\n', out);
}

static void table_reliable(FILE *out, const struct experiment_result *result)
{
    const struct scoreboard_totals *totals = &result->totals;
    bool interrupted = result->end == END_INTERRUPTED;
    fprintf(out,
            "%-22s %" PRIu64 " time-outs, %" PRIu64 " duplicates refused, %" PRIu64 " discarded, %" PRIu64
            " acknowledgements, %" PRIu64 " more carried\n",
            "end to end", result->counters[PR_COUNTER_TIME_OUTS], result->counters[PR_COUNTER_DUPLICATES],
            sim_discarded(result), result->counters[PR_COUNTER_ACKNOWLEDGEMENTS],
            result->counters[PR_COUNTER_ACKNOWLEDGEMENTS_CARRIED]);
    fprintf(out, "%-22s %" PRIu64 " clocks, the longest that a source with packets had none settled\n", "silence",
            totals->longest_silence);
    if (totals->failed || totals->written_off || (totals->packets != totals->accepted && !interrupted))
        fprintf(out,
                "%-22s %" PRIu64 " reported (%" PRIu64 " of them delivered), %" PRIu64
                " written off with their source (%" PRIu64 "), %" PRIu64 " packets not accepted\n",
                "failed deliveries", totals->failed, totals->failed_delivered, totals->written_off,
                totals->written_off_delivered, totals->packets - totals->accepted);
    if (result->faults.corrupted_words || result->faults.links_down || result->faults.resets || result->faults.stops)
        fprintf(out,
                "%-22s %" PRIu64 " words corrupted, %" PRIu64 " links down, %" PRIu64 " resets, %" PRIu64 " stops\n",
                "faults", result->faults.corrupted_words, result->faults.links_down, result->faults.resets,
                result->faults.stops);
}

static void table_class(FILE *out, const struct traffic_class *class, unsigned number,
                        const struct experiment_result *result)
{
    char name[TRAFFIC_CLASS_NAME + 16];
    snprintf(name, sizeof name, "class %s", class->name);
    fprintf(out, "%-22s %.4f offered, %.4f accepted\n", name, result->class_offered[number],
            result->class_accepted[number]);
    table_latency(out, "  its latency", &result->class_latency[number]);
}

static void table_groups(FILE *out, const struct traffic_options *traffic, const struct experiment_result *result)
{
    const uint64_t *counters = result->group_counters;
    fprintf(out, "%-22s %u of %u members, %s", "groups", traffic->groups, traffic->members,
            traffic_shape_name(traffic->shape));
    if (traffic->shape != TRAFFIC_NO_SHAPE)
        fprintf(out,
                ": %" PRIu64 " passed on, %" PRIu64 " repairs, %" PRIu64 " questions, %" PRIu64
                " duplicates refused, %" PRIu64 " dropped",
                counters[PR_GROUPS_COUNTER_FORWARDED], counters[PR_GROUPS_COUNTER_REPAIRS],
                counters[PR_GROUPS_COUNTER_QUESTIONS], counters[PR_GROUPS_COUNTER_DUPLICATES],
                counters[PR_GROUPS_COUNTER_DROPPED]);
    fputc('\n', out);
}

/* A saturated mesh may still be filling when the last packet is generated: the load of the whole run stands beside. */
static void table_load(FILE *out, const struct mesh_config *mesh, const struct experiment_result *result)
{
    fprintf(out, "%-22s %.4f offered, %.4f accepted", "load (words/site/clk)", result->offered_load,
            result->accepted_load);
    if (result->saturated)
        fprintf(out, ", saturated: %.4f over the whole run", sim_run_load(mesh, result));
    fputc('\n', out);
}

static void table_bounds(FILE *out, const struct load_bounds *bounds)
{
    const char *between = "";
    fprintf(out, "%-22s ", "bounds of the load");
    for (int i = 0; i < LOAD_BOUNDS; i++)
        if (bounds->load[i] > 0) {
            fprintf(out, "%s%s %.4f", between, sim_bound_names[i], bounds->load[i]);
            between = ", ";
        }
    fputs(*between ? "\n" : "none\n", out);
}

static void table_verdict(FILE *out, const struct experiment_result *result)
{
    const struct steadiness_halves *halves = &result->halves;
    static const char *const words[] = {[STEADINESS_UNDECIDED] = "undecided, too short or uneven a run",
                                        [STEADINESS_STEADY] = "yes",
                                        [STEADINESS_UNSTEADY] = "no"};
    if (!result->measured_clocks)
        return;
    fprintf(out, "%-22s least %.3f  mean %.3f  greatest %.3f; Jain's index %.3f, of the offered words %.3f\n",
            "accepted, by source", result->source_share.least, result->source_share.mean, result->source_share.greatest,
            result->fairness.accepted, result->fairness.offered);
    fprintf(out, "%-22s %s: mean latency %.1f in the first half, %.1f in the second, standard error %.1f\n", "steady",
            words[halves->verdict], halves->first, halves->second, halves->error);
}

void sim_report_table(FILE *out, const struct sim_point *point)
{
    const struct experiment_result *result = point->result;
    const struct scoreboard_totals *totals = &result->totals;
    fprintf(out, "%-22s %s%s%s\n", "result", experiment_end_name(result->end), *result->diagnosis ? ": " : "",
            result->diagnosis);
    if (!result->ran)
        return;
    fprintf(out, "%-22s %s, %d sites, nodes %s, seed %" PRIu64, "mesh", point->mesh->path, point->mesh->sites,
            point->nodes, point->options->traffic.seed);
    if (point->mesh->board_links)
        fprintf(out, ", %s board links", mesh_links_kind(point->mesh));
    putc('\n', out);
    fprintf(out,
            "%-22s %" PRIu64 ", %" PRIu64 " of %" PRIu64 " deliveries, %" PRIu64 " lost, %" PRIu64
            " duplicated, %" PRIu64 " corrupted, %" PRIu64 " stray\n",
            "packets", totals->packets, totals->deliveries, totals->expected, result->lost, totals->duplicated,
            totals->corrupted, totals->stray);
    if (result->end == END_INTERRUPTED)
        fprintf(out, "%-22s %" PRIu64 " deliveries in flight, %" PRIu64 " packets not accepted yet\n", "interrupted",
                result->in_flight, totals->packets - totals->accepted);
    table_events(out, point->mesh->discipline, result);
    if (point->mesh->reliable)
        table_reliable(out, result);
    if (point->options->traffic.groups)
        table_groups(out, &point->options->traffic, result);
    table_load(out, point->mesh, result);
    table_bounds(out, &result->bounds);
    double hops = sim_hops(point->mesh, result);
    fprintf(out, "%-22s %" PRIu64 ", of which %" PRIu64 " warm-up%s; %" PRIu64 " words on links", "clocks",
            result->clocks, result->warmup_clocks,
            !result->warmup_searched ? ""
            : result->warmup_found   ? ", found"
                                     : ", whose end was not found",
            result->link_words);
    if (hops > 0)
        fprintf(out, ", %.2f hops", hops);
    fputc('\n', out);
    table_verdict(out, result);
    table_latency(out, "latency (clocks)", &result->latency);
    table_latency(out, "network latency", &result->network_latency);
    if (result->bounds.zero_load_latency > 0)
        fprintf(out, "%-22s mean %.1f\n", "  on an idle mesh", result->bounds.zero_load_latency);
    for (unsigned i = 0; i < point->options->traffic.class_count; i++)
        table_class(out, &point->options->traffic.classes[i], i, result);
    if (result->group_completion.count) {
        table_latency(out, "to members of groups", &result->group_latency);
        table_latency(out, "to the last member", &result->group_completion);
    }
    table_latency(out, point->mesh->reliable ? "accepted to settled" : "accepted to delivered", &result->settling);
    fprintf(out, "%-22s %.2f s of processor time, %.0f site-clocks a second\n", "cost", result->cpu_seconds,
            sim_speed(point->mesh, result));
}

/* A mean and its interval, where there is one. */
static void put_figure(FILE *out, int width, int digits, const struct sim_summary *summary, const char *group,
                       const char *name)
{
    const struct sample *sample = sim_summary_figure(summary, group, name);
    double half = sample_half_width(sample);
    char cell[CELL_SIZE] = "-";
    if (sample->count > 0 && summary->repeated && isfinite(half))
        snprintf(cell, sizeof cell, "%.*f +-%.*f", digits, sample->mean, digits, half);
    else if (sample->count > 0)
        snprintf(cell, sizeof cell, "%.*f", digits, sample->mean);
    fprintf(out, "  %-*s", width, cell);
}

static void put_count(FILE *out, const char **between, unsigned count, const struct sim_summary *summary,
                      const char *what)
{
    if (count == 0)
        return;
    fputs(*between, out);
    if (summary->repeated)
        fprintf(out, "%u of %u ", count, summary->runs);
    fputs(what, out);
    *between = ", ";
}

/* What keeps the means from being those of a steady mesh. */
static void put_verdicts(FILE *out, const struct sim_summary *summary)
{
    const char *between = "  ";
    if (summary->runs == 0) {
        fprintf(out, "  %s\n", sim_not_run);
        return;
    }
    put_count(out, &between, summary->saturated, summary, "saturated");
    put_count(out, &between, summary->unsteady, summary, "not steady");
    put_count(out, &between, summary->undecided, summary, "undecided");
    put_count(out, &between, summary->incomplete, summary, experiment_end_name(summary->worst.end));
    if (summary->until > 0 && !sim_summary_narrow(summary)) {
        fprintf(out, "%snot narrow after %u runs\n", between, summary->runs);
        return;
    }
    fputs(summary->saturated + summary->unsteady + summary->undecided + summary->incomplete ? "\n" : "  steady\n", out);
}

static const struct {
    const char *title, *group, *name;
    int width, repeated_width, digits;
} line_columns[] = {
    {"accepted", NULL, "accepted_load", 8, 16, 4},
    {"mean latency", "latency_clocks", "mean", 12, 18, 1},
    {"p99 latency", "latency_clocks", "p99", 11, 18, 0},
};

enum { LINE_COLUMNS = sizeof line_columns / sizeof *line_columns };

static int line_width(int column, const struct sim_summary *summary)
{
    return summary->repeated ? line_columns[column].repeated_width : line_columns[column].width;
}

/* Columns of swept values are as wide as the key, or as most values. */
static int swept_width(const struct sim_swept *swept)
{
    size_t width = strlen(swept->key);
    return width > SWEPT_WIDTH ? (int)width : SWEPT_WIDTH;
}

static void put_load(FILE *out, int width, bool there, double load, double half)
{
    char cell[CELL_SIZE] = "-";
    if (there && isfinite(half))
        snprintf(cell, sizeof cell, "%.4f +-%.4f", load, half);
    else if (there)
        snprintf(cell, sizeof cell, "%.4f", load);
    fprintf(out, "%-*s  ", width, cell);
}

/* The last two are the greatest and the least load that one seed has seen so. */
static void put_saturation(FILE *out, const struct sim_saturation *saturation)
{
    put_load(out, 16, saturation->complete, saturation->load.mean, sim_saturation_half(saturation));
    put_load(out, 17, saturation->greatest > 0, saturation->greatest, INFINITY);
    put_load(out, 15, saturation->least < 1, saturation->least, INFINITY);
}

void sim_report_line_heading(FILE *out, const struct sim_point *point)
{
    for (unsigned i = 0; i < point->swept_count; i++)
        fprintf(out, "%-*s  ", swept_width(&point->swept[i]), point->swept[i].key);
    if (point->summary->saturation.searched) {
        fprintf(out, "%-16s  %-17s  %-15s  verdict\n", "saturation load", "not saturated at", "saturated at");
        return;
    }
    fprintf(out, "%-8s", "load");
    for (int i = 0; i < LINE_COLUMNS; i++)
        fprintf(out, "  %-*s", line_width(i, point->summary), line_columns[i].title);
    fputs("  verdict\n", out);
}

void sim_report_line(FILE *out, const struct sim_point *point)
{
    for (unsigned i = 0; i < point->swept_count; i++)
        fprintf(out, "%-*s  ", swept_width(&point->swept[i]), point->swept[i].value);
    if (point->summary->saturation.searched) {
        put_saturation(out, &point->summary->saturation);
        fprintf(out, "%u runs%s%s\n", point->summary->runs, point->summary->incomplete ? ", some " : "",
                point->summary->incomplete ? experiment_end_name(point->summary->worst.end) : "");
        return;
    }
    if (point->options->traffic.trace)
        fprintf(out, "%-8s", "trace");
    else
        fprintf(out, "%-8.6g", point->options->traffic.load);
    for (int i = 0; i < LINE_COLUMNS; i++)
        put_figure(out, line_width(i, point->summary), line_columns[i].digits, point->summary, line_columns[i].group,
                   line_columns[i].name);
    put_verdicts(out, point->summary);
}
