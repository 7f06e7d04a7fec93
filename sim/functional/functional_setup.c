/* See functional_setup.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/functional_setup.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functional/faults.h"
#include "functional/january.h"
#include "functional/native_operator.h"
#include "functional/router.h"
#include "functional/site_state.h"
#include "mesh/mesh_own.h"
#include "support/or_abort.h"
#include "support/random.h"
#include "support/run_memory.h"

/* NULL: no model of this fabric here. */
static const struct router_model *find_router(const char *fabric)
{
    static const struct {
        const char *fabric; /* its folder in hw/, as `fabric` in a .mesh file */
        const struct router_model *model;
    } rows[] = {{"cutthrough", &router_cutthrough}, {"january", &router_january}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].fabric, fabric) == 0)
            return rows[i].model;
    return NULL;
}

/* Why this simulator cannot run the mesh or the options; NULL if it can. */
static const char *refusal(const struct simulation_options *options, const struct functional_options *model)
{
    const struct mesh_config *mesh = options->mesh;
    bool native = options->nodes ? site_kinds_all(options->nodes, mesh->sites, SITE_NATIVE)
                                 : options->kind == SITE_NATIVE;
    const struct router_model *router = find_router(mesh->fabric);
    if (!router)
        return "expected fabric cutthrough or january";
    if (!router->takes_settings && functional_options_are_of_router(model))
        return "expected --model buffers=... alone with this fabric: the other settings are those of cutthrough";
    if (mesh->board_links)
        return "expected links of a chip: a mesh with [links] board = no, and no testbed";
    if (mesh_own(mesh, "buffers.net_input") > 1)
        return "expected [buffers] net_input = 1";
    if (!native)
        return "expected native nodes";
    if (model->any_output && mesh->divert_threshold == MESH_DIVERT_NEVER)
        return "expected a divert threshold with outputs=all: packets wait for each other in rings";
    if (mesh->topology == PR_TOPOLOGY_GRAPH)
        return "expected no graph: it knows the routers of grids, tori and hypercubes";
    if (mesh->reliable && mesh->sites > SIMULATION_RELIABLE_SITES)
        return "expected at most 4096 sites with the reliable service";
    if (options->fault_count && ranks_count() > 1)
        return "expected no faults with several ranks: the sites at both ends of a cable take part in each";
    if (options->waves || options->capture || options->observed)
        return "expected neither waves nor a capture: it has no words on links";
    return NULL;
}

static void place_site(struct functional *functional, unsigned number)
{
    const struct mesh_config *mesh = &functional->mesh;
    struct functional_site *site = &functional->sites[number];
    site->number = number;
    site->place = direction_place(&functional->map, (uint32_t)mesh_address(mesh, (int)number));
    site->inputs = functional->inputs + (size_t)number * functional->ports;
    site->outputs = functional->outputs + (size_t)number * functional->ports;
    site->operator= & functional->operators[number];
    site->router_state = functional->router_states + number * site_router_state_size(functional);
    for (unsigned port = 1; port < functional->ports; port++) {
        int far = mesh_far_end(mesh, (int)number, (int)port - 1).site;
        site->neighbours[port] = far < 0 ? NULL : &functional->sites[far];
    }
    site_clear(functional, site);
}

static bool allocate(struct functional *functional)
{
    size_t sites = functional->site_count, ports = sites * functional->ports;
    functional->sites = run_memory_allocate(sites, sizeof *functional->sites);
    functional->inputs = run_memory_allocate(ports, sizeof *functional->inputs);
    functional->outputs = run_memory_allocate(ports, sizeof *functional->outputs);
    functional->operators = run_memory_allocate(sites, sizeof *functional->operators);
    functional->carried = run_memory_allocate(ports, sizeof *functional->carried);
    functional->router_states = run_memory_allocate(sites + 1, site_router_state_size(functional) + 1);
    bool good = calendar_init(&functional->calendar, functional->site_count);
    return good && functional->sites && functional->inputs && functional->outputs && functional->operators &&
           functional->carried && functional->router_states;
}

static int start_sites(struct functional *functional, const struct simulation_options *options, char *error,
                       size_t error_size)
{
    for (unsigned i = functional->own_first; i < functional->own_end; i++) {
        place_site(functional, i);
        functional->sites[i].random = random_mix(options->seed + i);
        if (native_operator_start(functional, &functional->sites[i], options, error, error_size) != 0)
            return -1;
    }
    return 0;
}

struct functional *functional_set_up(const struct simulation_options *options, char *error, size_t error_size)
{
    struct functional_options model;
    if (!functional_options_parse(&model, options->model, error, error_size))
        return NULL;
    const char *reason = refusal(options, &model);
    if (reason) {
        snprintf(error, error_size, "engine functional: %s", reason);
        return NULL;
    }
    struct functional *functional = or_abort(run_memory_allocate(1, sizeof *functional));
    functional->mesh = *options->mesh;
    functional->options = model;
    functional->router = find_router(options->mesh->fabric);
    functional->site_count = (unsigned)options->mesh->sites;
    functional->own_first = ranks_first_site(ranks_own(), functional->site_count);
    functional->own_end = ranks_first_site(ranks_own() + 1, functional->site_count);
    functional->ports = (unsigned)options->mesh->links + 1;
    functional->stall = options->stall;
    functional->clocks = options->clocks;
    functional->repeated_unicasts = options->repeated_unicasts;
    functional->relays = options->relays;
    functional->console_free = options->console_free;
    direction_map_init(&functional->map, &functional->mesh, functional->options.any_output,
                       functional->options.splits_if_free);
    packet_pool_init(&functional->packets, functional->mesh.max_packet);
    snprintf(error, error_size, "no memory for %u sites", functional->site_count);
    if (allocate(functional) && start_sites(functional, options, error, error_size) == 0 &&
        faults_set_up(functional, options))
        return functional;
    functional_tear_down(functional);
    return NULL;
}

static void free_arrivals(struct arrival *arrival)
{
    while (arrival) {
        struct arrival *next = arrival->next;
        run_memory_free(arrival);
        arrival = next;
    }
}

void functional_tear_down(struct functional *functional)
{
    for (unsigned i = functional->own_first; i < functional->own_end; i++) {
        if (functional->sites)
            free_arrivals(functional->sites[i].receiver.front);
        if (functional->operators)
            native_operator_free(&functional->operators[i]);
    }
    free_arrivals(functional->free_arrivals);
    faults_tear_down(functional);
    packet_pool_free(&functional->packets);
    calendar_free(&functional->calendar);
    run_memory_free(functional->carried);
    run_memory_free(functional->router_states);
    run_memory_free(functional->operators);
    run_memory_free(functional->outputs);
    run_memory_free(functional->inputs);
    run_memory_free(functional->sites);
    run_memory_free(functional);
}
