/* The virtual planes of a grid or torus, one for each pair of directions: node numbers are those of the grid, and a
 * packet goes to the plane that leads to its target.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTMAN_GRID_H
#define POSTROAD_POSTMAN_GRID_H

#include "postman/postman_model.h"

enum { POSTMAN_PLANES = 4 }; /* (+X,+Y), (-X,+Y), (-X,-Y), (+X,-Y) */

struct postman_grid {
    struct postman_options options;
    struct postman_plane *planes[POSTMAN_PLANES];
};

/* `options` but for its flips holds for all planes. False as postman_plane_create; then there is nothing to be freed.
 */
bool postman_grid_create(struct postman_grid *grid, const struct postman_options *options);
void postman_grid_free(struct postman_grid *grid);

/* A node's number in a plane from that in the grid, and back. */
unsigned postman_grid_node(const struct postman_grid *grid, unsigned plane, unsigned node);

/* The plane that leads from one node to another. One that moves in one dimension only could take a second plane; it is
 * given the first. */
unsigned postman_grid_plane(const struct postman_grid *grid, unsigned from, unsigned to);

/* The packet for a machine of that plane, with node numbers of the plane. `first` is the dimension in which it begins
 * to move, and the machine whose transit buffer it is loaded into; it is ignored if there is one dimension to move in.
 */
struct postman_load postman_grid_packet(const struct postman_grid *grid, unsigned from, unsigned to,
                                        enum postman_dimension first, const uint16_t *data, unsigned count);

bool postman_grid_load(struct postman_grid *grid, unsigned from, unsigned to, enum postman_dimension first,
                       const uint16_t *data, unsigned count);

/* As postman_plane_request. */
bool postman_grid_request(struct postman_grid *grid, unsigned from, unsigned to, enum postman_dimension first,
                          const uint16_t *data, unsigned count);

void postman_grid_clock(struct postman_grid *grid);
bool postman_grid_quiet(const struct postman_grid *grid);

/* As postman_plane_arrival. */
bool postman_grid_arrival(struct postman_grid *grid, struct postman_arrival *arrival);

#endif
