/* How the choice of the machine that a packet is loaded into, and adaptivity, change the clocks until the last packet
 * of a pattern has arrived, or what a torus changes: a table in Markdown. 32x32, one data flit a packet, all loaded
 * before clock 0.
 *
 * usage: loads (loading | torus) SEEDS
 *        loads workload PATTERN PLANE     instead: the packets of a plane, by schedule (tests/postman/workload_line.h)
 * exit: 0; 1 usage, or a packet that has not arrived exactly once
 *
 * SPDX-License-Identifier: ISC
 */
#include <math.h>
#include <string.h>

#include "bench/loads/patterns.h"
#include "check.h"
#include "postman/load_schedule.h"
#include "postman/workload_line.h"

enum { FLIT_BITS = 8, SCHEDULE_RUNS = 200 };

enum loading { BY_PARITY, BY_CLOSED_FORM, BY_PLAN, BY_SCHEDULE };

struct rules {
    const char *name;
    enum loading loading;
    bool adaptive, torus;
};

struct table {
    const char *name;
    unsigned count;
    struct rules rules[6];
};

static const struct table tables[] = {{"loading",
                                       6,
                                       {{"parity, adaptive", BY_PARITY, true, false},
                                        {"parity", BY_PARITY, false, false},
                                        {"closed form", BY_CLOSED_FORM, false, false},
                                        {"plan", BY_PLAN, false, false},
                                        {"schedule", BY_SCHEDULE, false, false},
                                        {"plan, adaptive", BY_PLAN, true, false}}},
                                      {"torus",
                                       4,
                                       {{"grid, adaptive", BY_PARITY, true, false},
                                        {"torus, adaptive", BY_PARITY, true, true},
                                        {"grid", BY_PARITY, false, false},
                                        {"torus", BY_PARITY, false, true}}}};

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
};

/* One seed of a pattern. */
static struct outcome run(const struct rules *rules, const struct pattern *pattern, uint64_t seed)
{
    static struct journeys journeys;
    static unsigned arrivals[PATTERN_MOST];
    struct postman_grid grid = {.options = {.size_x = PATTERN_SIDE,
                                            .size_y = PATTERN_SIDE,
                                            .torus = rules->torus,
                                            .flit_bits = FLIT_BITS,
                                            .adaptive_routing = rules->adaptive,
                                            .adaptive_sourcing = rules->adaptive}};
    pattern_fill(pattern, &grid, &journeys, &seed);
    choose_loads(rules->loading, &grid, &journeys);
    CHECK(postman_journeys_run(&grid.options, journeys.list, journeys.count, arrivals));
    struct outcome outcome = {0, 0};
    for (unsigned i = 0; i < journeys.count; i++) {
        outcome.last = arrivals[i] > outcome.last ? arrivals[i] : outcome.last;
        outcome.mean += (double)arrivals[i] / journeys.count;
    }
    return outcome;
}

/* Clocks to the last arrival, with a 95 % interval over the seeds; in brackets the mean clocks to an arrival. */
static void print_cell(const struct pattern *pattern, const struct rules *rules, unsigned seeds)
{
    unsigned runs = pattern->drawn ? seeds : 1;
    double sum = 0, squares = 0, mean = 0;
    for (unsigned i = 0; i < runs; i++) {
        struct outcome outcome = run(rules, pattern, i + 1);
        sum += outcome.last;
        squares += outcome.last * outcome.last;
        mean += outcome.mean / runs;
    }
    printf(" %.0f", sum / runs);
    if (runs > 1)
        printf(" ± %.0f", 1.96 * sqrt((squares - sum * sum / runs) / (runs - 1) / runs));
    printf(" (%.0f) |", mean);
    fflush(stdout);
}

/* The closed form is one for transpositions. */
static bool applies(const struct pattern *pattern, const struct rules *rules)
{
    return rules->loading != BY_CLOSED_FORM || !pattern->fill;
}

static void print_table(const struct table *table, unsigned seeds)
{
    printf("| pattern | 1989 paper |");
    for (unsigned i = 0; i < table->count; i++)
        printf(" %s |", table->rules[i].name);
    printf("\n|---|---|");
    for (unsigned i = 0; i < table->count; i++)
        printf("---|");
    for (const struct pattern *pattern = patterns; pattern < patterns + pattern_count; pattern++) {
        printf("\n| %s |", pattern->name);
        if (pattern->published)
            printf(" %u", pattern->published);
        printf(" |");
        for (unsigned i = 0; i < table->count; i++)
            if (applies(pattern, &table->rules[i]))
                print_cell(pattern, &table->rules[i], seeds);
            else
                printf(" |");
    }
    printf("\n");
}

/* In the plane's own directions it is as the plane (+X,+Y). */
static void print_journey(const struct postman_grid *grid, unsigned plane, const struct postman_journey *journey)
{
    const uint16_t data = journey->from & 0xff;
    unsigned from = postman_grid_node(grid, plane, journey->from), to = postman_grid_node(grid, plane, journey->to);
    struct postman_load load = postman_grid_packet(grid, from, to, journey->first, &data, journey->data);
    workload_line_print(journey->clock, &load, FLIT_BITS);
}

static bool print_workload(const char *name, unsigned plane)
{
    static struct journeys journeys;
    struct postman_grid grid = {.options = {.size_x = PATTERN_SIDE, .size_y = PATTERN_SIDE, .flit_bits = FLIT_BITS}};
    const struct pattern *pattern = patterns;
    uint64_t seed = 1;
    while (pattern < patterns + pattern_count && strcmp(pattern->name, name) != 0)
        pattern++;
    if (pattern == patterns + pattern_count)
        return false;
    pattern_fill(pattern, &grid, &journeys, &seed);
    choose_loads(BY_SCHEDULE, &grid, &journeys);
    for (unsigned i = 0; i < journeys.count; i++)
        if (postman_grid_plane(&grid, journeys.list[i].from, journeys.list[i].to) == plane)
            print_journey(&grid, plane, &journeys.list[i]);
    return true;
}

int main(int count, char **arguments)
{
    int seeds = count == 3 ? atoi(arguments[2]) : 0;
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++)
        if (seeds > 0 && !strcmp(arguments[1], tables[i].name)) {
            print_table(&tables[i], (unsigned)seeds);
            return 0;
        }
    if (count == 4 && !strcmp(arguments[1], "workload") && print_workload(arguments[2], (unsigned)atoi(arguments[3])))
        return 0;
    fprintf(stderr, "usage: loads (loading | torus) SEEDS | loads workload PATTERN PLANE\n");
    return 1;
}
