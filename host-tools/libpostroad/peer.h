/* Unix sockets between processes of one user. The kernel gives whose process is at the other end, which cannot be
 * forged.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_PEER_H
#define POSTROAD_LIBPOSTROAD_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/un.h>

/* True if a process of this user is at the other end of a connected socket. */
bool pr_peer_is_own(int socket);

/* A socket of a type (SOCK_STREAM, ...) that is connected to a process of this user; the caller closes it. Where as
 * many wait there as can, it waits too, but not for long. -1 with the reason in error. */
int pr_peer_connect(const struct sockaddr_un *address, int type, char *error, size_t error_size);

#endif
