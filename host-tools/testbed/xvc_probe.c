/* See xvc_probe.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/xvc_probe.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { HOST_SIZE = 256 };

bool xvc_probe_find(const char *text, struct xvc_probe *out, char *error, size_t error_size)
{
    const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    const char *start = strchr(text, ':') + 1, *end = strrchr(text, ':');
    struct addrinfo *found = NULL;
    char host[HOST_SIZE];
    snprintf(host, sizeof host, "%.*s", (int)(end - start), start);
    snprintf(out->port, sizeof out->port, "%s", end + 1);
    int failure = getaddrinfo(host, NULL, &hints, &found);
    if (!failure)
        failure = getnameinfo(found->ai_addr, found->ai_addrlen, out->address, sizeof out->address, NULL, 0,
                              NI_NUMERICHOST);
    if (found)
        freeaddrinfo(found);
    if (failure)
        snprintf(error, error_size, "%s: host %s is not found: %s", text, host, gai_strerror(failure));
    return !failure;
}
