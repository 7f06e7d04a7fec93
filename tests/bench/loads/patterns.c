/* See patterns.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bench/loads/patterns.h"

#include "bench/transposition/readings.h"
#include "check.h"

enum { NODE_BITS = 10, TARGETS_DRAWN = POSTMAN_PLANES };

_Static_assert(PATTERN_NODES == 1 << NODE_BITS, "node numbers have NODE_BITS bits");

static void add(struct journeys *journeys, unsigned from, unsigned to)
{
    if (from != to)
        journeys->list[journeys->count++] = (struct postman_journey){.from = from, .to = to, .data = 1};
}

static void shuffle(unsigned order[PATTERN_NODES], uint64_t *seed)
{
    for (unsigned i = 0; i < PATTERN_NODES; i++)
        order[i] = i;
    for (unsigned i = PATTERN_NODES - 1; i > 0; i--) {
        unsigned other = check_below(seed, i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

static void transpose(const struct pattern *pattern, struct journeys *journeys, uint64_t *seed)
{
    chosen *chosen = reading_chosen(pattern->chosen);
    for (unsigned row = 0; row < PATTERN_SIDE; row++)
        for (unsigned column = 0; column < PATTERN_SIDE; column++)
            if (chosen(&(struct element){row, column, PATTERN_SIDE, pattern->share, seed}))
                add(journeys, row * PATTERN_SIDE + column, column * PATTERN_SIDE + row);
}

static void corner(const struct postman_grid *grid, struct journeys *journeys, uint64_t *seed)
{
    (void)grid;
    (void)seed;
    add(journeys, 0, PATTERN_NODES - 1);
}

static void permute(const struct postman_grid *grid, struct journeys *journeys, uint64_t *seed)
{
    (void)grid;
    unsigned order[PATTERN_NODES];
    shuffle(order, seed);
    for (unsigned node = 0; node < PATTERN_NODES; node++)
        add(journeys, node, order[node]);
}

static void reverse_bits(const struct postman_grid *grid, struct journeys *journeys, uint64_t *seed)
{
    (void)grid;
    (void)seed;
    for (unsigned node = 0; node < PATTERN_NODES; node++) {
        unsigned to = 0;
        for (unsigned bit = 0; bit < NODE_BITS; bit++)
            to |= (node >> bit & 1) << (NODE_BITS - 1 - bit);
        add(journeys, node, to);
    }
}

static void complement(const struct postman_grid *grid, struct journeys *journeys, uint64_t *seed)
{
    (void)grid;
    (void)seed;
    for (unsigned node = 0; node < PATTERN_NODES; node++)
        add(journeys, node, PATTERN_NODES - 1 - node);
}

static void perfect_shuffle(const struct postman_grid *grid, struct journeys *journeys, uint64_t *seed)
{
    (void)grid;
    (void)seed;
    for (unsigned node = 0; node < PATTERN_NODES; node++)
        add(journeys, node, (node << 1 | node >> (NODE_BITS - 1)) % PATTERN_NODES);
}

/* Each node draws targets; a packet goes into each plane at most, since no more can be loaded before clock 0. */
static void draw_targets(const struct postman_grid *grid, struct journeys *journeys, unsigned hot_percent,
                         uint64_t *seed)
{
    for (unsigned node = 0; node < PATTERN_NODES; node++) {
        bool used[POSTMAN_PLANES] = {false};
        for (unsigned i = 0; i < TARGETS_DRAWN; i++) {
            unsigned to = check_below(seed, PATTERN_NODES);
            if (check_below(seed, 100) < hot_percent)
                to = PATTERN_HOT_NODE;
            unsigned plane = postman_grid_plane(grid, node, to);
            if (!used[plane])
                add(journeys, node, to);
            used[plane] = true;
        }
    }
}

static void uniform(const struct postman_grid *grid, struct journeys *journeys, uint64_t *seed)
{
    draw_targets(grid, journeys, 0, seed);
}

static void hot_spot(const struct postman_grid *grid, struct journeys *journeys, uint64_t *seed)
{
    draw_targets(grid, journeys, PATTERN_HOT_PERCENT, seed);
}

/* Each node loads packet after packet, to targets that it draws. */
static void stream(struct journeys *journeys, unsigned hot_percent, uint64_t *seed)
{
    for (unsigned i = 0; i < PATTERN_STREAM; i++)
        for (unsigned node = 0; node < PATTERN_NODES; node++) {
            unsigned to = check_below(seed, PATTERN_NODES);
            add(journeys, node, check_below(seed, 100) < hot_percent ? PATTERN_HOT_NODE : to);
        }
    for (unsigned i = 0; i < journeys->count; i++)
        journeys->list[i].clock = 1;
}

static void uniform_stream(const struct postman_grid *grid, struct journeys *journeys, uint64_t *seed)
{
    (void)grid;
    stream(journeys, 0, seed);
}

static void hot_spot_stream(const struct postman_grid *grid, struct journeys *journeys, uint64_t *seed)
{
    (void)grid;
    stream(journeys, PATTERN_HOT_PERCENT, seed);
}

void pattern_fill(const struct pattern *pattern, const struct postman_grid *grid, struct journeys *journeys,
                  uint64_t *seed)
{
    journeys->count = 0;
    if (pattern->fill)
        pattern->fill(grid, journeys, seed);
    else
        transpose(pattern, journeys, seed);
}

const struct pattern patterns[] = {
    {"one packet from corner to corner", corner, NULL, 0, false},
    {"transposition, 100 %", NULL, "row-major", 1, false},
    {"50 %, random", NULL, "random", 2, true},
    {"50 %, row-major", NULL, "row-major", 2, false},
    {"50 %, from-one", NULL, "from-one", 2, false},
    {"50 %, moving", NULL, "moving", 2, false},
    {"50 %, each-row", NULL, "each-row", 2, false},
    {"50 %, rows", NULL, "rows", 2, false},
    {"50 %, diagonals", NULL, "diagonals", 2, false},
    {"50 %, antidiagonals", NULL, "antidiagonals", 2, false},
    {"50 %, far-antidiagonals", NULL, "far-antidiagonals", 2, false},
    {"33 %, random", NULL, "random", 3, true},
    {"33 %, row-major", NULL, "row-major", 3, false},
    {"33 %, from-one", NULL, "from-one", 3, false},
    {"33 %, moving", NULL, "moving", 3, false},
    {"33 %, each-row", NULL, "each-row", 3, false},
    {"33 %, rows", NULL, "rows", 3, false},
    {"33 %, diagonals", NULL, "diagonals", 3, false},
    {"33 %, antidiagonals", NULL, "antidiagonals", 3, false},
    {"33 %, far-antidiagonals", NULL, "far-antidiagonals", 3, false},
    {"25 %, random", NULL, "random", 4, true},
    {"25 %, row-major", NULL, "row-major", 4, false},
    {"25 %, from-one", NULL, "from-one", 4, false},
    {"25 %, moving", NULL, "moving", 4, false},
    {"25 %, each-row", NULL, "each-row", 4, false},
    {"25 %, rows", NULL, "rows", 4, false},
    {"25 %, diagonals", NULL, "diagonals", 4, false},
    {"25 %, antidiagonals", NULL, "antidiagonals", 4, false},
    {"25 %, far-antidiagonals", NULL, "far-antidiagonals", 4, false},
    {"random permutation", permute, NULL, 0, true},
    {"bit reversal of node numbers", reverse_bits, NULL, 0, false},
    {"complement of node numbers", complement, NULL, 0, false},
    {"perfect shuffle of node numbers", perfect_shuffle, NULL, 0, false},
    {"uniform, up to 4 packets a node", uniform, NULL, 0, true},
    {"hot-spot, up to 4 packets a node", hot_spot, NULL, 0, true},
    {"uniform, a stream from each node", uniform_stream, NULL, 0, true},
    {"hot-spot, a stream from each node", hot_spot_stream, NULL, 0, true},
};
const unsigned pattern_count = sizeof patterns / sizeof *patterns;
