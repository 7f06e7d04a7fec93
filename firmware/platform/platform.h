/* Start, sleep and end of an application, the same on a node and under QEMU.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_PLATFORM_PLATFORM_H
#define POSTROAD_PLATFORM_PLATFORM_H

#include "platform/qemu/ni_records.h"
#include "platform/soc/ni_dma.h"
#include "postroad_config.h"
#include "wire/site_identity.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a node ended: status for the finisher. */
enum {
    PR_PLATFORM_TRAP = 1,   /* mcause and mepc are on the UART */
    PR_PLATFORM_NOT_A_NODE, /* no node ID block of the version this was built for, and no QEMU with a port */
    PR_PLATFORM_TOO_SMALL   /* RAM or pool buffers too small for this mesh */
};

/* For variables that are written before they are read: clearing a pool takes longer than the rest of the boot
 * (half a million clocks against ten thousand). */
#define PR_PLATFORM_NOT_CLEARED __attribute__((section(".preserve")))

struct pr_platform {
    struct pr_network_interface *interface;
    struct pr_site_identity identity;
    struct pr_ni_dma soc;
    struct pr_ni_records *qemu; /* NULL on a node */
    bool timer_set;
};

/* Sets up trap handler, timer, identity and network_interface. Ends the run on a machine that the program cannot run
 * on. */
void pr_platform_start(struct pr_platform *platform, uint16_t packet_words);

/* Sleeps until there is work to do; see pr_ni_dma_sleep and pr_ni_records_sleep. If `timed`, the sleep ends at
 * wake_clock at the latest (on the clock of pr_network_interface_clock; a clock that has passed ends the sleep at
 * once). */
void pr_platform_sleep(struct pr_platform *platform, bool timed, uint32_t wake_clock);

/* Reading: the next byte from the console; false if there is none. Writing: a byte to the console; false if the UART
 * has no room, which happens on a node only. */
bool pr_platform_console_read(struct pr_platform *platform, uint8_t *byte);
bool pr_platform_console_write(struct pr_platform *platform, uint8_t byte);

/* A load packet has come, with these words behind its header. If its record orders to enter the boot program, and this
 * is a board that has one, that runs next. */
void pr_platform_take_load(const struct pr_platform *platform, const uint32_t *data, unsigned words);

/* Writes the reason on the UART, as raw text, and ends the run. */
__attribute__((noreturn)) void pr_platform_end(unsigned status, const char *why);

#ifdef __cplusplus
}
#endif

#endif
