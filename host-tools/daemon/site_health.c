/* See site_health.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "daemon/site_health.h"

#include "cli/console_text.h"
#include "daemon/backend.h"
#include "daemon/crash.h"

#include "libpostroad/broker.h"
#include "libpostroad/run_directory.h"
#include "mesh/mesh.h"
#include "platform/platform.h"
#include "support/or_abort.h"

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
    TIME_SIZE = 64,
    LOG_LIMIT = 1 << 20, /* bytes of the sites' text: the log may be a file in memory */
    SIGNAL_STATUS = 128
};

/* Seconds: a guest's turn that lasts so long is a hang; its first turn begins with the start of QEMU, and a busy
 * machine starts many. */
static const double hang_time = 5, start_time = 10, short_turn = 1;

struct site {
    struct site_health *health;
    unsigned number;
    struct crash crash; /* that its text reports */
    bool in_reset, started, ended, hangs, lost, debugged;
    uint64_t since; /* clock of its last reset */
    char trouble[REPORT_SIZE];
};

struct site_health {
    struct backend *backend;
    const struct backend_functions *functions;
    struct pr_broker **brokers;
    const char *directory;
    unsigned count, start_clocks;
    size_t logged; /* bytes of the sites' text */
    struct site *sites;
};

static void log_line(void *context, const char *line)
{
    const struct site *site = context;
    size_t *logged = &site->health->logged;
    if (*logged > LOG_LIMIT)
        return;
    *logged += strlen(line);
    fprintf(stderr, "site %u: %s\n%s", site->number, line, *logged > LOG_LIMIT ? "(the log is full)\n" : "");
}

static void log_text(void *context, const char *text, size_t length)
{
    struct site *site = context;
    crash_note_text(&site->crash, text, length);
    console_text_lines(text, length, log_line, site);
}

/* Writes to the log, and to the clients of the site's console. */
static void report(const struct site *site, const char *text)
{
    const struct site_health *health = site->health;
    char line[REPORT_SIZE + TIME_SIZE + 8], when[TIME_SIZE];
    health->functions->describe_time(health->backend, when, sizeof when);
    int length = snprintf(line, sizeof line, "%s, %s", text, when);
    fprintf(stderr, "site %u: %s\n", site->number, line);
    pr_broker_say(health->brokers[site->number], line, (size_t)length);
}

static struct backend_site look_at(const struct site *site)
{
    struct backend_site out;
    site->health->functions->look(site->health->backend, site->number, &out);
    return out;
}

/* The reason of a reset is reported, unless a user or a fault wants the reset. */
static void note_reset(void *context, unsigned number, bool running)
{
    struct site_health *health = context;
    struct site *site = &health->sites[number];
    const struct backend_site state = look_at(site);
    const char *reason = state.end_reason;
    char text[REPORT_SIZE];
    if (!running && *reason && !site->ended) {
        snprintf(text, sizeof text, "is reset: %s", reason);
        report(site, text);
    }
    if (running && site->lost) {
        bool named = state.board && *state.board;
        snprintf(text, sizeof text, "answers again%s%s", named ? ": board " : "", named ? state.board : "");
        report(site, text);
    }
    *site = (struct site){.health = health,
                          .number = number,
                          .in_reset = !running,
                          .debugged = site->debugged,
                          .since = health->functions->clock(health->backend)};
}

struct site_health *site_health_create(struct backend *backend, struct pr_broker **brokers, const char *directory)
{
    struct site_health *health = or_abort(calloc(1, sizeof *health));
    unsigned count = (unsigned)backend->mesh->sites;
    unsigned factor = strcmp(backend->mesh->cpu, "serv") == 0 ? SERV_FACTOR : 1;
    *health = (struct site_health){.backend = backend,
                                   .functions = backend->functions,
                                   .brokers = brokers,
                                   .directory = directory,
                                   .count = count,
                                   .start_clocks = START_CLOCKS * factor,
                                   .sites = or_abort(calloc(count, sizeof *health->sites))};
    for (unsigned i = 0; i < count; i++) {
        health->sites[i] = (struct site){.health = health, .number = i};
        pr_broker_on_text(brokers[i], log_text, &health->sites[i]);
    }
    backend->reset_hook = note_reset;
    backend->reset_context = health;
    return health;
}

void site_health_destroy(struct site_health *health)
{
    if (!health)
        return;
    health->backend->reset_hook = NULL;
    free(health->sites);
    free(health);
}

/* The reason why a site's firmware has ended. */
static void describe_end(struct site *site, const struct backend_site *state)
{
    char image[PR_RUN_DIRECTORY_SIZE + 32], *out = site->trouble;
    const size_t size = sizeof site->trouble;
    pr_run_directory_image(site->health->directory, site->number, image, sizeof image);
    if (*state->end_reason)
        snprintf(out, size, "ended: %s", state->end_reason);
    else if (state->status > SIGNAL_STATUS)
        snprintf(out, size, "its QEMU was ended by signal %u", (unsigned)state->status - SIGNAL_STATUS);
    else if (state->status == PR_PLATFORM_TRAP && site->crash.seen)
        crash_describe(&site->crash, image, out, size);
    else
        snprintf(out, size, "firmware ended with status %u", (unsigned)state->status);
}

static void look_for_end(struct site *site, const struct backend_site *state)
{
    if (site->ended || !state->ended)
        return;
    site->ended = true;
    pr_broker_incoming_rests(site->health->brokers[site->number]);
    describe_end(site, state);
    report(site, site->trouble);
}

/* A loss is reported when the console is lost, and whenever the reason changes. A reset ends it: note_reset. */
static void look_for_loss(struct site *site, const struct backend_site *state)
{
    if (!state->lost || strcmp(site->trouble, state->lost) == 0)
        return;
    site->lost = true;
    snprintf(site->trouble, sizeof site->trouble, "%s", state->lost);
    report(site, site->trouble);
}

static double patience(const struct site *site)
{
    return site->started ? hang_time : start_time;
}

static void describe_hang(struct site *site, const struct backend_site *state)
{
    const struct site_health *health = site->health;
    char image[PR_RUN_DIRECTORY_SIZE + 32];
    uint32_t pc, return_address;
    pr_run_directory_image(health->directory, site->number, image, sizeof image);
    if (health->functions->locate(health->backend, site->number, &pc, &return_address))
        crash_describe_hang(state->slice_seconds, state->clocks_since_io, pc, return_address, image, site->trouble,
                            sizeof site->trouble);
    else
        snprintf(site->trouble, sizeof site->trouble, "hangs: neither its firmware nor its QEMU answers");
}

/* A hang is reported once, when a guest's time slice has lasted for long, or when a core has accessed only its memory
 * for long. Its end is reported too. */
static void look_for_hang(struct site *site, const struct backend_site *state)
{
    bool hangs = state->slice_seconds >= patience(site) || state->clocks_since_io >= HANG_CLOCKS;
    if (site->ended || site->hangs == hangs)
        return;
    site->hangs = hangs;
    if (hangs) {
        describe_hang(site, state);
        report(site, site->trouble);
        return;
    }
    *site->trouble = 0;
    report(site, "hangs no longer");
}

/* A long run counts as a start as well, unless a guest is in a long time slice or a core has accessed only its memory.
 * Firmware that has just started has no listeners: the broker registers them again. */
static void look_for_start(struct site *site, const struct backend_site *state)
{
    const struct site_health *health = site->health;
    uint64_t ran = health->functions->clock(health->backend) - site->since;
    bool runs = ran >= health->start_clocks && state->slice_seconds < short_turn &&
                state->clocks_since_io < health->start_clocks;
    site->started = runs || state->at_rest;
    if (site->started)
        pr_broker_restarted(health->brokers[site->number]);
}

/* Whether the site goes on is not known yet: a debugger that kills its guest is gone before the guest has ended. */
static void look_for_debugger(struct site *site)
{
    bool mesh_waits;
    site->debugged = site->health->functions->debugged(site->health->backend, site->number, &mesh_waits);
    if (!site->debugged)
        report(site, "the debugger has gone");
}

void site_health_look(struct site_health *health)
{
    for (struct site *site = health->sites; site < health->sites + health->count; site++) {
        if (site->in_reset)
            continue;
        struct backend_site state = look_at(site);
        look_for_loss(site, &state);
        look_for_end(site, &state);
        look_for_hang(site, &state);
        if (!site->started)
            look_for_start(site, &state);
        if (site->debugged)
            look_for_debugger(site);
    }
}

int site_health_milliseconds(struct site_health *health)
{
    int least = -1;
    for (const struct site *site = health->sites; site < health->sites + health->count; site++) {
        double seconds = look_at(site).slice_seconds;
        int left = seconds < 0 || site->hangs ? -1 : (int)(1e3 * (patience(site) - seconds)) + 1;
        if (site->debugged && (left < 0 || left > DEBUGGER_LOOK))
            left = DEBUGGER_LOOK;
        if (left >= 0 && (least < 0 || left < least))
            least = left;
    }
    return least;
}

bool site_health_settled(const struct site_health *health, unsigned site)
{
    return health->sites[site].started || *health->sites[site].trouble;
}

unsigned site_health_troubles(const struct site_health *health, const bool *sites, char *out, size_t size)
{
    unsigned count = 0;
    size_t used = 0;
    *out = 0;
    for (unsigned i = 0; i < health->count; i++) {
        const struct site *site = &health->sites[i];
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

void site_health_debugger(struct site_health *health, unsigned number)
{
    struct site *site = &health->sites[number];
    bool mesh_waits;
    if (!health->functions->debugged(health->backend, number, &mesh_waits))
        return;
    if (site->debugged) /* another one came before anybody looked */
        report(site, "the debugger has gone");
    site->debugged = true;
    report(site, mesh_waits ? "stands still in a debugger, and the mesh waits for it"
                            : "stands still in a debugger, and the others go on");
}
