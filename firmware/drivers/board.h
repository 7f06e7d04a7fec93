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

/* Offsets as in packet.ini, "site record". */
struct pr_site_record {
    uint32_t magic;   /* PR_SITE_RECORD_MAGIC, else there is no record */
    uint32_t site;    /* as BOARD_SITE: number, connected links */
    uint32_t address; /* of the site */
    uint32_t epoch;   /* first epoch */
};

/* Only on a node (pr_mmio_read of PR_ID_SIGNATURE). */
static inline bool pr_board_present(void)
{
    return pr_mmio_read(PR_BOARD_BASE + PR_BOARD_STATE) & PR_BOARD_STATE_PRESENT;
}

/* Starts the fabric, unless it runs, and the watchdog, which restarts the core when it has not polled the
 * network_interface for a second or two. A restarted core begins a new epoch. */
static inline void pr_board_start(const volatile struct pr_site_record *record)
{
    uint32_t state = pr_mmio_read(PR_BOARD_BASE + PR_BOARD_STATE);
    if (!(state & PR_BOARD_STATE_FABRIC_RUNS) && record->magic == PR_SITE_RECORD_MAGIC) {
        pr_mmio_write(PR_BOARD_BASE + PR_BOARD_SITE, record->site);
        pr_mmio_write(PR_BOARD_BASE + PR_BOARD_ADDRESS, record->address);
        pr_mmio_write(PR_BOARD_BASE + PR_BOARD_EPOCH, record->epoch);
    } else if (state & (PR_BOARD_STATE_EXPIRED | PR_BOARD_STATE_LOADS)) {
        pr_mmio_write(PR_BOARD_BASE + PR_BOARD_EPOCH, pr_mmio_read(PR_ID_BASE + PR_ID_EPOCH) + 1);
    }
    pr_mmio_write(PR_BOARD_BASE + PR_BOARD_CONTROL, PR_BOARD_CONTROL_FABRIC_RUNS | PR_BOARD_CONTROL_WATCHED);
}

#ifdef __cplusplus
}
#endif

#endif
