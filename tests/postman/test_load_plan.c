/* The load plan: a packet takes the way on which less is sent; the transposition of a 32x32 matrix gets lines as even
 * as they can be, and on the fast model takes so much less time. Journeys that have no choice are left as they are.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "postman/load_plan.h"

enum { SIDE = POSTMAN_MOST_SIDE, NODES = SIDE * SIDE, FLIT_BITS = 8, PLANNED_CLOCKS = 320, PAPER_CLOCKS = 464 };

static struct postman_grid grid_of(unsigned side)
{
    return (struct postman_grid){.options = {.size_x = side, .size_y = side, .flit_bits = FLIT_BITS}};
}

/* A packet to the opposite corner of 2x2 nodes, beside one to each neighbour, which counts if it is in the same plane.
 */
static void takes_the_line_with_less(unsigned from, unsigned data_x, unsigned data_y)
{
    struct postman_grid grid = grid_of(2);
    unsigned plane = postman_grid_plane(&grid, from, from ^ 3);
    unsigned load_x = postman_grid_plane(&grid, from, from ^ 1) == plane ? data_x : 0;
    unsigned load_y = postman_grid_plane(&grid, from, from ^ 2) == plane ? data_y : 0;
    for (unsigned first = POSTMAN_X; first <= POSTMAN_Y; first++) {
        struct postman_journey journeys[] = {
            {from, from ^ 3, 1, first, 0}, {from, from ^ 1, data_x, first, 0}, {from, from ^ 2, data_y, first, 0}};
        CHECK(postman_plan_loads(&grid, journeys, 3));
        unsigned expected = load_x == load_y ? first : load_x < load_y ? POSTMAN_X : POSTMAN_Y;
        check(journeys[0].first == expected, "from %u beside %u and %u flits: begins with %u", from, data_x, data_y,
              journeys[0].first);
        for (unsigned i = 1; i < 3; i++)
            check(journeys[i].first == first, "from %u: a journey without a choice has changed", from);
    }
}

/* Both first lines of the packet's ways, or both last ones, have a packet: it is shorter on its last line, without the
 * address flit of the dimension in which it has moved. */
static void counts_stripped_flits(void)
{
    struct postman_grid grid = grid_of(2);
    for (unsigned first = POSTMAN_X; first <= POSTMAN_Y; first++) {
        unsigned beside = first == POSTMAN_X ? 1 : 2;
        struct postman_journey journeys[] = {
            {0, 3, 1, first, 0}, {0, beside, 1, first, 0}, {beside ^ 3, 3, 1, first, 0}};
        CHECK(postman_plan_loads(&grid, journeys, 3));
        check(journeys[0].first != first, "a packet of two address flits beside another one, not one of one");
    }
}

/* Of one diagonal in so many. */
static void transposition(unsigned share, struct postman_journey journeys[NODES], unsigned *count)
{
    *count = 0;
    for (unsigned node = 0; node < NODES; node++) {
        unsigned to = node % SIDE * SIDE + node / SIDE, apart = node % SIDE + SIDE * share - node / SIDE;
        if (to != node && apart % share == 0)
            journeys[(*count)++] = (struct postman_journey){node, to, 1,
                                                            (node / SIDE + node % SIDE) % 2 ? POSTMAN_Y : POSTMAN_X, 0};
    }
}

/* Every packet that begins in a row passes the line of that plane into the diagonal; so with columns. */
static unsigned most_turns(const struct postman_journey *journeys, unsigned count)
{
    unsigned turns[POSTMAN_PLANES][2][SIDE] = {0}, most = 0;
    struct postman_grid grid = grid_of(SIDE);
    for (unsigned i = 0; i < count; i++) {
        unsigned plane = postman_grid_plane(&grid, journeys[i].from, journeys[i].to), first = journeys[i].first;
        unsigned line = first == POSTMAN_X ? journeys[i].from / SIDE : journeys[i].from % SIDE;
        if (++turns[plane][first][line] > most)
            most = turns[plane][first][line];
    }
    return most;
}

static unsigned clocks_taken(const struct postman_journey *journeys, unsigned count)
{
    static unsigned arrivals[NODES];
    unsigned last = 0;
    struct postman_grid grid = grid_of(SIDE);
    CHECK(postman_journeys_run(&grid.options, journeys, count, arrivals, NULL));
    for (unsigned i = 0; i < count; i++)
        last = arrivals[i] > last ? arrivals[i] : last;
    return last;
}

static void transposes_faster(void)
{
    static struct postman_journey journeys[NODES];
    unsigned count;
    transposition(1, journeys, &count);
    check(clocks_taken(journeys, count) > PAPER_CLOCKS, "the chessboard is as fast as the paper");
    struct postman_grid grid = grid_of(SIDE);
    CHECK(postman_plan_loads(&grid, journeys, count));
    unsigned clocks = clocks_taken(journeys, count);
    check(clocks <= PLANNED_CLOCKS, "%u clocks", clocks);
}

/* Rows and columns of a plane, 23 of each, that end at the diagonal have 424 packets among them if all are routed: more
 * than 9 each. */
static void spreads_turns(void)
{
    static const unsigned most[] = {10, 5, 4, 3};
    static struct postman_journey journeys[NODES];
    struct postman_grid grid = grid_of(SIDE);
    for (unsigned share = 1; share <= 4; share++) {
        unsigned count;
        transposition(share, journeys, &count);
        CHECK(postman_plan_loads(&grid, journeys, count));
        unsigned turns = most_turns(journeys, count);
        check(turns <= most[share - 1], "1 in %u: %u packets on one line into the diagonal", share, turns);
    }
}

int main(void)
{
    for (unsigned from = 0; from < 4; from++) {
        takes_the_line_with_less(from, 1, 16);
        takes_the_line_with_less(from, 16, 1);
        takes_the_line_with_less(from, 3, 3);
    }
    counts_stripped_flits();
    transposes_faster();
    spreads_turns();
    return verdict("test_load_plan");
}
