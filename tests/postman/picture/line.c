/* See line.h. A header bit is 1; where the next flit's would stand, the validity bit, 0 ends the packet. So from the
 * first 1 of an idle line on, every (flit_bits + 1)th bit decides whether another flit follows.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/picture/line.h"

#include <string.h>

struct packet {
    unsigned first, bits; /* the clock of its header bit; those that the trace has */
    enum line_state kind;
};

/* The next packet that begins in `clock` or later; false if there is none. */
static bool next_packet(const struct trace *trace, unsigned node, enum postman_dimension line, unsigned clock,
                        struct packet *packet)
{
    unsigned flit = trace->flit_bits + 1;
    while (clock < trace->clocks && !trace_bit(trace, clock, node, line))
        clock++;
    *packet = (struct packet){.first = clock};
    while (clock < trace->clocks && trace_bit(trace, clock, node, line))
        clock += flit;
    bool ended = clock < trace->clocks;
    packet->bits = (ended ? clock : trace->clocks) - packet->first;
    packet->kind = packet->bits > flit ? LINE_PACKET : ended ? LINE_DEAD : LINE_OPEN;
    return packet->bits > 0;
}

void line_states(const struct trace *trace, unsigned node, enum postman_dimension line, uint8_t *states)
{
    struct packet packet;
    memset(states, LINE_IDLE, trace->clocks);
    for (unsigned clock = 0; next_packet(trace, node, line, clock, &packet); clock = packet.first + packet.bits)
        for (unsigned bit = 0; bit < packet.bits; bit++)
            states[packet.first + bit] = (uint8_t)(packet.kind + trace_bit(trace, packet.first + bit, node, line));
}

static unsigned leading_flit(const struct trace *trace, unsigned node, enum postman_dimension line,
                             const struct packet *packet)
{
    unsigned flit = 0;
    for (unsigned bit = 1; bit <= trace->flit_bits; bit++)
        flit = flit << 1 | trace_bit(trace, packet->first + bit, node, line);
    return flit;
}

/* The last address flit has its highest bit 0, so it is as a whole the coordinate of the packet's target. */
static void receives_by(const struct trace *trace, unsigned before, enum postman_dimension line, unsigned coordinate,
                        uint8_t *states)
{
    struct packet packet;
    for (unsigned clock = 0; next_packet(trace, before, line, clock, &packet); clock = packet.first + packet.bits)
        if (packet.kind == LINE_PACKET && leading_flit(trace, before, line, &packet) == coordinate)
            memset(states + packet.first + trace->flit_bits + 1, 1, packet.bits - trace->flit_bits - 1);
}

void line_receives(const struct trace *trace, unsigned node, uint8_t *states)
{
    unsigned x = node % trace->size_x, y = node / trace->size_x;
    memset(states, 0, trace->clocks);
    if (x > 0)
        receives_by(trace, node - 1, POSTMAN_X, x, states);
    if (y > 0)
        receives_by(trace, node - trace->size_x, POSTMAN_Y, y, states);
}
