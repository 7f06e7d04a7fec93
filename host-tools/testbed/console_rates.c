/* See console_rates.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "testbed/console_rates.h"

#include <poll.h>
#include <stdlib.h>

#include "daemon/board_line.h"
#include "libpostroad/tty_rate.h"
#include "support/or_abort.h"
#include "testbed/console_ways.h"

enum { LOOK_MS = 10, REASON = 2048 };

static const double answer_time = 2;

static void drop_note(const void *context, const char *text)
{
    (void)context; /* the caller says it */
    (void)text;
}

/* A board at another host, or behind a socket, has its rate set there. */
static bool has_rate(const struct console_way *way)
{
    return !*way->board->host && (!*way->board->console || way->endpoint.kind == PR_ENDPOINT_TTY);
}

/* True as long as the line may still answer. A line that was lost is left alone. */
static bool step(struct board_line *line)
{
    board_line_step(line);
    return board_line_is_starting(line);
}

void console_rates_look(const struct testbed *testbed,
                        void (*found)(void *context, const char *board, int baud, int expected), void *context)
{
    char reason[REASON];
    unsigned count = 0;
    struct console_ttys ttys;
    struct console_way *ways = or_abort(calloc(testbed->board_count, sizeof *ways));
    struct board_line *lines = or_abort(calloc(testbed->board_count, sizeof *lines));
    if (console_ttys_open(&ttys, testbed, reason, sizeof reason) == 0) {
        board_line_on_note(drop_note, NULL);
        for (unsigned i = 0; i < testbed->board_count; i++) {
            struct board_console console;
            if (console_way_find(&ways[i], &ttys, i, &console, reason, sizeof reason) == 0 && has_rate(&ways[i]))
                board_line_init(&lines[count++], &console, answer_time);
        }
        for (bool waits = count, first = true; waits; first = false) {
            waits = false;
            for (unsigned i = 0; i < count; i++)
                waits |= (first || board_line_is_starting(&lines[i])) && step(&lines[i]);
            poll(NULL, 0, waits ? LOOK_MS : 0);
        }
        for (unsigned i = 0; i < count; i++) {
            int baud = lines[i].state == BOARD_ANSWERED ? pr_tty_rate(lines[i].descriptor) : lines[i].baud;
            if (baud != lines[i].baud)
                found(context, lines[i].console.name, baud, lines[i].baud);
            board_line_close(&lines[i]);
        }
        board_line_on_note(NULL, NULL);
        console_ttys_close(&ttys);
    }
    free(ways);
    free(lines);
}
