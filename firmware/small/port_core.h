/* The small operator's machine: a site with its core. See port.h.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SMALL_PORT_CORE_H
#define POSTROAD_SMALL_PORT_CORE_H

#include "drivers/board.h"
#include "drivers/clint.h"
#include "drivers/packet_rings.h"
#include "drivers/uart.h"

extern struct pr_packet_rings port_rings;

/* Packets received, in order; NULL: none. Never more than the rings hold are given. */
static inline struct pr_packet *port_received(void)
{
    return pr_rings_received(&port_rings);
}

static inline struct pr_packet *port_sent(void)
{
    return pr_rings_sent(&port_rings);
}

void port_post(struct pr_packet *packet);
void port_send(struct pr_packet *packet);

/* Enables the network_interface, whose receive buffers have so many words. */
void port_start(unsigned receive_words);

/* Relief (R1): on or off; off after port_start. */
static inline void port_relieve(bool on)
{
    pr_mmio_write(PR_NI_BASE + PR_NI_CONTROL,
                  PR_NI_CONTROL_ENABLE_RECEIVE | PR_NI_CONTROL_ENABLE_SEND | (on ? PR_NI_CONTROL_RELIEF : 0));
}

static inline uint32_t port_clock(void)
{
    return pr_rings_clock();
}

/* A word of the node ID block (registers.ini, PR_ID_*). */
static inline uint32_t port_identity(unsigned offset)
{
    return pr_mmio_read(PR_ID_BASE + offset);
}

/* Has the operator to put routes in front of packets? */
static inline bool port_needs_routes(void)
{
    return pr_mmio_read(PR_NI_BASE + PR_NI_CAPABILITIES) & PR_NI_CAPABILITIES_SOURCE_ROUTED;
}

/* An event counter below PR_COUNTER_DELIVERED, or what the links of a board count: that one only with a console,
 * because the reliable sender has no room for these 70 bytes. */
static inline uint32_t port_counter(unsigned index)
{
    if (CONSOLE && index >= PR_COUNTER_LINKS)
        return pr_board_link_row(index - PR_COUNTER_LINKS);
    return pr_mmio_read(PR_NI_BASE + PR_NI_COUNTER(index));
}

static inline bool port_has_byte(void)
{
    return pr_uart_has_byte();
}

static inline uint8_t port_get_byte(void)
{
    return pr_uart_get();
}

static inline bool port_has_room(void)
{
    return pr_uart_has_room();
}

static inline void port_put_byte(uint8_t byte)
{
    pr_uart_put(byte);
}

#endif
