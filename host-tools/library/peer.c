/* See peer.h. */
#define _GNU_SOURCE
#include "library/peer.h"

#include <sys/socket.h>
#include <unistd.h>

bool peer_is_own(int socket, uid_t *user)
{
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t size = sizeof peer;
    bool known = getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    *user = peer.uid;
    return known && peer.uid == geteuid();
}
