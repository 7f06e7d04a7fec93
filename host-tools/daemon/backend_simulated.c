/* See backend_simulated.h.
 *
 * While anything moves in the mesh, the simulation runs as fast as it can, in time slices that are short enough for
 * clients not to notice. When nothing moves, its timers keep to the mesh's own clock rate:
 *
 *   run()     |slice|slice|sl|         the length follows slice_time: a big mesh needs short slices
 *   idle                     |-------------------|   idle_begin() ... idle_end(): the clocks of this stretch pass at
 *                                                    once, up to the timer that ends it
 *
 * SPDX-License-Identifier: ISC
 */
#include "daemon/backend_simulated.h"

#include "daemon/backend.h"

#include "libpostroad/client.h"
#include "mesh/mesh.h"
#include "simulation/packet_tap.h"
#include "simulation/simulation.h"
#include "support/or_abort.h"

#include <stdio.h>
#include <stdlib.h>

/* Clocks. Consoles are read between slices, and a sender tries for 48000 clocks to reach a site that is silent. */
enum { SLICE_MINIMUM = 16, SLICE_MAXIMUM = 16384, ERROR_SIZE = 512 };

static const double slice_time = 0.004; /* seconds */

struct simulated {
    struct backend backend; /* first */
    struct simulation *simulation;
    uint64_t slice;         /* clocks */
    struct packet_tap *tap; /* or NULL */
    uint64_t wake;          /* the timer that ends the idle stretch, UINT64_MAX: none */
};

static struct simulation *simulation_of(const struct backend *backend)
{
    return ((const struct simulated *)backend)->simulation;
}

static size_t console_read(struct backend *backend, unsigned site, uint8_t *bytes, size_t length)
{
    return simulation_console_read(simulation_of(backend), site, bytes, length);
}

static size_t console_write(struct backend *backend, unsigned site, const uint8_t *bytes, size_t length)
{
    return simulation_console_write(simulation_of(backend), site, bytes, length);
}

static size_t poll_room(const struct backend *backend)
{
    return SIMULATION_POLLS(backend->mesh->sites);
}

static size_t poll_prepare(struct backend *backend, struct pollfd *polls)
{
    return simulation_poll_prepare(simulation_of(backend), polls);
}

static void poll_handle(struct backend *backend, const struct pollfd *polls, size_t count)
{
    (void)polls;
    (void)count;
    simulation_poll_handle(simulation_of(backend));
}

static bool idle(struct backend *backend)
{
    return simulation_idle(simulation_of(backend));
}

static void run(struct backend *backend)
{
    struct simulated *simulated = (struct simulated *)backend;
    double started = pr_client_now();
    bool whole = simulation_try_run(simulated->simulation, simulated->slice);
    double taken = pr_client_now() - started;
    bool rests = simulation_idle(simulated->simulation); /* clocks that were jumped over say nothing of its speed */
    if (taken < slice_time && whole && !rests && simulated->slice < SLICE_MAXIMUM)
        simulated->slice *= 2;
    else if (taken > 2 * slice_time)
        simulated->slice = (uint64_t)((double)simulated->slice * slice_time / taken);
    if (simulated->slice < SLICE_MINIMUM)
        simulated->slice = SLICE_MINIMUM;
}

static int waits(struct backend *backend)
{
    return simulation_wait_ms(simulation_of(backend));
}

static int idle_begin(struct backend *backend)
{
    struct simulated *simulated = (struct simulated *)backend;
    uint64_t now = simulation_clock(simulated->simulation), wake = simulation_next_wake(simulated->simulation);
    unsigned clock_hz = backend->mesh->clock_hz;
    simulated->wake = wake;
    if (wake == UINT64_MAX)
        return -1;
    double milliseconds = wake <= now ? 0 : (double)(wake - now) * 1e3 / (clock_hz ? clock_hz : 1);
    return milliseconds > 3600e3 ? 3600000 : (int)milliseconds;
}

static void idle_end(struct backend *backend, double seconds)
{
    const struct simulated *simulated = (const struct simulated *)backend;
    uint64_t now = simulation_clock(simulated->simulation);
    uint64_t left = simulated->wake > now ? simulated->wake - now : 0;
    double clocks = seconds * backend->mesh->clock_hz;
    if (simulated->wake != UINT64_MAX)
        simulation_try_run(simulated->simulation, clocks < (double)left ? (uint64_t)clocks : left + 1);
}

static uint64_t mesh_clock(const struct backend *backend)
{
    return simulation_clock(simulation_of(backend));
}

static void describe_time(const struct backend *backend, char *out, size_t size)
{
    snprintf(out, size, "at clock %llu", (unsigned long long)simulation_clock(simulation_of(backend)));
}

static void look(struct backend *backend, unsigned site, struct backend_site *out)
{
    struct simulation *simulation = simulation_of(backend);
    *out = (struct backend_site){.end_reason = simulation_end_reason(simulation, site),
                                 .at_rest = simulation_at_rest(simulation, site),
                                 .slice_seconds = simulation_slice_seconds(simulation, site),
                                 .clocks_since_io = simulation_clocks_since_io(simulation, site)};
    out->ended = simulation_finished(simulation, site, &out->status);
}

static bool has_console(const struct backend *backend, unsigned site)
{
    return !mesh_is_switch(backend->mesh, (int)site);
}

static bool debugged(const struct backend *backend, unsigned site, bool *mesh_waits)
{
    return simulation_debugged(simulation_of(backend), site, mesh_waits);
}

static bool locate(const struct backend *backend, unsigned site, uint32_t *pc, uint32_t *return_address)
{
    return simulation_program_counter(simulation_of(backend), site, pc, return_address);
}

static const char *load_refusal(const struct backend *backend, unsigned site, bool *hex)
{
    enum site_kind kind = simulation_kind(simulation_of(backend), site);
    *hex = kind == SITE_CORE;
    if (kind == SITE_SWITCH)
        return "is a switch: expected sites that have an operator";
    return kind == SITE_NATIVE ? "runs natively, as a part of postroad: expected sites that run firmware on a core or "
                                 "under QEMU"
                               : NULL;
}

static int load(struct backend *backend, unsigned site, const char *elf, const char *hex, char *error,
                size_t error_size)
{
    return simulation_load(simulation_of(backend), site, elf, hex, error, error_size);
}

static bool tap_watch(struct backend *backend, unsigned source)
{
    struct simulated *simulated = (struct simulated *)backend;
    if (!packet_tap_possible(simulated->simulation, backend->mesh))
        return false;
    if (!simulated->tap)
        simulated->tap = packet_tap_create(simulated->simulation, backend->mesh);
    packet_tap_watch(simulated->tap, source);
    return true;
}

static const struct packet_passage *tap_passages(const struct backend *backend, size_t *count)
{
    const struct simulated *simulated = (const struct simulated *)backend;
    *count = 0;
    return simulated->tap ? packet_tap_passages(simulated->tap, count) : NULL;
}

static void tap_end(struct backend *backend)
{
    struct simulated *simulated = (struct simulated *)backend;
    packet_tap_destroy(simulated->tap);
    simulated->tap = NULL;
}

static void destroy(struct backend *backend)
{
    char error[ERROR_SIZE];
    tap_end(backend);
    if (simulation_end_capture(simulation_of(backend), error, sizeof error) != 0)
        fprintf(stderr, "capture: %s\n", error);
    simulation_destroy(simulation_of(backend));
    free(backend);
}

static const struct backend_functions functions = {
    .console_read = console_read,
    .console_write = console_write,
    .poll_room = poll_room,
    .poll_prepare = poll_prepare,
    .poll_handle = poll_handle,
    .idle = idle,
    .run = run,
    .waits = waits,
    .idle_begin = idle_begin,
    .idle_end = idle_end,
    .clock = mesh_clock,
    .describe_time = describe_time,
    .look = look,
    .has_console = has_console,
    .debugged = debugged,
    .locate = locate,
    .load_refusal = load_refusal,
    .load = load,
    .tap_watch = tap_watch,
    .tap_passages = tap_passages,
    .tap_end = tap_end,
    .destroy = destroy,
};

static void note_reset(void *context, struct simulation *simulation, unsigned site, bool running)
{
    const struct backend *backend = context;
    (void)simulation;
    if (backend->reset_hook)
        backend->reset_hook(backend->reset_context, site, running);
}

struct backend *backend_simulated_create(const struct simulation_options *options, char *error, size_t error_size)
{
    struct simulated *simulated = or_abort(calloc(1, sizeof *simulated));
    *simulated = (struct simulated){.backend = {.functions = &functions, .mesh = options->mesh},
                                    .simulation = simulation_create(options, error, error_size),
                                    .slice = SLICE_MINIMUM};
    if (!simulated->simulation) {
        free(simulated);
        return NULL;
    }
    simulation_set_reset_hook(simulated->simulation, note_reset, simulated);
    return &simulated->backend;
}
