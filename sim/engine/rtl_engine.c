/* See rtl_engine.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/rtl_engine.h"

#include <stdio.h>

#include "engine/engine_setup.h"
#include "engine/fault_injection.h"
#include "engine/qemu_scheduler.h"
#include "engine/run_loop.h"
#include "engine/site_functions.h"

/* The site of this number; NULL beyond the mesh. */
static struct site *find_site(const struct simulation *simulation, unsigned number)
{
    const struct engine *engine = engine_of_const(simulation);
    return number < engine->site_count ? &engine->sites[number] : NULL;
}

static void destroy(struct simulation *simulation)
{
    engine_tear_down(engine_of(simulation));
}

static uint64_t current_clock(const struct simulation *simulation)
{
    return engine_of_const(simulation)->now;
}

static bool run(struct simulation *simulation, uint64_t clocks, bool wait)
{
    return run_loop_run(engine_of(simulation), clocks, wait);
}

/* What the last clocks have seen. Where no site sleeps, it does not know of packets that operators were given since. */
static bool nothing_moved(const struct engine *engine)
{
    if (engine->mesh.board_links)
        return engine->now > engine->last_busy + ENGINE_LINKS_EMPTY_CLOCKS;
    if (engine_never_rests(engine))
        return engine->now > engine->last_busy + engine->mesh.turn_clocks;
    return engine_is_quiet(engine);
}

/* The site that engine->next_wake was noted for may have been woken by something else, and have no timer any more. */
static uint64_t next_wake(const struct simulation *simulation)
{
    const struct engine *engine = engine_of_const(simulation);
    uint64_t wake = simulation->next_tick;
    for (unsigned i = 0; i < engine->site_count; i++) {
        const struct site *site = &engine->sites[i];
        bool sleeps = !engine_is_active(engine, site) || engine_never_rests(engine);
        if (sleeps)
            wake = engine_earlier(wake, site->wake);
    }
    return wake;
}

static bool idle(struct simulation *simulation)
{
    struct engine *engine = engine_of(simulation);
    return !engine_notice_senders(engine) && nothing_moved(engine) && next_wake(simulation) > engine->now &&
           qemu_scheduler_is_idle(engine);
}

static struct pr_operator *operator_of(struct simulation *simulation, unsigned number)
{
    struct site *site = find_site(simulation, number);
    return site && site->functions->operator_of && !site->in_reset ? site->functions->operator_of(site) : NULL;
}

static struct pr_groups *groups_of(struct simulation *simulation, unsigned number)
{
    struct site *site = find_site(simulation, number);
    if (!site || !site->functions->groups_of || site->in_reset)
        return NULL;
    engine_activate(engine_of(simulation), site);
    site->poll = true;
    return site->functions->groups_of(site);
}

static struct simulation_arrival arrival(const struct simulation *simulation, unsigned number)
{
    const struct site *site = find_site(simulation, number);
    return site->functions->arrival(site);
}

static enum site_kind kind(const struct simulation *simulation, unsigned number)
{
    return find_site(simulation, number)->kind;
}

static bool at_rest(const struct simulation *simulation, unsigned number)
{
    const struct site *site = find_site(simulation, number);
    return !site->in_reset && site->functions->at_rest(engine_of_const(simulation), site);
}

static bool running(const struct simulation *simulation, unsigned number)
{
    const struct site *site = find_site(simulation, number);
    return site && !site->in_reset && !site->stopped;
}

static bool stopped(const struct simulation *simulation, unsigned number)
{
    const struct site *site = find_site(simulation, number);
    return site && site->hits && site->hits->stop_until == UINT64_MAX;
}

static unsigned end_pauses(struct simulation *simulation)
{
    struct engine *engine = engine_of(simulation);
    return engine->faults ? faults_end_pauses(engine->faults, engine->now) : 0;
}

static size_t console_read(struct simulation *simulation, unsigned number, uint8_t *bytes, size_t length)
{
    struct site *site = find_site(simulation, number);
    return site ? site->functions->console_read(site, bytes, length) : 0;
}

static size_t console_write(struct simulation *simulation, unsigned number, const uint8_t *bytes, size_t length)
{
    struct site *site = find_site(simulation, number);
    return site && length ? site->functions->console_write(engine_of(simulation), site, bytes, length) : 0;
}

static uint32_t counter(struct simulation *simulation, unsigned number, unsigned index)
{
    struct site *site = find_site(simulation, number);
    return site && index < ENGINE_COUNTERS ? site->functions->counter(site, index) : 0;
}

static uint64_t link_words(const struct simulation *simulation)
{
    const struct engine *engine = engine_of_const(simulation);
    uint64_t sum = engine->words_before_resets;
    for (const struct site *site = engine->sites; site < engine->sites + engine->site_count; site++)
        for (unsigned l = 0; !site->in_reset && l < engine->links; l++) /* its counters, too, are 0 afterwards */
            sum += engine_words_out(engine, site, l);
    return sum;
}

static void fault_counts(const struct simulation *simulation, struct fault_counts *out)
{
    const struct faults *faults = engine_of_const(simulation)->faults;
    *out = faults ? *faults_counts(faults) : (struct fault_counts){0};
}

static void set_reset_hook(struct simulation *simulation, simulation_reset_hook *hook, void *context)
{
    struct engine *engine = engine_of(simulation);
    if (engine->faults)
        faults_set_hook(engine->faults, hook, context);
}

static void abandon_operators(struct simulation *simulation)
{
    struct engine *engine = engine_of(simulation);
    for (unsigned i = 0; i < engine->operator_count; i++) {
        struct site *site = engine->operators[i];
        site->stopped = true;
        site->wake = UINT64_MAX;
        site->interface->receive_patience = 1;
    }
}

static const struct simulation_functions functions = {
    .destroy = destroy,
    .clock = current_clock,
    .run = run,
    .idle = idle,
    .next_wake = next_wake,
    .operator_of = operator_of,
    .groups_of = groups_of,
    .arrival = arrival,
    .kind = kind,
    .at_rest = at_rest,
    .running = running,
    .stopped = stopped,
    .end_pauses = end_pauses,
    .console_read = console_read,
    .console_write = console_write,
    .counter = counter,
    .link_words = link_words,
    .fault_counts = fault_counts,
    .set_reset_hook = set_reset_hook,
    .abandon_operators = abandon_operators,
};

static int wait_ms(struct simulation *simulation)
{
    return qemu_scheduler_wait_ms(engine_of(simulation));
}

static size_t poll_prepare(const struct simulation *simulation, struct pollfd *polls)
{
    return qemu_scheduler_poll_prepare(engine_of_const(simulation), polls);
}

static void poll_handle(struct simulation *simulation)
{
    struct engine *engine = engine_of(simulation);
    qemu_scheduler_poll_handle(engine);
    if (engine->reset_requested)
        faults_change(engine);
}

static double slice_seconds(struct simulation *simulation, unsigned number)
{
    struct site *site = find_site(simulation, number);
    return site && site->functions->slice_seconds ? site->functions->slice_seconds(site) : -1;
}

static bool debugged(const struct simulation *simulation, unsigned number, bool *mesh_waits)
{
    const struct site *site = find_site(simulation, number);
    return site && site->functions->debugged &&
           site->functions->debugged(engine_of_const(simulation), site, mesh_waits);
}

static uint64_t clocks_since_io(const struct simulation *simulation, unsigned number)
{
    const struct site *site = find_site(simulation, number);
    return site && site->functions->clocks_since_io
               ? site->functions->clocks_since_io(engine_of_const(simulation), site)
               : 0;
}

static bool program_counter(const struct simulation *simulation, unsigned number, uint32_t *pc,
                            uint32_t *return_address)
{
    const struct site *site = find_site(simulation, number);
    return site && site->functions->program_counter && site->functions->program_counter(site, pc, return_address);
}

static int load(struct simulation *simulation, unsigned number, const char *elf, const char *hex, char *error,
                size_t error_size)
{
    struct engine *engine = engine_of(simulation);
    struct site *site = find_site(simulation, number);
    if (!site || !site->functions->load || !engine->faults) {
        snprintf(error, error_size, "site %u: expected a site that runs firmware on a core or under QEMU", number);
        return -1;
    }
    if (site->functions->load(engine, site, elf, hex, error, error_size) != 0)
        return -1;
    engine_request_reset(engine, site);
    faults_change(engine);
    return 0;
}

static int finished(const struct simulation *simulation, unsigned number, uint32_t *status)
{
    const struct site *site = find_site(simulation, number);
    return site && site->functions->finished ? site->functions->finished(site, status) : 0;
}

static const char *end_reason(const struct simulation *simulation, unsigned number)
{
    const struct site *site = find_site(simulation, number);
    return site && site->functions->end_reason ? site->functions->end_reason(site) : "";
}

static const struct simulation_image_functions image = {
    .wait_ms = wait_ms,
    .poll_prepare = poll_prepare,
    .poll_handle = poll_handle,
    .slice_seconds = slice_seconds,
    .debugged = debugged,
    .clocks_since_io = clocks_since_io,
    .program_counter = program_counter,
    .load = load,
    .finished = finished,
    .end_reason = end_reason,
};

static int end_capture(struct simulation *simulation, char *error, size_t error_size)
{
    return engine_end_capture(engine_of(simulation), error, error_size);
}

static int end_waves(struct simulation *simulation)
{
    return engine_end_waves(engine_of(simulation));
}

static const uint64_t *words(const struct simulation *simulation)
{
    return engine_of_const(simulation)->words;
}

static void local_words(const struct simulation *simulation, unsigned number, uint64_t *sent, uint64_t *received)
{
    const struct site *site = find_site(simulation, number);
    *sent = engine_load_slot(site->local_in);
    *received = engine_load_slot(site->local_out);
}

static uint64_t observe(const struct simulation *simulation, unsigned number, unsigned port, uint64_t *outputs)
{
    const unsigned char *observed = find_site(simulation, number)->ports.observed;
    *outputs = engine_load_slot(observed + 16 * port + 8);
    return engine_load_slot(observed + 16 * port);
}

static const struct simulation_signal_functions signal_functions = {
    .end_waves = end_waves,
    .end_capture = end_capture,
    .words = words,
    .local_words = local_words,
    .observe = observe,
};

static struct simulation *create(const struct simulation_options *options, char *error, size_t error_size)
{
    struct engine *engine = engine_set_up(options, error, error_size);
    if (!engine)
        return NULL;
    engine->simulation = (struct simulation){
        .functions = &functions, .image = &image, .signal = &signal_functions, .next_tick = UINT64_MAX};
    return &engine->simulation;
}

const struct simulation_engine rtl_engine = {
    .name = "rtl",
    .summary = "the fabric is the Verilog, clock by clock",
    .create = create,
};
