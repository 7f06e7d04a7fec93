/* UART, the subset of the 16550 that QEMU, boards and simulation share. No call waits. */
#ifndef DRIVERS_UART_H
#define DRIVERS_UART_H

#include <stdbool.h>

#include "drivers/mmio.h"
#include "protocol.h"

static inline bool uart_has_byte(void)
{
    return mmio_read_byte(UART_BASE + UART_LSR) & UART_LSR_DATA_READY;
}

/* Only if uart_has_byte(). */
static inline uint8_t uart_get(void)
{
    return mmio_read_byte(UART_BASE + UART_RBR);
}

static inline bool uart_has_room(void)
{
    return mmio_read_byte(UART_BASE + UART_LSR) & UART_LSR_THR_EMPTY;
}

/* Only if uart_has_room(). */
static inline void uart_put(uint8_t byte)
{
    mmio_write_byte(UART_BASE + UART_THR, byte);
}

#endif
