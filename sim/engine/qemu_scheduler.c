/* See qemu_scheduler.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "engine/qemu_scheduler.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>

#include "qemu/qemu_debugger.h"

enum {
    FREE_STRETCH = 64,       /* clocks between two looks at sites that are in a slice */
    FREE_LAG = 256,          /* clocks that the fabric goes on during a slice, before it waits for its end */
    PATIENCE = 1000,         /* milliseconds that it waits, until it goes on without this site */
    START_PATIENCE = 30000,  /* and for a QEMU to start */
    RESTART_PATIENCE = 3000, /* the same among others that run: its firmware may be new, and never say hello */
    WAIT_LOOK = 100          /* milliseconds of a wait between two looks whether it is to end: a signal may come before
                                poll() */
};

/* Seconds. Usually no slice lasts longer than the first, except in a debugger; and none longer than the second, on any
 * machine, unless its firmware hangs. */
static const double long_slice = 1, endless_slice = 10;

int qemu_scheduler_open(struct engine *engine, const struct simulation_options *options)
{
    struct qemu_scheduler *scheduler = &engine->scheduler;
    scheduler->quantum = options->quantum;
    scheduler->stop = options->stop;
    scheduler->restartable = options->restartable;
    scheduler->sites = calloc(engine->site_count, sizeof *scheduler->sites);
    scheduler->polls = calloc(SIMULATION_POLLS(engine->site_count), sizeof *scheduler->polls);
    return scheduler->sites && scheduler->polls ? 0 : -1;
}

void qemu_scheduler_add(struct engine *engine, struct site *site, struct qemu_site *qemu)
{
    engine->scheduler.sites[engine->scheduler.count++] = (struct scheduled_site){site, qemu};
}

void qemu_scheduler_close(struct engine *engine)
{
    free(engine->scheduler.sites);
    free(engine->scheduler.polls);
}

static bool at_boundary(const struct engine *engine)
{
    return engine->scheduler.quantum == 0 || engine->now % engine->scheduler.quantum == 0;
}

static void begin_slice(struct engine *engine, struct qemu_site *qemu)
{
    struct qemu_scheduler *scheduler = &engine->scheduler;
    qemu_site_begin_slice(qemu);
    if (scheduler->quantum == 0 && scheduler->stretch_end > engine->now + FREE_STRETCH)
        scheduler->stretch_end = engine->now + FREE_STRETCH;
}

void qemu_scheduler_poll(struct engine *engine, struct site *site, struct qemu_site *qemu)
{
    site->poll = false;
    qemu_site_collect(qemu);
    if (site->wake <= engine->now) {
        site->wake = UINT64_MAX;
        qemu->news = true;
    }
    if (engine->scheduler.quantum == 0 && qemu_site_wants_slice(qemu))
        begin_slice(engine, qemu);
}

/* A slice is over: the site's wake time is when the next one begins at the latest. Not in the clock in which this slice
 * ended, which stands still. */
static void end_slice(struct engine *engine, struct site *site, struct qemu_site *qemu)
{
    qemu->slice_over = false;
    qemu_site_collect(qemu);
    site->wake = qemu->timed ? engine_clock_of(engine, qemu->wake) : UINT64_MAX;
    if (site->wake <= engine->now)
        site->wake = engine->now + 1;
    if (site->wake < engine->next_wake)
        engine->next_wake = site->wake;
}

void qemu_scheduler_begin_due(struct engine *engine)
{
    const struct qemu_scheduler *scheduler = &engine->scheduler;
    if (!at_boundary(engine))
        return;
    for (unsigned i = 0; i < scheduler->count; i++)
        if (!scheduler->sites[i].site->in_reset && qemu_site_wants_slice(scheduler->sites[i].qemu))
            begin_slice(engine, scheduler->sites[i].qemu);
}

size_t qemu_scheduler_poll_prepare(const struct engine *engine, struct pollfd *polls)
{
    size_t count = 0;
    for (unsigned i = 0; i < engine->scheduler.count; i++)
        count += qemu_site_poll_prepare(engine->scheduler.sites[i].qemu, polls + count);
    return count;
}

void qemu_scheduler_poll_handle(struct engine *engine)
{
    for (unsigned i = 0; i < engine->scheduler.count; i++) {
        struct site *site = engine->scheduler.sites[i].site;
        struct qemu_site *qemu = engine->scheduler.sites[i].qemu;
        if (site->in_reset)
            continue;
        qemu_site_serve(qemu);
        if (qemu->slice_over)
            end_slice(engine, site, qemu);
        if (qemu->restarts && engine->scheduler.restartable)
            engine_request_reset(engine, site);
    }
}

/* Milliseconds for which a free simulation still waits for this site, if it is to wait. Then, if a debugger halts the
 * mesh, as long again: no event shows that the debugger has gone. */
static double patience(const struct qemu_site *qemu)
{
    double start = qemu->identity.epoch ? RESTART_PATIENCE : START_PATIENCE;
    double most = qemu->state == QEMU_STARTING ? start : PATIENCE;
    double left = most - 1e3 * (qemu_site_time() - qemu->slice_began);
    return left <= 0 && qemu_debugger_state(&qemu->process) == QEMU_HALTING_DEBUGGER ? PATIENCE : left;
}

/* A free simulation waits where nothing moves, and for sites whose slice has taken too many clocks. */
static int longest_patience(const struct engine *engine)
{
    uint64_t least_lag = engine_is_quiet(engine) ? 0 : FREE_LAG;
    double longest = 0;
    for (unsigned i = 0; i < engine->scheduler.count; i++) {
        const struct qemu_site *qemu = engine->scheduler.sites[i].qemu;
        if (qemu_site_in_slice(qemu) && engine->now - qemu->slice_clock >= least_lag)
            longest = fmax(longest, patience(qemu));
    }
    return (int)ceil(longest);
}

static bool any_in_slice(const struct engine *engine)
{
    for (unsigned i = 0; i < engine->scheduler.count; i++)
        if (qemu_site_in_slice(engine->scheduler.sites[i].qemu))
            return true;
    return false;
}

int qemu_scheduler_wait_ms(struct engine *engine)
{
    if (engine->scheduler.count == 0)
        return 0;
    if (engine->scheduler.quantum)
        return at_boundary(engine) && any_in_slice(engine) ? -1 : 0;
    engine_notice_senders(engine);
    return longest_patience(engine);
}

bool qemu_scheduler_debugged(const struct engine *engine, const struct qemu_site *qemu, bool *mesh_waits)
{
    enum qemu_debugger state = qemu_debugger_state(&qemu->process);
    *mesh_waits = engine->scheduler.quantum || state == QEMU_HALTING_DEBUGGER;
    return state != QEMU_NO_DEBUGGER;
}

double qemu_scheduler_slice_seconds(const struct site *site, struct qemu_site *qemu)
{
    if (!qemu_site_in_slice(qemu) || site->in_reset)
        return -1;
    double now = qemu_site_time();
    if (now - qemu->slice_began > long_slice && qemu_debugger_state(&qemu->process) != QEMU_NO_DEBUGGER)
        qemu->debugged = now;
    return now - fmax(qemu->slice_began, qemu->debugged);
}

static bool any_wants_slice(const struct engine *engine)
{
    for (unsigned i = 0; i < engine->scheduler.count; i++)
        if (qemu_site_wants_slice(engine->scheduler.sites[i].qemu))
            return true;
    return false;
}

bool qemu_scheduler_is_idle(struct engine *engine)
{
    return engine->scheduler.count == 0 || (!any_wants_slice(engine) && qemu_scheduler_wait_ms(engine) == 0);
}

/* Waits in poll() for so long (-1: without limit), or less, and serves what it finds. False: there was nothing. */
static bool wait_for_sites(struct engine *engine, int milliseconds)
{
    struct pollfd *polls = engine->scheduler.polls;
    if (milliseconds < 0 || milliseconds > WAIT_LOOK)
        milliseconds = WAIT_LOOK;
    if (poll(polls, (nfds_t)qemu_scheduler_poll_prepare(engine, polls), milliseconds) <= 0)
        return false;
    qemu_scheduler_poll_handle(engine);
    return true;
}

/* The next boundary; in a stretch in which nothing moves, the first at which something may have. */
static uint64_t next_boundary(const struct engine *engine)
{
    uint64_t quantum = engine->scheduler.quantum, after = engine->now, event = engine_next_event(engine);
    if (engine_is_quiet(engine) && !any_wants_slice(engine) && event > after)
        after = event;
    return after > UINT64_MAX - 2 * quantum ? UINT64_MAX : (after / quantum + 1) * quantum;
}

/* Begins the slices that are due, then as qemu_scheduler_wait_ms. A site may have several slices at one clock, when
 * bytes for its UART came during one: whether they came in time must not depend on the speed of the host. */
static int begin_due_and_wait(struct engine *engine)
{
    qemu_scheduler_begin_due(engine);
    return qemu_scheduler_wait_ms(engine);
}

/* A wait has come to nothing so far: is it to end? In a free simulation it ends by itself. */
static bool gives_up(struct engine *engine)
{
    const struct qemu_scheduler *scheduler = &engine->scheduler;
    if (scheduler->stop && *scheduler->stop)
        return true;
    for (unsigned i = 0; scheduler->quantum && i < scheduler->count; i++)
        if (qemu_scheduler_slice_seconds(scheduler->sites[i].site, scheduler->sites[i].qemu) >= endless_slice)
            return true;
    return false;
}

uint64_t qemu_scheduler_slice_limit(struct engine *engine, uint64_t end, bool wait)
{
    int wait_ms;
    if (engine->scheduler.count == 0) {
        engine_notice_senders(engine);
        return end;
    }
    wait_for_sites(engine, 0);
    while ((wait_ms = begin_due_and_wait(engine)) != 0) {
        if (!wait || (!wait_for_sites(engine, wait_ms) && gives_up(engine)))
            return engine->now;
    }
    engine_notice_senders(engine);
    if (engine->scheduler.quantum)
        return engine_earlier(end, next_boundary(engine));
    return any_in_slice(engine) ? engine_earlier(end, engine->now + FREE_STRETCH) : end;
}
