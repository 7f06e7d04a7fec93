/* Unix sockets between processes of one user. The kernel names the user whose process is at the other end
 * (SO_PEERCRED), which that process cannot forge.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_PEER_H
#define POSTROAD_LIBPOSTROAD_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

/* True if a process of this user is at the other end of a connected socket. */
bool pr_peer_is_own(int socket);

/* Returns a socket of a type (SOCK_STREAM, ...) that is connected to a process of this user; the caller closes it. If
 * the other end's queue of connections is full, this waits up to two seconds. -1 with the reason in error. */
int pr_peer_connect(const struct sockaddr_un *address, int type, char *error, size_t error_size);

/* Send and receive a message with an open descriptor (SCM_RIGHTS), of which each process then has one of its own.
 * Neither waits longer than send() and recv() of the socket would, and both return what those return. Received: -1 in
 * *descriptor if the message came without one. */
ssize_t pr_peer_send_descriptor(int socket, const void *message, size_t length, int descriptor);
ssize_t pr_peer_receive_descriptor(int socket, void *message, size_t size, int *descriptor);

#endif
