/* See jtag.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "jtag.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { ROOM = 2048, NUMBER = 4 };

/* What a client has sent, and what of it has been taken. */
struct input {
    int client;
    uint8_t bytes[ROOM + 16];
    size_t taken, count;
};

/* openFPGALoader sends a command in two pieces, and Nagle's algorithm keeps the second one back until the first is
 * acknowledged: at once here, else each shift would take 40 ms. The kernel forgets the option, so it is set each time.
 */
static bool receive(struct input *input, void *out, size_t count)
{
    static const int yes = 1;
    for (uint8_t *next = out; count > 0; count--, *next++ = input->bytes[input->taken++]) {
        if (input->taken < input->count)
            continue;
        ssize_t got = recv(input->client, input->bytes, sizeof input->bytes, 0);
        if (got <= 0)
            return false;
        setsockopt(input->client, IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof yes);
        input->count = (size_t)got;
        input->taken = 0;
    }
    return true;
}

static bool reply(const struct input *input, const void *bytes, size_t count)
{
    return send(input->client, bytes, count, MSG_NOSIGNAL) == (ssize_t)count;
}

/* The word of a command, up to its colon. */
static bool receive_word(struct input *input, char *out, size_t size)
{
    size_t used = 0;
    do {
        if (used + 1 == size || !receive(input, out + used, 1))
            return false;
    } while (out[used++] != ':');
    out[used] = 0;
    return true;
}

static bool shift(struct input *input, struct jtag_tap *tap)
{
    uint8_t number[NUMBER], tms[ROOM / 2], tdi[ROOM / 2], tdo[ROOM / 2] = {0};
    if (!receive(input, number, sizeof number))
        return false;
    size_t count = number[0] | (size_t)number[1] << 8 | (size_t)number[2] << 16 | (size_t)number[3] << 24;
    size_t bytes = (count + 7) / 8;
    if (bytes > ROOM / 2 || !receive(input, tms, bytes) || !receive(input, tdi, bytes))
        return false;
    for (size_t k = 0; k < count; k++)
        if (jtag_tap_clock(tap, tms[k / 8] >> k % 8 & 1, tdi[k / 8] >> k % 8 & 1))
            tdo[k / 8] |= (uint8_t)(1 << k % 8);
    return reply(input, tdo, bytes);
}

static bool obey(struct input *input, struct jtag_tap *tap, unsigned *shifts)
{
    char word[16], info[32];
    uint8_t period[NUMBER];
    if (!receive_word(input, word, sizeof word))
        return false;
    if (strcmp(word, "getinfo:") == 0)
        return reply(input, info, (size_t)snprintf(info, sizeof info, "xvcServer_v1.0:%d\n", ROOM));
    if (strcmp(word, "settck:") == 0)
        return receive(input, period, sizeof period) && reply(input, period, sizeof period);
    return strcmp(word, "shift:") == 0 && ++*shifts && shift(input, tap);
}

unsigned xvc_serve(int client, struct jtag_tap *tap, unsigned most)
{
    static const int yes = 1;
    struct input input = {.client = client};
    unsigned shifts = 0;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    while ((!most || shifts < most) && obey(&input, tap, &shifts))
        continue;
    return shifts;
}
