/* The run loop, and the table of functions. A clock in which nothing happens is jumped over.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/functional_engine.h"

#include "functional/channel.h"
#include "functional/faults.h"
#include "functional/functional_setup.h"
#include "functional/native_operator.h"
#include "functional/neighbour.h"
#include "functional/site_clock.h"

static struct functional *functional_of(const struct simulation *simulation)
{
    return (struct functional *)simulation;
}

static void run_clock(struct functional *functional)
{
    struct calendar *calendar = &functional->calendar;
    const struct functional_faults *faults = functional->faults;
    unsigned word = 0;
    if (functional->outlook.next_tick <= functional->now)
        functional->outlook.next_tick = UINT64_MAX; /* the request is served */
    calendar_begin(calendar, functional->now);
    if (faults)
        faults_clock(functional);
    simulation_call_tick(&functional->simulation, functional->now);
    for (int number; (number = calendar_take(calendar, &word)) >= 0;) {
        struct functional_site *site = &functional->sites[number];
        if (faults && !channel_begin_visit(functional, site))
            continue;
        site_clock(functional, site);
    }
    calendar_end(calendar);
    neighbour_exchange(functional, functional->now + 1);
    functional->now++;
}

static bool run(struct simulation *simulation, uint64_t clocks, bool wait)
{
    struct functional *functional = functional_of(simulation);
    uint64_t end = functional->now + clocks;
    (void)wait;
    neighbour_exchange(functional, functional->now); /* a tick may have been requested */
    while (functional->now < end) {
        struct ranks_outlook outlook = neighbour_outlook(functional, functional->now);
        uint64_t next = outlook.first_event < outlook.next_tick ? outlook.first_event : outlook.next_tick;
        if (faults_next(functional) < next)
            next = faults_next(functional);
        if (next > functional->now)
            functional->now = next < end ? next : end;
        if (functional->now < end)
            run_clock(functional);
    }
    while (neighbour_exchange(functional, functional->now))
        continue; /* until no rank keeps a packet that has landed elsewhere */
    return true;
}

/* The first clock in which a timer of an operator is due. */
static uint64_t first_wake(const struct functional *functional)
{
    uint64_t wake = UINT64_MAX;
    for (unsigned i = functional->own_first; i < functional->own_end; i++)
        if (functional->operators[i].wake < wake)
            wake = functional->operators[i].wake;
    return wake;
}

static uint64_t next_wake(const struct simulation *simulation)
{
    const struct functional *functional = functional_of(simulation);
    uint64_t wake = first_wake(functional);
    return ranks_least(wake < simulation->next_tick ? wake : simulation->next_tick);
}

/* Nothing is in flight, no operator is polled, and no site has anything to do. */
static bool idle(struct simulation *simulation)
{
    const struct functional *functional = functional_of(simulation);
    struct ranks_outlook outlook = neighbour_outlook(functional, functional->now);
    bool resets = functional->faults && functional->faults->busy_until > functional->now;
    return !outlook.moves && !resets && outlook.next_tick > functional->now;
}

static uint64_t current_clock(const struct simulation *simulation)
{
    return functional_of(simulation)->now;
}

static struct native_operator *native_at(const struct simulation *simulation, unsigned site)
{
    const struct functional *functional = functional_of(simulation);
    bool own = site >= functional->own_first && site < functional->own_end;
    return own ? &functional->operators[site] : NULL;
}

static bool is_in_reset(const struct native_operator *native)
{
    return native->site->faults && native->site->faults->in_reset;
}

static struct pr_operator *operator_of(struct simulation *simulation, unsigned site)
{
    struct native_operator *native = native_at(simulation, site);
    return native && !is_in_reset(native) ? native->op : NULL;
}

/* The clock in the past, or this one, whose low 32 bits are these. */
static uint64_t clock_of(const struct simulation *simulation, uint32_t stamp)
{
    uint64_t now = current_clock(simulation);
    return now - (uint32_t)((uint32_t)now - stamp);
}

static struct pr_groups *groups_of(struct simulation *simulation, unsigned site)
{
    struct native_operator *native = native_at(simulation, site);
    if (!native || !operator_of(simulation, site))
        return NULL;
    native_operator_poll_soon(native);
    return native->groups;
}

static struct simulation_arrival arrival(const struct simulation *simulation, unsigned site)
{
    const struct native_operator *native = native_at(simulation, site);
    const struct native_arrival *kept =
        &native->arrivals[(native->interface.receive.consumed - 1) % NATIVE_INTERFACE_RING];
    return (struct simulation_arrival){clock_of(simulation, kept->first), clock_of(simulation, kept->last)};
}

static enum site_kind kind(const struct simulation *simulation, unsigned site)
{
    (void)simulation, (void)site;
    return SITE_NATIVE;
}

static bool at_rest(const struct simulation *simulation, unsigned site)
{
    const struct native_operator *native = native_at(simulation, site);
    return !is_in_reset(native) && !native->poll && !ni_model_active(&native->interface) &&
           !native->site->receiver.front;
}

static bool running(const struct simulation *simulation, unsigned site)
{
    const struct native_operator *native = native_at(simulation, site);
    return native && !is_in_reset(native) && !native->stopped;
}

static bool stopped(const struct simulation *simulation, unsigned site)
{
    const struct functional_faults *faults = functional_of(simulation)->faults;
    return faults && faults->schedule.hits[site].stop_until == UINT64_MAX;
}

static unsigned end_pauses(struct simulation *simulation)
{
    struct functional *functional = functional_of(simulation);
    return functional->faults ? fault_end_pauses(&functional->faults->schedule, functional->now) : 0;
}

static void fault_counts(const struct simulation *simulation, struct fault_counts *out)
{
    const struct functional_faults *faults = functional_of(simulation)->faults;
    if (faults)
        *out = faults->schedule.counts;
}

static void set_reset_hook(struct simulation *simulation, simulation_reset_hook *hook, void *context)
{
    struct functional_faults *faults = functional_of(simulation)->faults;
    if (!faults)
        return;
    faults->hook = hook;
    faults->hook_context = context;
}

static size_t console_read(struct simulation *simulation, unsigned site, uint8_t *bytes, size_t length)
{
    struct native_operator *native = native_at(simulation, site);
    return native && native->node ? pr_node_console_read(native->node, bytes, length) : 0;
}

static size_t console_write(struct simulation *simulation, unsigned site, const uint8_t *bytes, size_t length)
{
    struct native_operator *native = native_at(simulation, site);
    if (!native || !native->node || !length)
        return 0;
    native_operator_poll_soon(native);
    return pr_node_console_write(native->node, bytes, length);
}

static uint32_t counter(struct simulation *simulation, unsigned site, unsigned index)
{
    struct native_operator *native = native_at(simulation, site);
    return native ? pr_network_interface_counter(&native->interface.interface, index) : 0;
}

static uint64_t link_words(const struct simulation *simulation)
{
    const struct functional *functional = functional_of(simulation);
    return neighbour_outlook(functional, functional->now).link_words;
}

static void abandon_operators(struct simulation *simulation)
{
    struct functional *functional = functional_of(simulation);
    for (unsigned i = 0; i < functional->site_count; i++)
        native_operator_abandon(&functional->operators[i]);
}

static void destroy(struct simulation *simulation)
{
    functional_tear_down(functional_of(simulation));
}

static const struct simulation_functions functions = {
    .destroy = destroy,
    .clock = current_clock,
    .run = run,
    .idle = idle,
    .next_wake = next_wake,
    .operator_of = operator_of,
    .groups_of = groups_of,
    .arrival = arrival,
    .kind = kind,
    .at_rest = at_rest,
    .running = running,
    .stopped = stopped,
    .end_pauses = end_pauses,
    .console_read = console_read,
    .console_write = console_write,
    .counter = counter,
    .link_words = link_words,
    .fault_counts = fault_counts,
    .set_reset_hook = set_reset_hook,
    .abandon_operators = abandon_operators,
};

static struct simulation *create(const struct simulation_options *options, char *error, size_t error_size)
{
    struct functional *functional = functional_set_up(options, error, error_size);
    if (!functional)
        return NULL;
    functional->simulation = (struct simulation){.functions = &functions, .next_tick = UINT64_MAX};
    return &functional->simulation;
}

const struct simulation_engine functional_engine = {
    .name = "functional",
    .summary =
        "an event-driven model of the fabrics cutthrough and january: fronts and terminators of packets, no words",
    .create = create,
    .takes_model = true,
    .restorable = true,
};
