/* See fault_injection.h. A fault is a schedule: the clock in which it comes next. What it hits keeps the clock until
 * which it is hit, so that faults may overlap.
 *
 *              schedule due, or engine_request_reset               schedule due
 *   site:  runs ------------------------------> in reset     runs ------------> stopped
 *            ^     enter_reset, hook(false)        |           ^                   |
 *            +-------------------------------------+           +-------------------+
 *              now >= reset_until: leave_reset, hook(true)       now >= stop_until
 *
 *   cable: up <-> down       down while now < down_until, or while either end is in reset: both ends see link_down
 *
 * In reset and stopped at once is possible. A further fault while one lasts only makes it longer.
 *
 * Lines need no filter, those of board links (slot_links.v) and those of a discipline whose links carry no words: a
 * cable that is cut carries 0, and damage inverts a bit on it.
 *
 * Other links with a filter (link_fault_model.h): the sites at the ends are shown what comes out of it (site->sources),
 * not what the other end shows.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/fault_injection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/link_fault_model.h"
#include "engine/site_functions.h"
#include "mesh/discipline.h"
#include "support/random.h"

/* Streams of random numbers: one a schedule, two a cable. */
#define STREAM_SCHEDULES 0x5343480000000000u
#define STREAM_DAMAGE    0x44414d0000000000u

/* Damage to the words of one direction, or to the bits of lines. On a board link each takes CABLE_BIT_CLOCKS. */
enum { CABLE_BIT_CLOCKS = 4 };
struct damage {
    double share;           /* of the new words; lines: of the clocks */
    uint64_t left;          /* new words, or clocks, until one is damaged, that one included */
    uint64_t inverted;      /* lines: the bit that is inverted now */
    unsigned inverted_left; /* clocks for which it stays so */
    struct random random;
};

/* Direction i is from end i to the other. */
struct cable {
    struct site *ends[2];
    unsigned links[2];   /* of the ends */
    uint64_t down_until; /* dead before this clock; UINT64_MAX: for good */
    bool down;           /* as the sites were told: dead, or an end in reset */
    struct link_filter filters[2];
    bool at_rest; /* they were idle, and nothing was shown, when the slots were last written */
    struct damage damage[2];
    unsigned char slots[2][8]; /* what end i is shown: the other's word, and its status */
};

struct schedule {
    struct fault fault;
    struct random random;
    uint64_t next;
};

struct faults {
    struct schedule *schedules;
    struct cable *cables;
    unsigned schedule_count, cable_count;
    bool all_rest; /* every cable does */
    struct fault_counts counts;
    simulation_reset_hook *hook;
    void *hook_context;
};

static bool links_carry_lines(const struct engine *engine)
{
    return engine->mesh.board_links || engine->mesh.discipline->link_bits;
}

/* May this fault hit the cable between these two ends? */
static bool may_hit(const struct fault *fault, const struct site *site, unsigned link, const struct site *far,
                    unsigned far_link)
{
    bool here = fault->site == FAULT_ANY || fault->site == (int)site->number;
    bool there = fault->site == FAULT_ANY || fault->site == (int)far->number;
    bool any_link = fault->link == FAULT_ANY || fault->kind == FAULT_RESET;
    if (fault->kind == FAULT_STOP)
        return false;
    return (here && (any_link || fault->link == (int)link)) || (there && (any_link || fault->link == (int)far_link));
}

static void add_damage(struct damage *damage, const struct fault *fault, const struct site *site, unsigned link)
{
    bool here = fault->site == FAULT_ANY || (fault->site == (int)site->number && fault->link == (int)link);
    if (fault->kind == FAULT_CORRUPT && here)
        damage->share = 1 - (1 - damage->share) * (1 - fault->share);
}

/* One cable of a site, seen from the end with the lower number (of site, then of link). */
static void add_cable(struct engine *engine, struct faults *faults, const struct simulation_options *options,
                      struct site *site, unsigned link)
{
    struct site *far = site->neighbours[link];
    unsigned far_link = (unsigned)mesh_facing_link(&engine->mesh, (int)link);
    struct cable *cable = &faults->cables[faults->cable_count];
    bool hit = options->restartable && (site->functions->load || far->functions->load);
    *cable = (struct cable){.ends = {site, far}, .links = {link, far_link}};
    for (unsigned i = 0; i < options->fault_count; i++) {
        hit |= may_hit(&options->faults[i], site, link, far, far_link);
        add_damage(&cable->damage[0], &options->faults[i], site, link);
        add_damage(&cable->damage[1], &options->faults[i], far, far_link);
    }
    if (!hit)
        return;
    for (unsigned end = 0; end < 2; end++) {
        struct damage *damage = &cable->damage[end];
        random_seed(&damage->random, options->seed,
                    STREAM_DAMAGE + cable->ends[end]->number * ENGINE_MAX_LINKS + cable->links[end]);
        if (links_carry_lines(engine))
            damage->share /= engine->mesh.link_clocks;
        if (damage->share > 0)
            damage->left = random_geometric(&damage->random, damage->share);
        cable->ends[end]->sources[cable->links[end]] = cable->slots[end];
    }
    faults->cable_count++;
}

static void add_cables(struct engine *engine, struct faults *faults, const struct simulation_options *options)
{
    for (unsigned i = 0; i < engine->site_count; i++)
        for (unsigned link = 0; link < engine->links; link++) {
            struct site *site = &engine->sites[i];
            const struct site *far = site->neighbours[link];
            unsigned far_link = (unsigned)mesh_facing_link(&engine->mesh, (int)link);
            if (far && (far->number > i || (far->number == i && far_link > link)))
                add_cable(engine, faults, options, site, link);
        }
}

/* When the schedule's fault comes after clock `after`. */
static uint64_t next_time(struct schedule *schedule, uint64_t after)
{
    return after + random_geometric(&schedule->random, 1.0 / (double)schedule->fault.at);
}

static void add_schedules(struct engine *engine, struct faults *faults, const struct simulation_options *options)
{
    for (unsigned i = 0; i < options->fault_count; i++) {
        struct schedule *schedule = &faults->schedules[faults->schedule_count];
        *schedule = (struct schedule){.fault = options->faults[i]};
        if (schedule->fault.kind == FAULT_CORRUPT)
            continue;
        random_seed(&schedule->random, options->seed, STREAM_SCHEDULES + i);
        schedule->next = schedule->fault.repeated ? next_time(schedule, 0) : schedule->fault.at;
        if (schedule->next < engine->next_fault)
            engine->next_fault = schedule->next;
        faults->schedule_count++;
    }
}

int faults_create(struct engine *engine, const struct simulation_options *options, struct faults **out, char *error,
                  size_t error_size)
{
    *out = NULL;
    if (options->fault_count == 0 && !options->restartable)
        return 0;
    struct faults *faults = calloc(1, sizeof *faults);
    if (faults) {
        faults->schedules = calloc(options->fault_count + 1, sizeof *faults->schedules);
        faults->cables = calloc((size_t)engine->site_count * engine->links / 2 + 1, sizeof *faults->cables);
    }
    if (!faults || !faults->schedules || !faults->cables) {
        snprintf(error, error_size, "no memory for faults");
        faults_destroy(faults);
        return -1;
    }
    add_cables(engine, faults, options);
    add_schedules(engine, faults, options);
    *out = faults;
    return 0;
}

void faults_destroy(struct faults *faults)
{
    if (!faults)
        return;
    free(faults->schedules);
    free(faults->cables);
    free(faults);
}

void faults_set_hook(struct faults *faults, simulation_reset_hook *hook, void *context)
{
    faults->hook = hook;
    faults->hook_context = context;
}

const struct fault_counts *faults_counts(const struct faults *faults)
{
    return &faults->counts;
}

/* The cable that a fault hits this time; one that `any` is not true of is there, as the parser has seen to. */
static struct cable *pick_cable(struct faults *faults, struct schedule *schedule)
{
    const struct fault *fault = &schedule->fault;
    for (;;) {
        struct cable *cable = &faults->cables[random_below(&schedule->random, faults->cable_count)];
        if (may_hit(fault, cable->ends[0], cable->links[0], cable->ends[1], cable->links[1]))
            return cable;
    }
}

static void begin_stop(struct engine *engine, struct site *site, uint64_t clocks)
{
    engine->faults->counts.stops += engine_extend_fault(&site->stop_until, engine->now, clocks);
    if (site->functions->stop_begins)
        site->functions->stop_begins(engine, site);
}

static void begin(struct engine *engine, struct schedule *schedule)
{
    const struct fault *fault = &schedule->fault;
    struct faults *faults = engine->faults;
    uint64_t now = engine->now;
    if (fault->kind == FAULT_LINK) {
        faults->counts.links_down += engine_extend_fault(&pick_cable(faults, schedule)->down_until, now, fault->clocks);
        return;
    }
    unsigned number = fault->site == FAULT_ANY ? random_below(&schedule->random, engine->site_count)
                                               : (unsigned)fault->site;
    struct site *site = &engine->sites[number];
    if (fault->kind == FAULT_RESET)
        faults->counts.resets += engine_extend_fault(&site->reset_until, now, fault->clocks);
    else
        begin_stop(engine, site, fault->clocks);
}

static void note(struct engine *engine, uint64_t clock)
{
    if (clock > engine->now && clock < engine->next_fault)
        engine->next_fault = clock;
}

static void change_site(struct engine *engine, struct site *site)
{
    struct faults *faults = engine->faults;
    bool in_reset = site->reset_until > engine->now, stopped = site->stop_until > engine->now;
    if (in_reset != site->in_reset) {
        if (in_reset && faults->hook)
            faults->hook(faults->hook_context, &engine->simulation, site->number, false);
        if (in_reset)
            engine_enter_reset(engine, site);
        else
            engine_leave_reset(engine, site);
        if (!in_reset && faults->hook)
            faults->hook(faults->hook_context, &engine->simulation, site->number, true);
    }
    if (stopped != site->stopped) {
        site->stopped = stopped;
        if (site->functions->stop_changed)
            site->functions->stop_changed(engine, site);
        engine_activate(engine, site);
    }
    note(engine, site->reset_until);
    note(engine, site->stop_until);
}

static void change_cable(struct engine *engine, struct cable *cable)
{
    bool down = cable->down_until > engine->now || cable->ends[0]->in_reset || cable->ends[1]->in_reset;
    note(engine, cable->down_until);
    if (down == cable->down)
        return;
    cable->down = down;
    for (unsigned end = 0; end < 2; end++) {
        engine_set_link_down(cable->ends[end], cable->links[end], down);
        engine_activate(engine, cable->ends[end]);
    }
}

void faults_change(struct engine *engine)
{
    struct faults *faults = engine->faults;
    uint64_t now = engine->now;
    engine->next_fault = UINT64_MAX;
    engine->reset_requested = false;
    for (unsigned i = 0; i < faults->schedule_count; i++) {
        struct schedule *schedule = &faults->schedules[i];
        if (schedule->next <= now) {
            begin(engine, schedule);
            schedule->next = schedule->fault.repeated ? next_time(schedule, now) : UINT64_MAX;
        }
        note(engine, schedule->next);
    }
    for (unsigned i = 0; i < engine->site_count; i++)
        change_site(engine, &engine->sites[i]);
    for (unsigned i = 0; i < faults->cable_count; i++)
        change_cable(engine, &faults->cables[i]);
    faults->all_rest = false;
}

/* Is this new word damaged? */
static bool damaged(struct faults *faults, struct damage *damage)
{
    if (damage->share == 0 || --damage->left > 0)
        return false;
    damage->left = random_geometric(&damage->random, damage->share);
    faults->counts.corrupted_words++;
    return true;
}

/* One direction of a cable of lines: their levels at the far end. Damage hits one of them. The caller wakes the site
 * there, but not on a board link, which shows levels when nothing is sent, too. */
static uint64_t carry_lines(struct engine *engine, struct cable *cable, unsigned from, uint64_t levels)
{
    struct damage *damage = &cable->damage[from];
    bool board = engine->mesh.board_links;
    if (cable->down)
        return 0;
    if (damaged(engine->faults, damage)) {
        damage->inverted_left = board ? CABLE_BIT_CLOCKS : 1;
        damage->inverted = board ? 1 : (uint64_t)1 << random_below(&damage->random, mesh_link_width(&engine->mesh));
    }
    if (damage->inverted_left == 0)
        return levels;
    damage->inverted_left--;
    return levels ^ damage->inverted;
}

/* One direction: what end `from` shows, as the other end sees it; and the status that `from` sees. */
static void filter_direction(struct engine *engine, struct cable *cable, unsigned from, const uint64_t shown[2],
                             uint64_t out[2])
{
    struct link_filter *filter = &cable->filters[from];
    unsigned word_width = (unsigned)engine->mesh.word_width;
    struct link_clock clock = {
        .word = shown[from] & LINK_SLOT_WORD, .wait = shown[!from] & LINK_SLOT_WAIT, .cut = cable->down};
    if (clock.word >> word_width == 0)
        clock.word = 0;
    if (cable->ends[from]->in_reset) {
        link_filter_reset_sender(filter);
        clock.word = 0;
    }
    if (cable->ends[!from]->in_reset) {
        link_filter_reset_receiver(filter);
        clock.wait = true;
    }
    if (!clock.cut && link_filter_new_word(filter, clock.word))
        clock.damaged = damaged(engine->faults, &cable->damage[from]);
    link_filter_clock(filter, word_width, &clock);
    out[!from] |= clock.shown;
    out[from] |= clock.status ? LINK_SLOT_WAIT : 0;
    if (clock.shown)
        engine_activate(engine, cable->ends[!from]);
}

/* Nothing is shown at either end, nothing has been, and nothing keeps a filter at work: what goes through is nothing.
 */
static bool rests(struct cable *cable, const uint64_t shown[2])
{
    static const struct link_filter idle;
    if (cable->at_rest && (shown[0] | shown[1]) == 0 && !cable->down)
        return true;
    cable->at_rest = (shown[0] | shown[1]) == 0 && !cable->down &&
                     memcmp(&cable->filters[0], &idle, sizeof idle) == 0 &&
                     memcmp(&cable->filters[1], &idle, sizeof idle) == 0;
    return false;
}

void faults_filter_links(struct engine *engine)
{
    struct faults *faults = engine->faults;
    if (faults->all_rest && !engine->links_show)
        return;
    faults->all_rest = true;
    for (unsigned i = 0; i < faults->cable_count; i++) {
        struct cable *cable = &faults->cables[i];
        uint64_t shown[2], out[2] = {0, 0};
        for (unsigned end = 0; end < 2; end++)
            memcpy(&shown[end], cable->ends[end]->link_out + 8 * cable->links[end], sizeof shown[end]);
        if (!engine->mesh.board_links && rests(cable, shown))
            continue;
        faults->all_rest = false;
        if (links_carry_lines(engine)) {
            for (unsigned end = 0; end < 2; end++) {
                out[!end] = carry_lines(engine, cable, end, shown[end] & LINK_SLOT_WORD);
                if (out[!end] && !engine->mesh.board_links)
                    engine_activate(engine, cable->ends[!end]);
            }
            cable->at_rest &= (out[0] | out[1]) == 0;
        } else {
            filter_direction(engine, cable, 0, shown, out);
            filter_direction(engine, cable, 1, shown, out);
        }
        for (unsigned end = 0; end < 2; end++)
            memcpy(cable->slots[end], &out[end], sizeof out[end]);
    }
}
