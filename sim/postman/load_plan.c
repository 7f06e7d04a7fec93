/* See load_plan.h. The price of a line is a high power of the clocks for which it sends, so that the busiest lines
 * count most. Each journey takes the cheaper one of its two ways in turn, given those of all others, until none
 * changes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/load_plan.h"

#include <stdlib.h>

enum { MOST_SWEEPS = 40 };

struct plan {
    const struct postman_grid *grid;
    unsigned *clocks; /* for which each line sends */
};

static double line_price(double clocks)
{
    double squared = clocks * clocks, fourth = squared * squared, eighth = fourth * fourth;
    return eighth * eighth;
}

static double way_price(const struct plan *plan, const struct postman_way *way)
{
    double price = 0;
    for (unsigned i = 0; i < way->count; i++) {
        unsigned clocks = plan->clocks[way->hops[i].line];
        price += line_price(clocks + way->hops[i].clocks) - line_price(clocks);
    }
    return price;
}

static void take(struct plan *plan, const struct postman_way *way)
{
    for (unsigned i = 0; i < way->count; i++)
        plan->clocks[way->hops[i].line] += way->hops[i].clocks;
}

static void leave(struct plan *plan, const struct postman_way *way)
{
    for (unsigned i = 0; i < way->count; i++)
        plan->clocks[way->hops[i].line] -= way->hops[i].clocks;
}

/* True if the journey changes to its other way. */
static bool choose(struct plan *plan, struct postman_journey *journey)
{
    struct postman_way kept, other;
    enum postman_dimension turned = POSTMAN_X + POSTMAN_Y - journey->first;
    postman_journey_way(plan->grid, journey, journey->first, &kept);
    postman_journey_way(plan->grid, journey, turned, &other);
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
    struct plan plan = {grid, calloc(postman_lines(&grid->options), sizeof *plan.clocks)};
    if (!plan.clocks)
        return false;
    for (unsigned i = 0; i < count; i++) {
        struct postman_way way;
        postman_journey_way(grid, &journeys[i], journeys[i].first, &way);
        take(&plan, &way);
    }
    unsigned sweeps = 0;
    while (sweeps < MOST_SWEEPS && sweep(&plan, journeys, count))
        sweeps++;
    free(plan.clocks);
    return true;
}
