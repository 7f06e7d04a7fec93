/* See sim_plan.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* asprintf */
#include "postroad/sim_plan.h"

#include "support/or_abort.h"

#include <stdlib.h>
#include <string.h>

/* A sweep, KEY=VALUE,VALUE,...: the values follow the key in `text`, a zero behind each. */
struct axis {
    const char *key, *values;
    unsigned count;
};

/* It takes all values at once, and makes no combinations. */
static const char list_of_loads[] = "load";

/* The options that are swept, beside the keys of a .mesh file. */
static const char *const swept_options[] = {"engine",    "model",       "nodes",     "traffic",  "process",
                                            "length",    "load",        "multicast", "targets",  "info",
                                            "groups",    "group-share", "members",   "shape",    "packets",
                                            "warmup",    "pool",        "window",    "reliable", "stall",
                                            "hot-share", "ordered",     "relays",    "hot-site", "repeated-unicasts"};

static int refuse(char *error, size_t error_size, const char *sweep, const char *reason)
{
    snprintf(error, error_size, "--sweep %s: %s", sweep, reason);
    return -1;
}

/* A key of a .mesh file has a section. */
static bool is_mesh_key(const char *key)
{
    return strchr(key, '.') != NULL;
}

static int check_key(const char *sweep, const char *key, char *error, size_t error_size)
{
    char reason[400] = "expected SECTION.KEY of a .mesh file or one of the options";
    size_t used = strlen(reason);
    if (is_mesh_key(key))
        return 0;
    for (size_t i = 0; i < sizeof swept_options / sizeof *swept_options; i++) {
        if (strcmp(key, swept_options[i]) == 0)
            return 0;
        used += (size_t)snprintf(reason + used, sizeof reason - used, " %s", swept_options[i]);
    }
    return refuse(error, error_size, sweep, reason);
}

/* Cuts the text of a sweep into key and values. */
static int read_axis(const char *sweep, char *text, struct axis *axis, char *error, size_t error_size)
{
    char *values = strchr(text, '=');
    if (!values || values == text)
        return refuse(error, error_size, sweep, "expected KEY=VALUE,VALUE,...");
    *values++ = 0;
    *axis = (struct axis){.key = text, .values = values, .count = 1};
    if (check_key(sweep, text, error, error_size) != 0)
        return -1;
    if (strcmp(text, list_of_loads) == 0)
        return 0;
    for (char *comma = strchr(values, ','); comma; comma = strchr(comma + 1, ',')) {
        *comma = 0;
        axis->count++;
    }
    return 0;
}

static const char *value_of(const struct axis *axis, unsigned number)
{
    const char *value = axis->values;
    while (number--)
        value += strlen(value) + 1;
    return value;
}

/* SECTION.KEY=VALUE as --set has it, which stays as long as the options. */
static int set_mesh_key(struct sim_options *options, const char *key, const char *value, char *error, size_t error_size)
{
    char *setting;
    if (options->set.count == OPTION_LIST_MAX || asprintf(&setting, "%s=%s", key, value) < 0)
        return refuse(error, error_size, key, "too many settings beside --set");
    options->set.items[options->set.count++] = setting;
    return 0;
}

static int set_value(struct sim_case *of, const struct verb *verb, const char *key, const char *value, char *error,
                     size_t error_size)
{
    if (is_mesh_key(key))
        return set_mesh_key(&of->options, key, value, error, error_size);
    return options_assign(verb, &of->options.common, key, value, error, error_size);
}

/* The combination with this number. */
static int make_case(struct sim_case *of, const struct verb *verb, const struct axis *axes, size_t count,
                     unsigned number, char *error, size_t error_size)
{
    unsigned combinations = 1;
    for (size_t i = 0; i < count; i++)
        combinations *= axes[i].count;
    for (size_t i = 0; i < count; i++) {
        combinations /= axes[i].count;
        const char *value = value_of(&axes[i], number / combinations % axes[i].count);
        if (set_value(of, verb, axes[i].key, value, error, error_size) != 0)
            return -1;
        if (strcmp(axes[i].key, list_of_loads) != 0)
            of->swept[of->swept_count++] = (struct sim_swept){axes[i].key, value};
    }
    return 0;
}

static int read_axes(struct sim_plan *plan, const struct option_list *sweeps, struct axis *axes, char *error,
                     size_t error_size)
{
    unsigned cases = 1;
    if (sweeps->count > SIM_SWEEPS)
        return refuse(error, error_size, sweeps->items[SIM_SWEEPS], "too many sweeps, expected at most 8");
    for (size_t i = 0; i < sweeps->count; i++) {
        plan->texts[i] = or_abort(strdup(sweeps->items[i]));
        if (read_axis(sweeps->items[i], plan->texts[i], &axes[i], error, error_size) != 0)
            return -1;
        for (size_t k = 0; k < i; k++)
            if (strcmp(axes[k].key, axes[i].key) == 0)
                return refuse(error, error_size, sweeps->items[i],
                              "this key is swept twice, expected one list of values");
        cases *= axes[i].count;
        if (cases > SIM_MAX_CASES)
            return refuse(error, error_size, sweeps->items[i], "too many combinations, expected at most 1000");
    }
    plan->case_count = (int)cases;
    return 0;
}

int sim_plan_cases(struct sim_plan *plan, const struct verb *verb, const struct sim_options *options, char *error,
                   size_t error_size)
{
    struct axis axes[SIM_SWEEPS];
    size_t count = options->sweeps.count;
    if (read_axes(plan, &options->sweeps, axes, error, error_size) != 0)
        return -1;
    plan->settings_given = options->set.count;
    plan->cases = or_abort(calloc((size_t)plan->case_count, sizeof *plan->cases));
    for (int i = 0; i < plan->case_count; i++) {
        plan->cases[i].options = *options;
        if (make_case(&plan->cases[i], verb, axes, count, (unsigned)i, error, error_size) != 0)
            return -1;
    }
    return 0;
}

static void list_point(struct sim_plan *plan, const struct sim_case *of, double load)
{
    for (int i = 0; i < sim_options_repeats(&of->options); i++)
        plan->runs[plan->run_count++] = (struct sim_run){.of = of,
                                                         .load = load,
                                                         .seed = of->options.experiment.traffic.seed + (uint64_t)i,
                                                         .point = plan->point_count,
                                                         .number = plan->point_count};
    plan->point_count++;
}

void sim_plan_list(struct sim_plan *plan)
{
    const struct sim_options *options = &plan->cases->options;
    plan->run_count = plan->point_count = 0;
    for (int i = 0; i < plan->case_count; i++)
        for (int load = 0; load < options->load_count; load++)
            list_point(plan, &plan->cases[i], plan->cases[i].options.loads[load]);
    for (int i = 0; i < plan->run_count && plan->searches; i++)
        sim_search_begin(&plan->searches[i]);
}

int sim_plan_runs(struct sim_plan *plan)
{
    const struct sim_options *options = &plan->cases->options;
    size_t most = (size_t)plan->case_count * (size_t)options->load_count * (size_t)sim_options_repeats(options);
    plan->runs = calloc(most, sizeof *plan->runs);
    plan->searches = options->saturation ? calloc(most, sizeof *plan->searches) : NULL;
    if (!plan->runs || (options->saturation && !plan->searches))
        return -1;
    sim_plan_list(plan);
    return 0;
}

bool sim_plan_enough(const struct sim_summary *summary)
{
    if (summary->until == 0 || summary->runs < SIM_UNTIL_LEAST)
        return false;
    return sim_summary_narrow(summary) || (summary->runs == SIM_UNTIL_LEAST && summary->saturated == summary->runs);
}

struct sim_summary sim_plan_summary(const struct sim_plan *plan)
{
    const struct sim_options *options = &plan->cases->options;
    return (struct sim_summary){.repeated = sim_options_repeats(options) > 1, .until = options->until};
}

struct sim_run sim_plan_search_run(const struct sim_plan *plan, int search)
{
    int repeats = sim_options_repeats(&plan->cases->options);
    const struct sim_case *of = &plan->cases[search / repeats];
    return (struct sim_run){.of = of,
                            .load = sim_search_load(&plan->searches[search]),
                            .seed = of->options.experiment.traffic.seed + (uint64_t)(search % repeats),
                            .point = search,
                            .number = search / repeats};
}

int sim_plan_search(struct sim_plan *plan)
{
    plan->run_count = 0;
    for (int i = 0; i < plan->case_count * sim_options_repeats(&plan->cases->options); i++)
        if (!plan->searches[i].over)
            plan->runs[plan->run_count++] = sim_plan_search_run(plan, i);
    return plan->run_count;
}

void sim_plan_free(struct sim_plan *plan)
{
    for (int i = 0; i < plan->case_count && plan->cases; i++) {
        struct option_list *set = &plan->cases[i].options.set;
        while (set->count > plan->settings_given)
            free((char *)(uintptr_t)set->items[--set->count]);
        sim_options_free(&plan->cases[i].options);
    }
    for (size_t i = 0; i < SIM_SWEEPS; i++)
        free(plan->texts[i]);
    free(plan->cases);
    free(plan->runs);
    free(plan->searches);
}

struct experiment_options sim_run_options(const struct sim_run *run)
{
    struct experiment_options options = run->of->options.experiment;
    options.traffic.load = run->load;
    options.traffic.seed = run->seed;
    return options;
}

struct sim_point sim_case_point(const struct sim_case *of, const struct sim_summary *summary)
{
    const struct experiment_options *options = &of->options.experiment;
    return (struct sim_point){.mesh = &of->mesh,
                              .options = options,
                              .nodes = experiment_is_native(&of->mesh, options) ? "native" : of->options.nodes_text,
                              .summary = summary,
                              .swept = of->swept,
                              .swept_count = of->swept_count};
}
