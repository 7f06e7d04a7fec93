/* See sim_fields.h. The rows of a run are in sim_report_rows.def; distributions follow them.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/sim_fields.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "cli/exit_code.h"
#include "cli/report.h"
#include "mesh/discipline.h"
#include "mesh/mesh_own.h"

#define COUNT(x) ((struct sim_value){VALUE_COUNT, NULL, (double)(x)})
#define REAL(x)  ((struct sim_value){VALUE_REAL, NULL, (x)})
#define TRUTH(x) ((struct sim_value){VALUE_TRUTH, NULL, (x) != 0})
#define ABSENT   ((struct sim_value){.kind = VALUE_ABSENT})
#define TEXT(x)  text_value(x)

static struct sim_value text_value(const char *text)
{
    return (struct sim_value){text && *text ? VALUE_TEXT : VALUE_ABSENT, text, 0};
}

const char *const sim_bound_names[LOAD_BOUNDS] = {[BOUND_BISECTION] = "bisection",
                                                  [BOUND_CHANNEL] = "channel",
                                                  [BOUND_INJECTION] = "injection",
                                                  [BOUND_EJECTION] = "ejection",
                                                  [BOUND_STORAGE] = "storage"};

const char sim_not_run[] = "not run";

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

static const char *class_texts(const struct traffic_options *traffic)
{
    static char text[TRAFFIC_CLASSES * 128];
    size_t used = 0;
    *text = 0;
    for (unsigned i = 0; i < traffic->class_count; i++) {
        const struct traffic_class *class = &traffic->classes[i];
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s%s:share=%.6g,traffic=%s,length=%s%u,multicast=%.6g", i ? " " : "", class->name,
                                 class->share, traffic_pattern_name(class->pattern),
                                 class->geometric ? "geometric:" : "", class->length, class->multicast);
    }
    return text;
}

double sim_speed(const struct mesh_config *mesh, const struct experiment_result *result)
{
    double node_clocks = (double)result->clocks * mesh->sites;
    return result->cpu_seconds > 0 ? node_clocks / result->cpu_seconds : 0;
}

double sim_run_load(const struct mesh_config *mesh, const struct experiment_result *result)
{
    return result->clocks ? (double)result->totals.completed_words / (double)result->clocks / mesh_operators(mesh) : 0;
}

/* Where nothing was measured there is no figure, rather than 0. */
static struct sim_value measured(const struct experiment_result *result, double value)
{
    return result->measured_clocks ? REAL(value) : ABSENT;
}

double sim_saturation_half(const struct sim_saturation *saturation)
{
    return saturation->complete ? sample_half_width(&saturation->load) + saturation->resolution : INFINITY;
}

static struct sim_value bound(double value)
{
    return value > 0 ? REAL(value) : ABSENT;
}

/* A value of a saturation search that may not be there. */
static struct sim_value found(bool there, double value)
{
    return there && isfinite(value) ? REAL(value) : ABSENT;
}

static struct sim_value until_met(const struct sim_summary *summary)
{
    return summary->until > 0 ? TRUTH(sim_summary_narrow(summary)) : ABSENT;
}

static struct sim_value steady(const struct experiment_result *result)
{
    return result->halves.verdict == STEADINESS_UNDECIDED ? ABSENT : TRUTH(result->halves.verdict == STEADINESS_STEADY);
}

int sim_busiest_link(const struct sim_point *point)
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

/* The ports to the operators count what leaves the fabric; a sixteenth link of a switch has the same counter, and a
 * reset takes away what they count in it. */
double sim_hops(const struct mesh_config *mesh, const struct experiment_result *result)
{
    bool known = mesh->links < PR_GRAPH_LINKS_MAX && result->faults.resets == 0;
    uint64_t words = known ? result->counters[PR_COUNTER_WORDS_OUT] : 0;
    return words ? (double)result->link_words / (double)words : 0;
}

uint64_t sim_discarded(const struct experiment_result *result)
{
    return result->counters[PR_COUNTER_FOREIGN_DISCARDED] + result->counters[PR_COUNTER_RECEIVED_DISCARDED];
}

/* One function for each row, then the rows. */
#define GETTER(key, expression)                                         \
    static struct sim_value get_##key(const struct sim_point *point)    \
    {                                                                   \
        const struct mesh_config *mesh = point->mesh;                   \
        const struct experiment_options *options = point->options;      \
        const struct experiment_result *result = point->result;         \
        const struct traffic_options *traffic = &options->traffic;      \
        const struct scoreboard_totals *totals = &result->totals;       \
        const uint64_t *counters = result->counters;                    \
        const uint64_t *groups = result->group_counters;                \
        const struct sim_summary *summary = point->summary;             \
        const struct sim_saturation *saturation = &summary->saturation; \
        (void)mesh, (void)options, (void)traffic, (void)totals;         \
        (void)counters, (void)groups, (void)saturation;                 \
        return expression;                                              \
    }
#define QUESTION(key, expression, unit, meaning) GETTER(key, expression)
#define VERDICT(key, expression, unit, meaning)  GETTER(key, expression)
#define MEASURED(key, expression, unit, meaning) GETTER(key, expression)
#include "postroad/sim_report_rows.def"
#undef QUESTION
#undef VERDICT
#undef MEASURED

enum row_kind { ROW_QUESTION, ROW_VERDICT, ROW_FIGURE };

static const struct {
    const char *key;
    enum row_kind kind;
    struct sim_value (*get)(const struct sim_point *point);
} rows[] = {
#define QUESTION(key, expression, unit, meaning) {#key, ROW_QUESTION, get_##key},
#define VERDICT(key, expression, unit, meaning)  {#key, ROW_VERDICT, get_##key},
#define MEASURED(key, expression, unit, meaning) {#key, ROW_FIGURE, get_##key},
#include "postroad/sim_report_rows.def"
#undef QUESTION
#undef VERDICT
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
    {"swept.KEY", "text", "the value of a KEY of `--sweep` at this point; the first columns of CSV"},
#define QUESTION(key, expression, unit, meaning) {#key, unit, meaning},
#define VERDICT(key, expression, unit, meaning)  {#key, unit, meaning},
#define MEASURED(key, expression, unit, meaning) {#key, unit, meaning},
#include "postroad/sim_report_rows.def"
#define DISTRIBUTION(member, group, meaning) \
    {group ".{count,min,median,mean,p99,max}", "clocks", meaning ". Null if nothing was delivered"},
    DISTRIBUTIONS(DISTRIBUTION){"class_NAME.{offered_load,accepted_load}", "words per site and clock",
                                "with `--class`: of the packets of this class, as the keys of these names"},
    {"class_NAME.{count,min,median,mean,p99,max}", "clocks", "of the same: as `latency_clocks`"},
    {"*_ci95", "as the key",
     "with `--repeat`: of each number that is measured, and is the mean of the runs then, half the width of its interval of "
     "95 % (Student). Null with fewer than two runs"},
    {NULL, NULL, NULL},
};

enum { DISTRIBUTION_FIGURES = 6 };
static const char *const distribution_names[DISTRIBUTION_FIGURES] = {"count", "min", "median", "mean", "p99", "max"};

/* Absent where nothing was delivered. */
static struct sim_value distribution_value(const struct statistics *statistics, int figure)
{
    if (figure > 0 && statistics->count == 0)
        return ABSENT;
    switch (figure) {
    case 0:
        return COUNT(statistics->count);
    case 1:
        return COUNT(statistics->min);
    case 2:
        return COUNT(statistics_quantile(statistics, 0.5));
    case 3:
        return REAL(statistics_mean(statistics));
    case 4:
        return COUNT(statistics_quantile(statistics, 0.99));
    default:
        return COUNT(statistics->max);
    }
}

/* Fields of a run have places: rows first, then the figures of each distribution, then those of each class. */
enum {
    ROWS = sizeof rows / sizeof *rows,
    PLACES = ROWS + DISTRIBUTION_FIGURES * (sizeof distributions / sizeof *distributions),
    CLASS_LOADS = 2,
    CLASS_FIGURES = CLASS_LOADS + DISTRIBUTION_FIGURES
};
_Static_assert((int)PLACES + CLASS_FIGURES * TRAFFIC_CLASSES <= (int)SIM_FIELDS, "a summary has room for all figures");

static int places(const struct sim_point *point)
{
    return PLACES + CLASS_FIGURES * (int)point->options->traffic.class_count;
}

struct place {
    const char *group, *name;
};

/* The name of the group lives until the next call for a figure of the same class. */
static struct place place_of_class(int figure, const struct traffic_options *traffic)
{
    static char groups[TRAFFIC_CLASSES][TRAFFIC_CLASS_NAME + 6];
    static const char *const loads[CLASS_LOADS] = {"offered_load", "accepted_load"};
    int class = figure / CLASS_FIGURES, of_class = figure % CLASS_FIGURES;
    snprintf(groups[class], sizeof groups[class], "class_%s", traffic->classes[class].name);
    return (struct place){groups[class],
                          of_class < CLASS_LOADS ? loads[of_class] : distribution_names[of_class - CLASS_LOADS]};
}

static struct sim_value class_value(int figure, const struct experiment_result *result)
{
    int class = figure / CLASS_FIGURES, of_class = figure % CLASS_FIGURES;
    if (of_class < CLASS_LOADS)
        return measured(result, of_class ? result->class_accepted[class] : result->class_offered[class]);
    return distribution_value(&result->class_latency[class], of_class - CLASS_LOADS);
}

static struct place place_of(int place)
{
    if (place < ROWS)
        return (struct place){NULL, rows[place].key};
    int distribution = (place - ROWS) / DISTRIBUTION_FIGURES, figure = (place - ROWS) % DISTRIBUTION_FIGURES;
    return (struct place){distributions[distribution].group, distribution_names[figure]};
}

static bool is_figure(int place)
{
    return place >= ROWS || rows[place].kind == ROW_FIGURE;
}

/* A run that never began has no measurements: no zeroes that look like results. */
static struct sim_value figure_of(int place, const struct sim_point *point)
{
    if (!point->result->ran)
        return ABSENT;
    if (place < ROWS)
        return rows[place].get(point);
    if (place >= PLACES)
        return class_value(place - PLACES, point->result);
    int distribution = (place - ROWS) / DISTRIBUTION_FIGURES, figure = (place - ROWS) % DISTRIBUTION_FIGURES;
    const char *start = (const char *)point->result;
    return distribution_value((const void *)(start + distributions[distribution].offset), figure);
}

static void add(struct sim_fields *fields, const char *group, const char *name, struct sim_value value)
{
    fields->list[fields->count++] = (struct sim_field){group, name, "", value};
}

/* A permutation that is drawn differs from seed to seed. */
static void merge_bounds(struct load_bounds *merged, const struct load_bounds *one, const struct load_bounds *other)
{
    for (int i = 0; i < LOAD_BOUNDS; i++)
        merged->load[i] = fmax(one->load[i], other->load[i]);
    merged->zero_load_latency = fmax(one->zero_load_latency, other->zero_load_latency);
}

/* The worst of two runs: of the first ending that is worst, with the verdicts of either that are worst. */
static void merge_worst(struct sim_summary *summary, const struct experiment_result *result)
{
    static const int badness[] = {[STEADINESS_STEADY] = 0, [STEADINESS_UNDECIDED] = 1, [STEADINESS_UNSTEADY] = 2};
    struct experiment_result *worst = &summary->worst;
    struct experiment_result former = *worst;
    int before = exit_code_of_experiment(worst->end), now = exit_code_of_experiment(result->end);
    if (summary->runs == 0) {
        *worst = *result;
        return;
    }
    if (exit_code_worst(before, now) != before)
        *worst = *result;
    worst->ran = former.ran || result->ran;
    merge_bounds(&worst->bounds, &former.bounds, &result->bounds);
    worst->saturated = former.saturated || result->saturated;
    worst->warmup_found = former.warmup_found && result->warmup_found;
    worst->halves.verdict = badness[former.halves.verdict] > badness[result->halves.verdict] ? former.halves.verdict
                                                                                             : result->halves.verdict;
}

static void forget_histograms(struct experiment_result *result)
{
    struct statistics *const histograms[] = {EXPERIMENT_HISTOGRAMS(result)};
    for (size_t i = 0; i < sizeof histograms / sizeof *histograms; i++)
        histograms[i]->bins = NULL;
    result->link_use = NULL;
    result->frames = NULL;
    result->slices = NULL;
}

void sim_summary_count(struct sim_summary *summary, const struct experiment_result *result)
{
    merge_worst(summary, result);
    forget_histograms(&summary->worst);
    summary->runs++;
    summary->saturated += result->saturated;
    summary->unsteady += result->halves.verdict == STEADINESS_UNSTEADY;
    summary->undecided += result->ran && !result->saturated && result->halves.verdict == STEADINESS_UNDECIDED;
    summary->incomplete += result->end != END_COMPLETE;
}

void sim_summary_add(struct sim_summary *summary, const struct sim_point *point)
{
    for (int i = 0; i < places(point); i++) {
        struct sim_value value = is_figure(i) ? figure_of(i, point) : ABSENT;
        if (value.kind == VALUE_ABSENT)
            continue;
        summary->figures[i].kind = value.kind;
        sample_add(&summary->figures[i].sample, value.number);
    }
    sim_summary_count(summary, point->result);
}

/* The mean of a figure, and its interval. */
static void add_figure(struct sim_fields *fields, const char *group, const char *name,
                       const struct sim_summary *summary, int place)
{
    const struct sample *sample = &summary->figures[place].sample;
    double half = sample_half_width(sample);
    bool exact = summary->runs == 1 && summary->figures[place].kind == VALUE_COUNT;
    add(fields, group, name, sample->count == 0 ? ABSENT : exact ? COUNT(sample->mean) : REAL(sample->mean));
    if (!summary->repeated)
        return;
    add(fields, group, name, isfinite(half) ? REAL(half) : ABSENT);
    fields->list[fields->count - 1].ending = "_ci95";
}

void sim_fields_collect(struct sim_fields *fields, const struct sim_point *point)
{
    const struct sim_summary *summary = point->summary;
    struct sim_point worst = *point;
    worst.result = &summary->worst;
    fields->count = 0;
    for (unsigned i = 0; i < point->swept_count; i++)
        add(fields, "swept", point->swept[i].key, TEXT(point->swept[i].value));
    for (int i = 0; i < places(point); i++) {
        struct place place = i < PLACES ? place_of(i) : place_of_class(i - PLACES, &point->options->traffic);
        if (is_figure(i))
            add_figure(fields, place.group, place.name, summary, i);
        else
            add(fields, NULL, place.name,
                rows[i].kind == ROW_VERDICT && !summary->worst.ran ? ABSENT : rows[i].get(&worst));
    }
}

const struct sample *sim_summary_figure(const struct sim_summary *summary, const char *group, const char *name)
{
    for (int i = 0; i < PLACES; i++) {
        struct place place = place_of(i);
        bool same_group = group ? place.group && strcmp(group, place.group) == 0 : !place.group;
        if (same_group && strcmp(name, place.name) == 0)
            return &summary->figures[i].sample;
    }
    return NULL;
}

bool sim_summary_saturated(const struct sim_summary *summary)
{
    return summary->runs > 0 && summary->saturated == summary->runs;
}

bool sim_summary_narrow(const struct sim_summary *summary)
{
    const struct sample *latency = sim_summary_figure(summary, "latency_clocks", "mean");
    return sample_half_width(latency) <= summary->until * latency->mean;
}
