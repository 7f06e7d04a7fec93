/* What `postroad sim` prints of a result. JSON and CSV come from one list of fields, so that they cannot
 * disagree.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/sim_report.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"

enum field_kind { FIELD_TEXT, FIELD_COUNT, FIELD_REAL, FIELD_TRUTH, FIELD_ABSENT };
enum { MAX_FIELDS = 128 };

/* Counts are exact in a double up to 2^53. */
struct field {
    const char *group; /* JSON: member of this object; CSV: prefix; NULL: top level */
    const char *name;
    enum field_kind kind;
    const char *text;
    double number;
};

struct fields {
    struct field list[MAX_FIELDS];
    int count;
    const char *group;
    char hash[9]; /* of the mesh, as the other verbs write it */
};

static void add(struct fields *fields, const char *name, enum field_kind kind, const char *text, double number)
{
    fields->list[fields->count++] = (struct field){fields->group, name, kind, text, number};
}

static void add_text(struct fields *fields, const char *name, const char *text)
{
    add(fields, name, text && *text ? FIELD_TEXT : FIELD_ABSENT, text, 0);
}

static void add_count(struct fields *fields, const char *name, uint64_t number)
{
    add(fields, name, FIELD_COUNT, NULL, (double)number);
}

static void add_real(struct fields *fields, const char *name, double number)
{
    add(fields, name, FIELD_REAL, NULL, number);
}

static void add_truth(struct fields *fields, const char *name, bool value)
{
    add(fields, name, FIELD_TRUTH, NULL, value);
}

static void add_question(struct fields *fields, const struct sim_point *point)
{
    const struct mesh_config *mesh = point->mesh;
    const struct experiment_options *options = point->options;
    const struct traffic_options *traffic = &options->traffic;
    add_text(fields, "schema", "postroad.sim");
    add_text(fields, "version", report_version_number);
    add_text(fields, "mesh", mesh->path);
    snprintf(fields->hash, sizeof fields->hash, "%08" PRIx32, mesh->hash);
    add_text(fields, "mesh_hash", fields->hash);
    add_text(fields, "topology", mesh_topology_name(mesh->topology));
    add_count(fields, "sites", (uint64_t)mesh->sites);
    add_text(fields, "level", options->level == LEVEL_SITE ? "site" : "fabric");
    add_text(fields, "traffic", traffic_pattern_name(traffic->pattern));
    add_text(fields, "process", traffic_process_name(traffic->process));
    add_count(fields, "length", traffic->length);
    add_truth(fields, "geometric", traffic->geometric);
    add_count(fields, "info", traffic->info);
    add_real(fields, "multicast", traffic->multicast);
    add_count(fields, "targets", traffic->targets);
    add_count(fields, "targets_least", traffic->targets_least ? traffic->targets_least : traffic->targets);
    add_truth(fields, "reliable", mesh->reliable);
    add_truth(fields, "ordered", options->ordered);
    add(fields, "pool", options->level == LEVEL_SITE ? FIELD_ABSENT : FIELD_COUNT, NULL, options->pool);
    add_count(fields, "window", options->window);
    add_count(fields, "stall", options->stall);
    add_count(fields, "seed", traffic->seed);
    add_real(fields, "load", traffic->load);
}

static double speed(const struct sim_point *point)
{
    double node_clocks = (double)point->result->clocks * point->mesh->sites;
    return point->result->cpu_seconds > 0 ? node_clocks / point->result->cpu_seconds : 0;
}

/* Packets thrown away for want of storage, by operators and by network_interfaces. */
static uint64_t discarded(const struct experiment_result *result)
{
    return result->counters[PR_COUNTER_FOREIGN_DISCARDED] + result->counters[PR_COUNTER_RECEIVED_DISCARDED];
}

static void add_answer(struct fields *fields, const struct sim_point *point)
{
    const struct experiment_result *result = point->result;
    const struct scoreboard_totals *totals = &result->totals;
    add_count(fields, "packets", totals->packets);
    add_count(fields, "completed", totals->completed);
    add_count(fields, "deliveries", totals->deliveries);
    add_count(fields, "expected", totals->expected);
    add_count(fields, "lost", result->lost);
    add_count(fields, "in_flight", result->in_flight);
    add_count(fields, "failed", totals->failed);
    add_count(fields, "failed_delivered", totals->failed_delivered);
    add_count(fields, "written_off", totals->written_off);
    add_count(fields, "written_off_delivered", totals->written_off_delivered);
    add_count(fields, "not_accepted", totals->packets - totals->accepted);
    add_count(fields, "duplicated", totals->duplicated);
    add_count(fields, "corrupted", totals->corrupted);
    add_count(fields, "stray", totals->stray);
    add_count(fields, "disordered", totals->disordered);
    add_count(fields, "aborts", result->counters[PR_COUNTER_ABORTS]);
    add_count(fields, "resent_after_abort", result->counters[PR_COUNTER_RESENT_AFTER_ABORT]);
    add_count(fields, "diversions", result->counters[PR_COUNTER_DIVERSIONS]);
    add_count(fields, "forwarded", result->counters[PR_COUNTER_FORWARDED]);
    add_count(fields, "unicast_fallbacks", result->counters[PR_COUNTER_UNICAST_FALLBACKS]);
    add_count(fields, "receive_waits", result->counters[PR_COUNTER_RECEIVE_WAITS]);
    add_count(fields, "time_outs", result->counters[PR_COUNTER_TIME_OUTS]);
    add_count(fields, "duplicates", result->counters[PR_COUNTER_DUPLICATES]);
    add_count(fields, "discarded", discarded(result));
    add_count(fields, "acknowledgements", result->counters[PR_COUNTER_ACKNOWLEDGEMENTS]);
    add_count(fields, "acknowledgements_carried", result->counters[PR_COUNTER_ACKNOWLEDGEMENTS_CARRIED]);
    add_count(fields, "peers_restarted", result->counters[PR_COUNTER_PEERS_RESTARTED]);
    add_count(fields, "longest_silence", totals->longest_silence);
    add_count(fields, "corrupted_words", result->faults.corrupted_words);
    add_count(fields, "links_down", result->faults.links_down);
    add_count(fields, "resets", result->faults.resets);
    add_count(fields, "stops", result->faults.stops);
    add_count(fields, "clocks", result->clocks);
    add_count(fields, "warmup_clocks", result->warmup_clocks);
    add_count(fields, "link_words", result->link_words);
    add_real(fields, "offered_load", result->offered_load);
    add_real(fields, "accepted_load", result->accepted_load);
    add_real(fields, "run_load",
             result->clocks ? (double)totals->completed_words / (double)result->clocks / point->mesh->sites : 0);
    add_truth(fields, "saturated", result->saturated);
    add_truth(fields, "locked_up", result->end == END_LOCKED_UP);
    add_real(fields, "cpu_seconds", result->cpu_seconds);
    add_real(fields, "node_clocks_per_cpu_second", round(speed(point)));
}

/* Absent where nothing was delivered. */
static void add_latency(struct fields *fields, const char *group, const struct statistics *statistics)
{
    bool any = statistics->count > 0;
    enum field_kind count = any ? FIELD_COUNT : FIELD_ABSENT, real = any ? FIELD_REAL : FIELD_ABSENT;
    fields->group = group;
    add_count(fields, "count", statistics->count);
    add(fields, "min", count, NULL, (double)statistics->min);
    add(fields, "median", count, NULL, any ? (double)statistics_quantile(statistics, 0.5) : 0);
    add(fields, "mean", real, NULL, any ? statistics_mean(statistics) : 0);
    add(fields, "p99", count, NULL, any ? (double)statistics_quantile(statistics, 0.99) : 0);
    add(fields, "max", count, NULL, (double)statistics->max);
    fields->group = NULL;
}

/* Of a run that never began nothing was measured: no zeroes that look like results. */
static void withdraw(struct fields *fields, int first)
{
    for (int i = first; i < fields->count; i++)
        fields->list[i].kind = FIELD_ABSENT;
}

static void collect(struct fields *fields, const struct sim_point *point)
{
    fields->count = 0;
    fields->group = NULL;
    add_question(fields, point);
    add_text(fields, "result", experiment_end_name(point->result->end));
    add_text(fields, "diagnosis", point->result->diagnosis);
    int first = fields->count;
    add_answer(fields, point);
    add_latency(fields, "latency_clocks", &point->result->latency);
    add_latency(fields, "network_latency_clocks", &point->result->network_latency);
    add_latency(fields, "settling_clocks", &point->result->settling);
    add_latency(fields, "completion_clocks", &point->result->completion);
    if (!point->result->ran)
        withdraw(fields, first);
}

/* Six decimals at most: what is beyond that is noise, and would make files hard to compare. */
static double rounded(double value)
{
    return round(value * 1e6) / 1e6;
}

static cJSON *json_value(const struct field *field)
{
    switch (field->kind) {
    case FIELD_TEXT:
        return cJSON_CreateString(field->text);
    case FIELD_TRUTH:
        return cJSON_CreateBool(field->number != 0);
    case FIELD_COUNT:
        return cJSON_CreateNumber(field->number);
    case FIELD_REAL:
        return cJSON_CreateNumber(rounded(field->number));
    case FIELD_ABSENT:
        break;
    }
    return cJSON_CreateNull();
}

/* The object a field goes into; made when its first field comes. */
static cJSON *group_object(cJSON *object, const char *group)
{
    cJSON *found = group ? cJSON_GetObjectItemCaseSensitive(object, group) : object;
    return found ? found : cJSON_AddObjectToObject(object, group);
}

int sim_report_json(FILE *out, const struct sim_point *point)
{
    struct fields fields;
    cJSON *object = cJSON_CreateObject();
    bool good = object;
    collect(&fields, point);
    for (int i = 0; i < fields.count && good; i++) {
        const struct field *field = &fields.list[i];
        cJSON *group = group_object(object, field->group);
        good = group && cJSON_AddItemToObject(group, field->name, json_value(field));
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
    struct fields fields;
    collect(&fields, point);
    for (int i = 0; i < fields.count; i++) {
        const char *group = fields.list[i].group;
        fprintf(out, "%s%s%s%s", i ? "," : "", group ? group : "", group ? "_" : "", fields.list[i].name);
    }
    fputc('\n', out);
}

/* Quoted if need be, quotes doubled (RFC 4180). */
static void csv_text(FILE *out, const char *text)
{
    bool quote = text[strcspn(text, ",\"\r\n")] != 0;
    if (quote)
        fputc('"', out);
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
    struct fields fields;
    collect(&fields, point);
    for (int i = 0; i < fields.count; i++) {
        const struct field *field = &fields.list[i];
        if (i)
            fputc(',', out);
        if (field->kind == FIELD_TEXT)
            csv_text(out, field->text);
        else if (field->kind == FIELD_REAL)
            fprintf(out, "%.10g", rounded(field->number));
        else if (field->kind != FIELD_ABSENT)
            fprintf(out, "%.0f", field->number);
    }
    fputc('\n', out);
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

static void table_reliable(FILE *out, const struct experiment_result *result)
{
    const struct scoreboard_totals *totals = &result->totals;
    bool interrupted = result->end == END_INTERRUPTED;
    fprintf(out,
            "%-22s %" PRIu64 " time-outs, %" PRIu64 " duplicates refused, %" PRIu64 " discarded, %" PRIu64
            " acknowledgements, %" PRIu64 " more carried\n",
            "end to end", result->counters[PR_COUNTER_TIME_OUTS], result->counters[PR_COUNTER_DUPLICATES],
            discarded(result), result->counters[PR_COUNTER_ACKNOWLEDGEMENTS],
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

void sim_report_table(FILE *out, const struct sim_point *point)
{
    const struct experiment_result *result = point->result;
    const struct scoreboard_totals *totals = &result->totals;
    fprintf(out, "%-22s %s%s%s\n", "result", experiment_end_name(result->end), *result->diagnosis ? ": " : "",
            result->diagnosis);
    if (!result->ran)
        return;
    fprintf(out, "%-22s %s, %d sites, level %s, seed %" PRIu64 "\n", "mesh", point->mesh->path, point->mesh->sites,
            point->options->level == LEVEL_SITE ? "site" : "fabric", point->options->traffic.seed);
    fprintf(out,
            "%-22s %" PRIu64 ", %" PRIu64 " of %" PRIu64 " deliveries, %" PRIu64 " lost, %" PRIu64
            " duplicated, %" PRIu64 " corrupted, %" PRIu64 " stray\n",
            "packets", totals->packets, totals->deliveries, totals->expected, result->lost, totals->duplicated,
            totals->corrupted, totals->stray);
    if (result->end == END_INTERRUPTED)
        fprintf(out, "%-22s %" PRIu64 " deliveries in flight, %" PRIu64 " packets not accepted yet\n", "interrupted",
                result->in_flight, totals->packets - totals->accepted);
    fprintf(out, "%-22s %" PRIu64 " aborts, %" PRIu64 " resent after abort, %" PRIu64 " diversions\n", "events",
            result->counters[PR_COUNTER_ABORTS], result->counters[PR_COUNTER_RESENT_AFTER_ABORT],
            result->counters[PR_COUNTER_DIVERSIONS]);
    if (point->mesh->reliable)
        table_reliable(out, result);
    fprintf(out, "%-22s %.4f offered, %.4f accepted%s\n", "load (words/site/clk)", result->offered_load,
            result->accepted_load, result->saturated ? ", saturated" : "");
    fprintf(out, "%-22s %" PRIu64 ", of which %" PRIu64 " warm-up; %" PRIu64 " words on links\n", "clocks",
            result->clocks, result->warmup_clocks, result->link_words);
    table_latency(out, "latency (clocks)", &result->latency);
    table_latency(out, "network latency", &result->network_latency);
    table_latency(out, point->mesh->reliable ? "accepted to settled" : "accepted to delivered", &result->settling);
    fprintf(out, "%-22s %.2f s of processor time, %.0f site-clocks a second\n", "cost", result->cpu_seconds,
            speed(point));
}
