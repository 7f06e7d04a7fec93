/* The daemon: simulation on one side, a broker a site on the other.
 *
 * While anything moves in the mesh it runs flat out, in slices short enough that clients do not notice. When
 * nothing moves it waits in poll(), until a client says something or, at the mesh's own clock rate, until the next
 * timer. It waits there for guests under QEMU too.
 */
#define _GNU_SOURCE
#include "daemon.h"

#include "control.h"
#include "crash.h"

#include "common/mesh.h"
#include "library/broker.h"
#include "library/client.h"
#include "library/run_directory.h"
#include "platform/platform.h"
#include "rtl/simulation.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    START_CLOCKS = 2000000, SLICE_MINIMUM = 16, SLICE_MAXIMUM = 100000, CONSOLE_CHUNK = 4096, REPORT_SIZE = 2048,
    HANG_CLOCKS = 1000000, LOG_LIMIT = 1 << 20, SIGNAL_STATUS = 128
};

static const double slice_time = 0.004, request_lifetime = 30, hang_time = 5; /* seconds */
static const int blocked_milliseconds = 500;

/* A site's name for the log, and what it has said last. */
struct log_source {
    unsigned site;
    size_t *written; /* by all sites */
    struct crash crash;
    bool hangs; /* that was reported */
};

struct daemon {
    struct simulation *simulation;
    struct control *control;
    unsigned sites;
    unsigned clock_hz;
    const char *directory;
    uint64_t slice; /* clocks */
    int *listeners;
    struct broker **brokers;
    bool *finished;
    struct log_source *log_sources;
    size_t log_written;
    struct pollfd *polls;
    size_t *poll_counts; /* of each broker */
};

static volatile sig_atomic_t ending;

static void end(int number)
{
    (void)number;
    ending = 1;
}

/* What the nodes have to say goes to the log, up to a limit: it may be a file in memory. */
static void log_text(void *context, const char *text, size_t length)
{
    struct log_source *source = context;
    crash_note_text(&source->crash, text, length);
    if (*source->written > LOG_LIMIT)
        return;
    while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    if (length == 0)
        return;
    *source->written += length;
    fprintf(stderr, "site %u: %.*s\n%s", source->site, (int)length, text,
            *source->written > LOG_LIMIT ? "(the log is full)\n" : "");
}

static int listen_on(const char *directory, unsigned site, char *error, size_t error_size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/site-%u", directory, site);
    if (length < 0 || (size_t)length >= sizeof address.sun_path) {
        snprintf(error, error_size, "%s: too long for a unix socket's path", directory);
        return -1;
    }
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(listener, 8) == 0)
        return listener;
    snprintf(error, error_size, "cannot listen on %s: %s", address.sun_path, strerror(errno));
    if (listener >= 0)
        close(listener);
    return -1;
}

static void allocate(struct daemon *daemon)
{
    daemon->listeners = calloc(daemon->sites, sizeof *daemon->listeners);
    daemon->brokers = calloc(daemon->sites, sizeof(struct broker *));
    daemon->finished = calloc(daemon->sites, sizeof *daemon->finished);
    daemon->polls = calloc(daemon->sites * (1 + (size_t)BROKER_CLIENTS_MAX) + SIMULATION_POLLS(daemon->sites) +
                               CONTROL_POLLS, sizeof *daemon->polls);
    daemon->poll_counts = calloc(daemon->sites, sizeof *daemon->poll_counts);
    daemon->log_sources = calloc(daemon->sites, sizeof *daemon->log_sources);
    if (!daemon->listeners || !daemon->brokers || !daemon->finished || !daemon->log_sources || !daemon->polls ||
        !daemon->poll_counts)
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
    *daemon = (struct daemon){.simulation = simulation,
                              .sites = (unsigned)mesh->sites,
                              .clock_hz = mesh->clock_hz,
                              .directory = directory,
                              .slice = SLICE_MINIMUM};
    allocate(daemon);
    for (unsigned site = 0; site < daemon->sites; site++) {
        daemon->listeners[site] = listen_on(directory, site, error, error_size);
        daemon->brokers[site] =
            daemon->listeners[site] < 0 ? NULL : broker_create(daemon->listeners[site], request_lifetime);
        if (!daemon->brokers[site]) {
            daemon_destroy(daemon);
            return NULL;
        }
        daemon->log_sources[site] = (struct log_source){.site = site, .written = &daemon->log_written};
        broker_on_text(daemon->brokers[site], log_text, &daemon->log_sources[site]);
    }
    const struct control_subject subject = {simulation, mesh, daemon->brokers, directory};
    daemon->control = control_create(&subject, error, error_size);
    if (daemon->control)
        return daemon;
    daemon_destroy(daemon);
    return NULL;
}

void daemon_destroy(struct daemon *daemon)
{
    control_destroy(daemon->control);
    for (unsigned site = 0; site < daemon->sites; site++) {
        broker_destroy(daemon->brokers[site]);
        if (daemon->listeners[site] >= 0)
            close(daemon->listeners[site]);
    }
    free(daemon->listeners);
    free(daemon->brokers);
    free(daemon->finished);
    free(daemon->log_sources);
    free(daemon->polls);
    free(daemon->poll_counts);
    free(daemon);
}

/* True if any byte moved. */
static bool move_bytes(struct daemon *daemon, unsigned site)
{
    struct broker *broker = daemon->brokers[site];
    uint8_t buffer[CONSOLE_CHUNK];
    const uint8_t *bytes;
    size_t count = broker_outgoing(broker, &bytes);
    size_t moved = count ? simulation_console_write(daemon->simulation, site, bytes, count) : 0;
    if (moved)
        broker_outgoing_taken(broker, moved);
    while ((count = simulation_console_read(daemon->simulation, site, buffer, sizeof buffer)) > 0) {
        broker_incoming(broker, buffer, count);
        moved += count;
    }
    return moved > 0;
}

/* Why a site's firmware has ended. */
static void describe_end(struct daemon *daemon, unsigned site, uint32_t status, char *out, size_t size)
{
    struct crash *crash = &daemon->log_sources[site].crash;
    const char *reason = simulation_end_reason(daemon->simulation, site);
    char image[RUN_DIRECTORY_SIZE + 32];
    run_directory_image(daemon->directory, site, image, sizeof image);
    if (*reason)
        snprintf(out, size, "ended: %s", reason);
    else if (status > SIGNAL_STATUS)
        snprintf(out, size, "its QEMU was ended by signal %u", (unsigned)status - SIGNAL_STATUS);
    else if (status == PLATFORM_TRAP && crash->seen)
        crash_describe(crash, image, out, size);
    else
        snprintf(out, size, "firmware ended with status %u", (unsigned)status);
    crash->seen = false;
}

/* In the log, and to whoever looks at the site's console. */
static void report(struct daemon *daemon, unsigned site, const char *text)
{
    char line[REPORT_SIZE + 64];
    int length = snprintf(line, sizeof line, "%s, at clock %llu", text,
                          (unsigned long long)simulation_clock(daemon->simulation));
    fprintf(stderr, "site %u: %s\n", site, line);
    broker_say(daemon->brokers[site], line, (size_t)length);
}

static void report_finished(struct daemon *daemon, unsigned site)
{
    uint32_t status;
    bool finished = simulation_finished(daemon->simulation, site, &status);
    if (!finished)
        daemon->finished[site] = false; /* a reset has started it again */
    if (!finished || daemon->finished[site])
        return;
    char text[REPORT_SIZE];
    daemon->finished[site] = true;
    broker_incoming_rests(daemon->brokers[site]);
    describe_end(daemon, site, status, text, sizeof text);
    report(daemon, site, text);
}

/* Once, when a guest has been at its turn for long, or a core has done nothing but work in its memory; and once more when that
 * is over. */
static void report_hang(struct daemon *daemon, unsigned site)
{
    struct log_source *source = &daemon->log_sources[site];
    double seconds = simulation_turn_seconds(daemon->simulation, site);
    uint64_t clocks = simulation_core_clocks(daemon->simulation, site);
    bool hangs = seconds >= hang_time || clocks >= HANG_CLOCKS;
    char text[REPORT_SIZE], image[RUN_DIRECTORY_SIZE + 32];
    uint32_t pc, return_address;
    if (source->hangs == hangs)
        return;
    source->hangs = hangs;
    run_directory_image(daemon->directory, site, image, sizeof image);
    if (!source->hangs)
        report(daemon, site, "hangs no longer");
    else if (simulation_look(daemon->simulation, site, &pc, &return_address)) {
        crash_describe_hang(seconds, clocks, pc, return_address, image, text, sizeof text);
        report(daemon, site, text);
    } else
        report(daemon, site, "hangs: neither its firmware nor its QEMU answers");
}

static bool move_all(struct daemon *daemon)
{
    bool moved = false;
    for (unsigned site = 0; site < daemon->sites; site++) {
        moved |= move_bytes(daemon, site);
        report_finished(daemon, site);
        report_hang(daemon, site);
    }
    return moved;
}

/* Slices grow and shrink towards slice_time: a big mesh needs short ones. */
static void run_slice(struct daemon *daemon)
{
    double started = client_now();
    bool whole = simulation_try_run(daemon->simulation, daemon->slice);
    double taken = client_now() - started;
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
        if (broker_blocked(daemon->brokers[site]))
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

/* Until a guest that is at its turn would be said to hang. */
static int watch_milliseconds(const struct daemon *daemon, int milliseconds)
{
    for (unsigned site = 0; site < daemon->sites; site++) {
        double seconds = simulation_turn_seconds(daemon->simulation, site);
        int left = (int)(1e3 * (hang_time - seconds)) + 1;
        if (seconds >= 0 && !daemon->log_sources[site].hangs && (milliseconds < 0 || left < milliseconds))
            milliseconds = left < 0 ? 0 : left;
    }
    return milliseconds;
}

/* The sooner of two, either of which may be never, -1. */
static int sooner(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Waits for clients; 0 when the mesh has something to do meanwhile. Signals come in here only. */
static void wait_and_serve(struct daemon *daemon, int milliseconds)
{
    size_t total = 0, at = 0;
    sigset_t none;
    milliseconds = sooner(watch_milliseconds(daemon, milliseconds), control_milliseconds(daemon->control));
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    sigemptyset(&none);
    for (unsigned site = 0; site < daemon->sites; site++) {
        daemon->poll_counts[site] = broker_poll_prepare(daemon->brokers[site], daemon->polls + total);
        total += daemon->poll_counts[site];
    }
    size_t others = simulation_poll_prepare(daemon->simulation, daemon->polls + total);
    others += control_poll_prepare(daemon->control, daemon->polls + total + others);
    if (ppoll(daemon->polls, (nfds_t)(total + others), milliseconds < 0 ? NULL : &time, &none) < 0)
        return;
    for (unsigned site = 0; site < daemon->sites; site++) {
        broker_poll_handle(daemon->brokers[site], daemon->polls + at, daemon->poll_counts[site]);
        at += daemon->poll_counts[site];
    }
    simulation_poll_handle(daemon->simulation);
}

bool daemon_start(struct daemon *daemon)
{
    uint64_t limit = simulation_clock(daemon->simulation) + START_CLOCKS;
    do {
        run_slice(daemon);
        move_all(daemon);
        wait_and_serve(daemon, simulation_waits(daemon->simulation));
    } while (!simulation_idle(daemon->simulation) && simulation_clock(daemon->simulation) < limit && !ending);
    return simulation_idle(daemon->simulation);
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
    double started = client_now();
    control_step(daemon->control);
    bool idle = !move_all(daemon) && simulation_idle(daemon->simulation);
    int waits = simulation_waits(daemon->simulation);
    uint64_t wake = simulation_next_wake(daemon->simulation);
    for (unsigned site = 0; idle && site < daemon->sites; site++)
        broker_incoming_rests(daemon->brokers[site]);
    wait_and_serve(daemon, waits ? waits : idle ? idle_milliseconds(daemon) : 0);
    move_all(daemon);
    if (idle && wake != UINT64_MAX)
        pass_time(daemon, wake, client_now() - started);
    if (!simulation_idle(daemon->simulation))
        run_slice(daemon);
}

void daemon_serve(struct daemon *daemon)
{
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    while (!ending)
        step(daemon);
}
