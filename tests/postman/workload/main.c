/* Writes a random workload for one virtual plane (workload_line.h). The seed decides how many buffers are loaded, how
 * long packets are, whether all go to the last node, and how many packets are loaded later.
 *
 * usage: workload SIZE_X SIZE_Y FLIT SEED MOST_DATA [torus]
 *   MOST_DATA: data flits of the longest packet, up to 16
 *   torus: targets are up to half way round
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "postman/grid.h"
#include "postman/workload_line.h"

#include <string.h>

enum { MOST_DATA = 16, MOST_ROUNDS = 4, ROUND_CLOCKS = 120 };

struct draw {
    struct postman_grid grid;
    uint64_t seed;
    unsigned percent, most_data;
    bool hot;
};

static unsigned draw_coordinate(struct draw *draw, unsigned size, unsigned from)
{
    if (draw->grid.options.torus)
        return (from + check_below(&draw->seed, size / 2 + 1)) % size;
    return from + check_below(&draw->seed, size - from);
}

static unsigned draw_target(struct draw *draw, unsigned from)
{
    unsigned size_x = draw->grid.options.size_x, size_y = draw->grid.options.size_y, last = size_x * size_y - 1;
    if (draw->hot && postman_grid_plane(&draw->grid, from, last) == 0)
        return last;
    unsigned x = draw_coordinate(draw, size_x, from % size_x), y = draw_coordinate(draw, size_y, from / size_x);
    return y * size_x + x;
}

/* `clock` 0: it is in the buffer before clock 0. */
static void print_packet(struct draw *draw, unsigned clock, unsigned from, unsigned to, enum postman_dimension machine)
{
    unsigned flit_bits = draw->grid.options.flit_bits, count = 1 + check_below(&draw->seed, draw->most_data);
    enum postman_dimension first = check_below(&draw->seed, 4) ? machine : POSTMAN_X + POSTMAN_Y - machine;
    uint16_t data[MOST_DATA];
    for (unsigned i = 0; i < count; i++)
        data[i] = (uint16_t)(check_random(&draw->seed) & ((1u << flit_bits) - 1));
    struct postman_load load = postman_grid_packet(&draw->grid, from, to, first, data, count);
    load.across = load.machine != machine;
    load.machine = machine;
    workload_line_print(clock, &load, flit_bits);
}

/* Those of round 0 are there in clock 0. */
static void draw_packet(struct draw *draw, unsigned round, unsigned from, enum postman_dimension machine)
{
    unsigned to = draw_target(draw, from), clock = 0;
    if (round)
        clock = (round - 1) * ROUND_CLOCKS + 1 + check_below(&draw->seed, ROUND_CLOCKS);
    if (to != from && check_below(&draw->seed, 100) < draw->percent)
        print_packet(draw, clock, from, to, machine);
}

int main(int count, char **arguments)
{
    unsigned most_data = count >= 6 ? (unsigned)atoi(arguments[5]) : 0;
    bool torus = count == 7 && strcmp(arguments[6], "torus") == 0;
    if (most_data < 1 || most_data > MOST_DATA || count > 6 + torus) {
        fprintf(stderr, "usage: workload SIZE_X SIZE_Y FLIT SEED MOST_DATA [torus]\n");
        return 1;
    }
    struct draw draw = {.seed = strtoull(arguments[4], NULL, 10)};
    draw.grid.options = (struct postman_options){.size_x = (unsigned)atoi(arguments[1]),
                                                 .size_y = (unsigned)atoi(arguments[2]),
                                                 .flit_bits = (unsigned)atoi(arguments[3]),
                                                 .torus = torus};
    draw.percent = 20 + check_below(&draw.seed, 81);
    draw.most_data = check_below(&draw.seed, 3) ? most_data : 1;
    draw.hot = check_below(&draw.seed, 6) == 0;
    unsigned nodes = draw.grid.options.size_x * draw.grid.options.size_y, rounds = check_below(&draw.seed, MOST_ROUNDS);
    for (unsigned round = 0; round <= rounds; round++)
        for (unsigned from = 0; from < nodes; from++)
            for (unsigned machine = POSTMAN_X; machine <= POSTMAN_Y; machine++)
                draw_packet(&draw, round, from, machine);
    return 0;
}
