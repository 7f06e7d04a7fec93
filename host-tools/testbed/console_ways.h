/* The ways to the consoles of a testbed's boards: on USB at this computer, on USB at another host, or an endpoint of a
 * board that is not on USB.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_CONSOLE_WAYS_H
#define POSTROAD_TESTBED_CONSOLE_WAYS_H

#include "daemon/board_console.h"
#include "libpostroad/stream.h"
#include "testbed/console_ttys.h"
#include "testbed/remote_line.h"

/* Of one board. */
struct console_way {
    struct console_ttys *ttys;
    const struct testbed_board *board;
    unsigned number;             /* of the board */
    struct pr_endpoint endpoint; /* as given by `console` */
    struct pr_tcp tcp;
    struct remote_line remote;
};

/* The way to a board's console, and the console. It is sought where that takes no time: on USB here, and the address of
 * a tcp endpoint. Both arguments must outlive the console. 0, or -1 with the reason. */
int console_way_find(struct console_way *way, struct console_ttys *ttys, unsigned board, struct board_console *out,
                     char *error, size_t error_size);

#endif
