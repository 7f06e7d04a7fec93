/* The daemon: simulation on one side, a broker a site on the other.
 *
 * While anything moves in the mesh it runs flat out, in slices short enough that clients do not notice. When
 * nothing moves it waits in poll(), until a client says something or, at the mesh's own clock rate, until the next
 * timer. It waits there for guests under QEMU too.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "daemon/daemon.h"

#include "daemon/daemon_requests.h"
#include "daemon/site_health.h"

#include "libpostroad/broker.h"
#include "libpostroad/client.h"
#include "libpostroad/run_directory.h"
#include "model/mesh.h"
#include "simulation/simulation.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { START_CLOCKS = 2000000, SLICE_MINIMUM = 16, SLICE_MAXIMUM = 100000, CONSOLE_CHUNK = 4096 };

static const double slice_time = 0.004, request_lifetime = 30, start_time = 10; /* seconds */
static const int blocked_milliseconds = 500;

struct daemon {
    struct simulation *simulation;
    struct control *control;
    unsigned sites;
    unsigned clock_hz;
    uint64_t slice; /* clocks */
    int *listeners;
    struct pr_broker **brokers;
    struct monitor *monitor;
    struct pollfd *polls;
    size_t *poll_counts; /* of each broker */
};

/* The simulator's library has threads of its own. Where a signal is handled in one of them, the wait in ppoll() is not
 * ended by it: that is what the descriptor is for. */
static volatile sig_atomic_t ending;
static int end_event = -1;

static void end(int number)
{
    const uint64_t one = 1;
    int saved = errno;
    ssize_t written = write(end_event, &one, sizeof one);
    (void)written; /* nothing: there has been a signal already */
    (void)number;
    ending = 1;
    errno = saved;
}

static void set_up_signals(void)
{
    struct sigaction action = {.sa_handler = end, .sa_flags = SA_RESTART};
    end_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
}

static void allocate(struct daemon *daemon)
{
    daemon->listeners = calloc(daemon->sites, sizeof *daemon->listeners);
    daemon->brokers = calloc(daemon->sites, sizeof(struct pr_broker *));
    daemon->polls = calloc(daemon->sites * (1 + (size_t)PR_BROKER_CLIENTS_MAX) + SIMULATION_POLLS(daemon->sites) +
                               CONTROL_POLLS + 1,
                           sizeof *daemon->polls);
    daemon->poll_counts = calloc(daemon->sites, sizeof *daemon->poll_counts);
    if (!daemon->listeners || !daemon->brokers || !daemon->polls || !daemon->poll_counts)
        abort();
    for (unsigned site = 0; site < daemon->sites; site++)
        daemon->listeners[site] = -1;
}

struct daemon *daemon_create(struct simulation *simulation, const struct mesh_config *mesh, const char *directory,
                             char *error, size_t error_size)
{
    struct daemon *daemon = calloc(1, sizeof *daemon);
    if (!daemon)
        abort();
    set_up_signals();
    *daemon = (struct daemon){
        .simulation = simulation, .sites = (unsigned)mesh->sites, .clock_hz = mesh->clock_hz, .slice = SLICE_MINIMUM};
    allocate(daemon);
    for (unsigned site = 0; site < daemon->sites; site++) {
        char file[32];
        snprintf(file, sizeof file, "site-%u", site);
        daemon->listeners[site] = pr_run_directory_listen(directory, file, SOCK_STREAM, error, error_size);
        daemon->brokers[site] = daemon->listeners[site] < 0
                                    ? NULL
                                    : pr_broker_create(daemon->listeners[site], request_lifetime);
        if (!daemon->brokers[site]) {
            daemon_destroy(daemon);
            return NULL;
        }
    }
    daemon->monitor = monitor_create(simulation, mesh, daemon->brokers, directory);
    const struct control_subject subject = {simulation, mesh, daemon->monitor, directory};
    daemon->control = control_create(&subject, error, error_size);
    if (daemon->control)
        return daemon;
    daemon_destroy(daemon);
    return NULL;
}

void daemon_destroy(struct daemon *daemon)
{
    control_destroy(daemon->control);
    monitor_destroy(daemon->monitor);
    for (unsigned site = 0; site < daemon->sites; site++) {
        pr_broker_destroy(daemon->brokers[site]);
        if (daemon->listeners[site] >= 0)
            close(daemon->listeners[site]);
    }
    free(daemon->listeners);
    free(daemon->brokers);
    free(daemon->polls);
    free(daemon->poll_counts);
    free(daemon);
}

/* True if any byte moved. */
static bool move_bytes(struct daemon *daemon, unsigned site)
{
    struct pr_broker *broker = daemon->brokers[site];
    uint8_t buffer[CONSOLE_CHUNK];
    const uint8_t *bytes;
    size_t count = pr_broker_outgoing(broker, &bytes);
    size_t moved = count ? simulation_console_write(daemon->simulation, site, bytes, count) : 0;
    if (moved)
        pr_broker_outgoing_taken(broker, moved);
    while ((count = simulation_console_read(daemon->simulation, site, buffer, sizeof buffer)) > 0) {
        pr_broker_incoming(broker, buffer, count);
        moved += count;
    }
    return moved > 0;
}

static bool move_all(struct daemon *daemon)
{
    bool moved = false;
    for (unsigned site = 0; site < daemon->sites; site++)
        moved |= move_bytes(daemon, site);
    monitor_look(daemon->monitor);
    return moved;
}

/* Slices grow and shrink towards slice_time: a big mesh needs short ones. */
static void run_slice(struct daemon *daemon)
{
    double started = pr_client_now();
    bool whole = simulation_try_run(daemon->simulation, daemon->slice);
    double taken = pr_client_now() - started;
    bool idle = simulation_idle(daemon->simulation); /* what it jumped over says nothing of its speed */
    if (taken < slice_time && whole && !idle && daemon->slice < SLICE_MAXIMUM)
        daemon->slice *= 2;
    else if (taken > 2 * slice_time)
        daemon->slice = (uint64_t)((double)daemon->slice * slice_time / taken);
    if (daemon->slice < SLICE_MINIMUM)
        daemon->slice = SLICE_MINIMUM;
}

static bool any_blocked(const struct daemon *daemon)
{
    for (unsigned site = 0; site < daemon->sites; site++)
        if (pr_broker_blocked(daemon->brokers[site]))
            return true;
    return false;
}

/* Timers of an idle mesh keep to its clock rate. */
static int idle_milliseconds(const struct daemon *daemon)
{
    uint64_t wake = simulation_next_wake(daemon->simulation), now = simulation_clock(daemon->simulation);
    if (any_blocked(daemon))
        return blocked_milliseconds;
    if (wake == UINT64_MAX)
        return -1;
    double milliseconds = wake <= now ? 0 : (double)(wake - now) * 1e3 / (daemon->clock_hz ? daemon->clock_hz : 1);
    return milliseconds > 3600e3 ? 3600000 : (int)milliseconds;
}

/* The sooner of two, either of which may be never, -1. */
static int sooner(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Waits for clients; 0 when the mesh has something to do meanwhile. Signals come to this thread in here only. */
static void wait_and_serve(struct daemon *daemon, int milliseconds)
{
    size_t total = 0, at = 0;
    sigset_t none;
    milliseconds = sooner(milliseconds,
                          sooner(monitor_milliseconds(daemon->monitor), control_milliseconds(daemon->control)));
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    sigemptyset(&none);
    for (unsigned site = 0; site < daemon->sites; site++) {
        daemon->poll_counts[site] = pr_broker_poll_prepare(daemon->brokers[site], daemon->polls + total);
        total += daemon->poll_counts[site];
    }
    size_t others = simulation_poll_prepare(daemon->simulation, daemon->polls + total);
    others += control_poll_prepare(daemon->control, daemon->polls + total + others);
    daemon->polls[total + others++] = (struct pollfd){.fd = end_event, .events = POLLIN};
    if (ppoll(daemon->polls, (nfds_t)(total + others), milliseconds < 0 ? NULL : &time, &none) < 0)
        return;
    for (unsigned site = 0; site < daemon->sites; site++) {
        pr_broker_poll_handle(daemon->brokers[site], daemon->polls + at, daemon->poll_counts[site]);
        at += daemon->poll_counts[site];
    }
    simulation_poll_handle(daemon->simulation);
}

static bool all_settled(const struct daemon *daemon)
{
    for (unsigned site = 0; site < daemon->sites; site++)
        if (!monitor_settled(daemon->monitor, site))
            return false;
    return true;
}

/* In quanta a guest that hangs keeps all others from starting. */
unsigned daemon_start(struct daemon *daemon, char *troubles, size_t size)
{
    uint64_t limit = simulation_clock(daemon->simulation) + START_CLOCKS;
    double began = pr_client_now();
    unsigned count;
    do {
        run_slice(daemon);
        move_all(daemon);
        wait_and_serve(daemon, sooner(simulation_wait_ms(daemon->simulation), blocked_milliseconds));
        count = monitor_troubles(daemon->monitor, NULL, troubles, size);
    } while (!all_settled(daemon) && simulation_clock(daemon->simulation) < limit && !ending &&
             !(count && pr_client_now() - began > start_time));
    return count;
}

/* The clocks of an idle stretch, up to the timer that ends it. */
static void pass_time(struct daemon *daemon, uint64_t wake, double seconds)
{
    uint64_t now = simulation_clock(daemon->simulation), left = wake > now ? wake - now : 0;
    double clocks = seconds * daemon->clock_hz;
    simulation_try_run(daemon->simulation, clocks < (double)left ? (uint64_t)clocks : left + 1);
}

/* Bytes may wait in an idle mesh: for a site whose firmware has ended, or does nothing for a while. */
static void step(struct daemon *daemon)
{
    double started = pr_client_now();
    bool moved = move_all(daemon);
    control_step(daemon->control);
    bool idle = !moved && simulation_idle(daemon->simulation);
    int waits = simulation_wait_ms(daemon->simulation);
    uint64_t wake = simulation_next_wake(daemon->simulation);
    for (unsigned site = 0; idle && site < daemon->sites; site++)
        pr_broker_incoming_rests(daemon->brokers[site]);
    wait_and_serve(daemon, waits ? waits : idle ? idle_milliseconds(daemon) : 0);
    move_all(daemon);
    if (idle && wake != UINT64_MAX)
        pass_time(daemon, wake, pr_client_now() - started);
    if (!simulation_idle(daemon->simulation))
        run_slice(daemon);
}

void daemon_serve(struct daemon *daemon)
{
    while (!ending)
        step(daemon);
}
