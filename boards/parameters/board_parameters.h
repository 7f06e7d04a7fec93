/* The Verilog parameters of a board's bitstream, from the settings of a mesh and of a board.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BOARDS_PARAMETERS_BOARD_PARAMETERS_H
#define POSTROAD_BOARDS_PARAMETERS_BOARD_PARAMETERS_H

#include "board/board_conf.h"
#include "mesh/mesh.h"

/* Can the board be a site of the mesh? 0, or -1 with "MESH: reason, expected ..." in `error`. */
int board_parameters_check(const struct board_conf *board, const struct mesh_config *mesh, char *error,
                           size_t error_size);

/* Writes parameters.vh. `image`: the file with what RAM holds at power-on, `boot_image`: that of the boot ROM; one of
 * them is used, as the board boots. */
void board_parameters_emit(const struct board_conf *board, const struct mesh_config *mesh, const char *image,
                           const char *boot_image, FILE *out);

#endif
