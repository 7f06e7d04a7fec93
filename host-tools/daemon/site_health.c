/* See monitor.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "daemon/site_health.h"

#include "daemon/crash.h"

#include "libpostroad/broker.h"
#include "libpostroad/run_directory.h"
#include "model/mesh.h"
#include "platform/platform.h"
#include "simulation/simulation.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    START_CLOCKS = 100000, /* six times what the boot takes */
    SERV_FACTOR = 10,
    HANG_CLOCKS = 1000000,
    DEBUGGER_LOOK = 500, /* milliseconds between two looks whether a debugger has gone */
    REPORT_SIZE = 2048,
    LOG_LIMIT = 1 << 20, /* bytes of what sites say: the log may be a file in memory */
    SIGNAL_STATUS = 128
};

/* Seconds: a guest's turn that lasts so long is a hang; its first turn begins with the start of QEMU, and a busy
 * machine starts many. */
static const double hang_time = 5, start_time = 10, short_turn = 1;

struct watched_site {
    struct monitor *monitor;
    unsigned number;
    struct crash crash; /* what it has said of one */
    bool in_reset, started, ended, hangs, debugged;
    uint64_t since; /* clock of its last reset */
    char trouble[REPORT_SIZE];
};

struct monitor {
    struct simulation *simulation;
    struct pr_broker **brokers;
    const char *directory;
    unsigned count, start_clocks;
    size_t logged; /* bytes of what sites have said */
    struct watched_site *sites;
};

static void log_text(void *context, const char *text, size_t length)
{
    struct watched_site *site = context;
    size_t *logged = &site->monitor->logged;
    crash_note_text(&site->crash, text, length);
    if (*logged > LOG_LIMIT)
        return;
    while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    if (length == 0)
        return;
    *logged += length;
    fprintf(stderr, "site %u: %.*s\n%s", site->number, (int)length, text,
            *logged > LOG_LIMIT ? "(the log is full)\n" : "");
}

/* In the log, and to whoever looks at the site's console. */
static void report(const struct watched_site *site, const char *text)
{
    char line[REPORT_SIZE + 64];
    int length = snprintf(line, sizeof line, "%s, at clock %llu", text,
                          (unsigned long long)simulation_clock(site->monitor->simulation));
    fprintf(stderr, "site %u: %s\n", site->number, line);
    pr_broker_say(site->monitor->brokers[site->number], line, (size_t)length);
}

/* Why a site is reset is said, unless a user or a fault wants it. */
static void note_reset(void *context, struct simulation *simulation, unsigned number, bool running)
{
    struct monitor *monitor = context;
    struct watched_site *site = &monitor->sites[number];
    const char *reason = simulation_end_reason(simulation, number);
    char text[REPORT_SIZE];
    if (!running && *reason && !site->ended) {
        snprintf(text, sizeof text, "is reset: %s", reason);
        report(site, text);
    }
    *site = (struct watched_site){.monitor = monitor,
                                  .number = number,
                                  .in_reset = !running,
                                  .debugged = site->debugged,
                                  .since = simulation_clock(simulation)};
}

struct monitor *monitor_create(struct simulation *simulation, const struct mesh_config *mesh,
                               struct pr_broker **brokers, const char *directory)
{
    struct monitor *monitor = calloc(1, sizeof *monitor);
    unsigned count = (unsigned)mesh->sites, factor = strcmp(mesh->cpu, "serv") == 0 ? SERV_FACTOR : 1;
    if (!monitor)
        abort();
    *monitor = (struct monitor){.simulation = simulation,
                                .brokers = brokers,
                                .directory = directory,
                                .count = count,
                                .start_clocks = START_CLOCKS * factor,
                                .sites = calloc(count, sizeof *monitor->sites)};
    if (!monitor->sites)
        abort();
    for (unsigned i = 0; i < count; i++) {
        monitor->sites[i] = (struct watched_site){.monitor = monitor, .number = i};
        pr_broker_on_text(brokers[i], log_text, &monitor->sites[i]);
    }
    simulation_set_reset_hook(simulation, note_reset, monitor);
    return monitor;
}

void monitor_destroy(struct monitor *monitor)
{
    if (!monitor)
        return;
    simulation_set_reset_hook(monitor->simulation, NULL, NULL);
    free(monitor->sites);
    free(monitor);
}

/* Why a site's firmware has ended. */
static void describe_end(struct watched_site *site, uint32_t status)
{
    const struct monitor *monitor = site->monitor;
    const char *reason = simulation_end_reason(monitor->simulation, site->number);
    char image[PR_RUN_DIRECTORY_SIZE + 32], *out = site->trouble;
    const size_t size = sizeof site->trouble;
    pr_run_directory_image(monitor->directory, site->number, image, sizeof image);
    if (*reason)
        snprintf(out, size, "ended: %s", reason);
    else if (status > SIGNAL_STATUS)
        snprintf(out, size, "its QEMU was ended by signal %u", (unsigned)status - SIGNAL_STATUS);
    else if (status == PR_PLATFORM_TRAP && site->crash.seen)
        crash_describe(&site->crash, image, out, size);
    else
        snprintf(out, size, "firmware ended with status %u", (unsigned)status);
}

static void look_for_end(struct watched_site *site)
{
    struct monitor *monitor = site->monitor;
    uint32_t status;
    if (site->ended || !simulation_finished(monitor->simulation, site->number, &status))
        return;
    site->ended = true;
    pr_broker_incoming_rests(monitor->brokers[site->number]);
    describe_end(site, status);
    report(site, site->trouble);
}

static double patience(const struct watched_site *site)
{
    return site->started ? hang_time : start_time;
}

static void describe_hang(struct watched_site *site, double seconds, uint64_t clocks)
{
    const struct monitor *monitor = site->monitor;
    char image[PR_RUN_DIRECTORY_SIZE + 32];
    uint32_t pc, return_address;
    pr_run_directory_image(monitor->directory, site->number, image, sizeof image);
    if (simulation_program_counter(monitor->simulation, site->number, &pc, &return_address))
        crash_describe_hang(seconds, clocks, pc, return_address, image, site->trouble, sizeof site->trouble);
    else
        snprintf(site->trouble, sizeof site->trouble, "hangs: neither its firmware nor its QEMU answers");
}

/* Once, when a guest has been at its turn for long, or a core has done nothing but work in its memory; and once more
 * when that is over. */
static void look_for_hang(struct watched_site *site)
{
    struct simulation *simulation = site->monitor->simulation;
    double seconds = simulation_slice_seconds(simulation, site->number);
    uint64_t clocks = simulation_clocks_since_io(simulation, site->number);
    bool hangs = seconds >= patience(site) || clocks >= HANG_CLOCKS;
    if (site->ended || site->hangs == hangs)
        return;
    site->hangs = hangs;
    if (hangs) {
        describe_hang(site, seconds, clocks);
        report(site, site->trouble);
        return;
    }
    *site->trouble = 0;
    report(site, "hangs no longer");
}

/* Where a guest is not in a long turn, and a core not in the middle of something, running for long is a start as well.
 * What has started knows of no listener. */
static void look_for_start(struct watched_site *site)
{
    const struct monitor *monitor = site->monitor;
    uint64_t ran = simulation_clock(monitor->simulation) - site->since;
    bool runs = ran >= monitor->start_clocks &&
                simulation_slice_seconds(monitor->simulation, site->number) < short_turn &&
                simulation_clocks_since_io(monitor->simulation, site->number) < monitor->start_clocks;
    site->started = runs || simulation_at_rest(monitor->simulation, site->number);
    if (site->started)
        pr_broker_restarted(monitor->brokers[site->number]);
}

static void look_for_debugger(struct watched_site *site)
{
    bool mesh_waits;
    site->debugged = simulation_debugged(site->monitor->simulation, site->number, &mesh_waits);
    if (!site->debugged)
        report(site, site->ended ? "the debugger has gone" : "the debugger has gone, and the site goes on");
}

void monitor_look(struct monitor *monitor)
{
    for (struct watched_site *site = monitor->sites; site < monitor->sites + monitor->count; site++) {
        if (site->in_reset)
            continue;
        look_for_end(site);
        look_for_hang(site);
        if (!site->started)
            look_for_start(site);
        if (site->debugged)
            look_for_debugger(site);
    }
}

int monitor_milliseconds(const struct monitor *monitor)
{
    int least = -1;
    for (const struct watched_site *site = monitor->sites; site < monitor->sites + monitor->count; site++) {
        double seconds = simulation_slice_seconds(monitor->simulation, site->number);
        int left = seconds < 0 || site->hangs ? -1 : (int)(1e3 * (patience(site) - seconds)) + 1;
        if (site->debugged && (left < 0 || left > DEBUGGER_LOOK))
            left = DEBUGGER_LOOK;
        if (left >= 0 && (least < 0 || left < least))
            least = left;
    }
    return least;
}

bool monitor_settled(const struct monitor *monitor, unsigned site)
{
    return monitor->sites[site].started || *monitor->sites[site].trouble;
}

unsigned monitor_troubles(const struct monitor *monitor, const bool *sites, char *out, size_t size)
{
    unsigned count = 0;
    size_t used = 0;
    *out = 0;
    for (unsigned i = 0; i < monitor->count; i++) {
        const struct watched_site *site = &monitor->sites[i];
        if (!*site->trouble || (sites && !sites[i]))
            continue;
        int length = snprintf(out + used, size - used, "%ssite %u: %s", count++ ? "\n" : "", i, site->trouble);
        if ((size_t)length < size - used)
            used += (size_t)length;
        else
            out[used] = 0;
    }
    return count;
}

void monitor_debugger(struct monitor *monitor, unsigned number)
{
    struct watched_site *site = &monitor->sites[number];
    bool mesh_waits;
    if (site->debugged || !simulation_debugged(monitor->simulation, number, &mesh_waits))
        return;
    site->debugged = true;
    report(site, mesh_waits ? "stands still in a debugger, and the mesh waits for it"
                            : "stands still in a debugger, and the others go on");
}
