/* UART, the subset of the 16550 that QEMU, boards and simulation share. No call waits.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DRIVERS_UART_H
#define POSTROAD_DRIVERS_UART_H

#include <stdbool.h>

#include "drivers/mmio.h"
#include "protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline bool pr_uart_has_byte(void)
{
    return pr_mmio_read_byte(PR_UART_BASE + PR_UART_LSR) & PR_UART_LSR_DATA_READY;
}

/* Only if pr_uart_has_byte(). */
static inline uint8_t pr_uart_get(void)
{
    return pr_mmio_read_byte(PR_UART_BASE + PR_UART_RBR);
}

static inline bool pr_uart_has_room(void)
{
    return pr_mmio_read_byte(PR_UART_BASE + PR_UART_LSR) & PR_UART_LSR_THR_EMPTY;
}

/* Only if pr_uart_has_room(). */
static inline void pr_uart_put(uint8_t byte)
{
    pr_mmio_write_byte(PR_UART_BASE + PR_UART_THR, byte);
}

#ifdef __cplusplus
}
#endif

#endif
