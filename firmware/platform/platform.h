/* What an application starts from, on a node and under QEMU alike, and how it sleeps and ends. */
#ifndef PLATFORM_PLATFORM_H
#define PLATFORM_PLATFORM_H

#include "wire/site_identity.h"
#include "platform/qemu/ni_records.h"
#include "platform/soc/ni_dma.h"

/* Why a node ended: status for the finisher. */
enum {
    PLATFORM_TRAP = 1,          /* mcause and mepc are on the UART */
    PLATFORM_NOT_A_NODE,        /* no node ID block of the version this was built for, and no QEMU with a port */
    PLATFORM_TOO_SMALL          /* RAM or pool buffers too small for this mesh */
};

/* For variables that are written before they are read: clearing a pool takes longer than the rest of the boot
 * (half a million clocks against ten thousand). */
#define PLATFORM_NOT_CLEARED __attribute__((section(".preserve")))

struct platform {
    struct network_interface *interface;
    struct node_identity identity;
    struct soc_interface soc;
    struct qemu_interface *qemu;    /* NULL on a node */
    bool timer_set;
};

/* Trap handler, timer, identity, network_interface. Ends the run if this is nothing it can run on. */
void platform_start(struct platform *platform, uint16_t packet_words);

/* Sleeps until something is to be done; see soc_interface_sleep and qemu_interface_sleep. If `timed`, no longer than to
 * wake_clock (network_interface_clock; one that has passed ends the sleep at once). */
void platform_sleep(struct platform *platform, bool timed, uint32_t wake_clock);

/* The next byte from the console; false if there is none. A byte to it; false if the UART has no room, which happens on a
 * node only. */
bool platform_console_read(struct platform *platform, uint8_t *byte);
bool platform_console_write(struct platform *platform, uint8_t byte);

/* Says why on the UART, as raw text, and ends the run. */
_Noreturn void platform_end(unsigned status, const char *why);

#endif
