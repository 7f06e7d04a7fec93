/* The program simulate_boards (sim/bitstream/README.md) as a child of the daemon: boards whose serial lines are ptys.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_SIMULATED_BOARDS_H
#define POSTROAD_DAEMON_SIMULATED_BOARDS_H

#include <stddef.h>
#include <sys/types.h>

struct pr_endpoint;

enum { SIMULATED_BOARDS_PATH = 4096 };

struct simulated_boards {
    pid_t process;                        /* 0: none */
    char commands[SIMULATED_BOARDS_PATH]; /* the fifo of its commands */
    struct pr_endpoint *lines;            /* a pty for each board */
    unsigned count;
};

/* Starts the boards of a testbed file and waits until they have had time to boot. Their ptys are DIRECTORY/tty-NAME,
 * and lines written to DIRECTORY/boards are commands. `capture` (NULL: none) is what --capture says: all that the lines
 * show becomes a file, which is complete when the boards have ended. 0, or -1 with the reason. */
int simulated_boards_start(const char *testbed, const char *directory, long seed, const char *capture,
                           struct simulated_boards *out, char *error, size_t error_size);

/* Ends them, and frees the lines. A capture that could not be written is reported on stderr. */
void simulated_boards_end(struct simulated_boards *boards);

#endif
