/* A native site: its operator is the firmware's sources built into this process, with a model of the network_interface
 * that moves one word a clock each way, as the RTL one does. Its evaluators are
 * the caller of pr_operator_send, groups, and the traffic evaluator.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>

#include "console/node.h"
#include "engine/site_functions.h"
#include "engine/site_interface.h"
#include "mesh/discipline.h"
#include "mesh/mesh_identity.h"
#include "mesh/mesh_own.h"
#include "mesh/mesh_routes.h"
#include "network_interface/native_groups.h"
#include "network_interface/native_traffic.h"
#include "protocol.h"
#include "support/random.h"

_Static_assert((int)PR_NODE_DIVERT_NEVER == (int)MESH_DIVERT_NEVER, "the operator and the .mesh file mean the same");

/* When packets arrived, by the engine's own book: the ni_model makes stamps of its own. */
struct arrivals {
    bool within; /* a packet has begun, in clock `first` */
    uint64_t first;
    uint32_t moved; /* packets that are in the receive ring or have been: what is thrown away is not */
    struct simulation_arrival kept[NATIVE_INTERFACE_RING]; /* as the receive ring */
};

struct site_native {
    struct ni_model interface;
    struct pr_node node;
    struct pr_relay_source relay_source;
    struct pr_site_identity identity;
    uint32_t *memory;
    void *groups_memory;
    struct pr_groups *groups; /* NULL: no mesh for groups */
    void *traffic_memory;
    struct pr_traffic_evaluator *traffic;
    struct pr_route *tree; /* of multicasts; NULL: that of all packets */
    struct pr_operator_size size;
    const uint64_t *now;
    uint64_t random; /* state of the stalls */
    struct arrivals arrivals;
};

static void hand_routes(const struct mesh_config *mesh, struct site *site)
{
    struct site_native *native = site->state;
    if (!mesh_has_routes(mesh))
        return;
    struct pr_route *routes = mesh_routes(mesh, site->number);
    for (unsigned to = 0; to < (unsigned)mesh->sites; to++)
        pr_ways_learn(&native->node.op.common.here.ways, to, routes[to].ports, routes[to].count);
    free(routes);
    if (!native->tree && mesh_has_tree_routes(mesh))
        native->tree = mesh_tree_routes(mesh, site->number);
    if (native->tree)
        native->node.op.common.here.ways.tree = native->tree;
}

/* The operator begins, as after a reset. 0, or a negated PR_OPERATOR_* error. */
static int start(struct engine *engine, struct site *site)
{
    struct site_native *native = site->state;
    const struct mesh_config *mesh = &engine->mesh;
    mesh_identify_site(&native->identity, mesh, site->number, site->epoch);
    ni_model_init(&native->interface, (unsigned)mesh->word_width, native->now, (uint16_t)mesh->max_packet);
    native->arrivals = (struct arrivals){.within = false};
    native->interface.interface.capabilities = pr_capabilities_decode(mesh_capabilities(mesh));
    if (engine->repeated_unicasts)
        native->interface.interface.capabilities.multicast = false;
    native->interface.receive_patience = (uint16_t)mesh->receive_patience;
    native->interface.clocks = engine->clocks;
    site_interface_connect(site, &native->interface);
    site->poll = true;
    native->interface.op = &native->node.op;
    int result = pr_node_init(&native->node, &native->interface.interface, &native->identity, native->memory,
                              &native->size);
    if (result != 0)
        return result;
    if (engine->relaying)
        pr_operator_use_relays(&native->node.op, &native->relay_source, engine->relaying);
    native->groups = native_groups_start(native->groups_memory, &native->node.op, &native->node.console,
                                         (unsigned)mesh->max_packet);
    native->traffic = native_traffic_start(native->traffic_memory, &native->node.op, (unsigned)mesh->sites);
    hand_routes(mesh, site);
    return 0;
}

static int attach(struct engine *engine, struct site *site, const struct simulation_options *options, char *error,
                  size_t error_size)
{
    const struct mesh_config *mesh = &engine->mesh;
    struct site_native *native = calloc(1, sizeof *native);
    unsigned packet_words = mesh->max_packet + (mesh_has_routes(mesh) ? PR_ROUTE_PORTS_MAX : 0);
    size_t words = PR_OPERATOR_MEMORY_WORDS((size_t)engine->pool, packet_words, (size_t)mesh->sites);
    site->state = native;
    if (native)
        native->memory = calloc(words, sizeof *native->memory);
    if (native)
        native->groups_memory = calloc(1, native_groups_bytes((unsigned)mesh->max_packet));
    if (native)
        native->traffic_memory = calloc(1, native_traffic_bytes((unsigned)mesh->sites));
    if (!native || !native->memory || !native->groups_memory || !native->traffic_memory) {
        snprintf(error, error_size, "no memory for the operator of site %u, a pool of %u buffers", site->number,
                 engine->pool);
        return -1;
    }
    native->size = (struct pr_operator_size){.buffers = engine->pool,
                                             .packet_words = packet_words,
                                             .window = engine->window,
                                             .sites = (unsigned)mesh->sites};
    native->now = &engine->now;
    native->random = random_stalls(options->seed, site->number);
    int result = start(engine, site);
    if (result == 0)
        return 0;
    if (result == -PR_OPERATOR_NO_BUFFER)
        snprintf(error, error_size, "pool of %u buffers, expected at least 3%s", engine->pool,
                 mesh_has_routes(mesh) ? " beside the routes of a site" : "");
    else
        snprintf(error, error_size, "operator of site %u cannot start: error %d", site->number, -result);
    return -1;
}

static void free_site(struct site *site)
{
    struct site_native *native = site->state;
    if (native) {
        free(native->memory);
        free(native->groups_memory);
        free(native->traffic_memory);
        free(native->tree);
    }
    free(native);
}

static void enter_reset(struct engine *engine, struct site *site)
{
    (void)engine;
    engine_store_slot(site->local_in, 0);
}

static void leave_reset(struct engine *engine, struct site *site)
{
    (void)start(engine, site); /* it could the first time */
}

static void poll_operator(struct engine *engine, struct site *site)
{
    struct site_native *native = site->state;
    uint32_t wake;
    if (site->stopped)
        return;
    site->poll = true;
    if (ni_model_is_busy(&native->interface))
        return;
    if (engine->stall && random_split(&native->random) % 100 < engine->stall)
        return;
    bool timed;
    site->poll = native_groups_poll(native->groups, pr_node_poll(&native->node));
    site->poll = native_traffic_poll(native->traffic, site->poll);
    timed = native_groups_next_wake(native->groups, pr_node_next_wake(&native->node, &wake), &wake);
    timed = native_traffic_next_wake(native->traffic, timed, &wake);
    site->wake = timed ? engine_clock_of(engine, wake) : UINT64_MAX;
}

/* A word with this tag has moved into the interface in this clock. */
static void note_word(struct site_native *native, unsigned tag)
{
    struct arrivals *arrivals = &native->arrivals;
    if (tag == PR_TAG_NULL_TRANSMISSION || tag == PR_TAG_NULL_TARGET)
        return;
    if (!arrivals->within)
        arrivals->first = *native->now;
    arrivals->within = !pr_packet_tag_ends(tag);
    if (arrivals->moved == native->interface.receive.moved)
        return;
    arrivals->kept[arrivals->moved % NATIVE_INTERFACE_RING] = (struct simulation_arrival){arrivals->first,
                                                                                          *native->now};
    arrivals->moved++;
}

static void clock_local(struct engine *engine, struct site *site)
{
    struct site_native *native = site->state;
    unsigned tag;
    if (site->in_reset)
        return;
    if (site_interface_clock(engine, site, &native->interface, &tag))
        note_word(native, tag);
    site->poll |= ni_model_is_busy(&native->interface);
}

static bool goes_on(struct engine *engine, struct site *site)
{
    (void)engine;
    return engine_load_slot(site->local_out) || (site->poll && !site->stopped) || ni_model_active(site->interface);
}

static void stop_changed(struct engine *engine, struct site *site)
{
    (void)engine;
    site->poll = true;
    site->wake = UINT64_MAX;
}

static bool at_rest(const struct engine *engine, const struct site *site)
{
    return !engine_is_active(engine, site);
}

static size_t console_read(struct site *site, uint8_t *bytes, size_t length)
{
    struct site_native *native = site->state;
    return pr_node_console_read(&native->node, bytes, length);
}

static size_t console_write(struct engine *engine, struct site *site, const uint8_t *bytes, size_t length)
{
    struct site_native *native = site->state;
    engine_activate(engine, site);
    site->poll = true;
    return pr_node_console_write(&native->node, bytes, length);
}

static struct pr_operator *operator_of(struct site *site)
{
    struct site_native *native = site->state;
    return &native->node.op;
}

static struct pr_groups *groups_of(struct site *site)
{
    struct site_native *native = site->state;
    return native->groups;
}

static struct simulation_arrival arrival(const struct site *site)
{
    const struct site_native *native = site->state;
    return native->arrivals.kept[(native->interface.receive.consumed - 1) % NATIVE_INTERFACE_RING];
}

const struct site_functions site_native = {
    .part = PART_FABRIC,
    .attach = attach,
    .free = free_site,
    .enter_reset = enter_reset,
    .leave_reset = leave_reset,
    .poll = poll_operator,
    .clock_local = clock_local,
    .goes_on = goes_on,
    .stop_changed = stop_changed,
    .at_rest = at_rest,
    .counter = site_interface_counter,
    .console_read = console_read,
    .console_write = console_write,
    .operator_of = operator_of,
    .groups_of = groups_of,
    .arrival = arrival,
};
