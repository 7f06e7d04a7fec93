/* The host's end of a board's serial console: 8N1 with a clock of its own, as a USB adapter.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_SERIAL_PORT_H
#define POSTROAD_BITSTREAM_SERIAL_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "bitstream/line.h"
#include "support/byte_ring.h"

struct serial_port {
    uint64_t bit; /* femtoseconds */
    struct line to_board;
    uint64_t send_free; /* when the next byte may begin */
    bool level;         /* of the board's transmitter */
    bool receiving;
    uint64_t sample; /* time of the next bit's middle */
    unsigned bits, shift;
    unsigned framing_errors;
    uint64_t started, first_byte; /* the start bits of the byte at hand, and of the first good one; 0: none yet */
    struct byte_ring received;
};

void serial_port_init(struct serial_port *port, double baud);

/* Sends a byte, at once or behind those before. False: no room yet. */
bool serial_port_send(struct serial_port *port, uint64_t now, uint8_t byte);

/* The board's transmitter changes to this level at `time`. */
void serial_port_hear(struct serial_port *port, uint64_t time, bool level);

/* Takes the bits whose middle is before `now`. */
void serial_port_look(struct serial_port *port, uint64_t now);

#endif
