/* See serial_port.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/serial_port.h"

enum { DATA_BITS = 8, FRAME_BITS = 10 };

void serial_port_init(struct serial_port *port, double baud)
{
    *port = (struct serial_port){.bit = (uint64_t)(FEMTOSECONDS / baud), .level = true};
    port->to_board.level = port->to_board.written = true;
}

bool serial_port_send(struct serial_port *port, uint64_t now, uint8_t byte)
{
    uint64_t start = port->send_free > now ? port->send_free : now;
    if (line_room(&port->to_board) < FRAME_BITS)
        return false;
    unsigned frame = 1u << (DATA_BITS + 1) | (unsigned)byte << 1;
    for (unsigned i = 0; i < FRAME_BITS; i++)
        line_write(&port->to_board, start + i * port->bit, frame >> i & 1);
    port->send_free = start + FRAME_BITS * port->bit;
    return true;
}

static void take_byte(struct serial_port *port, uint8_t byte)
{
    byte_ring_write(&port->received, &byte, 1);
    if (!port->first_byte)
        port->first_byte = port->started;
}

/* One bit: the start bit has number 0, the stop bit 9. */
static void take_bit(struct serial_port *port)
{
    if (port->bits == 0 && port->level) {
        port->receiving = false; /* a glitch */
    } else if (port->bits <= DATA_BITS) {
        port->shift = port->shift >> 1 | (unsigned)port->level << DATA_BITS;
        port->bits++;
        port->sample += port->bit;
    } else {
        if (port->level)
            take_byte(port, (uint8_t)(port->shift >> 1));
        else
            port->framing_errors++;
        port->receiving = false;
    }
}

void serial_port_look(struct serial_port *port, uint64_t now)
{
    while (port->receiving && port->sample < now)
        take_bit(port);
}

void serial_port_hear(struct serial_port *port, uint64_t time, bool level)
{
    serial_port_look(port, time);
    port->level = level;
    if (!level && !port->receiving) {
        port->receiving = true;
        port->bits = port->shift = 0;
        port->sample = time + port->bit / 2;
        port->started = time;
    }
}
