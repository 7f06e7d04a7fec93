/* Access to device registers. Every driver uses these functions and no other access.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DRIVERS_MMIO_H
#define POSTROAD_DRIVERS_MMIO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline uint32_t pr_mmio_read(uintptr_t address)
{
    return *(volatile uint32_t *)address;
}

static inline void pr_mmio_write(uintptr_t address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
}

/* One-byte registers (the UART's) answer to byte accesses only. The lowest byte of a one-word register may be read
 * alone. */
static inline uint8_t pr_mmio_read_byte(uintptr_t address)
{
    return *(volatile uint8_t *)address;
}

static inline void pr_mmio_write_byte(uintptr_t address, uint8_t value)
{
    *(volatile uint8_t *)address = value;
}

/* The network_interface reads and writes RAM without the compiler's knowledge. Data written before this barrier are in
 * RAM; data read after it are read from RAM. The cores have no data cache. */
static inline void pr_mmio_barrier(void)
{
    __asm__ volatile("" ::: "memory");
}

#ifdef __cplusplus
}
#endif

#endif
