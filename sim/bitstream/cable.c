/* See cable.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/cable.h"

#include <stddef.h>

/* Bits between two errors, by the exponential distribution: errors come by chance, one bit long. */
static uint64_t next_error(struct socket *socket, uint64_t now)
{
    if (socket->errors <= 0)
        return LINE_NEVER;
    double chance = ((double)(random_bits(&socket->random) >> 11) + 1) * 0x1p-53;
    return now + (uint64_t)(-log(chance) / socket->errors * (double)socket->bit);
}

void socket_init(struct socket *socket, bool pull_up, uint64_t bit, uint64_t seed, uint64_t stream)
{
    *socket = (struct socket){.pull_up = pull_up, .bit = bit, .noise_next = LINE_NEVER};
    socket->line.level = socket->line.written = pull_up;
    random_seed(&socket->random, seed, stream);
}

static bool drives(const struct socket *socket)
{
    return socket && socket->powered && socket->drives;
}

/* What the input hears in the end. */
static bool heard(const struct socket *socket)
{
    return drives(socket->peer) ? socket->peer->out : socket->pull_up;
}

void socket_plug(struct socket *socket, uint64_t now, struct socket *peer, uint64_t delay, double errors)
{
    if (socket->rival)
        socket->rival->rival = NULL;
    socket->rival = NULL;
    socket->peer = peer;
    socket->delay = delay;
    socket->errors = peer ? errors : 0;
    socket->noisy = false;
    socket->noise_next = next_error(socket, now);
    line_write(&socket->line, now + delay, heard(socket));
}

void socket_meet(struct socket *a, struct socket *b)
{
    a->rival = b;
    b->rival = a;
}

static bool fights(const struct socket *socket)
{
    return drives(socket) && drives(socket->rival) && socket->out != socket->rival->out;
}

bool socket_output(const struct socket *socket)
{
    if (fights(socket))
        return false;
    if (drives(socket))
        return socket->out;
    return drives(socket->rival) ? socket->rival->out : socket->out_pulled_up;
}

void socket_drive(struct socket *socket, uint64_t now, bool drives, bool level, struct socket *listener)
{
    socket->drives = drives;
    socket->out = level;
    if (listener)
        line_write(&listener->line, now + listener->delay, heard(listener));
}

void socket_power(struct socket *socket, uint64_t now, bool powered, struct socket *listener)
{
    socket->powered = powered;
    socket_drive(socket, now, socket->drives, socket->out, listener);
}

bool socket_read(struct socket *socket, uint64_t time)
{
    while (socket->noise_next <= time) {
        socket->noisy = !socket->noisy;
        socket->noise_next = socket->noisy ? socket->noise_next + socket->bit : next_error(socket, socket->noise_next);
    }
    return line_read(&socket->line, time) != socket->noisy;
}
