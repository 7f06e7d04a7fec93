/* The fast model of `postman` against arithmetic and a scoreboard: a lone packet takes distance + length clocks for
 * every pair; random traffic of mixed lengths, from every machine of every plane, arrives exactly once with the right
 * flits, with every set of options.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "postman/grid.h"
#include "postman/traffic.h"

enum { MOST_DATA = 16, LONE_LIMIT = 2000, MOST_NODES = POSTMAN_MOST_SIDE * POSTMAN_MOST_SIDE };

static unsigned between(unsigned a, unsigned b, unsigned ring)
{
    unsigned straight = a < b ? b - a : a - b;
    return ring && ring - straight < straight ? ring - straight : straight;
}

/* Clocks to the last bit. With vct a flit more a node that is passed: neither the first, nor the corner, nor the last.
 */
static unsigned lone_clocks(const struct postman_options *options, unsigned from, unsigned to, unsigned flits)
{
    unsigned ring_x = options->torus ? options->size_x : 0, ring_y = options->torus ? options->size_y : 0;
    unsigned dx = between(from % options->size_x, to % options->size_x, ring_x);
    unsigned dy = between(from / options->size_x, to / options->size_x, ring_y);
    unsigned passed = (dx ? dx - 1 : 0) + (dy ? dy - 1 : 0);
    return dx + dy + (options->flit_bits + 1) * flits + (options->vct ? options->flit_bits * passed : 0);
}

static void lone_packet(const struct postman_options *options, unsigned from, unsigned to, enum postman_dimension first,
                        unsigned count)
{
    static const uint16_t data[MOST_DATA] = {5, 7, 0, 4, 3, 1};
    struct postman_grid grid;
    CHECK(postman_grid_create(&grid, options));
    CHECK(postman_grid_load(&grid, from, to, first, data, count));
    struct postman_arrival arrival = {.count = 0};
    for (unsigned clock = 0; clock < LONE_LIMIT && !postman_grid_arrival(&grid, &arrival); clock++)
        postman_grid_clock(&grid);
    unsigned flits = postman_grid_packet(&grid, from, to, first, data, count).count;
    CHECK_EQUAL(arrival.count, count);
    CHECK_EQUAL(arrival.node, to);
    CHECK_EQUAL(arrival.clock, lone_clocks(options, from, to, flits));
    CHECK(!memcmp(arrival.flits, data, count * sizeof *data));
    postman_grid_free(&grid);
}

static void all_pairs(unsigned size_x, unsigned size_y, unsigned flit_bits, bool vct, bool torus)
{
    struct postman_options options = {
        size_x, size_y, flit_bits, .torus = torus, .vct = vct, .adaptive_routing = true, .adaptive_sourcing = true};
    unsigned nodes = size_x * size_y;
    for (unsigned from = 0; from < nodes; from++)
        for (unsigned to = 0; to < nodes; to++)
            for (unsigned first = POSTMAN_X; from != to && first <= POSTMAN_Y; first++)
                lone_packet(&options, from, to, first, (from ^ to) & 1 ? 1 : MOST_DATA);
}

/* Half way round, a packet goes the positive way, as in hw/postman/postman_way.v. */
static void half_way_round(void)
{
    struct postman_grid grid = {.options = {.size_x = 4, .size_y = 6, .torus = true}};
    CHECK_EQUAL(postman_grid_plane(&grid, 0, 3 * 4 + 2), 0);
    CHECK_EQUAL(postman_grid_plane(&grid, 0, 4 * 4 + 3), 2);
}

static unsigned draw_side(uint64_t *seed, unsigned flit_bits)
{
    unsigned most = 1u << (flit_bits - 1);
    return 1 + check_below(seed, most < POSTMAN_MOST_SIDE ? most : POSTMAN_MOST_SIDE);
}

static struct postman_options draw_options(unsigned set, uint64_t *seed)
{
    unsigned flit_bits = 4 + check_below(seed, POSTMAN_MOST_FLIT_BITS - 3);
    bool torus = check_below(seed, 2);
    unsigned least = 1 + torus, side_x = draw_side(seed, flit_bits), side_y = draw_side(seed, flit_bits);
    struct postman_options options = {.size_x = least + side_x / 2,
                                      .size_y = side_y < least ? least : side_y,
                                      .flit_bits = flit_bits,
                                      .torus = torus};
    traffic_options(&options, set);
    return options;
}

int main(void)
{
    uint64_t seed = check_seed();
    half_way_round();
    for (unsigned vct = 0; vct < 2; vct++) {
        for (unsigned torus = 0; torus < 2; torus++) {
            all_pairs(2, 2, 8, vct, torus);
            all_pairs(7, 5, 8, vct, torus);
            all_pairs(4, 6, 4, vct, torus);
        }
        all_pairs(1, 5, 16, vct, false);
        lone_packet(&(struct postman_options){32, 32, 8, .vct = vct}, 0, MOST_NODES - 1, POSTMAN_X, 1);
        lone_packet(&(struct postman_options){32, 32, 8, .vct = vct}, MOST_NODES - 1, 0, POSTMAN_Y, MOST_DATA);
    }
    for (unsigned set = 0; set < TRAFFIC_OPTION_SETS; set++) {
        for (unsigned round = 0; round < 20; round++) {
            struct postman_options options = draw_options(set, &seed);
            traffic_run(&options, 1 + check_below(&seed, 12), round % 4 == 0, &seed);
        }
        struct postman_options whole = draw_options(set, &seed);
        whole.size_x = whole.size_y = POSTMAN_MOST_SIDE;
        whole.flit_bits = 8;
        traffic_run(&whole, 12, false, &seed);
    }
    return verdict("test_postman_model");
}
