/* Builds and tears down a simulation: models, straps, wiring, reset.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine.h"
#include "protocol.h"

enum {
    DEFAULT_POOL = 32,
    DEFAULT_WINDOW = 4,
    RELIABLE_SITES =
        4096, /* every operator keeps a record of every site: 340 MB then, 16 times that for 4 times as many */
    PATH_SIZE = 4096
};

static void strap(uint32_t *port, uint32_t value)
{
    if (port)
        *port = value;
}

static void set_straps(const struct site_ports *ports, const struct mesh_config *mesh, unsigned site)
{
    strap(ports->site_address, (uint32_t)mesh_address(mesh, (int)site));
    strap(ports->topology, (uint32_t)mesh->topology);
    strap(ports->size_x, (uint32_t)mesh->size_x);
    strap(ports->size_y, (uint32_t)mesh->size_y);
    strap(ports->unicast_lists, mesh->unicast_lists);
    strap(ports->multicast_lists, mesh->multicast_lists);
    strap(ports->divert_threshold, mesh->divert_threshold);
    strap(ports->abort_threshold, mesh->abort_threshold);
    strap(ports->abort_random, mesh->abort_random);
    strap(ports->release_single, mesh->release_single);
    strap(ports->site_number, site);
    strap(ports->links_connected, site_native_links(mesh, site));
    strap(ports->clock_hz, mesh->clock_hz);
    strap(ports->mesh_hash, mesh->hash);
    strap(ports->max_packet, mesh->max_packet);
    strap(ports->retry_limit, mesh->retry_limit);
    strap(ports->relief_limit, mesh->relief_limit);
    strap(ports->receive_patience, mesh->receive_patience);
    strap(ports->reliable, mesh->reliable);
    strap(ports->epoch, 0);
}

static void *new_model(const struct site_model_table *table, void *context, unsigned number, char *error,
                       size_t error_size)
{
    char name[32];
    snprintf(name, sizeof name, "site_%u", number);
    void *model = table->create(context, name);
    if (!model)
        snprintf(error, error_size, "no memory for site %u", number);
    return model;
}

/* The engine looks at this model from now on. */
static void connect_model(struct simulation *simulation, struct site *site, void *model)
{
    site->model = model;
    site->table->ports(model, &site->ports);
    site->link_in = site->ports.link_in;
    site->link_out = site->ports.link_out;
    site->local_in = site->ports.local_in;
    site->local_out = site->ports.local_out;
    set_straps(&site->ports, &simulation->mesh, site->number);
}

static int create_model(struct simulation *simulation, unsigned number, char *error, size_t error_size)
{
    struct site *site = &simulation->sites[number];
    enum simulation_level part = site->kind == SITE_CORE ? LEVEL_SITE : LEVEL_FABRIC;
    site->table = simulation->libraries[part].table;
    site->number = number;
    site->wake = UINT64_MAX;
    site->words = simulation->words + (size_t)number * simulation->links;
    void *model = new_model(site->table, simulation->contexts[part], number, error, error_size);
    if (!model)
        return -1;
    connect_model(simulation, site, model);
    return 0;
}

static void wire(struct simulation *simulation, unsigned number)
{
    const struct mesh_config *mesh = &simulation->mesh;
    struct site *site = &simulation->sites[number];
    for (int link = 0; link < mesh->links; link++) {
        int far = mesh_neighbour(mesh, (int)number, link);
        site->neighbours[link] = far < 0 ? NULL : &simulation->sites[far];
        site->sources[link] = far < 0 ? engine_no_neighbour
                                      : simulation->sites[far].link_out + 8 * mesh_facing_link(mesh, link);
    }
}

static void connect_counters(struct site_native *native, struct site *site)
{
    native->interface.fabric_counter = engine_fabric_counter;
    native->interface.fabric_context = site;
}

static int attach_operator(struct simulation *simulation, unsigned number, const struct simulation_options *options,
                           char *error, size_t error_size)
{
    struct site *site = &simulation->sites[number];
    struct site_native *native = calloc(1, sizeof *native);
    if (!native) {
        snprintf(error, error_size, "no memory for the operator of site %u", number);
        return -1;
    }
    if (site_native_init(native, &simulation->mesh, number, simulation->pool, simulation->window, &simulation->now,
                         error, error_size) != 0) {
        free(native);
        return -1;
    }
    connect_counters(native, site);
    site->native = native;
    site->interface = &native->interface;
    site->random = options->seed * 0x2545f4914f6cdd1du + number;
    site->poll = true;
    return 0;
}

static int attach_console(struct simulation *simulation, unsigned number, char *error, size_t error_size)
{
    struct site *site = &simulation->sites[number];
    site->to_site = calloc(1, sizeof *site->to_site);
    site->from_site = calloc(1, sizeof *site->from_site);
    if (site->to_site && site->from_site)
        return 0;
    snprintf(error, error_size, "no memory for the console of site %u", number);
    return -1;
}

void engine_enter_reset(struct simulation *simulation, struct site *site)
{
    for (unsigned l = 0; l < simulation->links; l++)
        simulation->words_before_resets += site->counters[PR_COUNTER_WORDS_OUT + 1 + l];
    memset(site->counters, 0, sizeof site->counters);
    site->in_reset = true;
    site->reset_begin = simulation->now;
    site->epoch++;
    site->wake = UINT64_MAX;
    *site->ports.reset = 1;
    strap(site->ports.epoch, site->epoch);
    if (site->interface)
        memset(site->local_in, 0, sizeof(uint64_t));
    else
        *site->ports.console_in = 0;
    if (site->qemu)
        guests_enter_reset(site);
    engine_activate(simulation, site);
}

void engine_leave_reset(struct simulation *simulation, struct site *site)
{
    site->in_reset = false;
    site->looked = simulation->now;
    *site->ports.reset = 0;
    site->table->settle(site->model);
    memset(site->counters, 0, sizeof site->counters);
    if (site->native) {
        site_native_start(site->native, &simulation->mesh, site->number, site->epoch);
        connect_counters(site->native, site);
        site->poll = true;
    } else {
        site->to_site->read = site->to_site->written;
        site->hold_due = false;
    }
    if (site->qemu)
        guests_leave_reset(simulation, site);
    engine_activate(simulation, site);
}

/* All sites together, statuses wait; then all sites are active until they turn out to be quiet. */
static void reset(struct simulation *simulation)
{
    for (unsigned i = 0; i < simulation->site_count; i++)
        *simulation->sites[i].ports.reset = 1;
    for (unsigned clock = 0; clock < ENGINE_RESET_CLOCKS; clock++) {
        if (simulation->faults)
            faults_filter_links(simulation);
        for (unsigned i = 0; i < simulation->site_count; i++)
            engine_exchange_links(simulation, &simulation->sites[i]);
        for (unsigned i = 0; i < simulation->site_count; i++)
            simulation->sites[i].table->clock(simulation->sites[i].model);
    }
    for (unsigned i = 0; i < simulation->site_count; i++) {
        struct site *site = &simulation->sites[i];
        *site->ports.reset = 0;
        site->table->settle(site->model);
        simulation->active[i / 64] |= (uint64_t)1 << i % 64;
    }
    simulation->links_show = true;
}

static int open_trace(struct simulation *simulation, const char *file, char *error, size_t error_size)
{
    void **models = calloc(simulation->site_count, sizeof *models);
    for (unsigned i = 0; models && i < simulation->site_count; i++)
        models[i] = simulation->sites[i].model;
    if (models)
        simulation->trace = simulation->sites->table->trace_open(file, models, simulation->site_count);
    free(models);
    if (simulation->trace)
        return 0;
    snprintf(error, error_size, "%s: cannot be written, expected a name for an FST file", file);
    return -1;
}

/* The image of whole sites: the one asked for, or the project's own. */
static int find_firmware(const struct simulation_options *options, char *path, char *error, size_t error_size)
{
    static const char name[] = "/firmware/node.hex";
    if (options->firmware_hex)
        snprintf(path, PATH_SIZE, "%s", options->firmware_hex);
    else if (install_paths_built(path, PATH_SIZE - sizeof name) == 0)
        strcat(path, name);
    if (access(path, R_OK) == 0)
        return 0;
    snprintf(error, error_size, "%s: cannot be read, expected a firmware image (make build/firmware/node.hex)", path);
    return -1;
}

static bool has_kind(const struct simulation *simulation, enum site_kind kind)
{
    for (unsigned i = 0; i < simulation->site_count; i++)
        if (simulation->sites[i].kind == kind)
            return true;
    return false;
}

/* The verilated parts that this mesh's sites need, and what the models of each share. */
static int open_part(struct simulation *simulation, const struct simulation_options *options,
                     enum simulation_level part, char *error, size_t error_size)
{
    char firmware[PATH_SIZE] = "";
    bool whole = part == LEVEL_SITE;
    if (verilated_site_open(&simulation->libraries[part], &simulation->mesh, whole,
                            options->waves      ? SITE_WAVES
                            : options->observed ? SITE_OBSERVED
                                                : SITE_PLAIN,
                            error, error_size) != 0 ||
        (whole && find_firmware(options, firmware, error, error_size) != 0))
        return -1;
    simulation->contexts[part] = simulation->libraries[part].table->context_create(whole ? firmware : NULL);
    if (simulation->contexts[part])
        return 0;
    snprintf(error, error_size, "no memory for a simulation");
    return -1;
}

static int open_parts(struct simulation *simulation, const struct simulation_options *options, char *error,
                      size_t error_size)
{
    bool fabrics = has_kind(simulation, SITE_NATIVE) || has_kind(simulation, SITE_QEMU);
    bool whole_sites = has_kind(simulation, SITE_CORE);
    if (fabrics && whole_sites && options->waves) {
        snprintf(error, error_size, "waves of whole sites beside others, expected one kind of sites");
        return -1;
    }
    if ((fabrics && open_part(simulation, options, LEVEL_FABRIC, error, error_size) != 0) ||
        (whole_sites && open_part(simulation, options, LEVEL_SITE, error, error_size) != 0))
        return -1;
    return has_kind(simulation, SITE_QEMU) ? guests_create(simulation, options, error, error_size) : 0;
}

static int attach(struct simulation *simulation, unsigned number, const struct simulation_options *options, char *error,
                  size_t error_size)
{
    struct site *site = &simulation->sites[number];
    if (site->kind == SITE_NATIVE)
        return attach_operator(simulation, number, options, error, error_size);
    if (attach_console(simulation, number, error, error_size) != 0)
        return -1;
    return site->kind == SITE_QEMU ? guests_attach(simulation, site, error, error_size) : 0;
}

static int set_up_sites(struct simulation *simulation, const struct simulation_options *options, char *error,
                        size_t error_size)
{
    for (unsigned i = 0; i < simulation->site_count; i++)
        simulation->sites[i].kind = options->nodes ? options->nodes[i] : options->kind;
    if (open_parts(simulation, options, error, error_size) != 0)
        return -1;
    for (unsigned i = 0; i < simulation->site_count; i++)
        if (create_model(simulation, i, error, error_size) != 0)
            return -1;
    for (unsigned i = 0; i < simulation->site_count; i++) {
        wire(simulation, i);
        if (attach(simulation, i, options, error, error_size) != 0)
            return -1;
    }
    if (faults_create(simulation, options, &simulation->faults, error, error_size) != 0)
        return -1;
    if (options->waves && open_trace(simulation, options->waves, error, error_size) != 0)
        return -1;
    reset(simulation);
    return 0;
}

struct simulation *simulation_create(const struct simulation_options *options, char *error, size_t error_size)
{
    const struct mesh_config *mesh = options->mesh;
    struct simulation *simulation = calloc(1, sizeof *simulation);
    if (!simulation || mesh->links > ENGINE_MAX_LINKS || options->stall > 99) {
        snprintf(error, error_size,
                 simulation ? "%d links a site or a stall of %u percent, expected at most 15 and 99"
                            : "no memory for a simulation",
                 mesh->links, options->stall);
        free(simulation);
        return NULL;
    }
    if (!options->nodes && options->kind == SITE_NATIVE && mesh->reliable && mesh->sites > RELIABLE_SITES) {
        snprintf(error, error_size, "the reliable service on %d native sites, expected at most %d, or the raw service",
                 mesh->sites, RELIABLE_SITES);
        free(simulation);
        return NULL;
    }
    simulation->mesh = *mesh;
    simulation->site_count = (unsigned)mesh->sites;
    simulation->links = (unsigned)mesh->links;
    simulation->stall = options->stall;
    simulation->pool = options->pool ? options->pool : DEFAULT_POOL;
    simulation->window = options->window ? options->window : DEFAULT_WINDOW;
    simulation->sleepless = options->sleepless;
    simulation->next_wake = simulation->next_tick = simulation->next_fault = UINT64_MAX;
    simulation->sites = calloc(simulation->site_count, sizeof *simulation->sites);
    simulation->active_words = (simulation->site_count + 63) / 64;
    simulation->active = calloc(simulation->active_words, sizeof *simulation->active);
    simulation->next = calloc(simulation->active_words, sizeof *simulation->next);
    simulation->words = calloc((size_t)simulation->site_count * simulation->links, sizeof *simulation->words);
    if (!simulation->sites || !simulation->active || !simulation->next || !simulation->words)
        snprintf(error, error_size, "no memory for %u sites", simulation->site_count);
    else if (set_up_sites(simulation, options, error, error_size) == 0)
        return simulation;
    simulation_destroy(simulation);
    return NULL;
}

/* RAM is filled when a model is made: a core with another image is another model, in reset. Its neighbours look at it
 * through filters, which stay. */
static int replace_model(struct simulation *simulation, struct site *site, const char *hex, char *error,
                         size_t error_size)
{
    uint32_t link_down = *site->ports.link_down;
    void *context = site->table->context_create(hex);
    void *model = context ? new_model(site->table, context, site->number, error, error_size) : NULL;
    if (!model) {
        if (context)
            site->table->context_destroy(context);
        snprintf(error, error_size, "no memory for site %u", site->number);
        return -1;
    }
    site->table->destroy(site->model);
    if (site->context)
        site->table->context_destroy(site->context);
    site->context = context;
    connect_model(simulation, site, model);
    *site->ports.link_down = link_down;
    *site->ports.reset = 1;
    strap(site->ports.epoch, site->epoch);
    return 0;
}

static int replace_elf(struct site *site, const char *elf, char *error, size_t error_size)
{
    char *copy = strdup(elf);
    if (!copy) {
        snprintf(error, error_size, "no memory for site %u", site->number);
        return -1;
    }
    free(site->elf);
    site->elf = copy;
    return 0;
}

int simulation_load(struct simulation *simulation, unsigned number, const char *elf, const char *hex, char *error,
                    size_t error_size)
{
    struct site *site = number < simulation->site_count ? &simulation->sites[number] : NULL;
    if (!site || site->native || !simulation->faults) {
        snprintf(error, error_size, "site %u: expected a site that runs firmware on a core or under QEMU", number);
        return -1;
    }
    int status = site->qemu ? replace_elf(site, elf, error, error_size)
                            : replace_model(simulation, site, hex, error, error_size);
    if (status == 0)
        faults_restart(simulation, site);
    return status;
}

int simulation_end_waves(struct simulation *simulation)
{
    int error = simulation->trace ? simulation->sites->table->trace_close(simulation->trace) : 0;
    simulation->trace = NULL;
    return error;
}

void simulation_destroy(struct simulation *simulation)
{
    if (!simulation)
        return;
    simulation_end_waves(simulation);
    guests_destroy(simulation);
    for (unsigned i = 0; simulation->sites && i < simulation->site_count; i++) {
        struct site *site = &simulation->sites[i];
        if (site->model)
            site->table->destroy(site->model);
        if (site->context)
            site->table->context_destroy(site->context);
        free(site->elf);
        if (site->native)
            site_native_free(site->native);
        free(site->native);
        free(site->to_site);
        free(site->from_site);
    }
    faults_destroy(simulation->faults);
    for (unsigned part = 0; part < 2; part++) {
        if (simulation->contexts[part])
            simulation->libraries[part].table->context_destroy(simulation->contexts[part]);
        verilated_site_close(&simulation->libraries[part]);
    }
    free(simulation->sites);
    free(simulation->active);
    free(simulation->next);
    free(simulation->words);
    free(simulation);
}
