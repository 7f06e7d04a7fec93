/* See xvc_server.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "xvc_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROOM = 2048, NUMBER = 4 };

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

int xvc_listen(unsigned *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 4) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        fail("fake_jtag: socket");
    *port = ntohs(address.sin_port);
    return listener;
}

/* openFPGALoader sends a command in two pieces, and Nagle's algorithm keeps the second one back until the first is
 * acknowledged: at once here, else each shift would take 40 ms. The kernel forgets the option, so it is set each time.
 */
static bool receive(int client, void *out, size_t count)
{
    static const int yes = 1;
    uint8_t *bytes = out;
    while (count) {
        ssize_t got = recv(client, bytes, count, 0);
        if (got <= 0)
            return false;
        setsockopt(client, IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof yes);
        bytes += got;
        count -= (size_t)got;
    }
    return true;
}

static bool give(int client, const void *bytes, size_t count)
{
    return send(client, bytes, count, MSG_NOSIGNAL) == (ssize_t)count;
}

/* The word of a command, up to its colon. */
static bool receive_word(int client, char *out, size_t size)
{
    size_t used = 0;
    do {
        if (used + 1 == size || !receive(client, out + used, 1))
            return false;
    } while (out[used++] != ':');
    out[used] = 0;
    return true;
}

static bool shift(int client, struct jtag_tap *tap)
{
    uint8_t number[NUMBER], tms[ROOM / 2], tdi[ROOM / 2], tdo[ROOM / 2] = {0};
    if (!receive(client, number, sizeof number))
        return false;
    size_t count = number[0] | (size_t)number[1] << 8 | (size_t)number[2] << 16 | (size_t)number[3] << 24;
    size_t bytes = (count + 7) / 8;
    if (bytes > ROOM / 2 || !receive(client, tms, bytes) || !receive(client, tdi, bytes))
        return false;
    for (size_t k = 0; k < count; k++)
        if (jtag_tap_clock(tap, tms[k / 8] >> k % 8 & 1, tdi[k / 8] >> k % 8 & 1))
            tdo[k / 8] |= (uint8_t)(1 << k % 8);
    return give(client, tdo, bytes);
}

unsigned xvc_serve(int client, struct jtag_tap *tap, unsigned most)
{
    static const int yes = 1;
    char word[16], info[32];
    uint8_t period[NUMBER];
    unsigned shifts = 0;
    snprintf(info, sizeof info, "xvcServer_v1.0:%d\n", ROOM);
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    for (bool good = true; good && (!most || shifts < most);) {
        good = receive_word(client, word, sizeof word);
        if (good && strcmp(word, "getinfo:") == 0)
            good = give(client, info, strlen(info));
        else if (good && strcmp(word, "settck:") == 0)
            good = receive(client, period, sizeof period) && give(client, period, sizeof period);
        else if (good && strcmp(word, "shift:") == 0)
            good = ++shifts && shift(client, tap);
        else
            good = false;
    }
    return shifts;
}
