/* Output of `postroad sim`. JSON and CSV come from one list of fields, so that they cannot disagree.
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
#include "mesh/discipline.h"
#include "mesh/mesh_own.h"

enum value_kind { VALUE_TEXT, VALUE_COUNT, VALUE_REAL, VALUE_TRUTH, VALUE_ABSENT };

/* Counts are exact in a double up to 2^53. */
struct value {
    enum value_kind kind;
    const char *text;
    double number;
};

#define COUNT(x) ((struct value){VALUE_COUNT, NULL, (double)(x)})
#define REAL(x)  ((struct value){VALUE_REAL, NULL, (x)})
#define TRUTH(x) ((struct value){VALUE_TRUTH, NULL, (x) != 0})
#define ABSENT   ((struct value){.kind = VALUE_ABSENT})
#define TEXT(x)  text_value(x)

static struct value text_value(const char *text)
{
    return (struct value){text && *text ? VALUE_TEXT : VALUE_ABSENT, text, 0};
}

static const char *hash_text(const struct mesh_config *mesh)
{
    static char text[9];
    snprintf(text, sizeof text, "%08" PRIx32, mesh->hash);
    return text;
}

/* Keys without a default are parts of others. */
static const char *own_keys(const struct mesh_config *mesh)
{
    static char text[512];
    size_t used = 0;
    *text = 0;
    for (unsigned i = 0; i < mesh->discipline->own_count && used < sizeof text; i++) {
        const struct mesh_key *key = &mesh->discipline->own[i].key;
        char value[32];
        mesh_key_value(key, mesh, value, sizeof value);
        if (key->preset)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s.%s=%s", used ? " " : "", key->section,
                                     key->name, value);
    }
    return text;
}

static double speed(const struct mesh_config *mesh, const struct experiment_result *result)
{
    double node_clocks = (double)result->clocks * mesh->sites;
    return result->cpu_seconds > 0 ? node_clocks / result->cpu_seconds : 0;
}

static double run_load(const struct mesh_config *mesh, const struct experiment_result *result)
{
    return result->clocks ? (double)result->totals.completed_words / (double)result->clocks / mesh_operators(mesh) : 0;
}

/* Where nothing was measured there is no figure, rather than 0. */
static struct value measured(const struct experiment_result *result, double value)
{
    return result->measured_clocks ? REAL(value) : ABSENT;
}

static struct value steady(const struct experiment_result *result)
{
    return result->halves.verdict == STEADINESS_UNDECIDED ? ABSENT : TRUTH(result->halves.verdict == STEADINESS_STEADY);
}

int sim_report_busiest_link(const struct sim_point *point)
{
    int busiest = 0;
    for (int i = 1; i < point->mesh->sites * point->mesh->links; i++)
        if (point->result->link_use[i] > point->result->link_use[busiest])
            busiest = i;
    return busiest;
}

/* The mean of all links that lead to a neighbour. */
static double mean_link_words(const struct mesh_config *mesh, const struct experiment_result *result)
{
    int links = 0;
    for (int site = 0; site < mesh->sites; site++)
        links += __builtin_popcount(mesh_connected_links(mesh, (unsigned)site));
    return links ? (double)result->link_words / links : 0;
}

/* Packets discarded for lack of storage, by operators and by network_interfaces. */
static uint64_t discarded(const struct experiment_result *result)
{
    return result->counters[PR_COUNTER_FOREIGN_DISCARDED] + result->counters[PR_COUNTER_RECEIVED_DISCARDED];
}

/* One function for each row, then the rows. */
#define GETTER(key, expression)                                    \
    static struct value get_##key(const struct sim_point *point)   \
    {                                                              \
        const struct mesh_config *mesh = point->mesh;              \
        const struct experiment_options *options = point->options; \
        const struct experiment_result *result = point->result;    \
        const struct traffic_options *traffic = &options->traffic; \
        const struct scoreboard_totals *totals = &result->totals;  \
        const uint64_t *counters = result->counters;               \
        const uint64_t *groups = result->group_counters;           \
        (void)mesh, (void)options, (void)traffic, (void)totals;    \
        (void)counters, (void)groups;                              \
        return expression;                                         \
    }
#define QUESTION(key, expression, unit, meaning) GETTER(key, expression)
#define MEASURED(key, expression, unit, meaning) GETTER(key, expression)
#include "postroad/sim_report_rows.def"
#undef QUESTION
#undef MEASURED

static const struct {
    const char *key;
    bool measured;
    struct value (*get)(const struct sim_point *point);
} rows[] = {
#define QUESTION(key, expression, unit, meaning) {#key, false, get_##key},
#define MEASURED(key, expression, unit, meaning) {#key, true, get_##key},
#include "postroad/sim_report_rows.def"
#undef QUESTION
#undef MEASURED
};

/* Distributions: each is a JSON object, and in CSV a prefix of keys. */
#define DISTRIBUTIONS(X)                                                                                              \
    X(latency, "latency_clocks", "from a packet's generation to the call of the target's evaluator")                  \
    X(unicast_latency, "unicast_latency_clocks", "the same, of packets to one site")                                  \
    X(multicast_latency, "multicast_latency_clocks", "the same, of packets to several sites; each target counts")     \
    X(network_latency, "network_latency_clocks",                                                                      \
      "from the first word's clock at the sender's network_interface to the terminator's at the target's, "           \
      "retransmissions included. With whole sites it starts in the clock in which the operator accepted the packet, " \
      "because the sender's stamp is not on the console")                                                             \
    X(settling, "settling_clocks",                                                                                    \
      "from the clock in which an operator accepted a packet until its source had the fate of every target; raw "     \
      "service: until the last delivery. All packets")                                                                \
    X(completion, "completion_clocks", "of multicasts: from generation to the last delivery")                         \
    X(group_latency, "group_latency_clocks",                                                                          \
      "of packets to groups, which are no multicasts: from generation to the call of each member's evaluator")        \
    X(group_completion, "group_completion_clocks", "of packets to groups: from generation to the last delivery")

static const struct {
    const char *group;
    size_t offset; /* of the statistics in the result */
} distributions[] = {
#define DISTRIBUTION(member, group, meaning) {group, offsetof(struct experiment_result, member)},
    DISTRIBUTIONS(DISTRIBUTION)
#undef DISTRIBUTION
};

const struct json_key sim_report_keys[] = {
#define QUESTION(key, expression, unit, meaning) {#key, unit, meaning},
#define MEASURED(key, expression, unit, meaning) {#key, unit, meaning},
#include "postroad/sim_report_rows.def"
#define DISTRIBUTION(member, group, meaning) \
    {group ".{count,min,median,mean,p99,max}", "clocks", meaning ". Null if nothing was delivered"},
    DISTRIBUTIONS(DISTRIBUTION){NULL, NULL, NULL},
};

struct field {
    const char *group; /* JSON: member of this object; CSV: prefix; NULL: top level */
    const char *name;
    struct value value;
};

enum {
    OF_DISTRIBUTION = 6, /* fields */
    MAX_FIELDS = sizeof rows / sizeof *rows + OF_DISTRIBUTION * (sizeof distributions / sizeof *distributions)
};

struct fields {
    struct field list[MAX_FIELDS];
    int count;
};

static void add(struct fields *fields, const char *group, const char *name, struct value value)
{
    fields->list[fields->count++] = (struct field){group, name, value};
}

/* Absent where nothing was delivered, or nothing was run. */
static void add_distribution(struct fields *fields, const char *group, const struct statistics *statistics, bool ran)
{
    bool any = statistics->count > 0 && ran;
    add(fields, group, "count", ran ? COUNT(statistics->count) : ABSENT);
    add(fields, group, "min", any ? COUNT(statistics->min) : ABSENT);
    add(fields, group, "median", any ? COUNT(statistics_quantile(statistics, 0.5)) : ABSENT);
    add(fields, group, "mean", any ? REAL(statistics_mean(statistics)) : ABSENT);
    add(fields, group, "p99", any ? COUNT(statistics_quantile(statistics, 0.99)) : ABSENT);
    add(fields, group, "max", any ? COUNT(statistics->max) : ABSENT);
}

/* A run that never began has no measurements: no zeroes that look like results. */
static void collect(struct fields *fields, const struct sim_point *point)
{
    fields->count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add(fields, NULL, rows[i].key, rows[i].measured && !point->result->ran ? ABSENT : rows[i].get(point));
    for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++) {
        const void *statistics = (const char *)point->result + distributions[i].offset;
        add_distribution(fields, distributions[i].group, statistics, point->result->ran);
    }
}

/* Six decimals at most: further digits are noise, and would make files hard to compare. */
static double rounded(double value)
{
    return round(value * 1e6) / 1e6;
}

static cJSON *json_value(const struct value *value)
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
    struct fields fields;
    cJSON *object = cJSON_CreateObject();
    bool good = object;
    collect(&fields, point);
    for (int i = 0; i < fields.count && good; i++) {
        const struct field *field = &fields.list[i];
        cJSON *group = group_object(object, field->group);
        good = group && cJSON_AddItemToObject(group, field->name, json_value(&field->value));
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
    struct fields fields;
    collect(&fields, point);
    for (int i = 0; i < fields.count; i++) {
        const struct value *value = &fields.list[i].value;
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
        fprintf(out, ", saturated: %.4f over the whole run", run_load(mesh, result));
    fputc('\n', out);
}

static void table_verdict(FILE *out, const struct experiment_result *result)
{
    const struct steadiness_halves *halves = &result->halves;
    static const char *const words[] = {[STEADINESS_UNDECIDED] = "undecided, too short or uneven a run",
                                        [STEADINESS_STEADY] = "yes",
                                        [STEADINESS_UNSTEADY] = "no"};
    if (!result->measured_clocks)
        return;
    fprintf(out, "%-22s least %.3f  mean %.3f  greatest %.3f\n", "accepted, by source", result->source_share.least,
            result->source_share.mean, result->source_share.greatest);
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
    fprintf(out, "%-22s %" PRIu64 ", of which %" PRIu64 " warm-up; %" PRIu64 " words on links\n", "clocks",
            result->clocks, result->warmup_clocks, result->link_words);
    table_verdict(out, result);
    table_latency(out, "latency (clocks)", &result->latency);
    table_latency(out, "network latency", &result->network_latency);
    if (result->group_completion.count) {
        table_latency(out, "to members of groups", &result->group_latency);
        table_latency(out, "to the last member", &result->group_completion);
    }
    table_latency(out, point->mesh->reliable ? "accepted to settled" : "accepted to delivered", &result->settling);
    fprintf(out, "%-22s %.2f s of processor time, %.0f site-clocks a second\n", "cost", result->cpu_seconds,
            speed(point->mesh, result));
}
