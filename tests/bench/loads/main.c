/* How the choice of the machine that a packet is loaded into, and the options of the model, change the clocks until the
 * last packet of a pattern has arrived. 32x32, one data flit a packet (patterns.h).
 *
 * usage: loads PATTERN (parity | closed-form | plan | schedule) OPTIONS SEEDS
 *        loads workload PATTERN PLANE     instead: the packets of a plane, by schedule (tests/postman/workload_line.h)
 *   OPTIONS: tests/postman/option_letters.h
 * Prints JSON: clocks to the last arrival, the mean of the seeds, and its 95 % interval for a pattern that is drawn;
 * the mean clocks to an arrival, and to one elsewhere than at the node of hot spots; adaptions; the most packets that
 * have waited in transit buffers of one machine. exit: 0; 1 usage, or a packet that has not arrived exactly once
 *
 * SPDX-License-Identifier: ISC
 */
#include <math.h>
#include <string.h>

#include "bench/loads/patterns.h"
#include "check.h"
#include "postman/load_schedule.h"
#include "postman/option_letters.h"
#include "postman/workload_line.h"

enum { FLIT_BITS = 8, SCHEDULE_RUNS = 200 };

enum loading { BY_PARITY, BY_CLOSED_FORM, BY_PLAN, BY_SCHEDULE };

static const char *const loading_names[] = {"parity", "closed-form", "plan", "schedule"};

struct rules {
    enum loading loading;
    struct postman_options options;
};

/* R21. A transposition turns on the diagonal, whichever way it begins; row and column of its source compete for it.
 * Those far out hold few packets, and take all of theirs. Each of the others wins against half of the others. */
static enum postman_dimension closed_form(unsigned column, unsigned row)
{
    const unsigned inner = PATTERN_SIDE * 3 / 5;
    if (row >= inner)
        return POSTMAN_X;
    if (column >= inner)
        return POSTMAN_Y;
    if (row == column)
        return row % 2 ? POSTMAN_Y : POSTMAN_X;
    return (row + inner - column) % inner <= inner / 2 ? POSTMAN_X : POSTMAN_Y;
}

static void choose_loads(enum loading loading, const struct postman_grid *grid, struct journeys *journeys)
{
    for (unsigned i = 0; i < journeys->count; i++) {
        struct postman_journey *journey = &journeys->list[i];
        unsigned plane = postman_grid_plane(grid, journey->from, journey->to);
        unsigned node = postman_grid_node(grid, plane, journey->from);
        unsigned column = node % PATTERN_SIDE, row = node / PATTERN_SIDE; /* from the side that it moves away from */
        journey->first = (column + row) % 2 ? POSTMAN_Y : POSTMAN_X;
        if (loading == BY_CLOSED_FORM)
            journey->first = closed_form(column, row);
    }
    if (loading == BY_PLAN || loading == BY_SCHEDULE)
        CHECK(postman_plan_loads(grid, journeys->list, journeys->count));
    if (loading == BY_SCHEDULE)
        CHECK(postman_schedule_loads(grid, journeys->list, journeys->count, SCHEDULE_RUNS));
}

struct outcome {
    double last, mean; /* clocks to the last arrival, and to an arrival */
    double others;     /* to one elsewhere than at the node of hot spots */
    double adaptions;
    unsigned deepest;
};

/* One seed of a pattern. */
static struct outcome run(const struct rules *rules, const struct pattern *pattern, uint64_t seed)
{
    static struct journeys journeys;
    static unsigned arrivals[PATTERN_MOST];
    struct postman_grid grid = {.options = rules->options};
    struct postman_counts counts;
    pattern_fill(pattern, &grid, &journeys, &seed);
    choose_loads(rules->loading, &grid, &journeys);
    CHECK(postman_journeys_run(&grid.options, journeys.list, journeys.count, arrivals, &counts));
    struct outcome outcome = {.adaptions = (double)counts.adapt, .deepest = counts.deepest};
    unsigned others = 0;
    for (unsigned i = 0; i < journeys.count; i++) {
        outcome.last = arrivals[i] > outcome.last ? arrivals[i] : outcome.last;
        outcome.mean += (double)arrivals[i] / journeys.count;
        if (journeys.list[i].to == PATTERN_HOT_NODE)
            continue;
        outcome.others += arrivals[i];
        others++;
    }
    outcome.others /= others;
    return outcome;
}

static void print_outcomes(const struct pattern *pattern, const struct rules *rules, unsigned seeds)
{
    unsigned runs = pattern->drawn ? seeds : 1;
    double sum = 0, squares = 0, mean = 0, others = 0, adaptions = 0;
    unsigned deepest = 0;
    for (unsigned i = 0; i < runs; i++) {
        struct outcome outcome = run(rules, pattern, i + 1);
        sum += outcome.last;
        squares += outcome.last * outcome.last;
        mean += outcome.mean / runs;
        others += outcome.others / runs;
        adaptions += outcome.adaptions / runs;
        deepest = outcome.deepest > deepest ? outcome.deepest : deepest;
    }
    printf("{\"last\":%.6f,\"mean\":%.6f,\"others\":%.6f,\"adaptions\":%.6f,\"deepest\":%u,\"interval\":", sum / runs,
           mean, others, adaptions, deepest);
    if (runs > 1)
        printf("%.6f}\n", 1.96 * sqrt((squares - sum * sum / runs) / (runs - 1) / runs));
    else
        printf("null}\n");
}

static const struct pattern *find_pattern(const char *name)
{
    for (const struct pattern *pattern = patterns; pattern < patterns + pattern_count; pattern++)
        if (strcmp(pattern->name, name) == 0)
            return pattern;
    return NULL;
}

/* In the plane's own directions it is as the plane (+X,+Y). */
static void print_journey(const struct postman_grid *grid, unsigned plane, const struct postman_journey *journey)
{
    const uint16_t data = journey->from & 0xff;
    unsigned from = postman_grid_node(grid, plane, journey->from), to = postman_grid_node(grid, plane, journey->to);
    struct postman_load load = postman_grid_packet(grid, from, to, journey->first, &data, journey->data);
    workload_line_print(journey->clock, &load, FLIT_BITS);
}

static void print_workload(const struct pattern *pattern, unsigned plane)
{
    static struct journeys journeys;
    struct postman_grid grid = {.options = {.size_x = PATTERN_SIDE, .size_y = PATTERN_SIDE, .flit_bits = FLIT_BITS}};
    uint64_t seed = 1;
    pattern_fill(pattern, &grid, &journeys, &seed);
    choose_loads(BY_SCHEDULE, &grid, &journeys);
    for (unsigned i = 0; i < journeys.count; i++)
        if (postman_grid_plane(&grid, journeys.list[i].from, journeys.list[i].to) == plane)
            print_journey(&grid, plane, &journeys.list[i]);
}

/* The closed form is one for transpositions. */
static bool read_rules(char **words, const struct pattern *pattern, struct rules *rules)
{
    unsigned loading = 0;
    while (loading <= BY_SCHEDULE && strcmp(words[0], loading_names[loading]) != 0)
        loading++;
    *rules = (struct rules){(enum loading)loading,
                            {.size_x = PATTERN_SIDE, .size_y = PATTERN_SIDE, .flit_bits = FLIT_BITS}};
    return loading <= BY_SCHEDULE && option_letters(words[1], &rules->options) &&
           (loading != BY_CLOSED_FORM || !pattern->fill);
}

int main(int count, char **arguments)
{
    bool workload = count == 4 && !strcmp(arguments[1], "workload");
    const struct pattern *pattern = workload || count == 5 ? find_pattern(arguments[workload ? 2 : 1]) : NULL;
    int number = pattern ? atoi(arguments[count - 1]) : 0;
    struct rules rules;
    if (pattern && workload)
        print_workload(pattern, (unsigned)number);
    else if (pattern && number > 0 && read_rules(arguments + 2, pattern, &rules))
        print_outcomes(pattern, &rules, (unsigned)number);
    else {
        fprintf(
            stderr,
            "usage: loads PATTERN (parity | closed-form | plan | schedule) OPTIONS SEEDS | loads workload PATTERN PLANE\n");
        return 1;
    }
    return 0;
}
