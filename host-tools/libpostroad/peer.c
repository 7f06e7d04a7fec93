/* See peer.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "libpostroad/peer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static const struct timeval patience = {.tv_sec = 2};

static uid_t user_of(int socket)
{
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t size = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.uid : (uid_t)-1;
}

bool pr_peer_is_own(int socket)
{
    return user_of(socket) == geteuid();
}

int pr_peer_connect(const struct sockaddr_un *address, int type, char *error, size_t error_size)
{
    int descriptor = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (descriptor < 0 || setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0 ||
        connect(descriptor, (const struct sockaddr *)address, sizeof *address) != 0)
        snprintf(error, error_size, "cannot connect to %s: %s", address->sun_path,
                 errno == EAGAIN ? "as many clients wait there as can" : strerror(errno));
    else if (pr_peer_is_own(descriptor))
        return descriptor;
    else
        snprintf(error, error_size, "%s is served by a process of user %u, expected one of user %u", address->sun_path,
                 (unsigned)user_of(descriptor), (unsigned)geteuid());
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

/* Room for the one descriptor of a message. */
union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
};

ssize_t pr_peer_send_descriptor(int socket, const void *message, size_t length, int descriptor)
{
    union control control = {.bytes = ""};
    struct iovec part = {.iov_base = (void *)message, .iov_len = length};
    struct msghdr whole = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&whole);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return sendmsg(socket, &whole, MSG_NOSIGNAL);
}

ssize_t pr_peer_receive_descriptor(int socket, void *message, size_t size, int *descriptor)
{
    union control control = {.bytes = ""};
    struct iovec part = {.iov_base = message, .iov_len = size};
    struct msghdr whole = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t count = recvmsg(socket, &whole, MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = count >= 0 ? CMSG_FIRSTHDR(&whole) : NULL;
    *descriptor = -1;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof *descriptor))
        memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    return count;
}
