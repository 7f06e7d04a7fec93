/* See load_schedule.h. Of the packets that arrive last one is helped: a packet that joins its way, shares the busiest
 * line of it, and has the fewest lines to go, is loaded so that it begins about when the helped one passes. What does
 * not bring the last arrivals nearer is taken back.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/load_schedule.h"

#include <stdlib.h>
#include <string.h>

enum {
    CANDIDATES = 4, /* for each packet that is helped */
    LATE = 12       /* clocks before the last arrival in which packets count as late */
};

/* The helped packet comes earlier once the other one lets it pass, and a load takes some clocks. */
static const int offsets[] = {-22, -14, -6, 2};

struct candidate {
    unsigned journey, hops;
    unsigned passed; /* the clock in which the helped packet came to the node of this one */
};

struct outcome {
    unsigned last; /* arrival */
    unsigned late; /* how many packets arrive about then, those that arrive last counting most */
};

struct schedule {
    const struct postman_grid *grid;
    struct postman_journey *journeys;
    unsigned count, runs;
    unsigned *line_clocks;       /* for which packets hold each line */
    unsigned *arrivals, *trials; /* with the loads as they are, and with one changed */
    bool *tried;                 /* packets that could not be helped */
    struct outcome outcome;
};

static struct outcome outcome_of(const unsigned *arrivals, unsigned count)
{
    struct outcome outcome = {0, 0};
    for (unsigned i = 0; i < count; i++)
        if (arrivals[i] > outcome.last)
            outcome.last = arrivals[i];
    for (unsigned i = 0; i < count; i++)
        if (arrivals[i] + LATE > outcome.last)
            outcome.late += arrivals[i] + LATE - outcome.last;
    return outcome;
}

static bool better(const struct outcome *a, const struct outcome *b)
{
    return a->last < b->last || (a->last == b->last && a->late < b->late);
}

/* `count`: none that is late is left. */
static unsigned latest(const struct schedule *schedule)
{
    unsigned found = schedule->count;
    for (unsigned i = 0; i < schedule->count; i++)
        if (!schedule->tried[i] && schedule->arrivals[i] + LATE > schedule->outcome.last &&
            (found == schedule->count || schedule->arrivals[i] > schedule->arrivals[found]))
            found = i;
    return found;
}

static void way_of(const struct schedule *schedule, unsigned i, struct postman_way *way)
{
    postman_journey_way(schedule->grid, &schedule->journeys[i], schedule->journeys[i].first, way);
}

/* `count` of the way: it does not have the line. */
static unsigned place_of(const struct postman_way *way, unsigned line)
{
    unsigned place = 0;
    while (place < way->count && way->hops[place].line != line)
        place++;
    return place;
}

static unsigned busiest_line(const struct schedule *schedule, const struct postman_way *way)
{
    unsigned line = way->hops[0].line;
    for (unsigned i = 1; i < way->count; i++)
        if (schedule->line_clocks[way->hops[i].line] > schedule->line_clocks[line])
            line = way->hops[i].line;
    return line;
}

/* Keeps those with the fewest hops, in order. */
static unsigned insert(struct candidate *candidates, unsigned found, struct candidate new)
{
    unsigned place = found;
    if (found < CANDIDATES)
        found++;
    else if (candidates[--place].hops <= new.hops)
        return found;
    for (; place > 0 && candidates[place - 1].hops > new.hops; place--)
        candidates[place] = candidates[place - 1];
    candidates[place] = new;
    return found;
}

static unsigned find_candidates(const struct schedule *schedule, unsigned helped, struct candidate *candidates)
{
    struct postman_way way, other;
    way_of(schedule, helped, &way);
    unsigned line = busiest_line(schedule, &way), found = 0;
    unsigned began = schedule->arrivals[helped] - postman_journey_clocks(schedule->grid, &schedule->journeys[helped]);
    for (unsigned i = 0; i < schedule->count; i++) {
        way_of(schedule, i, &other);
        unsigned joins = place_of(&way, other.hops[0].line);
        if (i != helped && joins < way.count && place_of(&other, line) < other.count)
            found = insert(candidates, found, (struct candidate){i, other.count, began + joins});
    }
    return found;
}

/* True if the packets arrive earlier with this one loaded in the clock. */
static bool try(struct schedule *schedule, unsigned i, unsigned clock)
{
    unsigned kept = schedule->journeys[i].clock;
    schedule->journeys[i].clock = clock;
    schedule->runs--;
    if (postman_journeys_run(&schedule->grid->options, schedule->journeys, schedule->count, schedule->trials, NULL)) {
        struct outcome outcome = outcome_of(schedule->trials, schedule->count);
        if (better(&outcome, &schedule->outcome)) {
            unsigned *arrivals = schedule->trials;
            schedule->trials = schedule->arrivals;
            schedule->arrivals = arrivals;
            schedule->outcome = outcome;
            return true;
        }
    }
    schedule->journeys[i].clock = kept;
    return false;
}

static bool help(struct schedule *schedule, unsigned helped)
{
    struct candidate candidates[CANDIDATES];
    unsigned found = find_candidates(schedule, helped, candidates);
    for (unsigned i = 0; i < found; i++)
        for (unsigned k = 0; k < sizeof offsets / sizeof *offsets && schedule->runs; k++) {
            int clock = (int)candidates[i].passed + offsets[k];
            if (clock > 0 && try(schedule, candidates[i].journey, (unsigned)clock))
                return true;
        }
    return false;
}

static void improve(struct schedule *schedule)
{
    for (unsigned helped; schedule->runs && (helped = latest(schedule)) < schedule->count;)
        if (help(schedule, helped))
            memset(schedule->tried, 0, schedule->count * sizeof *schedule->tried);
        else
            schedule->tried[helped] = true;
}

static void add_lines(struct schedule *schedule)
{
    struct postman_way way;
    for (unsigned i = 0; i < schedule->count; i++) {
        way_of(schedule, i, &way);
        for (unsigned k = 0; k < way.count; k++)
            schedule->line_clocks[way.hops[k].line] += way.hops[k].clocks;
    }
}

bool postman_schedule_loads(const struct postman_grid *grid, struct postman_journey *journeys, unsigned count,
                            unsigned runs)
{
    struct schedule schedule = {.grid = grid, .journeys = journeys, .count = count, .runs = runs};
    schedule.line_clocks = calloc(postman_lines(&grid->options), sizeof *schedule.line_clocks);
    schedule.arrivals = calloc(count, sizeof *schedule.arrivals);
    schedule.trials = calloc(count, sizeof *schedule.trials);
    schedule.tried = calloc(count, sizeof *schedule.tried);
    bool good = schedule.line_clocks && schedule.arrivals && schedule.trials && schedule.tried &&
                postman_journeys_run(&grid->options, journeys, count, schedule.arrivals, NULL);
    if (good) {
        schedule.outcome = outcome_of(schedule.arrivals, count);
        add_lines(&schedule);
        improve(&schedule);
    }
    free(schedule.line_clocks);
    free(schedule.arrivals);
    free(schedule.trials);
    free(schedule.tried);
    return good;
}
