/* The console of a board, as the daemon opens it: once at the start, and again whenever it was lost. It is a serial
 * line that a user has named, or that of a board of a testbed, to which there are several ways: the board is sought
 * whenever the console is opened, here or at another host, or is behind a socket.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_BOARD_CONSOLE_H
#define POSTROAD_DAEMON_BOARD_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "libpostroad/endpoint.h"

enum { BOARD_NAME_SIZE = 64, BOARD_CONSOLE_ABSENT = PR_ENDPOINT_UNREACHABLE - 1 };

struct board_console;

/* A way to consoles. No function waits. */
struct board_way {
    /* Returns a non-blocking descriptor, with the place in console->place; or a pr_endpoint_error, or
     * BOARD_CONSOLE_ABSENT if the board is not plugged in, with the reason. */
    int (*open)(struct board_console *console, char *error, size_t error_size);

    /* NULL: a console is there once it is open. Else it is called whenever poll() has `events` for the descriptor. 1:
     * it is there; 0: not yet; else as `open`. */
    int (*arrive)(struct board_console *console, int descriptor, char *error, size_t error_size);
    short events;

    /* Called when the descriptor has been closed. NULL: there is nothing to do. */
    void (*close)(struct board_console *console);
};

struct board_console {
    const struct board_way *way;
    char place[PR_ENDPOINT_PATH_SIZE]; /* what messages call it: "/dev/ttyUSB0", "bench:/dev/ttyUSB0" */
    struct pr_endpoint line;           /* of serial lines that a user has named */

    /* Of a testbed: */
    char name[BOARD_NAME_SIZE]; /* of the board; "": there is no testbed */
    void *context;              /* of the way */
    unsigned board;             /* its number in the testbed */
    unsigned site;              /* that its node must have */
};

/* The console at a serial line that a user has named. */
void board_console_name(struct board_console *console, const struct pr_endpoint *line);

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
