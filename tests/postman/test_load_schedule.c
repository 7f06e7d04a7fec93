/* The schedule of loads (R22): the last packet of a transposition of 32x32 arrives earlier than by the plan of machines
 * alone, also if half of it, a third or a quarter is routed, and that of no random permutation arrives later. What it
 * writes is clocks of a few packets, with which another run gives the arrivals that it has promised.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "postman/load_plan.h"
#include "postman/load_schedule.h"

enum { SIDE = POSTMAN_MOST_SIDE, NODES = SIDE * SIDE, SMALL = 12, RUNS = 80, CROSSED = 3 };

static struct postman_grid grid_of(unsigned side)
{
    return (struct postman_grid){.options = {.size_x = side, .size_y = side, .flit_bits = 8}};
}

static unsigned last_arrival(const struct postman_grid *grid, const struct postman_journey *journeys, unsigned count)
{
    static unsigned arrivals[NODES];
    unsigned last = 0;
    CHECK(postman_journeys_run(&grid->options, journeys, count, arrivals, NULL));
    for (unsigned i = 0; i < count; i++)
        if (arrivals[i] > last)
            last = arrivals[i];
    return last;
}

/* Three packets over the last line of a row: by the rules the near ones come first, and the far one has to wait for
 * both. With one near packet behind it the last arrival is earlier, by the lines that this one need not go, less what
 * its load takes. */
static void near_one_goes_last(void)
{
    enum { FAR, LINE = SIDE - 1 };
    struct postman_grid grid = grid_of(SIDE);
    struct postman_journey journeys[CROSSED] = {{5, 26 * SIDE + LINE, 1, POSTMAN_X, 0},
                                                {LINE - 2, 2 * SIDE + LINE, 1, POSTMAN_X, 0},
                                                {LINE - 1, 1 * SIDE + LINE, 1, POSTMAN_X, 0}};
    unsigned before = last_arrival(&grid, journeys, CROSSED), lone = postman_journey_clocks(&grid, &journeys[FAR]);
    CHECK_EQUAL(lone, 26 + 26 + 27);
    check(before > lone + 28, "the far packet waits for one packet only: %u", before);
    CHECK(postman_schedule_loads(&grid, journeys, CROSSED, 0));
    CHECK(!journeys[0].clock && !journeys[1].clock && !journeys[2].clock);
    CHECK(postman_schedule_loads(&grid, journeys, CROSSED, RUNS));
    CHECK(!journeys[FAR].clock && !journeys[1].clock != !journeys[2].clock);
    unsigned after = last_arrival(&grid, journeys, CROSSED);
    check(after + 10 < before, "%u clocks, %u before", after, before);
}

static void transpositions(void)
{
    static struct postman_journey journeys[NODES];
    struct postman_grid grid = grid_of(SIDE);
    /* Of a schedule, one in so many diagonals: packets on the busiest line, 10, 5, 4, 3, for 28 clocks each, and some
     * more. */
    static const unsigned most[] = {300, 175, 135, 115};
    for (unsigned share = 1; share <= 4; share++) {
        unsigned count = 0;
        for (unsigned node = 0; node < NODES; node++) {
            unsigned row = node / SIDE, column = node % SIDE;
            if (row != column && (row + SIDE * share - column) % share == 0)
                journeys[count++] = (struct postman_journey){node, column * SIDE + row, 1,
                                                             (row + column) % 2 ? POSTMAN_Y : POSTMAN_X, 0};
        }
        CHECK(postman_plan_loads(&grid, journeys, count));
        unsigned plan = last_arrival(&grid, journeys, count);
        CHECK(postman_schedule_loads(&grid, journeys, count, RUNS));
        unsigned schedule = last_arrival(&grid, journeys, count);
        printf("1 in %u: %u clocks by plan, %u by schedule\n", share, plan, schedule);
        check(schedule < plan && schedule <= most[share - 1], "1 in %u: %u clocks, %u by plan", share, schedule, plan);
    }
}

static void permutation(uint64_t *seed)
{
    struct postman_journey journeys[SMALL * SMALL], before[SMALL * SMALL];
    unsigned order[SMALL * SMALL], count = 0;
    struct postman_grid grid = grid_of(SMALL);
    for (unsigned i = 0; i < SMALL * SMALL; i++) {
        unsigned other = check_below(seed, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (unsigned node = 0; node < SMALL * SMALL; node++)
        if (order[node] != node)
            journeys[count++] = (struct postman_journey){node, order[node], 1 + check_below(seed, 3), POSTMAN_X, 0};
    CHECK(postman_plan_loads(&grid, journeys, count));
    memcpy(before, journeys, sizeof before);
    unsigned plan = last_arrival(&grid, journeys, count);
    CHECK(postman_schedule_loads(&grid, journeys, count, RUNS));
    unsigned schedule = last_arrival(&grid, journeys, count), later = 0;
    check(schedule <= plan, "%u clocks, %u by plan", schedule, plan);
    for (unsigned i = 0; i < count; i++) {
        later += journeys[i].clock > 0;
        journeys[i].clock = 0;
    }
    check(schedule == plan || later, "%u clocks, %u by plan, but no packet is loaded later", schedule, plan);
    CHECK(!memcmp(before, journeys, count * sizeof *journeys));
}

int main(void)
{
    uint64_t seed = check_seed();
    near_one_goes_last();
    transpositions();
    for (unsigned round = 0; round < 6; round++)
        permutation(&seed);
    return verdict("test_load_schedule");
}
