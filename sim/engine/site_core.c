/* A whole site in RTL: the image runs on its RISC-V core, and its UART is the only way in and out.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/site_console.h"
#include "engine/site_functions.h"
#include "engine/verilated_model.h"

struct site_core {
    struct site_console console;
    uint64_t last_io; /* last clock in which the core accessed more than its memory */
    void *context;    /* of an image that was loaded for this site alone, else NULL */
};

static int attach(struct engine *engine, struct site *site, const struct simulation_options *options, char *error,
                  size_t error_size)
{
    struct site_core *core = site->state = calloc(1, sizeof(struct site_core));
    (void)options;
    if (!core) {
        snprintf(error, error_size, "no memory for the console of site %u", site->number);
        return -1;
    }
    site_console_routes(engine, site, &core->console);
    return 0;
}

/* After the model. */
static void free_site(struct site *site)
{
    struct site_core *core = site->state;
    if (core && core->context)
        site->table->context_destroy(core->context);
    free(core);
}

static void enter_reset(struct engine *engine, struct site *site)
{
    (void)engine;
    *site->ports.console_in = 0;
}

static void leave_reset(struct engine *engine, struct site *site)
{
    struct site_core *core = site->state;
    core->last_io = engine->now;
    site_console_restart(&core->console);
    site_console_routes(engine, site, &core->console);
}

/* The core polls by itself. */
static void poll_nothing(struct engine *engine, struct site *site)
{
    (void)engine;
    (void)site;
}

/* One clock of the UART: moves the bytes shown, then shows what comes next. */
static void clock_local(struct engine *engine, struct site *site)
{
    struct site_core *core = site->state;
    struct byte_ring *to_site = &core->console.to_site, *from_site = &core->console.from_site;
    uint8_t byte;
    (void)engine;
    if (site->in_reset)
        return;
    uint32_t in = *site->ports.console_in, out = *site->ports.console_out;
    if ((in & CONSOLE_VALID) && (out & CONSOLE_READY))
        byte_ring_read(to_site, &byte, 1);
    byte = (uint8_t)out;
    if ((out & CONSOLE_VALID) && (in & CONSOLE_READY))
        byte_ring_write(from_site, &byte, 1);
    in = byte_ring_peek(to_site, &byte) ? CONSOLE_VALID | byte : 0;
    if (byte_ring_room(from_site))
        in |= CONSOLE_READY;
    *site->ports.console_in = in;
}

/* A whole site has to be clocked once before its wake time, as it is shown the time a clock ahead. A core that has
 * ended wakes no more, and reads no bytes. */
static bool goes_on(struct engine *engine, struct site *site)
{
    struct site_core *core = site->state;
    uint64_t wake = *site->ports.wake_time;
    if (*site->ports.looked)
        core->last_io = engine->now;
    if (*site->ports.finished) {
        site->wake = UINT64_MAX;
        return false;
    }
    site->wake = wake == UINT64_MAX || wake == 0 ? wake : wake - 1;
    return site->wake <= engine->now + 1 || !byte_ring_empty(&core->console.to_site) ||
           (*site->ports.console_in & CONSOLE_VALID);
}

static void stop_begins(struct engine *engine, struct site *site)
{
    struct site_core *core = site->state;
    site_console_hold(engine, site, &core->console);
}

static bool at_rest(const struct engine *engine, const struct site *site)
{
    return !engine_is_active(engine, site);
}

static uint32_t counter(struct site *site, unsigned index)
{
    return engine_fabric_counter(site, index);
}

static size_t console_read(struct site *site, uint8_t *bytes, size_t length)
{
    struct site_core *core = site->state;
    return byte_ring_read(&core->console.from_site, bytes, length);
}

static size_t console_write(struct engine *engine, struct site *site, const uint8_t *bytes, size_t length)
{
    struct site_core *core = site->state;
    engine_activate(engine, site);
    return site_console_write(engine, site, &core->console, bytes, length);
}

/* RAM is filled when a model is made: a core with another image is another model, in reset. Its neighbours look at it
 * through filters, which stay. */
static int load(struct engine *engine, struct site *site, const char *elf, const char *hex, char *error,
                size_t error_size)
{
    struct site_core *core = site->state;
    uint32_t link_down = *site->ports.link_down;
    void *context = site->table->context_create(hex);
    void *model = context ? verilated_model_new(site->table, context, site->number, error, error_size) : NULL;
    (void)elf;
    if (!model) {
        if (context)
            site->table->context_destroy(context);
        snprintf(error, error_size, "no memory for site %u", site->number);
        return -1;
    }
    site->table->destroy(site->model);
    if (core->context)
        site->table->context_destroy(core->context);
    core->context = context;
    verilated_model_connect(&engine->mesh, site, model);
    *site->ports.link_down = link_down;
    *site->ports.reset = 1;
    return 0;
}

static int finished(const struct site *site, uint32_t *status)
{
    if (!*site->ports.finished)
        return 0;
    *status = *site->ports.finish_status;
    return 1;
}

static bool runs(const struct site *site)
{
    return !site->in_reset && !*site->ports.finished;
}

static bool program_counter(const struct site *site, uint32_t *pc, uint32_t *return_address)
{
    if (!runs(site))
        return false;
    *pc = *site->ports.core_pc;
    *return_address = *site->ports.core_ra;
    return true;
}

static uint64_t clocks_since_io(const struct engine *engine, const struct site *site)
{
    const struct site_core *core = site->state;
    bool asleep = !runs(site) || *site->ports.quiet;
    return asleep || engine->now < core->last_io ? 0 : engine->now - core->last_io;
}

const struct site_functions site_core = {
    .part = PART_SITE,
    .attach = attach,
    .free = free_site,
    .enter_reset = enter_reset,
    .leave_reset = leave_reset,
    .poll = poll_nothing,
    .clock_local = clock_local,
    .goes_on = goes_on,
    .stop_begins = stop_begins,
    .at_rest = at_rest,
    .counter = counter,
    .console_read = console_read,
    .console_write = console_write,
    .load = load,
    .finished = finished,
    .program_counter = program_counter,
    .clocks_since_io = clocks_since_io,
};
