/* See cables.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/cables.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "mesh/discipline.h"

/* One direction of a cable. */
struct lane {
    const unsigned char *source; /* what is put in */
    struct site *to;
    unsigned link, far_link;
    const struct lane *back; /* the other direction */
    uint64_t *slots;
    unsigned length, next;  /* slots; the one that comes out next */
    unsigned char shown[8]; /* what the site at the end is shown */
};

struct cables {
    struct lane *lanes;
    unsigned count;
    uint64_t *slots;
    bool words; /* that links carry */
};

static size_t count_slots(const struct mesh_config *mesh)
{
    size_t count = 0;
    for (unsigned i = 0; i < mesh->cable_end_count; i++)
        count += mesh->cable_ends[i].delay - 1u;
    return count;
}

/* The lane to this end of a cable. */
static void lay(struct engine *engine, struct cables *cables, const struct pr_cable *end, uint64_t **slots)
{
    struct site *site = &engine->sites[end->site];
    struct lane *lane = &cables->lanes[cables->count++];
    *lane = (struct lane){.source = site->sources[end->link],
                          .to = site,
                          .link = end->link,
                          .far_link = end->far_link,
                          .slots = *slots,
                          .length = end->delay - 1u};
    *slots += lane->length;
    site->sources[end->link] = lane->shown;
    if (lane->length > 0)
        site->neighbours[end->link]->wakes[lane->far_link] = 64 *
                                                             engine->active_words; /* the cable wakes, and not yet */
}

static void join(struct cables *cables, struct lane *lane)
{
    for (unsigned i = 0; i < cables->count; i++)
        if (cables->lanes[i].to == lane->to->neighbours[lane->link] && cables->lanes[i].link == lane->far_link)
            lane->back = &cables->lanes[i];
}

int cables_create(struct engine *engine, struct cables **out, char *error, size_t error_size)
{
    const struct mesh_config *mesh = &engine->mesh;
    *out = NULL;
    if (mesh->cable_end_count == 0)
        return 0;
    struct cables *cables = calloc(1, sizeof *cables);
    if (cables) {
        cables->lanes = calloc(mesh->cable_end_count, sizeof *cables->lanes);
        cables->slots = calloc(count_slots(mesh) + 1, sizeof *cables->slots);
    }
    if (!cables || !cables->lanes || !cables->slots) {
        snprintf(error, error_size, "no memory for cables");
        cables_destroy(cables);
        return -1;
    }
    uint64_t *slots = cables->slots;
    cables->words = !mesh->discipline->lines;
    for (unsigned i = 0; i < mesh->cable_end_count; i++)
        lay(engine, cables, &mesh->cable_ends[i], &slots);
    for (unsigned i = 0; i < cables->count; i++)
        join(cables, &cables->lanes[i]);
    *out = cables;
    return 0;
}

void cables_destroy(struct cables *cables)
{
    if (!cables)
        return;
    free(cables->lanes);
    free(cables->slots);
    free(cables);
}

static void come_out(struct engine *engine, struct lane *lane)
{
    uint64_t value = lane->slots[lane->next];
    engine_store_slot(lane->shown, value);
    engine->on_cables -= value != 0;
    if (value & LINK_SLOT_WORD)
        engine_activate(engine, lane->to);
}

/* The status that decides whether a word goes in: as the sender sees it, or on a cable without a delay as the receiver
 * has it. With faults the two differ: a filter (link_fault_model.h) holds a word for the receiver that the sender has
 * got rid of.
 */
static uint64_t wait_seen(const struct lane *lane)
{
    const unsigned char *seen = lane->length > 0 ? lane->back->shown : lane->to->link_out + 8 * (size_t)lane->link;
    return engine_load_slot(seen) & LINK_SLOT_WAIT;
}

/* A word that is shown to `wait` stays where it is. */
static uint64_t entering(const struct cables *cables, const struct lane *lane)
{
    uint64_t value = engine_load_slot(lane->source);
    return cables->words && wait_seen(lane) ? value & LINK_SLOT_WAIT : value;
}

static void go_in(struct engine *engine, struct lane *lane, bool in_reset)
{
    uint64_t value = in_reset ? 0 : entering(engine->cables, lane);
    lane->slots[lane->next] = value;
    lane->next = lane->next + 1 == lane->length ? 0 : lane->next + 1;
    engine->on_cables += value != 0;
}

void cables_clock(struct engine *engine, bool in_reset)
{
    struct cables *cables = engine->cables;
    for (unsigned i = 0; i < cables->count; i++)
        if (cables->lanes[i].length > 0)
            come_out(engine, &cables->lanes[i]);
        else
            engine_store_slot(cables->lanes[i].shown, entering(cables, &cables->lanes[i]));
    for (unsigned i = 0; i < cables->count; i++)
        if (cables->lanes[i].length > 0)
            go_in(engine, &cables->lanes[i], in_reset);
}
