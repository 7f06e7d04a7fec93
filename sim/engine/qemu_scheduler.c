/* See guests.h. In a quantum simulation turns begin and end between blocks of clocks only, at multiples of the quantum.
 * In a free one the fabric goes on during turns, not for long.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "engine/qemu_scheduler.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine.h"
#include "qemu/qemu_debugger.h"

enum {
    FREE_STRETCH = 64,       /* clocks between two looks at guests that are in a turn */
    FREE_LAG = 256,          /* clocks that the fabric goes on during a turn, before it waits for its end */
    PATIENCE = 200,          /* milliseconds: how long it waits, until it goes on without this guest */
    START_PATIENCE = 30000,  /* and for a QEMU to start */
    RESTART_PATIENCE = 3000, /* the same among others that run: its firmware may be new, and never say hello */
    WAIT_LOOK =
        100, /* milliseconds of a wait between two looks whether it is to end: a signal may come before poll() */
    PATH_SIZE = 4096
};

/* Seconds: no turn but one in a debugger lasts so long, usually; and none of firmware that does not hang, on any
 * machine. */
static const double long_turn = 1, endless_turn = 10;

/* The image of guests: the one asked for, or the project's own. */
static int find_elf(const struct simulation_options *options, char *path, char *error, size_t error_size)
{
    static const char name[] = "/firmware/node.elf";
    *path = 0;
    if (options->firmware_elf)
        snprintf(path, PATH_SIZE, "%s", options->firmware_elf);
    else if (install_paths_built(path, PATH_SIZE - sizeof name) == 0)
        strcat(path, name);
    if (access(path, R_OK) == 0)
        return 0;
    snprintf(error, error_size, "%s: cannot be read, expected a firmware image (make firmware)", path);
    return -1;
}

/* A folder for the sockets: the one asked for, or one of its own, which goes again. */
static int find_directory(struct guests *guests, const char *asked, char *error, size_t error_size)
{
    char path[PATH_SIZE];
    const char *temporary = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/postroad-guests.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    guests->owns_directory = !asked;
    if (!asked && !mkdtemp(path)) {
        snprintf(error, error_size, "%s: %s, expected a folder that can be written", path, strerror(errno));
        return -1;
    }
    guests->directory = strdup(asked ? asked : path);
    return 0;
}

int guests_create(struct simulation *simulation, const struct simulation_options *options, char *error,
                  size_t error_size)
{
    struct guests *guests = &simulation->guests;
    char elf[PATH_SIZE];
    if (find_elf(options, elf, error, error_size) != 0 ||
        find_directory(guests, options->directory, error, error_size) != 0)
        return -1;
    guests->quantum = options->quantum;
    guests->stop = options->stop;
    guests->restartable = options->restartable;
    guests->elf = strdup(elf);
    guests->polls = calloc(SIMULATION_POLLS(simulation->site_count), sizeof *guests->polls);
    if (guests->directory && guests->elf && guests->polls)
        return 0;
    snprintf(error, error_size, "no memory for sites under QEMU");
    return -1;
}

static int start(struct simulation *simulation, struct site *site, char *error, size_t error_size)
{
    struct qemu_site_options options = {
        .receive_patience = simulation->mesh.receive_patience,
        .directory = simulation->guests.directory,
        .elf = site->elf ? site->elf : simulation->guests.elf,
        .now = &simulation->now,
        .to_site = site->to_site,
        .from_site = site->from_site,
    };
    site_native_identify(&options.identity, &simulation->mesh, site->number, site->epoch);
    if (qemu_site_start(site->qemu, &options, error, error_size) != 0)
        return -1;
    site->qemu->interface.fabric_counter = engine_fabric_counter;
    site->qemu->interface.fabric_context = site;
    return 0;
}

int guests_attach(struct simulation *simulation, struct site *site, char *error, size_t error_size)
{
    site->qemu = calloc(1, sizeof *site->qemu);
    if (!site->qemu) {
        snprintf(error, error_size, "no memory for a site under QEMU");
        return -1;
    }
    site->interface = &site->qemu->interface;
    simulation->guests.count++;
    return start(simulation, site, error, error_size);
}

void guests_destroy(struct simulation *simulation)
{
    for (unsigned i = 0; simulation->sites && i < simulation->site_count; i++) {
        struct site *site = &simulation->sites[i];
        if (site->qemu)
            qemu_site_free(site->qemu);
        free(site->qemu);
    }
    if (simulation->guests.owns_directory && simulation->guests.directory)
        rmdir(simulation->guests.directory);
    free(simulation->guests.directory);
    free(simulation->guests.elf);
    free(simulation->guests.polls);
}

void guests_enter_reset(struct site *site)
{
    qemu_site_stop(site->qemu);
}

/* If it cannot be started again, the site stays dead, and says so. */
void guests_leave_reset(struct simulation *simulation, struct site *site)
{
    char error[QEMU_SITE_REASON];
    if (start(simulation, site, error, sizeof error) == 0)
        return;
    qemu_site_stop(site->qemu);
    snprintf(site->qemu->reason, sizeof site->qemu->reason, "%s", error);
}

static bool at_boundary(const struct simulation *simulation)
{
    return simulation->guests.quantum == 0 || simulation->now % simulation->guests.quantum == 0;
}

static void begin_turn(struct simulation *simulation, struct site *site)
{
    qemu_site_begin_turn(site->qemu);
    if (simulation->guests.quantum == 0 && simulation->stretch_end > simulation->now + FREE_STRETCH)
        simulation->stretch_end = simulation->now + FREE_STRETCH;
}

void guests_poll(struct simulation *simulation, struct site *site)
{
    site->poll = false;
    qemu_site_collect(site->qemu);
    if (site->wake <= simulation->now) {
        site->wake = UINT64_MAX;
        site->qemu->news = true;
    }
    if (simulation->guests.quantum == 0 && qemu_site_wants_turn(site->qemu))
        begin_turn(simulation, site);
}

/* A turn is over: when the next one begins at the latest. Not in the clock in which this one ended, which stands still.
 */
static void end_turn(struct simulation *simulation, struct site *site)
{
    site->qemu->turn_over = false;
    qemu_site_collect(site->qemu);
    site->wake = site->qemu->timed ? engine_clock_of(simulation, site->qemu->wake) : UINT64_MAX;
    if (site->wake <= simulation->now)
        site->wake = simulation->now + 1;
    if (site->wake < simulation->next_wake)
        simulation->next_wake = site->wake;
}

void guests_tell(struct simulation *simulation)
{
    if (simulation->guests.count == 0 || !at_boundary(simulation))
        return;
    for (unsigned i = 0; i < simulation->site_count; i++) {
        struct site *site = &simulation->sites[i];
        if (site->qemu && !site->in_reset && qemu_site_wants_turn(site->qemu))
            begin_turn(simulation, site);
    }
}

size_t simulation_poll_prepare(const struct simulation *simulation, struct pollfd *polls)
{
    size_t count = 0;
    for (unsigned i = 0; simulation->guests.count && i < simulation->site_count; i++)
        if (simulation->sites[i].qemu)
            count += qemu_site_poll_prepare(simulation->sites[i].qemu, polls + count);
    return count;
}

void simulation_poll_handle(struct simulation *simulation)
{
    for (unsigned i = 0; simulation->guests.count && i < simulation->site_count; i++) {
        struct site *site = &simulation->sites[i];
        if (!site->qemu || site->in_reset)
            continue;
        qemu_site_serve(site->qemu);
        if (site->qemu->turn_over)
            end_turn(simulation, site);
        if (site->qemu->restarts && simulation->guests.restartable)
            faults_restart(simulation, site);
    }
}

/* Milliseconds for which a free simulation still waits for this guest, if it is to wait. Then, if a debugger halts the
 * mesh, as long again: nobody says when it is gone. */
static double patience(const struct qemu_site *qemu)
{
    double start = qemu->identity.epoch ? RESTART_PATIENCE : START_PATIENCE;
    double most = qemu->state == QEMU_STARTING ? start : PATIENCE;
    double left = most - 1e3 * (qemu_site_time() - qemu->turn_began);
    return left <= 0 && qemu_debugger_state(&qemu->process) == QEMU_HALTING_DEBUGGER ? PATIENCE : left;
}

/* A free simulation waits where nothing moves, and for guests whose turn has taken too many clocks. */
static int longest_patience(const struct simulation *simulation)
{
    uint64_t least_lag = engine_is_quiet(simulation) ? 0 : FREE_LAG;
    double longest = 0;
    for (unsigned i = 0; i < simulation->site_count; i++) {
        const struct qemu_site *qemu = simulation->sites[i].qemu;
        if (qemu && qemu_site_in_turn(qemu) && simulation->now - qemu->turn_clock >= least_lag)
            longest = fmax(longest, patience(qemu));
    }
    return (int)ceil(longest);
}

static bool any_in_turn(const struct simulation *simulation)
{
    for (unsigned i = 0; i < simulation->site_count; i++)
        if (simulation->sites[i].qemu && qemu_site_in_turn(simulation->sites[i].qemu))
            return true;
    return false;
}

int simulation_wait_ms(struct simulation *simulation)
{
    if (simulation->guests.count == 0)
        return 0;
    if (simulation->guests.quantum)
        return at_boundary(simulation) && any_in_turn(simulation) ? -1 : 0;
    engine_notice_senders(simulation);
    return longest_patience(simulation);
}

bool simulation_debugged(const struct simulation *simulation, unsigned site, bool *mesh_waits)
{
    const struct qemu_site *qemu = site < simulation->site_count ? simulation->sites[site].qemu : NULL;
    enum qemu_debugger state = qemu ? qemu_debugger_state(&qemu->process) : QEMU_NO_DEBUGGER;
    *mesh_waits = simulation->guests.quantum || state == QEMU_HALTING_DEBUGGER;
    return state != QEMU_NO_DEBUGGER;
}

double simulation_slice_seconds(struct simulation *simulation, unsigned site)
{
    struct qemu_site *qemu = site < simulation->site_count ? simulation->sites[site].qemu : NULL;
    if (!qemu || !qemu_site_in_turn(qemu) || simulation->sites[site].in_reset)
        return -1;
    double now = qemu_site_time();
    if (now - qemu->turn_began > long_turn && qemu_debugger_state(&qemu->process) != QEMU_NO_DEBUGGER)
        qemu->debugged = now;
    return now - fmax(qemu->turn_began, qemu->debugged);
}

static bool any_wants_turn(const struct simulation *simulation)
{
    for (unsigned i = 0; i < simulation->site_count; i++)
        if (simulation->sites[i].qemu && qemu_site_wants_turn(simulation->sites[i].qemu))
            return true;
    return false;
}

bool guests_are_idle(struct simulation *simulation)
{
    return simulation->guests.count == 0 || (!any_wants_turn(simulation) && simulation_wait_ms(simulation) == 0);
}

/* Waits in poll() for so long (-1: for ever), or less, and serves what it finds. False: there was nothing. */
static bool wait_for_guests(struct simulation *simulation, int milliseconds)
{
    struct pollfd *polls = simulation->guests.polls;
    if (milliseconds < 0 || milliseconds > WAIT_LOOK)
        milliseconds = WAIT_LOOK;
    if (poll(polls, (nfds_t)simulation_poll_prepare(simulation, polls), milliseconds) <= 0)
        return false;
    simulation_poll_handle(simulation);
    return true;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The next boundary; in a stretch in which nothing moves, the first at which something may have. */
static uint64_t next_boundary(const struct simulation *simulation)
{
    uint64_t quantum = simulation->guests.quantum, after = simulation->now, event = engine_next_event(simulation);
    if (engine_is_quiet(simulation) && !any_wants_turn(simulation) && event > after)
        after = event;
    return after > UINT64_MAX - 2 * quantum ? UINT64_MAX : (after / quantum + 1) * quantum;
}

/* Turns begin that are due, then as simulation_wait_ms. A guest may have several turns at one clock, when bytes came
 * for its UART during one: whether they came in time must not depend on how fast it was. */
static int tell_and_wait(struct simulation *simulation)
{
    guests_tell(simulation);
    return simulation_wait_ms(simulation);
}

/* A wait has come to nothing so far: is it to end? In a free simulation it does by itself. */
static bool gives_up(struct simulation *simulation)
{
    if (simulation->guests.stop && *simulation->guests.stop)
        return true;
    for (unsigned i = 0; simulation->guests.quantum && i < simulation->site_count; i++)
        if (simulation_slice_seconds(simulation, i) >= endless_turn)
            return true;
    return false;
}

uint64_t guests_permit(struct simulation *simulation, uint64_t end, bool wait)
{
    int waits;
    if (simulation->guests.count == 0) {
        engine_notice_senders(simulation);
        return end;
    }
    wait_for_guests(simulation, 0);
    while ((waits = tell_and_wait(simulation)) != 0) {
        if (!wait || (!wait_for_guests(simulation, waits) && gives_up(simulation)))
            return simulation->now;
    }
    engine_notice_senders(simulation);
    if (simulation->guests.quantum)
        return least(end, next_boundary(simulation));
    return any_in_turn(simulation) ? least(end, simulation->now + FREE_STRETCH) : end;
}
