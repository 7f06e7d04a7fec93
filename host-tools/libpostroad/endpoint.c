/* Opening an endpoint: a site of a mesh that is up, a unix socket, a serial line, a TCP stream.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "libpostroad/endpoint.h"

#include "libpostroad/run_directory.h"
#include "libpostroad/stream.h"
#include "libpostroad/tty.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ENDING_TRIES = 20 /* 10 ms each */, REASON_SIZE = 64 };

static const struct {
    const char *prefix;
    enum pr_endpoint_kind kind;
} kinds[] = {
    {"up:", PR_ENDPOINT_UP}, {"unix:", PR_ENDPOINT_UNIX}, {"tty:", PR_ENDPOINT_TTY}, {"tcp:", PR_ENDPOINT_TCP}};

static const char *parse_up(struct pr_endpoint *out, const char *text)
{
    return pr_run_directory_path(text, out->path, sizeof out->path) ? NULL : "expected up:NAME";
}

static const char *parse_tty(struct pr_endpoint *out)
{
    char *at = strrchr(out->path, '@'), *end;
    out->baud = PR_ENDPOINT_DEFAULT_BAUD;
    if (!at)
        return NULL;
    errno = 0;
    long baud = strtol(at + 1, &end, 10);
    if (errno || end == at + 1 || *end || baud <= 0 || baud > INT_MAX)
        return "expected tty:PATH or tty:PATH@BAUD";
    out->baud = (int)baud;
    *at = 0;
    return NULL;
}

static const char *parse_tcp(struct pr_endpoint *out)
{
    char *colon = strrchr(out->path, ':');
    if (!colon || colon == out->path || !colon[1] || strlen(colon + 1) >= sizeof out->port)
        return "expected tcp:HOST:PORT";
    strcpy(out->port, colon + 1);
    *colon = 0;
    return NULL;
}

static const char *parse_rest(struct pr_endpoint *out, const char *rest)
{
    if (!*rest)
        return "nothing after the colon";
    if (strlen(rest) >= sizeof out->path)
        return "too long";
    strcpy(out->path, rest);
    if (out->kind == PR_ENDPOINT_UP)
        return parse_up(out, rest);
    if (out->kind == PR_ENDPOINT_TTY)
        return parse_tty(out);
    return out->kind == PR_ENDPOINT_TCP ? parse_tcp(out) : NULL;
}

int pr_endpoint_parse(const char *text, struct pr_endpoint *out, char *error, size_t error_size)
{
    const char *reason = "expected up:NAME, unix:PATH, tty:PATH or tcp:HOST:PORT";
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].prefix);
        if (strncmp(text, kinds[i].prefix, length) != 0)
            continue;
        out->kind = kinds[i].kind;
        reason = parse_rest(out, text + length);
        break;
    }
    if (reason)
        snprintf(error, error_size, "endpoint '%s': %s", text, reason);
    return reason ? PR_ENDPOINT_BAD : 0;
}

/* The daemon lives, but the site's socket is missing. The daemon creates `control` last, and removes it first. */
static int explain_missing(const char *path, int site, char *error, size_t error_size)
{
    const struct timespec pause = {0, 10000000};
    char control[PR_RUN_DIRECTORY_SIZE + 16], reason[REASON_SIZE];
    pid_t pid;
    snprintf(control, sizeof control, "%s/control", path);
    if (access(control, F_OK) == 0) {
        snprintf(error, error_size, "no site %d: the mesh has sites 0 to %d", site, pr_run_directory_sites(path) - 1);
        return PR_ENDPOINT_BAD;
    }
    for (int tries = 0; tries < ENDING_TRIES; tries++, nanosleep(&pause, NULL))
        if (pr_run_directory_state(path, &pid, reason, sizeof reason) != PR_RUN_ALIVE) {
            snprintf(error, error_size, "the mesh in %s has ended at this moment", path);
            return PR_ENDPOINT_UNREACHABLE;
        }
    snprintf(error, error_size, "the mesh in %s is starting: its sites cannot be reached yet", path);
    return PR_ENDPOINT_UNREACHABLE;
}

/* True if a mesh is up at this path. */
static bool is_up(const char *path, char *error, size_t error_size)
{
    pid_t pid;
    enum pr_run_state state = pr_run_directory_state(path, &pid, error, error_size);
    if (state == PR_RUN_ABSENT)
        snprintf(error, error_size, "no mesh is up in %s (start one: postroad up FILE.mesh)", path);
    else if (state == PR_RUN_STALE)
        snprintf(error, error_size, "the mesh in %s is gone: its daemon, process %d, ended without `postroad down`",
                 path, (int)pid);
    return state == PR_RUN_ALIVE;
}

static int open_up(const struct pr_endpoint *endpoint, int site, char *error, size_t error_size)
{
    char path[PR_RUN_DIRECTORY_SIZE + 32];
    if (!is_up(endpoint->path, error, error_size))
        return PR_ENDPOINT_UNREACHABLE;
    snprintf(path, sizeof path, "%s/site-%d", endpoint->path, site);
    if (access(path, F_OK) != 0)
        return explain_missing(endpoint->path, site, error, error_size);
    if (!pr_run_directory_has_console(endpoint->path, (unsigned)site)) {
        snprintf(error, error_size, "site %d has no console here, it is reached over the mesh: expected --from %u",
                 site, pr_run_directory_first_console(endpoint->path));
        return PR_ENDPOINT_BAD;
    }
    return pr_unix_open(path, true, error, error_size);
}

/* A host that is switched off would keep its caller for two minutes. */
enum { CONNECT_TIME = 3000 /* milliseconds */ };

static int open_tcp(const struct pr_endpoint *endpoint, char *error, size_t error_size)
{
    struct pr_tcp tcp;
    if (pr_tcp_find(&tcp, endpoint->path, endpoint->port, error, error_size) != 0)
        return PR_ENDPOINT_UNREACHABLE;
    int arrived = 0, descriptor = pr_tcp_begin(&tcp, error, error_size);
    if (descriptor < 0)
        return descriptor;
    struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
    snprintf(error, error_size, "cannot connect to %s: no answer within %d s", tcp.host, CONNECT_TIME / 1000);
    while (arrived == 0 && poll(&ready, 1, CONNECT_TIME) > 0)
        arrived = pr_tcp_arrive(&tcp, descriptor, error, error_size);
    if (arrived > 0)
        return descriptor;
    close(descriptor);
    return PR_ENDPOINT_UNREACHABLE;
}

int pr_endpoint_open(const struct pr_endpoint *endpoint, int site, char *error, size_t error_size)
{
    switch (endpoint->kind) {
    case PR_ENDPOINT_UP:
        return open_up(endpoint, site, error, error_size);
    case PR_ENDPOINT_UNIX:
        return pr_unix_open(endpoint->path, true, error, error_size);
    case PR_ENDPOINT_TTY:
        return pr_tty_open(endpoint->path, endpoint->baud, error, error_size);
    case PR_ENDPOINT_TCP:
        return open_tcp(endpoint, error, error_size);
    }
    return PR_ENDPOINT_BAD;
}
