/* See stream.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "libpostroad/stream.h"

#include "libpostroad/endpoint.h"
#include "libpostroad/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

/* A silent peer: asked after so many seconds, so often, so many seconds apart; given up after all of them. */
enum { KEEP_IDLE = 10, KEEP_COUNT = 4, KEEP_INTERVAL = 5, MILLISECONDS = 1000 };

int pr_tcp_find(struct pr_tcp *tcp, const char *host, const char *port, char *error, size_t error_size)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
    int failure = getaddrinfo(host, port, &hints, &list);
    *tcp = (struct pr_tcp){.count = 0};
    snprintf(tcp->host, sizeof tcp->host, "%s", host);
    if (failure) {
        snprintf(error, error_size, "cannot find host '%s' port '%s': %s", host, port, gai_strerror(failure));
        return PR_ENDPOINT_UNREACHABLE;
    }
    for (const struct addrinfo *one = list; one && tcp->count < PR_TCP_ADDRESSES; one = one->ai_next) {
        memcpy(&tcp->addresses[tcp->count].address, one->ai_addr, one->ai_addrlen);
        tcp->addresses[tcp->count++].size = one->ai_addrlen;
    }
    freeaddrinfo(list);
    return 0;
}

static void keep_alive(int descriptor)
{
    const struct {
        int level, name, value;
    } settings[] = {{SOL_SOCKET, SO_KEEPALIVE, 1},
                    {IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE},
                    {IPPROTO_TCP, TCP_KEEPCNT, KEEP_COUNT},
                    {IPPROTO_TCP, TCP_KEEPINTVL, KEEP_INTERVAL},
                    {IPPROTO_TCP, TCP_USER_TIMEOUT, (KEEP_IDLE + KEEP_COUNT * KEEP_INTERVAL) * MILLISECONDS}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setsockopt(descriptor, settings[i].level, settings[i].name, &settings[i].value, sizeof settings[i].value);
}

/* A connection to the next address is begun. -1 with errno: there is none left that can be tried. */
static int try_next(struct pr_tcp *tcp)
{
    int failure = errno;
    while (tcp->tried < tcp->count) {
        const struct sockaddr *address = (const struct sockaddr *)&tcp->addresses[tcp->tried].address;
        socklen_t size = tcp->addresses[tcp->tried++].size;
        int descriptor = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (descriptor >= 0 && (connect(descriptor, address, size) == 0 || errno == EINPROGRESS)) {
            keep_alive(descriptor);
            return descriptor;
        }
        failure = errno;
        if (descriptor >= 0)
            close(descriptor);
    }
    errno = failure;
    return -1;
}

static int unreachable(const struct pr_tcp *tcp, char *error, size_t error_size)
{
    snprintf(error, error_size, "cannot connect to %s: %s", tcp->host, strerror(errno));
    return PR_ENDPOINT_UNREACHABLE;
}

int pr_tcp_begin(struct pr_tcp *tcp, char *error, size_t error_size)
{
    tcp->tried = 0;
    int descriptor = try_next(tcp);
    return descriptor < 0 ? unreachable(tcp, error, error_size) : descriptor;
}

int pr_tcp_arrive(struct pr_tcp *tcp, int descriptor, char *error, size_t error_size)
{
    struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
    int failure = 0;
    socklen_t size = sizeof failure;
    if (poll(&ready, 1, 0) <= 0)
        return 0;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0)
        return 1;
    errno = failure;
    int next = try_next(tcp);
    if (next < 0)
        return unreachable(tcp, error, error_size);
    dup3(next, descriptor, O_CLOEXEC);
    close(next);
    return 0;
}

int pr_unix_open(const char *path, bool waits, char *error, size_t error_size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        snprintf(error, error_size, "%s: longer than a unix socket's path may be", path);
        return PR_ENDPOINT_BAD;
    }
    strcpy(address.sun_path, path);
    int descriptor = pr_peer_connect(&address, SOCK_STREAM | (waits ? 0 : SOCK_NONBLOCK), error, error_size);
    if (descriptor < 0)
        return PR_ENDPOINT_UNREACHABLE;
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
    return descriptor;
}
