/* The serial line of one board: opened exclusively, asked for the node's identity, then a stream of console bytes.
 *
 *              opened                 identity             board_line_serve()
 *   BOARD_LOST ------> BOARD_ASKED ------------> BOARD_ANSWERED ------------> BOARD_SERVES
 *     ^    ^               | silence, or no node       | board_line_drop()         | end of file, EIO, ENODEV
 *     |    +---------------+                           |                           |
 *     +------------------------------------------------+---------------------------+
 *
 * A lost line is opened again after a pause, which doubles with every attempt in vain (back-off). Nothing that a line
 * sends is trusted: frames with a wrong checksum are dropped, and a line that floods is read in limited pieces.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_BOARD_LINE_H
#define POSTROAD_DAEMON_BOARD_LINE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/exit_code.h"
#include "libpostroad/endpoint.h"
#include "wire/console_frame.h"
#include "wire/site_identity.h"

enum { BOARD_REASON_SIZE = 1024, BOARD_CHUNK = 4096 };

enum board_state { BOARD_LOST, BOARD_ASKED, BOARD_ANSWERED, BOARD_SERVES };

struct board_line {
    struct pr_endpoint endpoint;
    enum board_state state;
    int descriptor;                   /* -1 while lost */
    struct pr_site_identity identity; /* since it has answered */
    char reason[BOARD_REASON_SIZE];   /* lost: why; stays while it is asked again */
    enum exit_code failure;           /* lost: the exit code for that reason */
    double due, deadline, pause;      /* of the next attempt or question; of the answer; between attempts */
    double read_last;                 /* when bytes came last */
    bool blocked;                     /* the line takes no more bytes at the moment */
    struct pr_frames_reader reader;
    size_t rest_at, rest_used; /* bytes behind the identity */
    uint8_t rest[BOARD_CHUNK];
};

/* A lost line that is due at once. */
void board_line_init(struct board_line *line, const struct pr_endpoint *endpoint);
void board_line_close(struct board_line *line);

/* Opens, asks, reads the identity, gives up: whatever is due. To be called after poll() while the line does not
 * serve. */
void board_line_step(struct board_line *line);

/* When board_line_step has something to do without a descriptor, on pr_client_now's clock; INFINITY: never. */
double board_line_due(const struct board_line *line);

/* The identity is accepted: the line serves. Or it is not, or the line is of no use any more: it is lost. */
void board_line_serve(struct board_line *line);
void board_line_drop(struct board_line *line, enum exit_code failure, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The stream of a line that serves; how many bytes were moved. A failure makes the line lost. */
size_t board_line_read(struct board_line *line, uint8_t *bytes, size_t length);
size_t board_line_write(struct board_line *line, const uint8_t *bytes, size_t length);

/* What to wait for; fd -1 while lost. */
struct pollfd board_line_poll(const struct board_line *line);

#endif
