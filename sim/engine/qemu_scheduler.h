/* When sites under QEMU run: their time slices, and how far the fabric may run meanwhile. Private to sim/engine.
 *
 * A QEMU whose firmware has something to do is in a *time slice*: its clock stands still at the clock in which the
 * slice began, until its firmware goes to sleep (firmware/platform/qemu). A slice begins when packets have ended at the
 * site, when bytes wait for its UART, or at the clock at which the firmware has asked to be woken. How long a slice
 * takes on the host bears no relation to clocks. So there are two kinds of time (simulation_options.quantum):
 *
 *   quanta (`|` below): simulation clocks run in blocks of so many. Slices begin and end between two blocks only, and
 * no block begins before every slice is over. Words repeat, whatever the host does.
 *
 *     fabric  ====|              |====|              |====|====|
 *     site 3      |--slice-->    |    |--slice------>|    |    |        clock stands still during a slice
 *     site 7      |--slice------>|    |              |    |    |
 *
 *   free: the fabric goes on while a site is in its slice, in stretches of FREE_STRETCH clocks, until the slice has
 *   taken FREE_LAG clocks or nothing moves. Then it waits, PATIENCE milliseconds at most, and goes on without the site.
 *   Deliveries are right, clocks mean little.
 *
 *     fabric  ====.====.====.====.   wait    .====.====.====
 *     site 3      |--slice------------------>|
 *                 |<---- FREE_LAG ----->|
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_QEMU_SCHEDULER_H
#define POSTROAD_ENGINE_QEMU_SCHEDULER_H

#include "engine/engine.h"
#include "qemu/qemu_site.h"

struct scheduled_site {
    struct site *site;
    struct qemu_site *qemu;
};

/* Before the sites are added. 0, or -1 without memory. */
int qemu_scheduler_open(struct engine *engine, const struct simulation_options *options);
void qemu_scheduler_add(struct engine *engine, struct site *site, struct qemu_site *qemu);
void qemu_scheduler_close(struct engine *engine);

/* In a clock in which packets of the site have ended, or its wake time has come. */
void qemu_scheduler_poll(struct engine *engine, struct site *site, struct qemu_site *qemu);

/* Serves the sites. Returns the clock up to which the engine may run now, `end` at most. Before it may run at all, this
 * waits; without `wait`, or where the wait is given up (simulation_run), it returns engine->now. */
uint64_t qemu_scheduler_slice_limit(struct engine *engine, uint64_t end, bool wait);

/* After a run: begins the slices that are due. */
void qemu_scheduler_begin_due(struct engine *engine);

/* True if no site is in a slice that is waited for, or has one due. */
bool qemu_scheduler_is_idle(struct engine *engine);

/* As the functions of the same names in simulation.h. poll_handle only asks for the resets of sites whose firmware has
 * started again (engine_request_reset). */
int qemu_scheduler_wait_ms(struct engine *engine);
size_t qemu_scheduler_poll_prepare(const struct engine *engine, struct pollfd *polls);
void qemu_scheduler_poll_handle(struct engine *engine);
double qemu_scheduler_slice_seconds(const struct site *site, struct qemu_site *qemu);
bool qemu_scheduler_debugged(const struct engine *engine, const struct qemu_site *qemu, bool *mesh_waits);

#endif
