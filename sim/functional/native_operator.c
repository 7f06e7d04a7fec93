/* See native_operator.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/native_operator.h"

#include <stdio.h>

#include "functional/channel.h"
#include "functional/receiver.h"
#include "functional/sender.h"
#include "mesh/discipline.h"
#include "mesh/mesh_identity.h"
#include "mesh/mesh_own.h"
#include "support/random.h"
#include "support/run_memory.h"

static struct native_operator *native_of(struct pr_network_interface *interface)
{
    return (struct native_operator *)interface; /* the first member of its first member */
}

/* A packet is sent from outside: its site is visited in this clock. */
static bool send(struct pr_network_interface *interface, struct pr_packet *packet)
{
    struct native_operator *native = native_of(interface);
    native->site->operator_due = 0;
    if (!native->visited)
        site_set_add(&native->functional->calendar.now, native->site->number);
    return native->model->send(interface, packet);
}

static uint32_t port_counter(const struct functional_site *site, unsigned ports, unsigned index)
{
    if (index >= PR_COUNTER_WORDS_OUT && index - PR_COUNTER_WORDS_OUT < ports)
        return site->outputs[index - PR_COUNTER_WORDS_OUT].words;
    if (index >= PR_COUNTER_STALLS && index - PR_COUNTER_STALLS < ports)
        return site->outputs[index - PR_COUNTER_STALLS].stalls;
    return 0;
}

static uint32_t fabric_counter(void *context, unsigned index)
{
    const struct native_operator *native = context;
    const struct functional_site *site = native->site;
    switch (index) {
    case PR_COUNTER_DIVERSIONS:
        return site->diversions;
    case PR_COUNTER_ABORTS:
        return site->aborts;
    case PR_COUNTER_SPLITS:
        return site->splits;
    case PR_COUNTER_DEFERRALS:
        return site->deferrals;
    default:
        return port_counter(site, native->functional->ports, index);
    }
}

static uint32_t counter(struct pr_network_interface *interface, unsigned index)
{
    struct native_operator *native = native_of(interface);
    if (index == PR_COUNTER_RECEIVE_WAITS)
        return (uint32_t)receiver_waits(&native->site->receiver, native->functional->now);
    return native->model->counter(interface, index);
}

static int start_node(struct native_operator *native)
{
    size_t state = native->functional->console_free ? sizeof(struct pr_operator) : sizeof(struct pr_node);
    uint32_t *buffers = (uint32_t *)((char *)native->memory + state);
    struct pr_network_interface *interface = &native->interface.interface;
    native->node = native->functional->console_free ? NULL : native->memory;
    native->op = native->node ? &native->node->op : native->memory;
    native->interface.op = native->op;
    int error = native->node ? pr_node_init(native->node, interface, &native->identity, buffers, &native->size)
                             : pr_operator_init(native->op, interface, &native->identity, buffers, &native->size);
    if (error == 0 && native->functional->relays)
        pr_operator_use_relays(native->op, &native->relay_source, NULL);
    if (error == 0 && native->groups_memory)
        native->groups = native_groups_start(native->groups_memory, native->op,
                                             native->node ? &native->node->console : NULL, native->identity.max_packet);
    if (error == 0 && native->traffic_memory)
        native->traffic = native_traffic_start(native->traffic_memory, native->op, native->op->common.here.sites);
    return error;
}

/* As after a reset. 0, or a negated PR_OPERATOR_* error. */
static int begin(struct native_operator *native, unsigned epoch)
{
    struct functional *functional = native->functional;
    const struct mesh_config *mesh = &functional->mesh;
    native->wake = UINT64_MAX;
    mesh_identify_site(&native->identity, mesh, native->site->number, epoch);
    ni_model_init(&native->interface, (unsigned)mesh->word_width, &functional->now, (uint16_t)mesh->max_packet);
    native->interface.interface.capabilities = pr_capabilities_decode(mesh_capabilities(mesh));
    if (functional->repeated_unicasts)
        native->interface.interface.capabilities.multicast = false;
    native->interface.receive_patience = (uint16_t)mesh->receive_patience;
    native->interface.clocks = functional->clocks;
    native->interface.fabric_counter = fabric_counter;
    native->interface.fabric_context = native;
    native->model = native->interface.interface.functions;
    native->functions = *native->model;
    native->functions.send = send;
    native->functions.counter = counter;
    native->interface.interface.functions = &native->functions;
    native_operator_poll_soon(native);
    return start_node(native);
}

int native_operator_start(struct functional *functional, struct functional_site *site,
                          const struct simulation_options *options, char *error, size_t error_size)
{
    struct native_operator *native = site->operator;
    const struct mesh_config *mesh = &functional->mesh;
    native->functional = functional;
    native->site = site;
    native->random = random_stalls(options->seed, site->number);
    native->size = (struct pr_operator_size){.buffers = options->pool ? options->pool : SIMULATION_DEFAULT_POOL,
                                             .packet_words = mesh->max_packet,
                                             .window = options->window ? options->window : SIMULATION_DEFAULT_WINDOW,
                                             .sites = mesh->reliable ? (unsigned)mesh->sites : 0};
    size_t words = PR_OPERATOR_MEMORY_WORDS((size_t)native->size.buffers, mesh->max_packet, (size_t)native->size.sites);
    size_t state = functional->console_free ? sizeof(struct pr_operator) : sizeof(struct pr_node);
    native->memory = run_memory_allocate(1, state + words * sizeof(uint32_t));
    bool groups = options->groups || !functional->console_free;
    if (groups)
        native->groups_memory = run_memory_allocate(1, native_groups_bytes((unsigned)mesh->max_packet));
    if (!functional->console_free)
        native->traffic_memory = run_memory_allocate(1, native_traffic_bytes((unsigned)mesh->sites));
    bool memory = native->memory && (!groups || native->groups_memory) &&
                  (functional->console_free || native->traffic_memory);
    int result = memory ? begin(native, 0) : -PR_OPERATOR_NO_BUFFER;
    if (result != 0 && !memory)
        snprintf(error, error_size, "no memory for the operator of site %u (ulimit -v, or a large pool)", site->number);
    else if (result != 0)
        snprintf(error, error_size, "operator of site %u cannot start: error %d", site->number, -result);
    return result == 0 ? 0 : -1;
}

void native_operator_restart(struct native_operator *native, unsigned epoch)
{
    (void)begin(native, epoch); /* it could the first time */
}

void native_operator_free(struct native_operator *native)
{
    run_memory_free(native->memory);
    run_memory_free(native->groups_memory);
    run_memory_free(native->traffic_memory);
}

void native_operator_poll_soon(struct native_operator *native)
{
    struct functional *functional = native->functional;
    native->site->operator_due = 0;
    site_set_add(&functional->calendar.now, native->site->number);
    if (native->stopped)
        return;
    functional->polls += !native->poll;
    native->poll = true;
}

void native_operator_stop(struct native_operator *native, bool stopped)
{
    native->functional->polls -= native->poll;
    native->poll = false;
    native->wake = UINT64_MAX;
    native->stopped = stopped;
    if (!native->site->faults->in_reset)
        native_operator_poll_soon(native);
}

void native_operator_abandon(struct native_operator *native)
{
    struct functional *functional = native->functional;
    functional->polls -= native->poll;
    native->poll = false;
    native->abandoned = true;
    native->wake = UINT64_MAX;
    native->interface.receive_patience = 1;
    native->site->operator_due = 0;
    site_set_add(&functional->calendar.now, native->site->number);
}

/* The operator is polled in clock `clock`, or once its site is visited before. */
static void poll_in(struct native_operator *native, uint64_t clock)
{
    if (native->abandoned || native->stopped)
        return;
    native->functional->polls += !native->poll;
    native->poll = true;
    site_due(native->site, clock);
}

static void poll_next(struct native_operator *native, bool poll)
{
    if (poll)
        poll_in(native, native->functional->now + 1);
}

static bool misses_poll(struct native_operator *native)
{
    unsigned stall = native->functional->stall;
    if (!stall)
        return false;
    return random_split(&native->random) % 100 < stall;
}

static void poll_operator(struct native_operator *native)
{
    uint64_t now = native->functional->now;
    uint32_t wake;
    native->functional->polls -= native->poll;
    native->poll = false;
    if (ni_model_is_busy(&native->interface)) {
        native->wake = UINT64_MAX; /* it is polled when it is through */
        return;
    }
    if (misses_poll(native)) {
        poll_next(native, true);
        return;
    }
    bool polled = native->node ? pr_node_poll(native->node) : pr_operator_poll(native->op);
    polled = native_groups_poll(native->groups, polled);
    poll_next(native, native_traffic_poll(native->traffic, polled));
    native->wake = UINT64_MAX;
    bool timed = native->node ? pr_node_next_wake(native->node, &wake) : pr_operator_next_wake(native->op, &wake);
    timed = native_groups_next_wake(native->groups, timed, &wake);
    if (!native_traffic_next_wake(native->traffic, timed, &wake))
        return;
    int32_t ahead = (int32_t)(wake - (uint32_t)now);
    native->wake = now + (ahead > 0 ? (uint64_t)ahead : 0);
}

/* A fifo_buffer waits for what may come in any clock in which the site is visited: room for a word, a receive buffer,
 * or a place. */
static bool waits(const struct functional *functional, const struct functional_site *site)
{
    return site->sender.waits || site->receiver.waits_since != UINT64_MAX ||
           (functional->options.places != PLACES_OF_WORDS && site->receiver.front);
}

/* An operator that is busy goes on when it is through, another one by its timer. What it sends leaves before. */
static void go_on(struct native_operator *native)
{
    uint64_t leaves = ni_model_next_leaves(&native->interface), now = native->functional->now;
    bool holds = leaves != UINT64_MAX;
    native->functional->held += holds - native->holds;
    native->holds = holds;
    site_due(native->site, leaves);
    if (ni_model_is_busy(&native->interface))
        poll_in(native, native->interface.busy_until);
    else if (native->wake != UINT64_MAX)
        site_due(native->site, native->wake > now ? native->wake : now + 1);
}

static void clock_operator(struct functional *functional, struct functional_site *site)
{
    struct native_operator *native = site->operator;
    uint32_t arrival = native->interface.receive.moved;
    struct simulation_arrival clocks = {0, 0};
    native->visited = true;
    if (site->relief != site->relief_next)
        site->relief = site->relief_next;
    if (native->poll || native->wake <= functional->now)
        poll_operator(native);
    native->visited = false;
    bool ended = receiver_clock(functional, site, &native->interface, &clocks);
    if (native->interface.receive.moved != arrival)
        native->arrivals[arrival % NATIVE_INTERFACE_RING] = (struct native_arrival){(uint32_t)clocks.first,
                                                                                    (uint32_t)clocks.last};
    bool left = sender_clock(functional, site, &native->interface);
    poll_next(native, ended || left);
    go_on(native);
    site->operator_due = waits(functional, site) ? 0 : site->due;
    if (site->relief_next != native->interface.relief) {
        site->relief_next = native->interface.relief;
        site_operator_due(site, functional->now + 1);
    }
}

/* Most visits of a site are about packets that pass it: its operator, which is much larger than its router, then stays
 * out of the cache. */
void native_operator_clock(struct functional *functional, struct functional_site *site)
{
    if (site->operator_due > functional->now)
        site_due(site, site->operator_due);
    else
        clock_operator(functional, site);
}
