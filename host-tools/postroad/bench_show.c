/* The figures of `postroad bench`, as a table and as JSON.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/bench.h"

#include "cli/report.h"
#include "cli/table.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* Unknown figures are NAN. */
struct round_trip {
    double min, mean, p99, jitter;
};

static struct round_trip round_trip(const struct bench_pair *pair, double unit)
{
    const struct statistics *trips = &pair->trips;
    if (trips->count == 0)
        return (struct round_trip){NAN, NAN, NAN, NAN};
    return (struct round_trip){.min = (double)trips->min * unit,
                               .mean = statistics_mean(trips) * unit,
                               .p99 = (double)statistics_quantile(trips, 0.99) * unit,
                               .jitter = trips->count > 1 ? pair->differences / (double)(trips->count - 1) * unit
                                                          : NAN};
}

static double microseconds(const struct bench_site *site)
{
    return site->clock_hz ? 1e6 / site->clock_hz : NAN;
}

/* Of the target's clocks each pair has the share of its packets: the first packet of all is their beginning. */
static double clocks_per_packet(const struct bench_pair *pair)
{
    const struct bench_site *target = pair->target;
    if (target->received < 2 || pair->received == 0)
        return NAN;
    return (double)target->clocks * (double)target->received / (double)(target->received - 1) / pair->received;
}

static double words_per_second(const struct bench *bench, const struct bench_pair *pair)
{
    return (double)bench->options->length / clocks_per_packet(pair) / microseconds(pair->target) * 1e6;
}

static double sum_of_words(const struct bench *bench)
{
    double sum = 0;
    for (size_t k = 0; k < bench->pair_count; k++) {
        double words = words_per_second(bench, &bench->pairs[k]);
        sum += isnan(words) && bench->pairs[k].received == 0 ? 0 : words;
    }
    return sum;
}

static const char *trouble(const struct bench_pair *pair)
{
    static const char *const texts[] = {[BENCH_SILENT] = "silent", [BENCH_RESTARTED] = "restarted"};
    enum bench_trouble worst = pair->source->trouble ? pair->source->trouble : pair->target->trouble;
    return texts[worst];
}

static double simulated_rate(const struct bench *bench)
{
    return bench->simulated && bench->seconds > 0 ? bench->simulated_clocks / bench->seconds : NAN;
}

enum column { FROM, TO, PACKETS, LOST, RESENT, WORDS, CLOCKS, MIN, MEAN, P99, JITTER, MEAN_CLOCKS, P99_CLOCKS };

static const struct table_column columns[] = {
    {.title = "from"},
    {.title = "to"},
    {.title = "packets", .rank = 3},
    {.title = "lost"},
    {.title = "resent", .rank = 4, .if_not_zero = true},
    {.title = "words/s"},
    {.title = "clocks", .rank = 2},
    {.title = "min us", .rank = 3},
    {.title = "mean us", .rank = 1},
    {.title = "p99 us", .rank = 1},
    {.title = "jitter", .rank = 2},
    {.title = "mean cl", .rank = 5},
    {.title = "p99 cl", .rank = 5},
};

static void cell(struct table *table, enum column column, double value)
{
    if (isnan(value))
        table_cell(table, column, "-");
    else
        table_cell(table, column, value < 100 ? "%.1f" : "%.0f", value);
}

static void add_row(struct table *table, const struct bench *bench, const struct bench_pair *pair)
{
    struct round_trip us = round_trip(pair, microseconds(pair->source)), clocks = round_trip(pair, 1);
    bool whole = pair->received == pair->sent && !trouble(pair);
    table_row(table, whole ? STYLE_PLAIN : pair->received ? STYLE_DOUBTFUL : STYLE_BAD);
    table_cell(table, FROM, "%u", pair->source->site);
    table_cell(table, TO, "%u", pair->target->site);
    table_cell(table, PACKETS, "%u", (unsigned)pair->sent);
    table_cell(table, LOST, "%u", (unsigned)(pair->sent - pair->received));
    table_cell(table, RESENT, "%u", (unsigned)pair->source->resent);
    cell(table, WORDS, words_per_second(bench, pair));
    cell(table, CLOCKS, clocks_per_packet(pair));
    cell(table, MIN, us.min);
    cell(table, MEAN, us.mean);
    cell(table, P99, us.p99);
    cell(table, JITTER, us.jitter);
    cell(table, MEAN_CLOCKS, clocks.mean);
    cell(table, P99_CLOCKS, clocks.p99);
}

static void print_notes(const struct bench *bench)
{
    double sum = sum_of_words(bench), rate = simulated_rate(bench);
    printf("%ld data words a packet", bench->options->length);
    if (bench->pair_count > 1 && !isnan(sum))
        printf(", %.0f words/s in all", sum);
    printf("; clocks: from packet to packet.\n");
    if (!isnan(rate) && bench->gateway->identity.clock_hz)
        printf("Simulated time: of %.6g clocks a second, %.3g passed in a second of this computer.\n",
               (double)bench->gateway->identity.clock_hz, rate);
    for (size_t k = 0; k < bench->pair_count; k++) {
        const struct bench_pair *pair = &bench->pairs[k];
        const char *text = trouble(pair);
        if (text)
            report_error("bench", "site %u: %s during the run",
                         pair->source->trouble ? pair->source->site : pair->target->site, text);
    }
}

void bench_show(const struct bench *bench)
{
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t k = 0; k < bench->pair_count; k++)
        add_row(&table, bench, &bench->pairs[k]);
    table_print(&table, stdout, bench->pair_count, terminal_width(STDOUT_FILENO));
    table_end(&table);
    print_notes(bench);
}

static void add_number(cJSON *object, const char *name, double value)
{
    if (isnan(value))
        cJSON_AddNullToObject(object, name);
    else
        cJSON_AddNumberToObject(object, name, value);
}

static void add_round_trip(cJSON *object, const char *name, struct round_trip trip)
{
    cJSON *entry = cJSON_AddObjectToObject(object, name);
    add_number(entry, "min", trip.min);
    add_number(entry, "mean", trip.mean);
    add_number(entry, "p99", trip.p99);
    add_number(entry, "jitter", trip.jitter);
}

static cJSON *pair_json(const struct bench *bench, const struct bench_pair *pair)
{
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddNumberToObject(entry, "from", pair->source->site);
    cJSON_AddNumberToObject(entry, "to", pair->target->site);
    if (trouble(pair))
        cJSON_AddStringToObject(entry, "trouble", trouble(pair));
    else
        cJSON_AddNullToObject(entry, "trouble");
    cJSON_AddNumberToObject(entry, "sent", pair->sent);
    cJSON_AddNumberToObject(entry, "received", pair->received);
    cJSON_AddNumberToObject(entry, "lost", pair->sent - pair->received);
    cJSON_AddNumberToObject(entry, "resent", pair->source->resent);
    add_number(entry, "words_per_second", words_per_second(bench, pair));
    add_number(entry, "clocks_per_packet", clocks_per_packet(pair));
    cJSON_AddNumberToObject(entry, "round_trips", (double)pair->trips.count);
    add_round_trip(entry, "round_trip_clocks", round_trip(pair, 1));
    add_round_trip(entry, "round_trip_us", round_trip(pair, microseconds(pair->source)));
    return entry;
}

void bench_show_json(const struct bench *bench)
{
    cJSON *object = report_object("bench"), *pairs;
    cJSON_AddNumberToObject(object, "data_words", (double)bench->options->length);
    cJSON_AddNumberToObject(object, "gap_clocks", (double)bench->options->gap);
    cJSON_AddNumberToObject(object, "seconds", bench->seconds);
    cJSON_AddBoolToObject(object, "simulated", bench->simulated);
    add_number(object, "simulated_clocks_per_second", simulated_rate(bench));
    add_number(object, "words_per_second", sum_of_words(bench));
    pairs = cJSON_AddArrayToObject(object, "pairs");
    for (size_t k = 0; k < bench->pair_count; k++)
        cJSON_AddItemToArray(pairs, pair_json(bench, &bench->pairs[k]));
    report_print(object, false);
}
