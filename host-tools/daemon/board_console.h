/* The console of a board, as the daemon opens it: once at the start, and again whenever it was lost. It is a serial
 * line that a user has named, or that of a board of a testbed, which is sought whenever it is opened.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_BOARD_CONSOLE_H
#define POSTROAD_DAEMON_BOARD_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "libpostroad/endpoint.h"

enum { BOARD_NAME_SIZE = 64, BOARD_CONSOLE_ABSENT = PR_ENDPOINT_UNREACHABLE - 1 };

struct board_console {
    struct pr_endpoint line;    /* of kind PR_ENDPOINT_TTY */
    char name[BOARD_NAME_SIZE]; /* of the board in its testbed; "": it has none */

    /* Of a board that is sought; else NULL. Returns a non-blocking descriptor with the place in line->path, or a
     * pr_endpoint_error, or BOARD_CONSOLE_ABSENT if the board is not plugged in, with the reason. It never waits. */
    int (*open)(void *context, unsigned board, struct pr_endpoint *line, char *error, size_t error_size);
    void *context;
    unsigned board; /* its number in the testbed */
    unsigned site;  /* that its node must have */
};

/* All of a mesh. */
struct board_consoles {
    struct board_console *consoles;
    unsigned count;
    double answer_time; /* seconds that a node may take to answer */

    /* Of a testbed. Its nodes must have this hash of the .mesh, and sites without a console are reached over the mesh.
     * Without it the nodes alone tell which mesh this is, and each of its sites must have a line. */
    bool has_testbed;
    unsigned mesh_hash;
};

#endif
