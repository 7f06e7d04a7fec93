/* The types of boards: the folders of boards/ with a board.conf, in the tree or where the kit is installed.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BOARD_BOARD_TYPE_H
#define POSTROAD_BOARD_BOARD_TYPE_H

#include <stddef.h>

#include "board/board_conf.h"

enum { BOARD_TYPE_NAME = 32, BOARD_TYPES_MAX = 32 };

/* Reads the board.conf of a type. 0, or -1 with the reason; for an unknown type that is the list of those there are. */
int board_type_load(const char *type, struct board_conf *out, char *error, size_t error_size);

/* The names of all types, sorted. Returns how many. */
unsigned board_type_names(char names[BOARD_TYPES_MAX][BOARD_TYPE_NAME]);

/* Ending of the file that is written into such an FPGA: "bin", "bit" or "fs". */
const char *board_type_packed(const struct board_conf *conf);

#endif
