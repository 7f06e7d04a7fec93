/* A mesh of sites with the image small-traffic, of bitstreams or of RTL: their serial lines, and time.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_BITSTREAM_TRAFFIC_MESH_H
#define POSTROAD_TESTS_BITSTREAM_TRAFFIC_MESH_H

#include <stddef.h>
#include <stdint.h>

#include "board/testbed.h"

struct board_simulation;
struct simulation;

/* One of the two pointers is NULL. */
struct mesh {
    struct board_simulation *boards;
    struct simulation *rtl;
    struct testbed testbed; /* of boards */
    unsigned sites;
};

/* A .ini file is a testbed, anything else a .mesh file. Ends the program with a reason if it cannot. */
void mesh_start(struct mesh *mesh, const char *path, uint64_t seed);
void mesh_end(struct mesh *mesh);

/* Some microseconds pass. mesh_clock: clocks of 12 MHz since the start. */
void mesh_run(struct mesh *mesh);
uint64_t mesh_clock(const struct mesh *mesh);

size_t mesh_read(struct mesh *mesh, unsigned site, uint8_t *bytes, size_t length);
void mesh_write(struct mesh *mesh, unsigned site, const uint8_t *bytes, size_t length);

#endif
