/* How the choice of the machine that a packet is loaded into, and adaptivity, change the clocks until the last packet
 * of a pattern has arrived: a table in Markdown. 32x32, no torus, one data flit a packet, all loaded before clock 0.
 *
 * usage: loads SEEDS
 * exit: 0; 1 usage, or a packet that has not arrived
 *
 * SPDX-License-Identifier: ISC
 */
#include <math.h>

#include "bench/loads/patterns.h"
#include "check.h"

enum { FLIT_BITS = 8, CLOCK_LIMIT = 100000 };

enum loading { BY_PARITY, BY_CLOSED_FORM, BY_PLAN };

struct rules {
    const char *name;
    enum loading loading;
    bool adaptive;
};

static const struct rules rules[] = {
    {"parity, adaptive", BY_PARITY, true},  {"parity", BY_PARITY, false},
    {"closed form", BY_CLOSED_FORM, false}, {"plan", BY_PLAN, false},
    {"plan, adaptive", BY_PLAN, true},
};

/* A node's coordinate from the side of the grid that the packet moves away from. */
static unsigned passed(unsigned from, unsigned to)
{
    return to < from ? PATTERN_SIDE - 1 - from : from;
}

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

static void choose_first(enum loading loading, const struct postman_grid *grid, struct journeys *journeys)
{
    for (unsigned i = 0; i < journeys->count; i++) {
        struct postman_journey *journey = &journeys->list[i];
        unsigned column = passed(journey->from % PATTERN_SIDE, journey->to % PATTERN_SIDE);
        unsigned row = passed(journey->from / PATTERN_SIDE, journey->to / PATTERN_SIDE);
        journey->first = (column + row) % 2 ? POSTMAN_Y : POSTMAN_X;
        if (loading == BY_CLOSED_FORM)
            journey->first = closed_form(column, row);
    }
    if (loading == BY_PLAN)
        CHECK(postman_plan_loads(grid, journeys->list, journeys->count));
}

struct outcome {
    double last, mean; /* clocks to the last arrival, and to an arrival */
};

static struct outcome run(const struct rules *rules, struct journeys *journeys)
{
    struct postman_options options = {.size_x = PATTERN_SIDE,
                                      .size_y = PATTERN_SIDE,
                                      .flit_bits = FLIT_BITS,
                                      .adaptive_routing = rules->adaptive,
                                      .adaptive_sourcing = rules->adaptive};
    struct postman_grid grid;
    CHECK(postman_grid_create(&grid, &options));
    choose_first(rules->loading, &grid, journeys);
    const uint16_t data = 0;
    for (unsigned i = 0; i < journeys->count; i++) {
        const struct postman_journey *journey = &journeys->list[i];
        CHECK(postman_grid_load(&grid, journey->from, journey->to, journey->first, &data, journey->data));
    }
    struct outcome outcome = {0, 0};
    unsigned arrived = 0;
    for (unsigned clock = 0; clock < CLOCK_LIMIT && arrived < journeys->count; clock++) {
        postman_grid_clock(&grid);
        for (struct postman_arrival arrival; postman_grid_arrival(&grid, &arrival); arrived++) {
            outcome.last = (double)arrival.clock;
            outcome.mean += (double)arrival.clock / journeys->count;
        }
    }
    CHECK(arrived == journeys->count);
    postman_grid_free(&grid);
    return outcome;
}

/* Clocks to the last arrival, with a 95 % interval over the seeds; in brackets the mean clocks to an arrival. */
static void print_cell(const struct pattern *pattern, const struct rules *rules, unsigned seeds)
{
    static struct journeys journeys;
    unsigned runs = pattern->drawn ? seeds : 1;
    double sum = 0, squares = 0, mean = 0;
    for (unsigned i = 0; i < runs; i++) {
        uint64_t seed = i + 1;
        pattern_fill(pattern, &journeys, &seed);
        struct outcome outcome = run(rules, &journeys);
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

static bool applies(const struct pattern *pattern, const struct rules *rules)
{
    return rules->loading != BY_CLOSED_FORM || pattern->published;
}

int main(int count, char **arguments)
{
    if (count != 2 || atoi(arguments[1]) < 1) {
        fprintf(stderr, "usage: loads SEEDS\n");
        return 1;
    }
    const unsigned rule_count = sizeof rules / sizeof *rules;
    printf("| pattern | 1989 paper |");
    for (unsigned i = 0; i < rule_count; i++)
        printf(" %s |", rules[i].name);
    printf("\n|---|---|");
    for (unsigned i = 0; i < rule_count; i++)
        printf("---|");
    for (const struct pattern *pattern = patterns; pattern < patterns + pattern_count; pattern++) {
        printf("\n| %s |", pattern->name);
        if (pattern->published)
            printf(" %u", pattern->published);
        printf(" |");
        for (unsigned i = 0; i < rule_count; i++)
            if (applies(pattern, &rules[i]))
                print_cell(pattern, &rules[i], (unsigned)atoi(arguments[1]));
            else
                printf(" |");
    }
    printf("\n");
    return 0;
}
