/* QEMU's riscv32 `virt` machine, where it differs from a node: interrupts by name, and waiting for an interrupt.
 * Interrupts stay disabled in mstatus, so an interrupt ends a wait and never traps.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_PLATFORM_QEMU_VIRT_MACHINE_H
#define POSTROAD_PLATFORM_QEMU_VIRT_MACHINE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PR_VIRT_SIGNATURE = 0x554d4551, /* read at PR_ID_BASE + PR_ID_SIGNATURE; nothing there may be written */
    PR_VIRT_UART_DATA_READY = 1,    /* a byte has come */
    PR_VIRT_UART_THR_EMPTY = 2,     /* there is room for one to send */
    PR_VIRT_DEVICES = 8,            /* virtio devices: slot k has interrupt 1 + k */
    PR_VIRT_DEVICE_BASE = 0x10001000,
    PR_VIRT_DEVICE_SIZE = 0x1000
};

/* Enables this interrupt to end a wait. */
void pr_virt_machine_enable(unsigned interrupt);

/* Returns once an enabled interrupt is pending, at once if one already is. A caller therefore checks its device, waits,
 * acknowledges the interrupt at the device and checks again. An interrupt that its device still asserts also ends the
 * next wait. */
void pr_virt_machine_wait(void);

/* To be called before the first write to the UART. */
void pr_virt_machine_start_uart(void);

/* Selects which of the UART's interrupts end a wait; the others do not. */
void pr_virt_machine_uart_interrupts(unsigned interrupts);

#ifdef __cplusplus
}
#endif

#endif
