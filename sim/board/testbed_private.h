/* What the parts of the reader of testbed files share.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BOARD_TESTBED_PRIVATE_H
#define POSTROAD_BOARD_TESTBED_PRIVATE_H

#include "board/testbed.h"

struct testbed_reader {
    const char *text;
    size_t length, position;
    int line; /* that inih was given last */
    struct testbed *testbed;
    char *error;
    size_t error_size;
    bool failed;

    int mesh_line; /* of the key, 0: not given */
    char mesh_path[TESTBED_PATH];
};

/* testbed_names.c: keeps the first error. */
void testbed_fail(struct testbed_reader *reader, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* testbed_parse.c: the lines of the file, each for itself. */
void testbed_read(struct testbed_reader *reader);

/* testbed_analyser.c: a line `channel = board.connector` or `channel = board.probeN PORT.EVENT`. */
void testbed_read_channel(struct testbed_reader *reader, const char *name, const char *value);

/* testbed_check.c: boards and cables against the mesh, the types of boards and each other. Fills in what the file
 * leaves to them. */
void testbed_check(struct testbed_reader *reader);

#endif
