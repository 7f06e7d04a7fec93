/* See grid.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/grid.h"

#include <string.h>

static bool flips_x(unsigned plane)
{
    return plane == 1 || plane == 2;
}

static bool flips_y(unsigned plane)
{
    return plane >= 2;
}

unsigned postman_grid_node(const struct postman_grid *grid, unsigned plane, unsigned node)
{
    unsigned size_x = grid->options.size_x, x = node % size_x, y = node / size_x;
    if (flips_x(plane))
        x = size_x - 1 - x;
    if (flips_y(plane))
        y = grid->options.size_y - 1 - y;
    return y * size_x + x;
}

bool postman_grid_create(struct postman_grid *grid, const struct postman_options *options)
{
    *grid = (struct postman_grid){.options = *options};
    for (unsigned plane = 0; plane < POSTMAN_PLANES; plane++) {
        struct postman_options own = *options;
        own.flip_x = flips_x(plane);
        own.flip_y = flips_y(plane);
        grid->planes[plane] = postman_plane_create(&own);
        if (!grid->planes[plane]) {
            postman_grid_free(grid);
            return false;
        }
    }
    return true;
}

void postman_grid_free(struct postman_grid *grid)
{
    for (unsigned plane = 0; plane < POSTMAN_PLANES; plane++)
        postman_plane_free(grid->planes[plane]);
}

/* The way from one coordinate to another leads backwards: on a torus the shorter way, half way round the positive one.
 */
static bool falls(const struct postman_grid *grid, unsigned size, unsigned from, unsigned to)
{
    unsigned ahead = (to + size - from) % size;
    return grid->options.torus ? 2 * ahead > size : to < from;
}

unsigned postman_grid_plane(const struct postman_grid *grid, unsigned from, unsigned to)
{
    unsigned size_x = grid->options.size_x;
    bool west = falls(grid, size_x, from % size_x, to % size_x);
    bool north = falls(grid, grid->options.size_y, from / size_x, to / size_x);
    return north ? (west ? 2 : 3) : west;
}

struct postman_load postman_grid_packet(const struct postman_grid *grid, unsigned from, unsigned to,
                                        enum postman_dimension first, const uint16_t *data, unsigned count)
{
    unsigned size_x = grid->options.size_x, x = to % size_x, y = to / size_x;
    bool moves_x = x != from % size_x, moves_y = y != from / size_x;
    if (!moves_x || !moves_y)
        first = moves_y ? POSTMAN_Y : POSTMAN_X;
    unsigned here = first == POSTMAN_X ? x : y, other = x + y - here;
    struct postman_load load = {.node = postman_grid_node(grid, postman_grid_plane(grid, from, to), from),
                                .machine = first};
    if (moves_x && moves_y) {
        load.flits[load.count++] = (uint16_t)(here | 1u << (grid->options.flit_bits - 1));
        load.flits[load.count++] = (uint16_t)other;
    } else {
        load.flits[load.count++] = (uint16_t)here;
    }
    memcpy(load.flits + load.count, data, count * sizeof *data);
    load.count += count;
    return load;
}

bool postman_grid_load(struct postman_grid *grid, unsigned from, unsigned to, enum postman_dimension first,
                       const uint16_t *data, unsigned count)
{
    struct postman_load load = postman_grid_packet(grid, from, to, first, data, count);
    return postman_plane_load(grid->planes[postman_grid_plane(grid, from, to)], &load);
}

bool postman_grid_request(struct postman_grid *grid, unsigned from, unsigned to, enum postman_dimension first,
                          const uint16_t *data, unsigned count)
{
    struct postman_load load = postman_grid_packet(grid, from, to, first, data, count);
    return postman_plane_request(grid->planes[postman_grid_plane(grid, from, to)], &load);
}

void postman_grid_clock(struct postman_grid *grid)
{
    for (unsigned plane = 0; plane < POSTMAN_PLANES; plane++)
        postman_plane_clock(grid->planes[plane]);
}

bool postman_grid_quiet(const struct postman_grid *grid)
{
    for (unsigned plane = 0; plane < POSTMAN_PLANES; plane++)
        if (!postman_plane_quiet(grid->planes[plane]))
            return false;
    return true;
}

bool postman_grid_arrival(struct postman_grid *grid, struct postman_arrival *arrival)
{
    for (unsigned plane = 0; plane < POSTMAN_PLANES; plane++)
        if (postman_plane_arrival(grid->planes[plane], arrival)) {
            arrival->node = postman_grid_node(grid, plane, arrival->node);
            return true;
        }
    return false;
}
