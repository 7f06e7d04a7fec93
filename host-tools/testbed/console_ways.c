/* See console_ways.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "testbed/console_ways.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "libpostroad/tty.h"

/* A device that is there and cannot be told from another one is news to the user, one that is not there, or has no tty
 * yet, is none. */
static int not_found(const struct console_way *way)
{
    enum match_verdict verdict = way->ttys->matches[way->number].verdict;
    return verdict == MATCH_MISSING || verdict == MATCH_FOUND ? BOARD_CONSOLE_ABSENT : PR_ENDPOINT_UNREACHABLE;
}

static void take_place(struct board_console *console, const char *where, const char *tty)
{
    snprintf(console->place, sizeof console->place, "%s%s%.*s", where, *where ? ":" : "",
             PR_ENDPOINT_PATH_SIZE - TESTBED_HOST - 2, tty);
}

/* ---- On USB at this computer. ---- */

static int open_here(struct board_console *console, char *error, size_t error_size)
{
    struct console_way *way = console->context;
    const char *tty = console_ttys_find(way->ttys, way->number, error, error_size);
    if (!tty)
        return not_found(way);
    take_place(console, "", tty);
    return pr_tty_open(tty, (int)way->board->baud, error, error_size);
}

static const struct board_way here = {.open = open_here};

/* ---- On USB at another host. ---- */

static int open_remote(struct board_console *console, char *error, size_t error_size)
{
    struct console_way *way = console->context;
    return remote_line_start(&way->remote, way->board->host, (int)way->board->baud, error, error_size);
}

static const char *choose(void *context, const struct usb_list *list, char *error, size_t error_size)
{
    struct board_console *console = context;
    struct console_way *way = console->context;
    const char *tty = console_ttys_choose(way->ttys, way->number, list, error, error_size);
    if (tty)
        take_place(console, way->board->host, tty);
    return tty;
}

static int go_on_remote(struct board_console *console, int descriptor, char *error, size_t error_size)
{
    struct console_way *way = console->context;
    char reason[REMOTE_REASON];
    int status = remote_line_go_on(&way->remote, descriptor, choose, console, reason, sizeof reason);
    if (status < 0)
        snprintf(error, error_size, "host %s: %s", way->board->host, reason);
    return status == -2 ? not_found(way) : status < 0 ? PR_ENDPOINT_UNREACHABLE : status;
}

static void close_remote(struct board_console *console)
{
    struct console_way *way = console->context;
    remote_line_end(&way->remote);
}

static const struct board_way at_host = {
    .open = open_remote, .arrive = go_on_remote, .events = POLLIN, .close = close_remote};

/* ---- An endpoint of a board that is not on USB. ---- */

static int open_tcp(struct board_console *console, char *error, size_t error_size)
{
    struct console_way *way = console->context;
    return pr_tcp_begin(&way->tcp, error, error_size);
}

static int go_on_tcp(struct board_console *console, int descriptor, char *error, size_t error_size)
{
    struct console_way *way = console->context;
    return pr_tcp_arrive(&way->tcp, descriptor, error, error_size);
}

static int open_unix(struct board_console *console, char *error, size_t error_size)
{
    const struct console_way *way = console->context;
    return pr_unix_open(way->endpoint.path, false, error, error_size);
}

static int open_tty(struct board_console *console, char *error, size_t error_size)
{
    const struct console_way *way = console->context;
    return pr_tty_open(way->endpoint.path, way->endpoint.baud, error, error_size);
}

static const struct board_way endpoints[] = {
    [PR_ENDPOINT_UNIX] = {.open = open_unix},
    [PR_ENDPOINT_TTY] = {.open = open_tty},
    [PR_ENDPOINT_TCP] = {.open = open_tcp, .arrive = go_on_tcp, .events = POLLOUT},
};

static int find_endpoint(struct console_way *way, struct board_console *out, char *error, size_t error_size)
{
    struct pr_endpoint *endpoint = &way->endpoint;
    const char *text = way->board->console;
    if (console_endpoint(way->board, endpoint, error, error_size) != 0 ||
        (endpoint->kind == PR_ENDPOINT_TCP &&
         pr_tcp_find(&way->tcp, endpoint->path, endpoint->port, error, error_size) != 0))
        return -1;
    out->way = &endpoints[endpoint->kind];
    take_place(out, "", endpoint->kind == PR_ENDPOINT_TTY ? endpoint->path : text);
    return 0;
}

int console_way_find(struct console_way *way, struct console_ttys *ttys, unsigned board, struct board_console *out,
                     char *error, size_t error_size)
{
    const struct testbed *testbed = ttys->testbed;
    const struct testbed_board *one = &testbed->boards[board];
    const char *tty;
    *way = (struct console_way){.ttys = ttys, .board = one, .number = board};
    *out = (struct board_console){.context = way, .board = board, .site = one->sites[0]};
    snprintf(out->name, sizeof out->name, "%s", one->name);
    if (*one->console)
        return find_endpoint(way, out, error, error_size);
    if (*one->host) {
        out->way = &at_host;
        take_place(out, "", one->host);
        return 0;
    }
    out->way = &here;
    tty = console_ttys_find(ttys, board, error, error_size);
    take_place(out, "", tty ? tty : "");
    return tty ? 0 : -1;
}
