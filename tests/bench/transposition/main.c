/* The experiments of the 1989 paper on the fast model: the transposition of a square matrix of 8-bit integers, one
 * element a node, and one packet from corner to corner. Prints the clocks until the last packet has arrived: of several
 * draws the median, the least and the most. Behind them the clocks if one plane waited for the other, and the
 * adaptions, both of the last draw.
 *
 * usage: transposition SIZE OPTIONS SHARE CHOSEN LOADED [DRAWS [PLANE]]
 *        transposition SIZE OPTIONS corner
 *   OPTIONS: tests/postman/option_letters.h
 *   SHARE: one element in so many is routed; CHOSEN, LOADED: readings.h
 *   PLANE: prints the workload of this plane instead (tests/postman/workload_line.h)
 * exit: 0; 1 usage; 3 a packet did not arrive, or not as it was sent
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/transposition/readings.h"
#include "check.h"
#include "postman/grid.h"
#include "postman/option_letters.h"
#include "postman/workload_line.h"

enum { FLIT_BITS = 8, LIMIT = 100000, MOST_DRAWS = 1000, MOST_NODES = POSTMAN_MOST_SIDE * POSTMAN_MOST_SIDE };

struct experiment {
    struct postman_grid grid;
    unsigned share;
    chosen *chosen;
    loaded *loaded;
    int printed_plane; /* -1: none */
    uint64_t seed;
    uint8_t expected[MOST_NODES]; /* packets for each node */
    unsigned one_by_one;          /* clocks if one plane waited for the other */
    unsigned adaptions;
};

/* Seen in the plane's own directions, in which it is as the plane (+X,+Y). */
static void print_packet(const struct experiment *experiment, unsigned from, unsigned to, enum postman_dimension first,
                         uint16_t data)
{
    const struct postman_grid *grid = &experiment->grid;
    unsigned plane = (unsigned)experiment->printed_plane;
    struct postman_load packet = postman_grid_packet(grid, postman_grid_node(grid, plane, from),
                                                     postman_grid_node(grid, plane, to), first, &data, 1);
    workload_line_print(0, &packet, FLIT_BITS);
}

/* The element is its number's low bits. */
static void load(struct experiment *experiment, unsigned from, unsigned to, enum postman_dimension first)
{
    struct postman_grid *grid = &experiment->grid;
    uint16_t data = from & 0xff;
    CHECK(postman_grid_load(grid, from, to, first, &data, 1));
    experiment->expected[to]++;
    if (experiment->printed_plane == (int)postman_grid_plane(grid, from, to))
        print_packet(experiment, from, to, first, data);
}

static void load_matrix(struct experiment *experiment)
{
    unsigned size = experiment->grid.options.size_x;
    for (unsigned row = 0; row < size; row++)
        for (unsigned column = 0; column < size; column++) {
            struct element element = {row, column, size, experiment->share, &experiment->seed};
            if (experiment->chosen(&element) && row != column)
                load(experiment, row * size + column, column * size + row, experiment->loaded(&element));
        }
}

/* Where the element comes from: the transposed place. */
static unsigned source_of(const struct experiment *experiment, unsigned node)
{
    unsigned size = experiment->grid.options.size_x;
    return experiment->chosen ? node % size * size + node / size : 0;
}

static bool as_sent(const struct experiment *experiment, const struct postman_arrival *arrival)
{
    unsigned from = source_of(experiment, arrival->node);
    return experiment->expected[arrival->node] && arrival->count == 1 && arrival->flits[0] == (from & 0xff);
}

/* Until the last packet has arrived. */
static unsigned run(struct experiment *experiment)
{
    struct postman_grid *grid = &experiment->grid;
    unsigned last[POSTMAN_PLANES] = {0}, latest = 0;
    for (unsigned clock = 0; clock < LIMIT && !postman_grid_quiet(grid); clock++) {
        postman_grid_clock(grid);
        for (struct postman_arrival arrival; postman_grid_arrival(grid, &arrival);) {
            if (!as_sent(experiment, &arrival))
                exit(3);
            experiment->expected[arrival.node]--;
            latest = last[postman_grid_plane(grid, source_of(experiment, arrival.node), arrival.node)] =
                (unsigned)arrival.clock;
        }
    }
    for (unsigned node = 0; node < grid->options.size_x * grid->options.size_y; node++)
        if (experiment->expected[node])
            exit(3);
    experiment->one_by_one = experiment->adaptions = 0;
    for (unsigned plane = 0; plane < POSTMAN_PLANES; plane++) {
        experiment->one_by_one += last[plane];
        experiment->adaptions += (unsigned)postman_plane_counts(grid->planes[plane])->adapt;
    }
    return latest;
}

static unsigned draw(struct experiment *experiment, const struct postman_options *options)
{
    if (!postman_grid_create(&experiment->grid, options)) {
        fprintf(stderr, "transposition: no such grid, or options that exclude each other\n");
        exit(1);
    }
    if (experiment->chosen)
        load_matrix(experiment);
    else
        load(experiment, 0, options->size_x * options->size_y - 1, POSTMAN_X);
    unsigned clocks = experiment->printed_plane < 0 ? run(experiment) : 0;
    postman_grid_free(&experiment->grid);
    return clocks;
}

static int ascending(const void *a, const void *b)
{
    unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;
    return (left > right) - (left < right);
}

int main(int count, char **arguments)
{
    bool corner = count == 4 && !strcmp(arguments[3], "corner");
    static struct experiment experiment = {.seed = 1, .printed_plane = -1};
    if (!corner && count >= 6) {
        experiment.share = (unsigned)atoi(arguments[3]);
        experiment.chosen = reading_chosen(arguments[4]);
        experiment.loaded = reading_loaded(arguments[5]);
    }
    unsigned size = count > 1 ? (unsigned)atoi(arguments[1]) : 0;
    struct postman_options options = {.size_x = size, .size_y = size, .flit_bits = FLIT_BITS};
    if ((!corner && (!experiment.share || !experiment.chosen || !experiment.loaded)) ||
        !option_letters(arguments[2], &options)) {
        fprintf(stderr,
                "usage: transposition SIZE OPTIONS SHARE CHOSEN LOADED [DRAWS [PLANE]] | SIZE OPTIONS corner\n");
        return 1;
    }
    unsigned draws = count > 6 ? (unsigned)atoi(arguments[6]) : 1, clocks[MOST_DRAWS];
    if (count > 7)
        experiment.printed_plane = atoi(arguments[7]);
    if (draws < 1 || draws > MOST_DRAWS)
        return 1;
    for (unsigned i = 0; i < draws; i++)
        clocks[i] = draw(&experiment, &options);
    qsort(clocks, draws, sizeof *clocks, ascending);
    if (experiment.printed_plane < 0)
        printf("%u %u %u %u %u\n", clocks[draws / 2], clocks[0], clocks[draws - 1], experiment.one_by_one,
               experiment.adaptions);
    return 0;
}
