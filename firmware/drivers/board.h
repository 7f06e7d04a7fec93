/* What only a site on a board has: the site record, the reset of the fabric, the watchdog.
 *
 * A board starts with its fabric in reset and without a number. The boot program of the board's ROM writes the site
 * record and releases the fabric before it starts the firmware. Where there is no ROM, the firmware does it from a
 * record in its own image, which a tool has written there (build/make_boot_image). In simulation and under QEMU there
 * is no such thing.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DRIVERS_BOARD_H
#define POSTROAD_DRIVERS_BOARD_H

#include <stdbool.h>

#include "drivers/mmio.h"
#include "protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PR_BOARD_LINK_TRIES = 64 /* a clock each, or more */ };

/* The site record in an image for a board without a boot ROM. */
struct pr_image_record {
    uint32_t magic; /* PR_SITE_RECORD_MAGIC, else there is no record */
    uint32_t record[PR_SITE_RECORD_WORDS];
};

/* Only on a node (pr_mmio_read of PR_ID_SIGNATURE). */
static inline bool pr_board_present(void)
{
    return pr_mmio_read(PR_BOARD_BASE + PR_BOARD_STATE) & PR_BOARD_STATE_PRESENT;
}

/* Writes a site record and releases the fabric. The epoch is that of the record, and `starts` more. */
static inline void pr_board_release(const volatile uint32_t record[PR_SITE_RECORD_WORDS], uint32_t starts)
{
    pr_mmio_write(PR_BOARD_BASE + PR_BOARD_SITE, record[PR_SITE_RECORD_SITE]);
    pr_mmio_write(PR_BOARD_BASE + PR_BOARD_ADDRESS, record[PR_SITE_RECORD_ADDRESS]);
    pr_mmio_write(PR_BOARD_BASE + PR_BOARD_EPOCH, record[PR_SITE_RECORD_EPOCH] + starts);
    pr_mmio_write(PR_BOARD_BASE + PR_BOARD_CONTROL, PR_BOARD_CONTROL_FABRIC_RUNS);
}

/* Firmware calls this once at its start. It does what a boot ROM would have done, if there is none: releases the
 * fabric, or, after a restart of the core, begins a new epoch. Then it starts the watchdog, which restarts the core
 * when it has not polled the network_interface for a second or two. */
static inline void pr_board_start(const volatile struct pr_image_record *image)
{
    if (pr_mmio_read(PR_ROM_BASE) == 0) {
        if (pr_mmio_read(PR_BOARD_BASE + PR_BOARD_STATE) & PR_BOARD_STATE_FABRIC_RUNS)
            pr_mmio_write(PR_BOARD_BASE + PR_BOARD_EPOCH, pr_mmio_read(PR_ID_BASE + PR_ID_EPOCH) + 1);
        else if (image->magic == PR_SITE_RECORD_MAGIC)
            pr_board_release(image->record, 0);
    }
    pr_mmio_write(PR_BOARD_BASE + PR_BOARD_CONTROL, PR_BOARD_CONTROL_WATCHED);
}

/* A row of the links' memory (hw/board_link/README.md), VALUE and UP. `index`: the row without its bit 6, which none
 * has set. 0 where there are no such links: their memory takes 20 bit times at most to answer. */
static inline uint32_t pr_board_link_row(unsigned index)
{
    const uint32_t memory = PR_LINK_BASE + PR_LINK_MEMORY;
    pr_mmio_write(memory, index + (index & 0x40));
    for (unsigned tries = PR_BOARD_LINK_TRIES; tries > 0; tries--) {
        uint32_t value = pr_mmio_read(memory);
        if (value & PR_LINK_MEMORY_READY)
            return value & ~PR_LINK_MEMORY_READY;
    }
    return 0;
}

/* Gives way to the boot program, which then waits to be loaded. Returns only where there is none. */
static inline void pr_board_enter_boot(void)
{
    if (pr_mmio_read(PR_ROM_BASE) != 0)
        for (;;)
            pr_mmio_write(PR_BOARD_BASE + PR_BOARD_CONTROL, PR_BOARD_CONTROL_RESTART);
}

#ifdef __cplusplus
}
#endif

#endif
