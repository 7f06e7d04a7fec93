/* See outcome.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* open_memstream, strsep */
#include "outcome.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "invariants.h"
#include "postroad/sim_options.h"
#include "postroad/sim_report.h"
#include "postroad/verbs.h"

enum { WORDS_MOST = 60, OPTIONS_SIZE = 1200 };

/* What the verb's function is handed. */
static struct outcome *running;
static struct mesh_config running_mesh;
static uint64_t running_packets;
static const char *running_must;

static cJSON *report(const struct sim_point *point)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    CHECK(out && sim_report_json(out, point) == 0 && fclose(out) == 0);
    cJSON *keys = cJSON_Parse(text);
    CHECK(keys);
    free(text);
    return keys;
}

static void check_end(const struct experiment_result *result, const char *must)
{
    bool complete = result->end == END_COMPLETE, partial = result->end == END_PARTIAL;
    bool good = strcmp(must, "accounted") == 0 ? complete || partial
                : strcmp(must, "partial") == 0 ? partial
                : strcmp(must, "wrong") == 0   ? result->end == END_WRONG
                                               : complete;
    check(good, "%s: %s", experiment_end_name(result->end), result->diagnosis);
}

/* In the place of the verb's own: no output, and the whole result. */
static int run_point(const struct options *common)
{
    static struct sim_options options;
    struct experiment_result result;
    char error[512];
    options = *(const struct sim_options *)(const void *)common;
    if (running_packets)
        options.experiment.packets = running_packets;
    options.experiment.traffic.load = options.loads[0];
    if (sim_options_apply(&options, &running_mesh, error, sizeof error) != 0 ||
        sim_options_check(&options, &running_mesh, error, sizeof error) != 0) {
        check(false, "%s", error);
        sim_options_free(&options);
        return 1;
    }
    experiment_run(&running_mesh, &options.experiment, NULL, NULL, &result);
    check_end(&result, running_must);
    if (strcmp(running_must, "wrong") != 0 && result.ran)
        invariants_check(&running_mesh, &options.experiment, &result);
    *running = (struct outcome){.valid = result.ran,
                                .packets = result.totals.packets,
                                .expected = result.totals.expected,
                                .deliveries = result.totals.deliveries,
                                .words = result.totals.completed_words};
    const char *nodes = options.nodes_text ? options.nodes_text : "native";
    struct sim_summary summary = {0};
    const struct sim_point point = {
        .mesh = &running_mesh, .options = &options.experiment, .result = &result, .nodes = nodes, .summary = &summary};
    sim_summary_add(&summary, &point);
    running->keys = report(&point);
    experiment_result_free(&result);
    sim_options_free(&options);
    return 0;
}

/* A member of the object, or of an object in it: "max" of "latency_clocks" is latency_clocks.max. NAN: there is none.
 */
static double number_of(const cJSON *keys, const char *name)
{
    char copy[80], *rest = copy;
    const char *word;
    snprintf(copy, sizeof copy, "%s", name);
    while (keys && (word = strsep(&rest, ".")))
        keys = cJSON_GetObjectItemCaseSensitive(keys, word);
    return cJSON_IsNumber(keys) ? keys->valuedouble : cJSON_IsBool(keys) ? cJSON_IsTrue(keys) : NAN;
}

/* NUMBER or FACTOR*RUN. */
static double wanted(const char *key, const char *text, outcome_find *find)
{
    char *end;
    double factor = strtod(text, &end);
    if (*end != '*')
        return factor;
    const struct outcome *other = find(end + 1);
    check(other && other->valid, "no earlier run %s", end + 1);
    return other && other->valid ? factor * number_of(other->keys, key) : NAN;
}

static void compare_key(const struct outcome *outcome, const char *comparison, outcome_find *find)
{
    char key[80];
    size_t length = strcspn(comparison, "=<>");
    char operation = comparison[length];
    snprintf(key, sizeof key, "%.*s", (int)length, comparison);
    check(operation, "'%s', expected a comparison", comparison);
    if (!operation)
        return;
    double found = number_of(outcome->keys, key), other = wanted(key, comparison + length + 1, find);
    bool good = operation == '=' ? found == other : operation == '<' ? found < other : found > other;
    check(good, "%s is %.6g, expected %s (%.6g)", key, found, comparison, other);
}

static bool has_faults(const cJSON *keys)
{
    static const char *const counts[] = {"corrupted_words", "links_down", "resets", "stops"};
    double sum = 0;
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        sum += cJSON_GetObjectItemCaseSensitive(keys, counts[i])->valuedouble;
    return sum > 0;
}

/* What differs between two simulators that run the same clocks. A run with faults that come again and again ends with
 * the stretch of 64 clocks in which the simulator finds the mesh idle. */
static void drop_own_keys(cJSON *keys)
{
    static const char *const own[] = {"engine", "nodes",   "cpu_seconds", "node_clocks_per_cpu_second",
                                      "clocks", "run_load"};
    unsigned count = sizeof own / sizeof *own - (has_faults(keys) ? 0 : 2);
    for (unsigned i = 0; i < count; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(keys, own[i]);
}

static void compare_all_keys(const struct outcome *outcome, const struct outcome *reference)
{
    cJSON *mine = cJSON_Duplicate(outcome->keys, true), *other = cJSON_Duplicate(reference->keys, true);
    drop_own_keys(mine);
    drop_own_keys(other);
    for (const cJSON *key = mine->child; key; key = key->next) {
        const cJSON *its = cJSON_GetObjectItemCaseSensitive(other, key->string);
        char *a = cJSON_PrintUnformatted(key), *b = cJSON_PrintUnformatted(its);
        check(a && b && strcmp(a, b) == 0, "%s is %s, expected %s as in %s", key->string, a, b, reference->name);
        free(a);
        free(b);
    }
    cJSON_Delete(mine);
    cJSON_Delete(other);
}

void outcome_compare(const struct outcome *outcome, const struct outcome *reference, bool same)
{
    if (!outcome->valid || !reference->valid)
        return;
    check(outcome->packets == reference->packets && outcome->expected == reference->expected &&
              outcome->words == reference->words && outcome->deliveries == reference->deliveries,
          "%" PRIu64 " packets, %" PRIu64 " targets, %" PRIu64 " words, %" PRIu64 " deliveries, expected %" PRIu64
          ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 " as in %s",
          outcome->packets, outcome->expected, outcome->words, outcome->deliveries, reference->packets,
          reference->expected, reference->words, reference->deliveries, reference->name);
    if (same)
        compare_all_keys(outcome, reference);
}

/* One of the words of what must hold. */
static void check_must(const struct outcome *outcome, const char *word, outcome_find *find)
{
    bool as_other = strncmp(word, "as:", 3) == 0;
    const struct outcome *other = as_other ? find(word + 3) : NULL;
    if (!as_other) {
        compare_key(outcome, word, find);
        return;
    }
    check(other, "no earlier run %s", word + 3);
    if (other)
        outcome_compare(outcome, other, true);
}

/* Splits the text, which it changes, at blanks. */
static int split(char *text, char **words)
{
    int count = 0;
    for (char *word; (word = strsep(&text, " ")) && count < WORDS_MOST - 1;)
        if (*word)
            words[count++] = word;
    return count;
}

void outcome_run(struct outcome *outcome, const struct mesh_config *mesh, const char *options, uint64_t packets,
                 const char *must, outcome_find *find)
{
    char options_copy[OPTIONS_SIZE], must_copy[OPTIONS_SIZE], *argv[WORDS_MOST + 1] = {"sim"}, *musts[WORDS_MOST];
    struct verb verb = verb_sim;
    snprintf(options_copy, sizeof options_copy, "%s", options);
    snprintf(must_copy, sizeof must_copy, "%s", must);
    int argc = 1 + split(options_copy, argv + 1), count = split(must_copy, musts);
    bool other_end = count > 0 && !strpbrk(musts[0], "=<>:");
    verb.run = run_point;
    verb.operands_min = 0;
    running = outcome;
    running_mesh = *mesh;
    running_packets = packets;
    running_must = other_end ? musts[0] : "";
    *outcome = (struct outcome){.valid = false};
    optind = 0; /* getopt begins anew */
    check(options_run(&verb, argc, argv) == 0, "options: %s", options);
    for (int i = other_end; i < count && outcome->valid; i++)
        check_must(outcome, musts[i], find);
}

void outcome_print(const struct outcome *outcome)
{
    char *text = outcome->keys ? cJSON_PrintUnformatted(outcome->keys) : NULL;
    puts(text ? text : "null");
    free(text);
}

void outcome_free(struct outcome *outcome)
{
    cJSON_Delete(outcome->keys);
    outcome->keys = NULL;
}
