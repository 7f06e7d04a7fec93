/* The daemon: a back end on one side, one broker a site on the other, and one loop between them.
 *
 *        +--> bytes: back end <-> brokers --> requests --> wait in ppoll() --> bytes --> back end runs --+
 *        |                                                                                               |
 *        +-----------------------------------------------------------------------------------------------+
 *
 * The wait is 0 while anything moves in the mesh. When nothing moves, it lasts until a client sends a request, a
 * descriptor of the back end is ready, or a timer of the back end is due.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "daemon/daemon.h"

#include "daemon/backend.h"
#include "daemon/daemon_requests.h"
#include "daemon/site_health.h"

#include "libpostroad/broker.h"
#include "libpostroad/client.h"
#include "libpostroad/clock.h"
#include "libpostroad/run_directory.h"
#include "mesh/mesh.h"
#include "support/or_abort.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { START_CLOCKS = 2000000, CONSOLE_CHUNK = 4096, CHUNKS_AT_ONCE = 16 };

static const double request_lifetime = 30, start_time = 10; /* seconds */
static const int blocked_milliseconds = 500;

struct daemon {
    struct backend *backend;
    const struct backend_functions *functions;
    struct daemon_requests *requests;
    unsigned sites;
    int *listeners;
    struct pr_broker **brokers;
    struct site_health *health;
    struct pollfd *polls;
    size_t *poll_counts; /* of each broker */
};

/* The simulator's library has threads of its own. A signal handled by one of them does not end the wait in ppoll(); the
 * descriptor does. */
static volatile sig_atomic_t ending;
static int end_event = -1;

static void end(int number)
{
    const uint64_t one = 1;
    int saved = errno;
    ssize_t written = write(end_event, &one, sizeof one);
    (void)written; /* it fails only after an earlier signal */
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
    daemon->listeners = or_abort(calloc(daemon->sites, sizeof *daemon->listeners));
    daemon->brokers = or_abort(calloc(daemon->sites, sizeof(struct pr_broker *)));
    daemon->polls = or_abort(calloc(daemon->sites * (1 + (size_t)PR_BROKER_CLIENTS_MAX) +
                                        daemon->functions->poll_room(daemon->backend) + DAEMON_REQUESTS_POLLS + 1,
                                    sizeof *daemon->polls));
    daemon->poll_counts = or_abort(calloc(daemon->sites, sizeof *daemon->poll_counts));
    for (unsigned site = 0; site < daemon->sites; site++)
        daemon->listeners[site] = -1;
}

/* NULL with the reason. A site without a console has a broker all the same, which nobody can reach. */
static struct pr_broker *open_console(struct daemon *daemon, unsigned site, const char *directory, char *error,
                                      size_t error_size)
{
    char file[32];
    snprintf(file, sizeof file, "site-%u", site);
    daemon->listeners[site] = pr_run_directory_listen(directory, file, SOCK_STREAM, error, error_size);
    if (daemon->listeners[site] < 0)
        return NULL;
    if (!daemon->functions->has_console(daemon->backend, site) && !pr_run_directory_close_console(directory, site)) {
        snprintf(error, error_size, "%s/%s: %s", directory, file, strerror(errno));
        return NULL;
    }
    return pr_broker_create(daemon->listeners[site], request_lifetime);
}

struct daemon *daemon_create(struct backend *backend, const char *directory, char *error, size_t error_size)
{
    struct daemon *daemon = or_abort(calloc(1, sizeof *daemon));
    set_up_signals();
    *daemon = (struct daemon){
        .backend = backend, .functions = backend->functions, .sites = (unsigned)backend->mesh->sites};
    allocate(daemon);
    for (unsigned site = 0; site < daemon->sites; site++) {
        daemon->brokers[site] = open_console(daemon, site, directory, error, error_size);
        if (!daemon->brokers[site]) {
            daemon_destroy(daemon);
            return NULL;
        }
    }
    daemon->health = site_health_create(backend, daemon->brokers, directory);
    daemon->requests = daemon_requests_create(backend, daemon->health, directory, error, error_size);
    if (daemon->requests)
        return daemon;
    daemon_destroy(daemon);
    return NULL;
}

void daemon_destroy(struct daemon *daemon)
{
    daemon_requests_destroy(daemon->requests);
    site_health_destroy(daemon->health);
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

/* True if any byte moved. Each call moves a limited number of bytes, so a console that is never silent cannot starve
 * the others. */
static bool move_bytes(struct daemon *daemon, unsigned site)
{
    struct pr_broker *broker = daemon->brokers[site];
    uint8_t buffer[CONSOLE_CHUNK];
    const uint8_t *bytes;
    size_t count = pr_broker_outgoing(broker, &bytes);
    size_t moved = count ? daemon->functions->console_write(daemon->backend, site, bytes, count) : 0;
    if (moved)
        pr_broker_outgoing_taken(broker, moved);
    for (int i = 0; i < CHUNKS_AT_ONCE; i++) {
        count = daemon->functions->console_read(daemon->backend, site, buffer, sizeof buffer);
        if (!count)
            break;
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
    site_health_look(daemon->health);
    return moved;
}

static bool any_blocked(const struct daemon *daemon)
{
    for (unsigned site = 0; site < daemon->sites; site++)
        if (pr_broker_blocked(daemon->brokers[site]))
            return true;
    return false;
}

/* The earlier of two times, either of which may be never (-1). */
static int sooner(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Waits for clients; not at all when the mesh has work meanwhile. Signals reach this thread only inside this
 * function. */
static void wait_and_serve(struct daemon *daemon, int milliseconds)
{
    size_t total = 0, at = 0;
    milliseconds = sooner(
        milliseconds, sooner(site_health_milliseconds(daemon->health), daemon_requests_milliseconds(daemon->requests)));
    for (unsigned site = 0; site < daemon->sites; site++) {
        daemon->poll_counts[site] = pr_broker_poll_prepare(daemon->brokers[site], daemon->polls + total);
        total += daemon->poll_counts[site];
    }
    size_t own = daemon->functions->poll_prepare(daemon->backend, daemon->polls + total), others = own;
    others += daemon_requests_poll_prepare(daemon->requests, daemon->polls + total + others);
    daemon->polls[total + others++] = (struct pollfd){.fd = end_event, .events = POLLIN};
    if (pr_clock_wait(daemon->polls, total + others, milliseconds) < 0)
        return;
    for (unsigned site = 0; site < daemon->sites; site++) {
        pr_broker_poll_handle(daemon->brokers[site], daemon->polls + at, daemon->poll_counts[site]);
        at += daemon->poll_counts[site];
    }
    daemon->functions->poll_handle(daemon->backend, daemon->polls + at, own);
}

static bool all_settled(const struct daemon *daemon)
{
    for (unsigned site = 0; site < daemon->sites; site++)
        if (!site_health_settled(daemon->health, site))
            return false;
    return true;
}

/* In quanta, a guest that hangs prevents all others from starting. */
unsigned daemon_start(struct daemon *daemon, char *troubles, size_t size)
{
    struct backend *backend = daemon->backend;
    uint64_t limit = daemon->functions->clock(backend) + START_CLOCKS;
    double began = pr_client_now();
    unsigned count;
    do {
        daemon->functions->run(backend);
        move_all(daemon);
        wait_and_serve(daemon, sooner(daemon->functions->waits(backend), blocked_milliseconds));
        count = site_health_troubles(daemon->health, NULL, troubles, size);
    } while (!all_settled(daemon) && daemon->functions->clock(backend) < limit && !ending &&
             !(count && pr_client_now() - began > start_time));
    return count;
}

/* Milliseconds to wait before the back end is to run again. */
static int milliseconds_to_wait(const struct daemon *daemon, bool idle)
{
    int waits = daemon->functions->waits(daemon->backend);
    int idle_time = idle ? daemon->functions->idle_begin(daemon->backend) : 0;
    if (waits || !idle)
        return waits;
    return any_blocked(daemon) ? blocked_milliseconds : idle_time;
}

/* Bytes may wait in an idle mesh: for a site whose firmware has ended, or that is inactive for a while. */
static void step(struct daemon *daemon)
{
    double started = pr_client_now();
    bool moved = move_all(daemon);
    daemon_requests_step(daemon->requests);
    bool idle = !moved && daemon->functions->idle(daemon->backend);
    for (unsigned site = 0; idle && site < daemon->sites; site++)
        pr_broker_incoming_rests(daemon->brokers[site]);
    wait_and_serve(daemon, milliseconds_to_wait(daemon, idle));
    move_all(daemon);
    if (idle)
        daemon->functions->idle_end(daemon->backend, pr_client_now() - started);
    if (!daemon->functions->idle(daemon->backend))
        daemon->functions->run(daemon->backend);
}

void daemon_serve(struct daemon *daemon)
{
    while (!ending)
        step(daemon);
}
