/* See fault_schedule.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "simulation/fault_schedule.h"

#include "mesh/discipline.h"

#include "support/run_memory.h"

/* Streams of random numbers: one a timer, two a cable. */
#define STREAM_SCHEDULES 0x5343480000000000u
#define STREAM_DAMAGE    0x44414d0000000000u

enum { LINKS_MOST = 15 };

struct fault_timer {
    struct fault fault;
    struct random random;
    uint64_t next; /* the clock in which it comes */
};

/* May this fault hit the cable? */
static bool may_hit(const struct fault *fault, const struct fault_cable *cable)
{
    bool any_link = fault->link == FAULT_ANY || fault->kind == FAULT_RESET;
    if (fault->kind == FAULT_STOP)
        return false;
    for (unsigned end = 0; end < 2; end++)
        if ((fault->site == FAULT_ANY || fault->site == (int)cable->sites[end]) &&
            (any_link || fault->link == (int)cable->links[end]))
            return true;
    return false;
}

static void add_damage(struct fault_cable *cable, unsigned end, const struct fault *fault)
{
    struct fault_damage *damage = &cable->damage[end];
    bool here = fault->site == FAULT_ANY ||
                (fault->site == (int)cable->sites[end] && fault->link == (int)cable->links[end]);
    if (fault->kind == FAULT_CORRUPT && here)
        damage->share = 1 - (1 - damage->share) * (1 - fault->share);
}

/* Does a word take its clocks on the wires of a link, and not one? */
static bool carries_bits(const struct mesh_config *mesh)
{
    return mesh->board_links || mesh->discipline->link_bits;
}

/* Of a cable that a fault may hit. */
static void start_damage(struct fault_cable *cable, unsigned end, const struct simulation_options *options)
{
    struct fault_damage *damage = &cable->damage[end];
    random_seed(&damage->random, options->seed, STREAM_DAMAGE + cable->sites[end] * LINKS_MOST + cable->links[end]);
    if (carries_bits(options->mesh))
        damage->share /= options->mesh->link_clocks;
    if (damage->share > 0)
        damage->left = random_geometric(&damage->random, damage->share);
}

/* One cable of a site, seen from the end with the lower number (of site, then of link). */
static void add_cable(struct fault_schedule *schedule, const struct simulation_options *options,
                      const struct fault_cable *found, bool hit)
{
    struct fault_cable *cable = &schedule->cables[schedule->cable_count];
    *cable = *found;
    for (unsigned i = 0; i < options->fault_count; i++) {
        hit |= may_hit(&options->faults[i], cable);
        add_damage(cable, 0, &options->faults[i]);
        add_damage(cable, 1, &options->faults[i]);
    }
    if (!hit)
        return;
    start_damage(cable, 0, options);
    start_damage(cable, 1, options);
    schedule->cable_count++;
}

static void add_cables(struct fault_schedule *schedule, const struct simulation_options *options,
                       fault_restarts *restarts, void *context)
{
    const struct mesh_config *mesh = options->mesh;
    for (unsigned site = 0; site < schedule->site_count; site++)
        for (unsigned link = 0; link < (unsigned)mesh->links; link++) {
            struct pr_far_end far = mesh_far_end(mesh, (int)site, (int)link);
            if (far.site < (int)site || (far.site == (int)site && far.link <= link))
                continue;
            struct fault_cable cable = {.sites = {site, (unsigned)far.site}, .links = {link, far.link}};
            add_cable(schedule, options, &cable,
                      restarts && mesh_delay(mesh, (int)site, (int)link) == 1 &&
                          (restarts(context, site) || restarts(context, (unsigned)far.site)));
        }
}

/* When the timer's fault comes after clock `after`. */
static uint64_t next_time(struct fault_timer *timer, uint64_t after)
{
    return after + random_geometric(&timer->random, 1.0 / (double)timer->fault.at);
}

static void add_timers(struct fault_schedule *schedule, const struct simulation_options *options)
{
    for (unsigned i = 0; i < options->fault_count; i++) {
        struct fault_timer *timer = &schedule->timers[schedule->timer_count];
        *timer = (struct fault_timer){.fault = options->faults[i]};
        if (timer->fault.kind == FAULT_CORRUPT)
            continue;
        random_seed(&timer->random, options->seed, STREAM_SCHEDULES + i);
        timer->next = timer->fault.repeated ? next_time(timer, 0) : timer->fault.at;
        if (timer->next < schedule->next)
            schedule->next = timer->next;
        schedule->timer_count++;
    }
}

bool fault_schedule_init(struct fault_schedule *schedule, const struct simulation_options *options,
                         fault_restarts *restarts, void *context)
{
    size_t sites = (size_t)options->mesh->sites, links = (size_t)options->mesh->links;
    *schedule = (struct fault_schedule){.site_count = (unsigned)sites, .next = UINT64_MAX};
    schedule->timers = run_memory_allocate(options->fault_count + 1, sizeof *schedule->timers);
    schedule->cables = run_memory_allocate(sites * links / 2 + 1, sizeof *schedule->cables);
    schedule->hits = run_memory_allocate(sites, sizeof *schedule->hits);
    if (!schedule->timers || !schedule->cables || !schedule->hits)
        return false;
    for (size_t site = 0; site < sites; site++)
        schedule->hits[site].has_operator = !mesh_is_switch(options->mesh, (int)site);
    add_cables(schedule, options, restarts, context);
    add_timers(schedule, options);
    return true;
}

void fault_schedule_free(struct fault_schedule *schedule)
{
    run_memory_free(schedule->timers);
    run_memory_free(schedule->cables);
    run_memory_free(schedule->hits);
}

bool fault_extend(uint64_t *until, uint64_t now, uint64_t clocks)
{
    bool begins = *until == 0 || *until < now;
    uint64_t end = clocks && clocks < UINT64_MAX - now ? now + clocks : UINT64_MAX;
    if (end > *until)
        *until = end;
    return begins;
}

/* The cable that a fault hits this time; one that `any` is not true of is there, as the parser has seen to. */
static struct fault_cable *pick_cable(struct fault_schedule *schedule, struct fault_timer *timer)
{
    for (;;) {
        struct fault_cable *cable = &schedule->cables[random_below(&timer->random, schedule->cable_count)];
        if (may_hit(&timer->fault, cable))
            return cable;
    }
}

/* It is an operator that is stopped, and a switch has none. */
static unsigned pick_site(const struct fault_schedule *schedule, struct fault_timer *timer)
{
    const struct fault *fault = &timer->fault;
    if (fault->site != FAULT_ANY)
        return (unsigned)fault->site;
    for (;;) {
        unsigned site = random_below(&timer->random, schedule->site_count);
        if (fault->kind != FAULT_STOP || schedule->hits[site].has_operator)
            return site;
    }
}

static void begin(struct fault_schedule *schedule, struct fault_timer *timer, uint64_t now, fault_stops *stops,
                  void *context)
{
    const struct fault *fault = &timer->fault;
    struct fault_counts *counts = &schedule->counts;
    if (fault->kind == FAULT_LINK) {
        counts->links_down += fault_extend(&pick_cable(schedule, timer)->down_until, now, fault->clocks);
        return;
    }
    unsigned site = pick_site(schedule, timer);
    if (fault->kind == FAULT_RESET) {
        counts->resets += fault_extend(&schedule->hits[site].reset_until, now, fault->clocks);
        return;
    }
    counts->stops += fault_extend(&schedule->hits[site].stop_until, now, fault->clocks);
    if (stops)
        stops(context, site);
}

void fault_schedule_begin(struct fault_schedule *schedule, uint64_t now, fault_stops *stops, void *context)
{
    schedule->next = UINT64_MAX;
    for (unsigned i = 0; i < schedule->timer_count; i++) {
        struct fault_timer *timer = &schedule->timers[i];
        if (timer->next <= now) {
            begin(schedule, timer, now, stops, context);
            timer->next = timer->fault.repeated ? next_time(timer, now) : UINT64_MAX;
        }
        fault_schedule_note(schedule, now, timer->next);
    }
}

bool fault_damages(struct fault_schedule *schedule, struct fault_damage *damage, uint64_t words)
{
    if (damage->share == 0)
        return false;
    damage->left -= words;
    if (damage->left > 0)
        return false;
    damage->left = random_geometric(&damage->random, damage->share);
    schedule->counts.corrupted_words++;
    return true;
}

unsigned fault_end_pauses(struct fault_schedule *schedule, uint64_t now)
{
    unsigned ended = 0;
    for (unsigned i = 0; i < schedule->site_count; i++) {
        struct fault_hits *hits = &schedule->hits[i];
        if (hits->stop_until <= now || hits->stop_until == UINT64_MAX)
            continue;
        hits->stop_until = UINT64_MAX;
        ended++;
    }
    return ended;
}
