/* See journeys.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/journeys.h"

#include <stdlib.h>

enum { NODES = POSTMAN_MOST_SIDE * POSTMAN_MOST_SIDE, CLOCK_LIMIT = 100000, NAMES = 256 };

unsigned postman_lines(const struct postman_options *options)
{
    return POSTMAN_PLANES * options->size_x * options->size_y * 2;
}

static bool moves(const struct postman_grid *grid, const struct postman_journey *journey,
                  enum postman_dimension dimension)
{
    unsigned size_x = grid->options.size_x;
    if (dimension == POSTMAN_X)
        return journey->from % size_x != journey->to % size_x;
    return journey->from / size_x != journey->to / size_x;
}

void postman_journey_way(const struct postman_grid *grid, const struct postman_journey *journey,
                         enum postman_dimension first, struct postman_way *way)
{
    unsigned size_x = grid->options.size_x, size_y = grid->options.size_y;
    unsigned plane = postman_grid_plane(grid, journey->from, journey->to);
    unsigned place[] = {journey->from % size_x, journey->from / size_x};
    const unsigned target[] = {journey->to % size_x, journey->to / size_x};
    enum postman_dimension dimensions[] = {first, POSTMAN_X + POSTMAN_Y - first};
    way->count = 0;
    for (unsigned leg = 0; leg < 2; leg++) {
        enum postman_dimension dimension = dimensions[leg], behind = dimensions[1];
        unsigned addresses = leg == 0 && place[behind] != target[behind] ? 2 : 1;
        unsigned clocks = (grid->options.flit_bits + 1) * (addresses + journey->data) + 1;
        while (place[dimension] != target[dimension]) {
            unsigned line = ((plane * size_y + place[POSTMAN_Y]) * size_x + place[POSTMAN_X]) * 2 + dimension;
            way->hops[way->count++] = (struct postman_hop){line, clocks};
            place[dimension] += place[dimension] < target[dimension] ? 1u : -1u;
        }
    }
}

unsigned postman_journey_clocks(const struct postman_grid *grid, const struct postman_journey *journey)
{
    struct postman_way way;
    postman_journey_way(grid, journey, journey->first, &way);
    unsigned addresses = moves(grid, journey, POSTMAN_X) + moves(grid, journey, POSTMAN_Y);
    return way.count + (grid->options.flit_bits + 1) * (addresses + journey->data);
}

/* A run. The journeys to one node are a list. */
struct run {
    struct postman_grid grid;
    const struct postman_journey *journeys;
    unsigned count, missing;
    unsigned *arrivals; /* 0: none so far */
    unsigned *next;     /* the next one to the same node, and its number among them, modulo NAMES */
    uint16_t *names;
    unsigned first[NODES], listed[NODES]; /* `count`: none */
    bool *loaded;
};

static void list(struct run *run)
{
    for (unsigned node = 0; node < NODES; node++) {
        run->first[node] = run->count;
        run->listed[node] = 0;
    }
    for (unsigned i = run->count; i-- > 0;) {
        unsigned to = run->journeys[i].to;
        run->arrivals[i] = 0;
        run->loaded[i] = false;
        run->next[i] = run->first[to];
        run->first[to] = i;
        run->names[i] = (uint16_t)(run->listed[to]++ % NAMES);
    }
    run->missing = run->count;
}

static void load(struct run *run, unsigned i, unsigned clock)
{
    const struct postman_journey *journey = &run->journeys[i];
    uint16_t data[POSTMAN_MOST_FLITS] = {run->names[i]};
    if (journey->clock == 0)
        run->loaded[i] = postman_grid_load(&run->grid, journey->from, journey->to, journey->first, data, journey->data);
    else if (journey->clock <= clock)
        run->loaded[i] = postman_grid_request(&run->grid, journey->from, journey->to, journey->first, data,
                                              journey->data);
}

static bool arrived(struct run *run, const struct postman_arrival *arrival)
{
    for (unsigned i = run->first[arrival->node]; i < run->count; i = run->next[i])
        if (!run->arrivals[i] && run->names[i] == arrival->flits[0] && run->journeys[i].data == arrival->count) {
            run->arrivals[i] = (unsigned)arrival->clock;
            run->missing--;
            return true;
        }
    return false;
}

static bool proceed(struct run *run)
{
    unsigned loaded = 0;
    for (unsigned clock = 0; clock < CLOCK_LIMIT && !(clock && postman_grid_quiet(&run->grid) && loaded == run->count);
         clock++) {
        for (unsigned i = 0; i < run->count && loaded < run->count; i++)
            if (!run->loaded[i]) {
                load(run, i, clock);
                loaded += run->loaded[i];
            }
        postman_grid_clock(&run->grid);
        for (struct postman_arrival arrival; postman_grid_arrival(&run->grid, &arrival);)
            if (!arrived(run, &arrival))
                return false;
    }
    return run->missing == 0;
}

static void add_counts(const struct postman_grid *grid, struct postman_counts *sum)
{
    *sum = (struct postman_counts){0};
    for (unsigned plane = 0; plane < POSTMAN_PLANES; plane++) {
        const struct postman_counts *counts = postman_plane_counts(grid->planes[plane]);
        sum->dead += counts->dead;
        sum->turn += counts->turn;
        sum->adapt += counts->adapt;
        sum->buffer += counts->buffer;
        sum->source += counts->source;
        sum->deepest = counts->deepest > sum->deepest ? counts->deepest : sum->deepest;
    }
}

bool postman_journeys_run(const struct postman_options *options, const struct postman_journey *journeys, unsigned count,
                          unsigned *arrivals, struct postman_counts *counts)
{
    struct run run = {.journeys = journeys, .count = count, .arrivals = arrivals};
    if (!postman_grid_create(&run.grid, options))
        return false;
    run.next = calloc(count, sizeof *run.next);
    run.names = calloc(count, sizeof *run.names);
    run.loaded = calloc(count, sizeof *run.loaded);
    bool good = run.next && run.names && run.loaded;
    if (good) {
        list(&run);
        good = proceed(&run);
    }
    if (counts)
        add_counts(&run.grid, counts);
    free(run.next);
    free(run.names);
    free(run.loaded);
    postman_grid_free(&run.grid);
    return good;
}
