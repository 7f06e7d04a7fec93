/* See faults.h. The order of a clock: channels show their words; faults begin and end; channels that are cut look at
 * the sites at both ends; sites that have gone into reset forget.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/faults.h"

#include "functional/channel.h"
#include "functional/native_operator.h"
#include "functional/sender.h"
#include "functional/site_state.h"
#include "support/run_memory.h"

/* The simulator of the RTL clocks a site in reset for so long, and the mesh is not idle meanwhile. */
enum { RESET_CLOCKS = 9 };

static void join(struct functional *functional, struct channel *channel, const struct fault_cable *cable, unsigned end)
{
    channel->from = &functional->sites[cable->sites[end]];
    channel->to = &functional->sites[cable->sites[!end]];
    channel->out = (uint8_t)(cable->links[end] + 1);
    channel->in = (uint8_t)(cable->links[!end] + 1);
    channel->told.limit = NO_LIMIT;
    channel->hit = NO_LIMIT;
    channel->from->faults->out[channel->out] = channel;
    channel->to->faults->in[channel->in] = channel;
}

/* So that a run without faults has nothing of them in its visits. */
static void clock_router(struct functional *functional, struct functional_site *site)
{
    functional->faults->fabric->clock(functional, site);
    channel_watch(functional, site);
}

static bool allocate(struct functional_faults *faults, unsigned sites)
{
    size_t cables = faults->schedule.cable_count + 1u;
    faults->sites = run_memory_allocate(sites, sizeof *faults->sites);
    faults->channels = run_memory_allocate(2 * cables, sizeof *faults->channels);
    faults->listed = run_memory_allocate(4 * cables, sizeof(struct channel *));
    return faults->sites && faults->channels && faults->listed;
}

bool faults_set_up(struct functional *functional, const struct simulation_options *options)
{
    if (options->fault_count == 0)
        return true;
    struct functional_faults *faults = functional->faults = run_memory_allocate(1, sizeof *faults);
    if (!faults || !fault_schedule_init(&faults->schedule, options, NULL, NULL) ||
        !allocate(faults, functional->site_count))
        return false;
    faults->fabric = functional->router;
    faults->router = *functional->router;
    faults->router.clock = clock_router;
    functional->router = &faults->router;
    for (unsigned i = 0; i < functional->site_count; i++)
        functional->sites[i].faults = &faults->sites[i];
    for (unsigned i = 0; i < 2 * faults->schedule.cable_count; i++) {
        struct fault_cable *cable = &faults->schedule.cables[i / 2];
        faults->channels[i].damage = &cable->damage[i % 2];
        join(functional, &faults->channels[i], cable, i % 2);
    }
    return true;
}

void faults_tear_down(struct functional *functional)
{
    struct functional_faults *faults = functional->faults;
    if (!faults)
        return;
    fault_schedule_free(&faults->schedule);
    run_memory_free(faults->sites);
    run_memory_free(faults->channels);
    run_memory_free((void *)faults->listed);
    run_memory_free(faults);
}

static void call_hook(struct functional *functional, const struct functional_site *site, bool running)
{
    const struct functional_faults *faults = functional->faults;
    if (faults->hook)
        faults->hook(faults->hook_context, &functional->simulation, site->number, running);
}

static void enter_reset(struct functional *functional, struct functional_site *site)
{
    site_count_words(functional, site);
    call_hook(functional, site, false);
    sender_forget(functional, site); /* before channels let go of packets that are still in its list */
    site->faults->in_reset = site->faults->enters = true;
    site->faults->epoch++;
    functional->faults->busy_until = functional->now + RESET_CLOCKS;
}

/* What is told to it in this clock stays with its channels. */
static void clear(struct functional *functional, struct functional_site *site)
{
    channel_tell_all(functional, site);
    site_clear(functional, site);
}

static void leave_reset(struct functional *functional, struct functional_site *site)
{
    clear(functional, site);
    site->faults->in_reset = false;
    native_operator_restart(site->operator, site->faults->epoch);
    for (unsigned port = 1; port < functional->ports; port++) {
        struct channel *in = site->faults->in[port];
        if (!in)
            continue;
        in->told = (struct status){.limit = NO_LIMIT, .offset = INT64_MIN};
        in->changed = site->faults->out[port]->changed = true;
    }
    call_hook(functional, site, true);
}

/* Channels have seen what it did last. */
static void forget(struct functional *functional, struct functional_site *site)
{
    site->faults->enters = false;
    site_forget(functional, site);
    functional->polls -= site->operator->poll;
    site->operator->poll = false;
    site->operator->wake = UINT64_MAX;
    clear(functional, site);
}

static void change_site(struct functional *functional, struct functional_site *site)
{
    struct fault_schedule *schedule = &functional->faults->schedule;
    const struct fault_hits *hits = &schedule->hits[site->number];
    bool in_reset = hits->reset_until > functional->now, stopped = hits->stop_until > functional->now;
    if (in_reset && !site->faults->in_reset)
        enter_reset(functional, site);
    else if (!in_reset && site->faults->in_reset)
        leave_reset(functional, site);
    if (stopped != site->operator->stopped)
        native_operator_stop(site->operator, stopped);
    fault_schedule_note(schedule, functional->now, hits->reset_until);
    fault_schedule_note(schedule, functional->now, hits->stop_until);
}

static void set_down(struct functional *functional, const struct channel *channel)
{
    struct site_faults *faults = channel->from->faults;
    if (faults->down_since != functional->now)
        faults->down_before = faults->down;
    faults->down_since = functional->now;
    faults->down = (faults->down & ~(1u << channel->out)) | (uint32_t)channel->cut << channel->out;
}

static void change_channel(struct functional *functional, struct channel *channel, bool cut)
{
    bool resets = channel->from->faults->enters || channel->to->faults->enters;
    if (resets || (cut && !channel->cut))
        channel_break(functional, channel);
    if (cut == channel->cut)
        return;
    channel->cut = cut;
    set_down(functional, channel);
    channel_list(functional, channel);
}

static bool is_cut(struct functional *functional, const struct fault_cable *cable)
{
    struct functional_faults *faults = functional->faults;
    fault_schedule_note(&faults->schedule, functional->now, cable->down_until);
    return cable->down_until > functional->now || faults->sites[cable->sites[0]].in_reset ||
           faults->sites[cable->sites[1]].in_reset;
}

/* Those whose senders have gone into reset or have not. */
static void change_channels(struct functional *functional, bool enters)
{
    struct functional_faults *faults = functional->faults;
    for (unsigned i = 0; i < 2 * faults->schedule.cable_count; i++)
        if (faults->channels[i].from->faults->enters == enters)
            change_channel(functional, &faults->channels[i], is_cut(functional, &faults->schedule.cables[i / 2]));
}

/* A packet's way through a site that goes into reset ends where the packet comes from before it ends behind the site:
 * until then the parts of the packet keep each other. */
static void change(struct functional *functional)
{
    struct functional_faults *faults = functional->faults;
    fault_schedule_begin(&faults->schedule, functional->now, NULL, NULL);
    for (unsigned i = 0; i < functional->site_count; i++)
        change_site(functional, &functional->sites[i]);
    change_channels(functional, false);
    change_channels(functional, true);
    for (unsigned i = 0; i < functional->site_count; i++)
        if (faults->sites[i].enters)
            forget(functional, &functional->sites[i]);
}

/* Those that are listed meanwhile are for the next clock. */
static void clock_channels(struct functional *functional)
{
    struct functional_faults *faults = functional->faults;
    unsigned count = faults->listed_count;
    for (unsigned i = 0; i < count; i++)
        channel_clock(functional, faults->listed[i]);
    faults->listed_count -= count;
    for (unsigned i = 0; i < faults->listed_count; i++)
        faults->listed[i] = faults->listed[count + i];
}

void faults_clock(struct functional *functional)
{
    clock_channels(functional);
    if (functional->faults->schedule.next <= functional->now)
        change(functional);
}

uint64_t faults_next(const struct functional *functional)
{
    return functional->faults ? functional->faults->schedule.next : UINT64_MAX;
}
