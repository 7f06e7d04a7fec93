/* A testbed as a mesh of simulated sites. See testbed.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "board/testbed.h"

#include <stdio.h>

static const char bitstreams[] = "its bitstreams can be simulated (sim/bitstream/README.md)";

/* Cables join boards of one bit rate, and all boards of a mesh are joined: the first board's clock is that of all. */
int testbed_simulated_mesh(const struct testbed *testbed, struct mesh_config *out, char *error, size_t error_size)
{
    const struct testbed_board *first = &testbed->boards[0];
    if (!testbed->has_mesh) {
        snprintf(error, error_size, "%s: no mesh, expected mesh = FILE.mesh in [testbed]", testbed->path);
        return -1;
    }
    for (unsigned i = 0; i < testbed->board_count; i++) {
        const struct testbed_board *board = &testbed->boards[i];
        if (board->side != 1) {
            snprintf(error, error_size, "%s:%d: board %s has %u sites in one FPGA, expected boards of one site: %s",
                     testbed->path, board->line, board->name, board->site_count, bitstreams);
            return -1;
        }
        if (board->eager_links != first->eager_links) {
            snprintf(error, error_size,
                     "%s:%d: one of boards %s and %s has eager links, the other has not, expected one kind: %s",
                     testbed->path, board->line, first->name, board->name, bitstreams);
            return -1;
        }
    }
    *out = testbed->mesh;
    out->board_links = first->eager_links ? MESH_LINKS_EAGER : MESH_LINKS_SHARED;
    out->clock_hz = first->link_hz;
    return 0;
}
