/* Whose process is at the other end of a unix socket: the kernel's answer, which nobody can forge.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBRARY_PEER_H
#define POSTROAD_LIBRARY_PEER_H

#include <stdbool.h>
#include <sys/types.h>

/* True if a process of this user is at the other end of a connected unix socket; *user: whose it is, (uid_t)-1 if unknown. */
bool peer_is_own(int socket, uid_t *user);

#endif
