/* See fault_injection.h. When faults come, and what they hit until which clock, is in simulation/fault_schedule.h:
 * faults may overlap.
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
#include "simulation/fault_schedule.h"
#include "support/random.h"

/* A line of one direction that is damaged. On a board link damage takes CABLE_BIT_CLOCKS. */
enum { CABLE_BIT_CLOCKS = 4 };
struct inversion {
    uint64_t bits;
    unsigned left; /* clocks for which they stay inverted */
};

/* Direction i is from end i to the other. */
struct cable {
    struct fault_cable *hit;
    struct site *ends[2];
    bool down; /* as the sites were told: dead, or an end in reset */
    struct link_filter filters[2];
    bool at_rest; /* they were idle, and nothing was shown, when the slots were last written */
    struct inversion inversions[2];
    unsigned char slots[2][8]; /* what end i is shown: the other's word, and its status */
};

struct faults {
    struct fault_schedule schedule;
    struct cable *cables;
    bool all_rest; /* every cable does */
    simulation_reset_hook *hook;
    void *hook_context;
};

static bool links_carry_lines(const struct engine *engine)
{
    return engine->mesh.board_links || engine->mesh.discipline->lines;
}

static bool restarts(void *context, unsigned site)
{
    const struct engine *engine = context;
    return engine->sites[site].functions->load;
}

/* What the sites at the ends of the schedule's cables are shown comes out of these. */
static void add_cables(struct engine *engine, struct faults *faults)
{
    for (unsigned i = 0; i < faults->schedule.cable_count; i++) {
        struct fault_cable *hit = &faults->schedule.cables[i];
        struct cable *cable = &faults->cables[i];
        cable->hit = hit;
        for (unsigned end = 0; end < 2; end++) {
            cable->ends[end] = &engine->sites[hit->sites[end]];
            cable->ends[end]->sources[hit->links[end]] = cable->slots[end];
        }
    }
}

int faults_create(struct engine *engine, const struct simulation_options *options, struct faults **out, char *error,
                  size_t error_size)
{
    *out = NULL;
    if (options->fault_count == 0 && !options->restartable)
        return 0;
    struct faults *faults = calloc(1, sizeof *faults);
    bool good = faults &&
                fault_schedule_init(&faults->schedule, options, options->restartable ? restarts : NULL, engine);
    if (good)
        good = (faults->cables = calloc(faults->schedule.cable_count + 1u, sizeof *faults->cables)) != NULL;
    if (!good) {
        snprintf(error, error_size, "no memory for faults");
        faults_destroy(faults);
        return -1;
    }
    add_cables(engine, faults);
    for (unsigned i = 0; i < engine->site_count; i++)
        engine->sites[i].hits = &faults->schedule.hits[i];
    engine->next_fault = faults->schedule.next;
    *out = faults;
    return 0;
}

void faults_destroy(struct faults *faults)
{
    if (!faults)
        return;
    fault_schedule_free(&faults->schedule);
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
    return &faults->schedule.counts;
}

static void stop_begins(void *context, unsigned number)
{
    struct engine *engine = context;
    struct site *site = &engine->sites[number];
    if (site->functions->stop_begins)
        site->functions->stop_begins(engine, site);
}

static void change_site(struct engine *engine, struct site *site)
{
    struct faults *faults = engine->faults;
    bool in_reset = site->hits->reset_until > engine->now, stopped = site->hits->stop_until > engine->now;
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
    fault_schedule_note(&faults->schedule, engine->now, site->hits->reset_until);
    fault_schedule_note(&faults->schedule, engine->now, site->hits->stop_until);
}

static void change_cable(struct engine *engine, struct cable *cable)
{
    bool dead = cable->hit->down_until > engine->now;
    bool down = dead || cable->ends[0]->in_reset || cable->ends[1]->in_reset;
    fault_schedule_note(&engine->faults->schedule, engine->now, cable->hit->down_until);
    if (down == cable->down)
        return;
    cable->down = down;
    for (unsigned end = 0; end < 2; end++) {
        engine_set_link_down(cable->ends[end], cable->hit->links[end], down);
        engine_activate(engine, cable->ends[end]);
    }
}

unsigned faults_end_pauses(struct faults *faults, uint64_t now)
{
    return fault_end_pauses(&faults->schedule, now);
}

void faults_change(struct engine *engine)
{
    struct faults *faults = engine->faults;
    engine->reset_requested = false;
    fault_schedule_begin(&faults->schedule, engine->now, stop_begins, engine);
    for (unsigned i = 0; i < engine->site_count; i++)
        change_site(engine, &engine->sites[i]);
    for (unsigned i = 0; i < faults->schedule.cable_count; i++)
        change_cable(engine, &faults->cables[i]);
    engine->next_fault = faults->schedule.next;
    faults->all_rest = false;
}

/* One direction of a cable of lines: their levels at the far end. Damage hits one of them. The caller wakes the site
 * there, but not on a board link, which shows levels when nothing is sent, too. */
static uint64_t carry_lines(struct engine *engine, struct cable *cable, unsigned from, uint64_t levels, bool begins)
{
    struct fault_damage *damage = &cable->hit->damage[from];
    struct inversion *inversion = &cable->inversions[from];
    bool board = engine->mesh.board_links;
    if (cable->down)
        return 0;
    if (begins && inversion->left > 0)
        inversion->left--;
    if (begins && fault_damages(&engine->faults->schedule, damage, 1)) {
        inversion->left = board ? CABLE_BIT_CLOCKS : 1;
        inversion->bits = board ? 1 : (uint64_t)1 << random_below(&damage->random, mesh_link_width(&engine->mesh));
    }
    return inversion->left > 0 ? levels ^ inversion->bits : levels;
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
        clock.damaged = fault_damages(&engine->faults->schedule, &cable->hit->damage[from], 1);
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

void faults_filter_links(struct engine *engine, bool begins)
{
    struct faults *faults = engine->faults;
    if (faults->all_rest && !engine->links_show)
        return;
    faults->all_rest = true;
    for (unsigned i = 0; i < faults->schedule.cable_count; i++) {
        struct cable *cable = &faults->cables[i];
        uint64_t shown[2], out[2] = {0, 0};
        for (unsigned end = 0; end < 2; end++)
            memcpy(&shown[end], cable->ends[end]->link_out + 8 * cable->hit->links[end], sizeof shown[end]);
        if (!engine->mesh.board_links && rests(cable, shown))
            continue;
        faults->all_rest = false;
        if (links_carry_lines(engine)) {
            for (unsigned end = 0; end < 2; end++) {
                out[!end] = carry_lines(engine, cable, end, shown[end] & LINK_SLOT_WORD, begins);
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
