/* Builds and tears down a mesh: models, wiring, operators, reset.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/engine_setup.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/cables.h"
#include "engine/fault_injection.h"
#include "engine/mesh_capture.h"
#include "engine/oscillators.h"
#include "engine/site_functions.h"
#include "engine/verilated_model.h"
#include "mesh/mesh_routes.h"
#include "operator/site_set.h"
#include "support/install_paths.h"

enum { PATH_SIZE = 4096 };

#define TABLE_ROW(constant, name) [constant] = &site_##name,
static const struct site_functions *const tables[] = {SITE_KINDS(TABLE_ROW)};

static int create_model(struct engine *engine, unsigned number, char *error, size_t error_size)
{
    struct site *site = &engine->sites[number];
    enum engine_part part = site->functions->part;
    site->table = engine->parts[part].library.table;
    site->number = number;
    site->wake = site->asleep_since = UINT64_MAX;
    site->words = engine->words + (size_t)number * engine->links;
    void *model = verilated_model_new(site->table, engine->parts[part].context, number, error, error_size);
    if (!model)
        return -1;
    verilated_model_connect(&engine->mesh, site, model);
    return 0;
}

static void wire(struct engine *engine, unsigned number)
{
    const struct mesh_config *mesh = &engine->mesh;
    struct site *site = &engine->sites[number];
    for (int link = 0; link < mesh->links; link++) {
        struct pr_far_end far = mesh_far_end(mesh, (int)number, link);
        site->neighbours[link] = far.site < 0 ? NULL : &engine->sites[far.site];
        site->wakes[link] = far.site < 0 ? 64 * engine->active_words : (unsigned)far.site;
        site->sources[link] = far.site < 0 ? engine_no_slot : engine->sites[far.site].link_out + 8 * far.link;
    }
}

/* All sites together, statuses wait; then all sites are active until they turn out to be quiet. */
static void reset(struct engine *engine)
{
    for (unsigned i = 0; i < engine->site_count; i++)
        *engine->sites[i].ports.reset = 1;
    static const unsigned clocks[] = {[MESH_LINKS_ON_CHIP] = ENGINE_RESET_CLOCKS,
                                      [MESH_LINKS_SHARED] = ENGINE_TRAINING_CLOCKS,
                                      [MESH_LINKS_EAGER] = ENGINE_EAGER_TRAINING_CLOCKS};
    for (unsigned clock = 0; clock < clocks[engine->mesh.board_links]; clock++) {
        if (engine->faults)
            faults_filter_links(engine, true);
        if (engine->cables)
            cables_clock(engine, true);
        for (unsigned i = 0; i < engine->site_count; i++)
            engine_exchange_links(engine, &engine->sites[i]);
        for (unsigned i = 0; i < engine->site_count; i++)
            if (clock >= engine->sites[i].later)
                engine->sites[i].table->clock(engine->sites[i].model);
    }
    if (engine->cables)
        cables_clock(engine, false);
    for (unsigned i = 0; i < engine->site_count; i++) {
        struct site *site = &engine->sites[i];
        *site->ports.reset = 0;
        site->table->settle(site->model);
        engine_activate(engine, site);
    }
    engine->links_show = true;
}

static int open_trace(struct engine *engine, const char *file, char *error, size_t error_size)
{
    void **models = calloc(engine->site_count, sizeof *models);
    for (unsigned i = 0; models && i < engine->site_count; i++)
        models[i] = engine->sites[i].model;
    if (models)
        engine->trace = engine->sites->table->trace_open(file, models, engine->site_count);
    free(models);
    if (engine->trace)
        return 0;
    snprintf(error, error_size, "%s: cannot be written, expected a name for an FST file", file);
    return -1;
}

/* What is verilated of this mesh's sites, and what the models of each part share. */
static int open_part(struct engine *engine, const struct simulation_options *options, enum engine_part part,
                     char *error, size_t error_size)
{
    char firmware[PATH_SIZE] = "";
    bool whole = part == PART_SITE;
    enum site_extra extra = options->waves ? SITE_WAVES : options->observed ? SITE_OBSERVED : SITE_PLAIN;
    if (verilated_site_open(&engine->parts[part].library, &engine->mesh, whole, extra, error, error_size) != 0 ||
        (whole && install_paths_image(options->firmware_hex, "firmware/node.hex", "build/firmware/node.hex", firmware,
                                      sizeof firmware, error, error_size) != 0))
        return -1;
    engine->parts[part].context = engine->parts[part].library.table->context_create(whole ? firmware : NULL);
    if (engine->parts[part].context)
        return 0;
    snprintf(error, error_size, "no memory for a simulation");
    return -1;
}

static int open_parts(struct engine *engine, const struct simulation_options *options, char *error, size_t error_size)
{
    unsigned sites[ENGINE_PARTS] = {0};
    for (unsigned i = 0; i < engine->site_count; i++)
        sites[engine->sites[i].functions->part]++;
    if (sites[PART_FABRIC] && sites[PART_SITE] && options->waves) {
        snprintf(error, error_size, "waves of whole sites beside others, expected one kind of sites");
        return -1;
    }
    for (enum engine_part part = 0; part < ENGINE_PARTS; part++)
        if (sites[part] && open_part(engine, options, part, error, error_size) != 0)
            return -1;
    return 0;
}

/* Each kind that some site is of, in the order of their rows. */
static int open_kinds(struct engine *engine, const struct simulation_options *options, char *error, size_t error_size)
{
    for (unsigned kind = 0; kind < SITE_KIND_COUNT; kind++) {
        if (!engine->kinds[kind] || !tables[kind]->open)
            continue;
        if (tables[kind]->open(engine, options, error, error_size) != 0)
            return -1;
    }
    return 0;
}

static int choose_kinds(struct engine *engine, const struct simulation_options *options, char *error, size_t error_size)
{
    for (unsigned i = 0; i < engine->site_count; i++) {
        struct site *site = &engine->sites[i];
        bool is_switch = mesh_is_switch(&engine->mesh, (int)i);
        site->kind = is_switch ? SITE_SWITCH : options->nodes ? options->nodes[i] : options->kind;
        site->functions = tables[site->kind];
        engine->kinds[site->kind]++;
    }
    if (!engine->kinds[SITE_NATIVE] || !engine->mesh.reliable || engine->site_count <= SIMULATION_RELIABLE_SITES)
        return 0;
    snprintf(error, error_size, "the reliable service on %u native sites, expected at most %d, or the raw service",
             engine->site_count, SIMULATION_RELIABLE_SITES);
    return -1;
}

static int attach_sites(struct engine *engine, const struct simulation_options *options, char *error, size_t error_size)
{
    for (unsigned i = 0; i < engine->site_count; i++) {
        struct site *site = &engine->sites[i];
        wire(engine, i);
        if (site->functions->attach(engine, site, options, error, error_size) != 0)
            return -1;
        if (site->interface)
            engine->operators[engine->operator_count++] = site;
    }
    return 0;
}

static int set_up_sites(struct engine *engine, const struct simulation_options *options, char *error, size_t error_size)
{
    if (mesh_routes_check(&engine->mesh, error, error_size) != 0 ||
        choose_kinds(engine, options, error, error_size) != 0 || open_parts(engine, options, error, error_size) != 0 ||
        open_kinds(engine, options, error, error_size) != 0)
        return -1;
    for (unsigned i = 0; i < engine->site_count; i++)
        if (create_model(engine, i, error, error_size) != 0)
            return -1;
    if (attach_sites(engine, options, error, error_size) != 0 ||
        faults_create(engine, options, &engine->faults, error, error_size) != 0 ||
        cables_create(engine, &engine->cables, error, error_size) != 0)
        return -1;
    if (options->waves && open_trace(engine, options->waves, error, error_size) != 0)
        return -1;
    if (options->capture && !(engine->capture = mesh_capture_begin(&engine->mesh, options, error, error_size)))
        return -1;
    oscillators_draw(engine, options->seed);
    reset(engine);
    return 0;
}

/* The set of sites that are relays. False: no memory. */
static bool note_relays(struct engine *engine, const struct simulation_options *options)
{
    engine->relaying = calloc(PR_OPERATOR_SET_WORDS(engine->site_count), sizeof *engine->relaying);
    for (unsigned i = 0; engine->relaying && i < engine->site_count; i++)
        if ((options->nodes ? options->nodes[i] : options->kind) == SITE_NATIVE || options->image_relays)
            pr_site_set_add(engine->relaying, i);
    return engine->relaying != NULL;
}

static struct engine *allocate(const struct simulation_options *options)
{
    const struct mesh_config *mesh = options->mesh;
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return NULL;
    engine->mesh = *mesh;
    engine->site_count = (unsigned)mesh->sites;
    engine->links = (unsigned)mesh->links;
    engine->stall = options->stall;
    engine->clocks = options->clocks;
    engine->pool = options->pool ? options->pool : SIMULATION_DEFAULT_POOL;
    engine->window = options->window ? options->window : SIMULATION_DEFAULT_WINDOW;
    engine->repeated_unicasts = options->repeated_unicasts;
    engine->sleepless = options->sleepless || engine_never_rests(engine);
    engine->next_wake = engine->next_fault = UINT64_MAX;
    engine->active_words = (engine->site_count + 63) / 64;
    engine->sites = calloc(engine->site_count, sizeof *engine->sites);
    engine->operators = calloc(engine->site_count, sizeof(struct site *));
    engine->active = calloc(engine->active_words + 1, sizeof *engine->active);
    engine->next = calloc(engine->active_words + 1, sizeof *engine->next);
    engine->words = calloc((size_t)engine->site_count * engine->links, sizeof *engine->words);
    if (engine->sites && engine->operators && engine->active && engine->next && engine->words &&
        (!options->relays || note_relays(engine, options)))
        return engine;
    engine_tear_down(engine);
    return NULL;
}

static bool has_delays(const struct mesh_config *mesh)
{
    for (unsigned i = 0; i < mesh->cable_end_count; i++)
        if (mesh->cable_ends[i].delay > 1)
            return true;
    return false;
}

struct engine *engine_set_up(const struct simulation_options *options, char *error, size_t error_size)
{
    const struct mesh_config *mesh = options->mesh;
    if (mesh->links > ENGINE_MAX_LINKS || options->stall > 99) {
        snprintf(error, error_size, "%d links a site or a stall of %u percent, expected at most %d and 99", mesh->links,
                 options->stall, ENGINE_MAX_LINKS);
        return NULL;
    }
    if (mesh->sites > PR_CONSOLE_SITES_MAX) {
        snprintf(error, error_size, "%d sites, expected at most %d, or --engine functional", mesh->sites,
                 PR_CONSOLE_SITES_MAX);
        return NULL;
    }
    if (options->fault_count && has_delays(mesh)) {
        snprintf(error, error_size, "faults on cables with a delay, expected cables without one");
        return NULL;
    }
    struct engine *engine = allocate(options);
    if (!engine) {
        snprintf(error, error_size, "no memory for %d sites", mesh->sites);
        return NULL;
    }
    if (set_up_sites(engine, options, error, error_size) == 0)
        return engine;
    engine_tear_down(engine);
    return NULL;
}

int engine_end_waves(struct engine *engine)
{
    int error = engine->trace ? engine->sites->table->trace_close(engine->trace) : 0;
    engine->trace = NULL;
    return error;
}

int engine_end_capture(struct engine *engine, char *error, size_t error_size)
{
    int result = engine->capture ? mesh_capture_end(engine->capture, engine->now, error, error_size) : 0;
    engine->capture = NULL;
    return result;
}

static void free_site(struct site *site)
{
    if (site->model)
        site->table->destroy(site->model);
    if (site->functions)
        site->functions->free(site);
}

void engine_tear_down(struct engine *engine)
{
    engine_end_waves(engine);
    mesh_capture_abandon(engine->capture);
    for (unsigned i = 0; engine->sites && i < engine->site_count; i++)
        free_site(&engine->sites[i]);
    for (unsigned kind = 0; kind < SITE_KIND_COUNT; kind++)
        if (engine->kinds[kind] && tables[kind]->close)
            tables[kind]->close(engine);
    faults_destroy(engine->faults);
    cables_destroy(engine->cables);
    for (unsigned part = 0; part < ENGINE_PARTS; part++) {
        if (engine->parts[part].context)
            engine->parts[part].library.table->context_destroy(engine->parts[part].context);
        verilated_site_close(&engine->parts[part].library);
    }
    free(engine->sites);
    free(engine->operators);
    free(engine->active);
    free(engine->next);
    free(engine->words);
    free(engine->relaying);
    free(engine);
}
