/* Streams to other processes and hosts, for callers that must not wait.
 *
 *   pr_tcp_find    asks the name server, and may wait for it
 *   pr_tcp_begin   a descriptor, whose connection is under way
 *   pr_tcp_arrive  whenever poll() has POLLOUT for it, until it is connected or has failed
 *
 * A connection whose other host falls silent is lost within half a minute.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_STREAM_H
#define POSTROAD_LIBPOSTROAD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum { PR_TCP_ADDRESSES = 8, PR_TCP_NAME = 512 };

struct pr_tcp {
    char host[PR_TCP_NAME];
    unsigned count, tried; /* tried: of the connection that is under way */
    struct {
        struct sockaddr_storage address;
        socklen_t size;
    } addresses[PR_TCP_ADDRESSES]; /* in the order in which they are tried */
};

/* 0, or PR_ENDPOINT_UNREACHABLE with the reason. */
int pr_tcp_find(struct pr_tcp *tcp, const char *host, const char *port, char *error, size_t error_size);

/* A non-blocking descriptor that the caller closes, or PR_ENDPOINT_UNREACHABLE with the reason. */
int pr_tcp_begin(struct pr_tcp *tcp, char *error, size_t error_size);

/* 1: connected. 0: not yet. PR_ENDPOINT_UNREACHABLE with the reason: no address of the host takes the connection. The
 * descriptor stays the same while one address after the other is tried. */
int pr_tcp_arrive(struct pr_tcp *tcp, int descriptor, char *error, size_t error_size);

/* A descriptor of a unix stream socket that a process of this user serves, or an enum pr_endpoint_error with the
 * reason. `waits`: up to two seconds if as many clients as can wait there, else it is refused at once. */
int pr_unix_open(const char *path, bool waits, char *error, size_t error_size);

#endif
