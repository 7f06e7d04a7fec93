/* postroad line: a serial line at this computer for a program at another one, which has started this through ssh.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/report.h"
#include "libpostroad/endpoint.h"
#include "postroad/verbs.h"
#include "testbed/remote.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* POLLOUT of a pipe promises room for so many bytes, so that no write waits. */
enum { ERROR_SIZE = 512, CHUNK = 4096 };

/* One direction. */
struct flow {
    int from, to;
    size_t at, used;
    bool ended; /* nothing more comes */
    char bytes[CHUNK];
};

static bool would_wait(void)
{
    return errno == EAGAIN || errno == EINTR;
}

/* False: nothing more goes this way. */
static bool pass(struct flow *flow, const struct pollfd *in, const struct pollfd *out)
{
    if (in->revents) {
        ssize_t count = read(flow->from, flow->bytes, CHUNK);
        flow->at = 0;
        flow->used = count > 0 ? (size_t)count : 0;
        flow->ended = count == 0 || (count < 0 && !would_wait());
    }
    if (out->revents) {
        ssize_t count = write(flow->to, flow->bytes + flow->at, flow->used - flow->at);
        if (count < 0 && !would_wait())
            return false;
        flow->at += count > 0 ? (size_t)count : 0;
    }
    return !flow->ended || flow->at < flow->used;
}

/* Until one end is gone. An entry without an event to wait for is left out, so that a line that has hung up does not
 * wake this before its bytes are written. */
static void join(int tty)
{
    struct flow flows[] = {{.from = STDIN_FILENO, .to = tty}, {.from = tty, .to = STDOUT_FILENO}};
    struct pollfd polls[4];
    bool goes_on = true;
    while (goes_on) {
        for (int k = 0; k < 2; k++) {
            bool full = flows[k].at < flows[k].used;
            polls[2 * k] = (struct pollfd){.fd = full ? -1 : flows[k].from, .events = POLLIN};
            polls[2 * k + 1] = (struct pollfd){.fd = full ? flows[k].to : -1, .events = POLLOUT};
        }
        if (poll(polls, 4, -1) < 0)
            continue;
        for (int k = 0; k < 2; k++)
            goes_on = pass(&flows[k], &polls[2 * k], &polls[2 * k + 1]) && goes_on;
    }
}

static int run(const struct options *options)
{
    struct pr_endpoint endpoint;
    char error[ERROR_SIZE];
    int status = pr_endpoint_parse(options->operands[0], &endpoint, error, sizeof error);
    if (status == 0 && endpoint.kind != PR_ENDPOINT_TTY)
        return report_failure(EXIT_USAGE, "line", "%s: expected tty:PATH or tty:PATH@BAUD", options->operands[0]);
    int tty = status == 0 ? pr_endpoint_open(&endpoint, 0, error, sizeof error) : status;
    if (tty < 0) {
        report_error("line", "%s", error);
        return tty == PR_ENDPOINT_BAD ? EXIT_USAGE : EXIT_TRANSPORT;
    }
    puts(LINE_JOINED);
    fflush(stdout);
    join(tty);
    close(tty);
    return EXIT_OK;
}

static const char manual[] =
    "Opens a serial line exclusively, prints `postroad: joined`, and joins the line with standard input and output until "
    "one of them ends. `up` and `flash` start it through ssh for boards at other hosts.";

const struct verb verb_line = {
    .name = "line",
    .operands = "tty:PATH[@BAUD]",
    .summary = "Joins a serial line with standard input and output.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = 1,
    .size = sizeof(struct options),
    .run = run,
};
