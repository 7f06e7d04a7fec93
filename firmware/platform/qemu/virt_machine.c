/* See virt_machine.h. The PLIC, and those registers of QEMU's UART that a node's UART lacks.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/qemu/virt_machine.h"

#include "drivers/mmio.h"
#include "protocol.h"

enum {
    PLIC_BASE = 0x0c000000,
    PLIC_PRIORITY = 0,    /* a word an interrupt */
    PLIC_ENABLE = 0x2000, /* a bit an interrupt; machine mode of hart 0 */
    PLIC_THRESHOLD = 0x200000,
    PLIC_CLAIM = 0x200004,
    MIE_EXTERNAL = 1 << 11,
    UART_INTERRUPT = 10,
    UART_IER = 1,
    UART_FCR = 2,
    UART_FCR_ENABLE = 1 /* sixteen bytes may wait in it, else one; a change drops what is there */
};

void pr_virt_machine_enable(unsigned interrupt)
{
    pr_mmio_write(PLIC_BASE + PLIC_PRIORITY + 4 * interrupt, 1);
    pr_mmio_write(PLIC_BASE + PLIC_THRESHOLD, 0);
    pr_mmio_write(PLIC_BASE + PLIC_ENABLE, pr_mmio_read(PLIC_BASE + PLIC_ENABLE) | 1u << interrupt);
    __asm__ volatile("csrs mie, %0" : : "r"(MIE_EXTERNAL));
}

void pr_virt_machine_wait(void)
{
    uint32_t interrupt;
    __asm__ volatile("wfi" : : : "memory");
    interrupt = pr_mmio_read(PLIC_BASE + PLIC_CLAIM);
    if (interrupt != 0)
        pr_mmio_write(PLIC_BASE + PLIC_CLAIM, interrupt);
}

void pr_virt_machine_start_uart(void)
{
    pr_mmio_write_byte(PR_UART_BASE + UART_FCR, UART_FCR_ENABLE);
    pr_virt_machine_enable(UART_INTERRUPT);
}

void pr_virt_machine_uart_interrupts(unsigned interrupts)
{
    pr_mmio_write_byte(PR_UART_BASE + UART_IER, (uint8_t)interrupts);
}
