/* The serial line of one board. It is opened exclusively, the node is asked for its identity, and then it carries
 * console bytes.
 *
 *              opened                    is there                 identity               board_line_serve()
 *   BOARD_LOST ------> BOARD_ON_ITS_WAY ----------> BOARD_ASKED ----------> BOARD_ANSWERED ------------> BOARD_SERVES
 *     ^   ^               | fails, or takes too long    | silence, no node      | board_line_drop()           | end of
 * file, |   +---------------+-----------------------------+                       |                             | EIO,
 * ENODEV
 *     +-------------------------------------------------------------------------+-----------------------------+
 *
 * A line that is lent carries another process's bytes, to the boot program of its board (postroad load):
 *
 *   BOARD_SERVES, BOARD_ASKED --- board_line_lend() ---> BOARD_LENT --- board_line_take_back() ---> BOARD_ASKED
 *
 * A lost line is opened again after a pause, which doubles with every attempt in vain (back-off); a board of a testbed
 * is sought anew each time, for it may have come back under another name. Nothing that a line sends is trusted: frames
 * with a wrong checksum are dropped, and a line that floods is read in limited pieces.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_BOARD_LINE_H
#define POSTROAD_DAEMON_BOARD_LINE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/console_text.h"
#include "cli/exit_code.h"
#include "daemon/board_console.h"
#include "wire/console_frame.h"
#include "wire/site_identity.h"

enum { BOARD_REASON_SIZE = 1024, BOARD_CHUNK = 4096, BOARD_LABEL_SIZE = PR_ENDPOINT_PATH_SIZE + BOARD_NAME_SIZE + 16 };

enum board_state { BOARD_LOST, BOARD_ON_ITS_WAY, BOARD_ASKED, BOARD_ANSWERED, BOARD_SERVES, BOARD_LENT };

struct board_line {
    struct board_console console;
    enum board_state state;
    int descriptor;                   /* -1 while lost */
    struct pr_site_identity identity; /* since it has answered */
    char reason[BOARD_REASON_SIZE];   /* lost or lent: why; stays while it is asked again */
    enum exit_code failure;           /* lost: the exit code for that reason */
    double answer_time;               /* seconds from the opening to the answer at most */
    double due, deadline, pause;      /* of the next attempt or question; of the answer; between attempts */
    double read_last;                 /* when bytes came last */
    bool blocked;                     /* the line takes no more bytes at the moment */
    int baud;                         /* asked: the rate at which the line was opened; 0: it has none */
    unsigned asked;                   /* questions so far */
    char shown[CONSOLE_TEXT_LINE];    /* asked: text that came in place of an answer */
    struct pr_frames_reader reader;
    size_t rest_at, rest_used; /* bytes behind the identity */
    uint8_t rest[BOARD_CHUNK];
};

/* Initialises a lost line, whose first attempt is due at once. A node has `answer_time` seconds to answer. */
void board_line_init(struct board_line *line, const struct board_console *console, double answer_time);
void board_line_close(struct board_line *line);

/* What messages call it: "/dev/ttyUSB0", "board left (/dev/ttyUSB0)". */
const char *board_line_label(const struct board_line *line, char out[BOARD_LABEL_SIZE]);

/* What is told of a line that serves all the same: one line of text. NULL: to standard error, as from the start. */
void board_line_on_note(void (*function)(const void *context, const char *text), const void *context);

/* Is its node being asked, or about to be? */
bool board_line_is_starting(const struct board_line *line);

/* Does the step that is due: opens the line, requests the identity, reads it, or gives up. To be called after poll()
 * while the line does not serve. */
void board_line_step(struct board_line *line);

/* The time, on pr_client_now's clock, at which board_line_step has work without a ready descriptor; INFINITY: never. */
double board_line_due(const struct board_line *line);

/* board_line_serve: the identity is accepted, and the line serves. board_line_drop: the identity is refused, or the
 * line is of no more use, and the line is lost. */
void board_line_serve(struct board_line *line);
void board_line_drop(struct board_line *line, enum exit_code failure, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Lends the line: returns its descriptor, which stays the line's, and is not touched here until board_line_take_back.
 * -1: the line is not open. The next attempt to open it is due at once then. */
int board_line_lend(struct board_line *line);
void board_line_take_back(struct board_line *line);

/* Read and write the stream of a line that serves; both return the number of bytes moved. A failure makes the line
 * lost. */
size_t board_line_read(struct board_line *line, uint8_t *bytes, size_t length);
size_t board_line_write(struct board_line *line, const uint8_t *bytes, size_t length);

/* The descriptor and events to wait for; fd -1 while the line is lost or lent. */
struct pollfd board_line_poll(const struct board_line *line);

#endif
