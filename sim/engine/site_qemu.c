/* A site under QEMU: the image runs in a process of its own, beside a fabric in RTL. When it runs is qemu_scheduler.h's
 * matter; how packets and bytes get there and back is sim/qemu's.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/qemu_scheduler.h"
#include "engine/site_console.h"
#include "engine/site_functions.h"
#include "engine/site_interface.h"
#include "mesh/discipline.h"
#include "mesh/mesh_identity.h"
#include "mesh/mesh_own.h"
#include "qemu/qemu_debugger.h"
#include "support/install_paths.h"

enum { PATH_SIZE = 4096 };

struct site_qemu {
    struct qemu_site qemu;
    struct site_console console;
    char *elf; /* an image that was loaded for this site alone, else NULL */
};

/* A folder for the sockets: the one asked for, or one of its own, which is removed again. */
static int find_directory(struct qemu_scheduler *scheduler, const char *asked, char *error, size_t error_size)
{
    char path[PATH_SIZE];
    const char *temporary = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/postroad-guests.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    scheduler->owns_directory = !asked;
    if (!asked && !mkdtemp(path)) {
        snprintf(error, error_size, "%s: %s, expected a folder that can be written", path, strerror(errno));
        return -1;
    }
    scheduler->directory = strdup(asked ? asked : path);
    return 0;
}

static int open_kind(struct engine *engine, const struct simulation_options *options, char *error, size_t error_size)
{
    struct qemu_scheduler *scheduler = &engine->scheduler;
    char elf[PATH_SIZE];
    if (install_paths_image(options->firmware_elf, "firmware/node.elf", "firmware", elf, sizeof elf, error,
                            error_size) != 0 ||
        find_directory(scheduler, options->directory, error, error_size) != 0)
        return -1;
    scheduler->elf = strdup(elf);
    if (scheduler->directory && scheduler->elf && qemu_scheduler_open(engine, options) == 0)
        return 0;
    snprintf(error, error_size, "no memory for sites under QEMU");
    return -1;
}

static void close_kind(struct engine *engine)
{
    struct qemu_scheduler *scheduler = &engine->scheduler;
    if (scheduler->owns_directory && scheduler->directory)
        rmdir(scheduler->directory);
    free(scheduler->directory);
    free(scheduler->elf);
    qemu_scheduler_close(engine);
}

static int start(struct engine *engine, struct site *site, char *error, size_t error_size)
{
    struct site_qemu *own = site->state;
    struct qemu_site_options options = {
        .receive_patience = engine->mesh.receive_patience,
        .directory = engine->scheduler.directory,
        .elf = own->elf ? own->elf : engine->scheduler.elf,
        .now = &engine->now,
        .to_site = &own->console.to_site,
        .from_site = &own->console.from_site,
    };
    mesh_identify_site(&options.identity, &engine->mesh, site->number, site->epoch);
    options.capabilities = mesh_capabilities(&engine->mesh);
    if (qemu_site_start(&own->qemu, &options, error, error_size) != 0)
        return -1;
    site_interface_connect(site, &own->qemu.interface);
    site_console_routes(engine, site, &own->console);
    return 0;
}

static int attach(struct engine *engine, struct site *site, const struct simulation_options *options, char *error,
                  size_t error_size)
{
    struct site_qemu *own = calloc(1, sizeof *own);
    (void)options;
    site->state = own;
    if (!own) {
        snprintf(error, error_size, "no memory for a site under QEMU");
        return -1;
    }
    site->interface = &own->qemu.interface;
    qemu_scheduler_add(engine, site, &own->qemu);
    return start(engine, site, error, error_size);
}

static void free_site(struct site *site)
{
    struct site_qemu *own = site->state;
    if (!own)
        return;
    qemu_site_free(&own->qemu);
    free(own->elf);
    free(own);
}

static void enter_reset(struct engine *engine, struct site *site)
{
    struct site_qemu *own = site->state;
    (void)engine;
    engine_store_slot(site->local_in, 0);
    qemu_site_stop(&own->qemu);
}

/* If it cannot be started again, the site stays dead, for a reason that can be asked for. */
static void leave_reset(struct engine *engine, struct site *site)
{
    struct site_qemu *own = site->state;
    char error[QEMU_SITE_REASON];
    site_console_restart(&own->console);
    if (start(engine, site, error, sizeof error) == 0)
        return;
    qemu_site_stop(&own->qemu);
    snprintf(own->qemu.reason, sizeof own->qemu.reason, "%s", error);
}

static void poll_site(struct engine *engine, struct site *site)
{
    struct site_qemu *own = site->state;
    qemu_scheduler_poll(engine, site, &own->qemu);
}

static void clock_local(struct engine *engine, struct site *site)
{
    unsigned tag;
    if (!site->in_reset)
        site_interface_clock(engine, site, site->interface, &tag);
}

static bool goes_on(struct engine *engine, struct site *site)
{
    (void)engine;
    return engine_load_slot(site->local_out) || site->poll || ni_model_active(site->interface);
}

static void stop_begins(struct engine *engine, struct site *site)
{
    struct site_qemu *own = site->state;
    site_console_hold(engine, site, &own->console);
}

static bool at_rest(const struct engine *engine, const struct site *site)
{
    const struct site_qemu *own = site->state;
    (void)engine;
    return !qemu_site_in_slice(&own->qemu);
}

static size_t console_read(struct site *site, uint8_t *bytes, size_t length)
{
    struct site_qemu *own = site->state;
    return byte_ring_read(&own->console.from_site, bytes, length);
}

static size_t console_write(struct engine *engine, struct site *site, const uint8_t *bytes, size_t length)
{
    struct site_qemu *own = site->state;
    return site_console_write(engine, site, &own->console, bytes, length);
}

static int load(struct engine *engine, struct site *site, const char *elf, const char *hex, char *error,
                size_t error_size)
{
    struct site_qemu *own = site->state;
    char *copy = strdup(elf);
    (void)engine;
    (void)hex;
    if (!copy) {
        snprintf(error, error_size, "no memory for site %u", site->number);
        return -1;
    }
    free(own->elf);
    own->elf = copy;
    return 0;
}

static int finished(const struct site *site, uint32_t *status)
{
    const struct site_qemu *own = site->state;
    if (own->qemu.state != QEMU_ENDED || site->in_reset)
        return 0;
    *status = (uint32_t)own->qemu.status;
    return 1;
}

static const char *end_reason(const struct site *site)
{
    const struct site_qemu *own = site->state;
    return own->qemu.reason;
}

static bool program_counter(const struct site *site, uint32_t *pc, uint32_t *return_address)
{
    const struct site_qemu *own = site->state;
    return qemu_site_in_slice(&own->qemu) && qemu_debugger_look(&own->qemu.process, pc, return_address);
}

static double slice_seconds(struct site *site)
{
    struct site_qemu *own = site->state;
    return qemu_scheduler_slice_seconds(site, &own->qemu);
}

static bool debugged(const struct engine *engine, const struct site *site, bool *mesh_waits)
{
    const struct site_qemu *own = site->state;
    return qemu_scheduler_debugged(engine, &own->qemu, mesh_waits);
}

const struct site_functions site_qemu = {
    .part = PART_FABRIC,
    .open = open_kind,
    .close = close_kind,
    .attach = attach,
    .free = free_site,
    .enter_reset = enter_reset,
    .leave_reset = leave_reset,
    .poll = poll_site,
    .clock_local = clock_local,
    .goes_on = goes_on,
    .stop_begins = stop_begins,
    .at_rest = at_rest,
    .counter = site_interface_counter,
    .console_read = console_read,
    .console_write = console_write,
    .load = load,
    .finished = finished,
    .end_reason = end_reason,
    .program_counter = program_counter,
    .slice_seconds = slice_seconds,
    .debugged = debugged,
};
