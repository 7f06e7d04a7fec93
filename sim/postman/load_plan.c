/* See load_plan.h. The price of a line is a high power of the clocks for which it sends, so that the busiest lines
 * count most. Each journey takes the cheaper one of its two ways in turn, given those of all others, until none
 * changes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/load_plan.h"

#include <stdlib.h>

enum { MOST_SWEEPS = 40, MOST_HOPS = 2 * (POSTMAN_MOST_SIDE - 1) };

/* A line, and for how many clocks the packet holds it. */
struct hop {
    unsigned line, clocks;
};

struct way {
    unsigned count;
    struct hop hops[MOST_HOPS];
};

struct plan {
    const struct postman_grid *grid;
    unsigned *clocks; /* for which each line sends */
};

static void find_way(const struct postman_grid *grid, const struct postman_journey *journey,
                     enum postman_dimension first, struct way *way)
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
            way->hops[way->count++] = (struct hop){line, clocks};
            place[dimension] += place[dimension] < target[dimension] ? 1u : -1u;
        }
    }
}

static double line_price(double clocks)
{
    double squared = clocks * clocks, fourth = squared * squared, eighth = fourth * fourth;
    return eighth * eighth;
}

static double way_price(const struct plan *plan, const struct way *way)
{
    double price = 0;
    for (unsigned i = 0; i < way->count; i++) {
        unsigned clocks = plan->clocks[way->hops[i].line];
        price += line_price(clocks + way->hops[i].clocks) - line_price(clocks);
    }
    return price;
}

static void take(struct plan *plan, const struct way *way)
{
    for (unsigned i = 0; i < way->count; i++)
        plan->clocks[way->hops[i].line] += way->hops[i].clocks;
}

static void leave(struct plan *plan, const struct way *way)
{
    for (unsigned i = 0; i < way->count; i++)
        plan->clocks[way->hops[i].line] -= way->hops[i].clocks;
}

/* True if the journey changes to its other way. */
static bool choose(struct plan *plan, struct postman_journey *journey)
{
    struct way kept, other;
    enum postman_dimension turned = POSTMAN_X + POSTMAN_Y - journey->first;
    find_way(plan->grid, journey, journey->first, &kept);
    find_way(plan->grid, journey, turned, &other);
    leave(plan, &kept);
    bool changes = way_price(plan, &other) < way_price(plan, &kept);
    take(plan, changes ? &other : &kept);
    if (changes)
        journey->first = turned;
    return changes;
}

static bool sweep(struct plan *plan, struct postman_journey *journeys, unsigned count)
{
    bool changed = false;
    for (unsigned i = 0; i < count; i++)
        if (choose(plan, &journeys[i]))
            changed = true;
    return changed;
}

bool postman_plan_loads(const struct postman_grid *grid, struct postman_journey *journeys, unsigned count)
{
    size_t lines = (size_t)POSTMAN_PLANES * grid->options.size_x * grid->options.size_y * 2;
    struct plan plan = {grid, calloc(lines, sizeof *plan.clocks)};
    if (!plan.clocks)
        return false;
    for (unsigned i = 0; i < count; i++) {
        struct way way;
        find_way(grid, &journeys[i], journeys[i].first, &way);
        take(&plan, &way);
    }
    unsigned sweeps = 0;
    while (sweeps < MOST_SWEEPS && sweep(&plan, journeys, count))
        sweeps++;
    free(plan.clocks);
    return true;
}
