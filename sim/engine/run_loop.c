/* The run loop. A clock t has two passes over the active sites, in the order of their numbers. All that is read in the
 * first pass is written in the second, so the order does not matter.
 *
 *            clock t                                                          clock t + 1
 *   -------+----------------------------------------------------------------+-------------
 *          | faults  wake  tick | prepare_site, each site   | clock_site,   |
 *          | begin   those due  |  poll its operator        | each site     |
 *          | or end             |  local words of t         |  edge: t done |
 *          |                    |  links: words of t + 1    |  next active  |
 *          |                    |  (fabric_top.v)           |  at t + 1     |
 *
 * A site falls asleep when it is quiet, neither shows nor is shown a word, shows no `wait`, and its operator or core
 * has nothing to do. It wakes when a neighbour is about to show it a word, with a byte from its console, with a packet
 * to send, or at its wake time (a whole site one clock before). Where all sites sleep, time jumps to the next event:
 *
 *   clock    0    1    2    3                              880  881
 *   site 0   ####|####|####|            asleep            |####|####
 *   site 1        ####|####|####|       asleep                 |####     woken by a word of site 0
 *   runs     ^    ^    ^    ^   |-------- jump ---------->|^    ^
 *
 * Where sites count clocks in slots, one that wakes is first clocked for what it has slept of the slot.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/run_loop.h"

#include "engine/cables.h"
#include "engine/fault_injection.h"
#include "engine/mesh_capture.h"
#include "engine/oscillators.h"
#include "engine/qemu_scheduler.h"
#include "engine/site_functions.h"

/* Calls `function` for the active sites, in the order of their numbers. */
static inline void for_active(struct engine *engine, void (*function)(struct engine *, struct site *))
{
    for (unsigned i = 0; i < engine->active_words; i++)
        for (uint64_t sites = engine->active[i]; sites; sites &= sites - 1)
            function(engine, &engine->sites[64 * i + (unsigned)__builtin_ctzll(sites)]);
}

static void prepare_site(struct engine *engine, struct site *site)
{
    if ((site->poll || site->wake <= engine->now) && !site->in_reset)
        site->functions->poll(engine, site);
    engine_count_events(&site->events, *site->ports.events);
    engine_exchange_links(engine, site);
    *site->ports.now = engine->now + 1;
    site->functions->clock_local(engine, site);
}

/* What keeps a site awake besides its fabric. */
static bool operator_goes_on(struct engine *engine, struct site *site)
{
    if (site->in_reset)
        return engine->now < site->reset_begin + ENGINE_RESET_CLOCKS;
    return site->functions->goes_on(engine, site);
}

/* Clocks a site; then the neighbours that are about to be shown a word are active in the next clock, and the site
 * itself if it goes on. */
static void clock_site(struct engine *engine, struct site *site)
{
    uint64_t shows = 0, shown = 0;
    site->table->clock(site->model);
    for (unsigned l = 0; l < engine->links; l++) {
        uint64_t value = engine_load_fresh_slot(site->link_out + 8 * l);
        shows |= value;
        shown |= value | site->words[l];
        engine_add_if(engine->next, site->wakes[l], value & LINK_SLOT_WORD);
    }
    engine->links_show |= shows != 0;
    bool links_go_on = !engine->mesh.board_links && ((shown && !site->in_reset) || site->incoming);
    bool goes_on = operator_goes_on(engine, site) || links_go_on || (!*site->ports.quiet && !site->in_reset);
    if (goes_on)
        engine->last_busy = engine->now;
    engine_add_if(engine->next, site->number, goes_on || engine->sleepless);
}

static void falls_asleep(struct engine *engine, struct site *site)
{
    if (site->wake < engine->next_wake)
        engine->next_wake = site->wake;
    if (engine->mesh.rest_clocks > 1)
        site->asleep_since = engine->now + 1;
}

/* The next clock's sites become this clock's. */
static void renew_active_sites(struct engine *engine)
{
    uint64_t *done = engine->active;
    for (unsigned i = 0; i < engine->active_words; i++) {
        for (uint64_t sites = done[i] & ~engine->next[i]; sites; sites &= sites - 1)
            falls_asleep(engine, &engine->sites[64 * i + (unsigned)__builtin_ctzll(sites)]);
        done[i] = 0;
    }
    engine->active = engine->next;
    engine->next = done;
}

/* Activates every sleeping site whose wake time has come, and finds the next one. */
static void wake_sites(struct engine *engine)
{
    engine->next_wake = UINT64_MAX;
    for (unsigned i = 0; i < engine->site_count; i++) {
        struct site *site = &engine->sites[i];
        if (engine_is_active(engine, site))
            continue;
        if (site->wake <= engine->now)
            engine_activate(engine, site);
        else if (site->wake < engine->next_wake)
            engine->next_wake = site->wake;
    }
}

static void call_tick(struct engine *engine)
{
    simulation_call_tick(&engine->simulation, engine->now);
    if (engine->simulation.tick)
        engine_notice_senders(engine);
}

static void settle_site(struct engine *engine, struct site *site)
{
    engine_exchange_links(engine, site);
    site->table->settle(site->model);
}

/* Hands what is on the links of a site to its neighbours. A bit that crosses several sites in a clock (slot_links.v)
 * has come to the last of them when it has been handed on so many times; there no site sleeps. */
static void carry_links(struct engine *engine)
{
    unsigned rounds = engine->mesh.sites_a_clock > 1 ? engine->mesh.sites_a_clock : 0;
    if (engine->faults)
        faults_filter_links(engine, true);
    if (engine->cables)
        cables_clock(engine, false);
    for (unsigned round = 0; round < rounds; round++) {
        for_active(engine, settle_site);
        if (engine->faults)
            faults_filter_links(engine, false);
    }
}

static void run_clock(struct engine *engine)
{
    if (engine->next_fault <= engine->now)
        faults_change(engine);
    if (engine->next_wake <= engine->now)
        wake_sites(engine);
    call_tick(engine);
    carry_links(engine);
    if (engine->capture)
        mesh_capture_clock(engine->capture, engine->words, engine->now);
    engine->links_show = false;
    if (engine->next_left_out <= engine->now)
        oscillators_leave_out(engine);
    if (engine->mesh.rest_clocks > 1)
        for_active(engine, engine_catch_up);
    for_active(engine, prepare_site);
    for_active(engine, clock_site);
    if (engine->trace)
        engine->sites->table->trace_dump(engine->trace, engine->now);
    renew_active_sites(engine);
    engine->now++;
}

static void run_stretch(struct engine *engine)
{
    uint64_t *end = &engine->scheduler.stretch_end; /* a time slice that begins meanwhile brings it forward */
    while (engine->now < *end) {
        uint64_t wake = engine_next_event(engine);
        if (engine_is_quiet(engine) && wake > engine->now)
            engine->now = engine_earlier(wake, *end);
        if (engine->now < *end)
            run_clock(engine);
    }
}

bool run_loop_run(struct engine *engine, uint64_t clocks, bool wait)
{
    uint64_t end = engine->now + clocks;
    while (engine->now < end) {
        engine->scheduler.stretch_end = qemu_scheduler_slice_limit(engine, end, wait);
        if (engine->scheduler.stretch_end == engine->now)
            return false;
        run_stretch(engine);
    }
    qemu_scheduler_begin_due(engine);
    return true;
}
