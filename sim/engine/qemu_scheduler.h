/* The engine's guests: sites whose firmware runs under QEMU, and how their time and the fabric's go together. Shared by
 * the engine's sources.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_QEMU_SCHEDULER_H
#define POSTROAD_ENGINE_QEMU_SCHEDULER_H

#include "simulation/simulation.h"

struct site;

struct guests {
    unsigned count;
    unsigned quantum; /* clocks; 0: free */
    char *directory, *elf;
    bool owns_directory, restartable;
    struct pollfd *polls;
    const volatile sig_atomic_t *stop; /* not NULL: nobody waits any more once it is not 0 */
};

/* Before the sites: remembers the options. Then one site after another. 0, or -1 with a reason. */
int guests_create(struct simulation *simulation, const struct simulation_options *options, char *error,
                  size_t error_size);
int guests_attach(struct simulation *simulation, struct site *site, char *error, size_t error_size);
void guests_destroy(struct simulation *simulation);

/* The site is reset: its QEMU ends, and another one is started. */
void guests_enter_reset(struct site *site);
void guests_leave_reset(struct simulation *simulation, struct site *site);

/* In a clock in which packets of the site have ended, or its wake time has come. */
void guests_poll(struct simulation *simulation, struct site *site);

/* Serves the guests. Returns the clock up to which the engine may run now, `end` at most. Before it may run at all,
 * this waits; without `wait`, or where that is given up (simulation_run), it returns simulation->now. */
uint64_t guests_permit(struct simulation *simulation, uint64_t end, bool wait);

/* After a run: turns begin that are due. */
void guests_tell(struct simulation *simulation);

/* True if no guest is in a turn that is waited for, or has one due. */
bool guests_are_idle(struct simulation *simulation);

#endif
