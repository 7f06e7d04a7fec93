/* See load_port.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "loader/load_port.h"

#include "cli/exit_code.h"
#include "cli/report.h"
#include "libpostroad/client.h"
#include "libpostroad/clock.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Waits for `events` until `end`. EXIT_OK: they are there, or the time is over. */
static int await(const struct load_port *port, short events, double end)
{
    struct pollfd poll_end = {.fd = port->descriptor, .events = events};
    double left = fmax(end - pr_client_now(), 0);
    return pr_clock_wait(&poll_end, 1, (int)ceil(left * 1e3)) < 0 ? EXIT_INTERRUPTED : EXIT_OK;
}

static int report_gone(const struct load_port *port, const char *why)
{
    return report_failure(EXIT_TRANSPORT, "load", "site %u: its serial line is gone: %s", port->site, why);
}

int load_port_read(struct load_port *port, double seconds, char *text, size_t *count)
{
    int status = await(port, POLLIN, pr_client_now() + seconds);
    *count = 0;
    if (status != EXIT_OK)
        return status;
    ssize_t found = read(port->descriptor, text, LOAD_PORT_CHUNK);
    *count = found > 0 ? (size_t)found : 0;
    if (found > 0 || (found < 0 && (errno == EAGAIN || errno == EINTR)))
        return EXIT_OK;
    return report_gone(port, found == 0 ? "end of file" : strerror(errno));
}

int load_port_write(struct load_port *port, const uint8_t *bytes, size_t length)
{
    double end = pr_client_now() + port->timeout;
    int status = EXIT_OK;
    while (length > 0 && status == EXIT_OK) {
        ssize_t count = write(port->descriptor, bytes, length);
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            return report_gone(port, strerror(errno));
        if (count > 0) {
            bytes += count;
            length -= (size_t)count;
        } else if (pr_client_now() > end)
            return report_gone(port, "it takes no more bytes");
        else
            status = await(port, POLLOUT, end);
    }
    return status;
}
