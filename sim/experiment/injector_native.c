/* Native sites: packets go straight into the native operators, in every clock; deliveries come as calls of a
 * handler.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "experiment/experiment_groups.h"
#include "experiment/injector.h"
#include "experiment/replica.h"
#include "operator/operator.h"
#include "ranks/ranks.h"
#include "support/run_memory.h"

enum { HANDLER = 0xa5 /* of eight bits, the highest one too */ };

/* A packet that the operator has accepted and that has not left it yet. */
struct pending {
    const struct pr_packet *buffer;
    int32_t packet;
    uint32_t old_stamp; /* of the buffer, when the packet was accepted: of a clock before it */
    uint16_t sequence;
};

struct native_site {
    struct experiment *experiment;
    struct pr_operator *op; /* NULL while the site is in reset; a site of another rank has nothing here */
    uint32_t site;
    struct pending *pending; /* `window` places, in the order in which they were accepted */
    uint32_t count;
};

struct native_state {
    struct native_site *sites;
    struct pending *pending;
    struct site_list sending; /* sites with pending packets */
    uint32_t *words;          /* data of the packet in hand */
};

/* As the engine has seen the packet arrive. */
static bool stamps_good(const struct native_site *site, const struct pr_delivery *delivery)
{
    struct simulation_arrival arrival = simulation_arrival(site->experiment->simulation, site->site);
    return delivery->stamp_first == (uint32_t)arrival.first && delivery->stamp_last == (uint32_t)arrival.last;
}

static void deliver(void *context, const struct pr_delivery *delivery)
{
    struct native_site *site = context;
    struct experiment *experiment = site->experiment;
    uint64_t now = simulation_clock(experiment->simulation);
    struct scoreboard_delivery event = {
        .site = site->site,
        .source = delivery->source,
        .sequence = delivery->sequence,
        .epoch = experiment->mesh->reliable ? delivery->epoch : 0,
        .data = delivery->data,
        .data_words = delivery->data_words,
        .info = delivery->info,
        .info_words = delivery->info_words,
        .stamps_wrong = !stamps_good(site, delivery),
        .clock_delivered = now,
        .clock_arrived = clock_from_stamp(now, delivery->stamp_last),
    };
    replica_deliver(experiment, &event);
}

static void forget_pending(struct native_site *site, uint32_t place)
{
    memmove(site->pending + place, site->pending + place + 1, (--site->count - place) * sizeof *site->pending);
}

/* Of a packet that waited until its targets were given up, nothing ever leaves. */
static void forget_unsent(struct native_site *site, uint16_t sequence)
{
    for (uint32_t place = 0; place < site->count; place++)
        if (site->pending[place].sequence == sequence) {
            forget_pending(site, place);
            return;
        }
}

/* Groups tell their members of each other in packets of the operator, of which the scoreboard does not know. */
static bool is_of_groups(const struct native_site *site, uint16_t sequence)
{
    return site->experiment->group_sites &&
           scoreboard_find(site->experiment->scoreboard, site->site, sequence) == SCOREBOARD_NONE;
}

static void observe(void *context, const struct pr_operator_event *event)
{
    struct native_site *site = context;
    struct experiment *experiment = site->experiment;
    if (is_of_groups(site, event->sequence))
        return;
    if (event->kind == PR_OPERATOR_EVENT_FAILED)
        replica_fail(experiment, site->site, event->sequence, event->site);
    else if (event->kind == PR_OPERATOR_EVENT_SETTLED) {
        forget_unsent(site, event->sequence);
        replica_settle(experiment, site->site, event->sequence);
    }
}

/* A target of the packet in hand, and its target_info. */
static void add_target(const struct scoreboard *scoreboard, int32_t packet, unsigned place, uint32_t site,
                       struct pr_composition *composition)
{
    uint32_t info[TRAFFIC_MAX_INFO];
    unsigned info_words = scoreboard_info(scoreboard, packet, place, info);
    pr_operator_add_target(composition, site);
    for (unsigned i = 0; i < info_words; i++)
        pr_operator_add_info(composition, info[i]);
}

/* Builds the packet at the head of a source's queue in the operator's pool. */
static int compose(struct native_site *site, const struct native_state *state, int32_t packet,
                   struct pr_composition *composition, uint16_t *sequence)
{
    const struct scoreboard *scoreboard = site->experiment->scoreboard;
    unsigned count, data_words = scoreboard_data(scoreboard, packet, state->words);
    const uint32_t *targets = scoreboard_targets(scoreboard, packet, &count);
    pr_operator_begin(site->op, composition, HANDLER);
    for (unsigned i = 0; i < count; i++)
        add_target(scoreboard, packet, i, targets[i], composition);
    for (unsigned i = 0; i < data_words; i++)
        pr_operator_add_data(composition, state->words[i]);
    return pr_operator_commit(composition, sequence);
}

/* Hands one packet over. False: the operator cannot take one now. */
static bool send(struct native_site *site, struct native_state *state, uint64_t clock)
{
    struct experiment *experiment = site->experiment;
    int32_t packet = scoreboard_waiting(experiment->scoreboard, site->site);
    struct pr_composition composition;
    uint16_t sequence = 0;
    if (packet == SCOREBOARD_NONE || site->count == experiment->options->window || !site->op ||
        pr_operator_send_room(site->op) == 0)
        return false;
    int error = compose(site, state, packet, &composition, &sequence);
    if (error == -PR_OPERATOR_WINDOW_FULL || error == -PR_OPERATOR_NO_BUFFER)
        return false;
    if (error != 0 || replica_accept(experiment, packet, clock, sequence) != 0) {
        experiment_fail(experiment, "site %u: its operator refuses a packet, error %d", site->site, -error);
        return false;
    }
    site->pending[site->count] = (struct pending){composition.packet, packet, composition.packet->stamp_last, sequence};
    if (site->count++ == 0)
        state->sending.sites[state->sending.count++] = site->site;
    return true;
}

/* Notices a packet of this site that has left its operator in the clock before this one; it has not been polled
 * since, so the buffer still holds it. Operators of the raw service send in order. */
static void notice_one(struct native_site *site, uint64_t clock)
{
    struct experiment *experiment = site->experiment;
    uint32_t places = experiment->mesh->reliable ? site->count : 1, place = 0;
    while (place < places && site->pending[place].buffer->stamp_last == site->pending[place].old_stamp)
        place++;
    if (place == places)
        return;
    replica_inject(experiment, site->site, site->pending[place].packet,
                   clock_from_stamp(clock, site->pending[place].buffer->stamp_first));
    forget_pending(site, place);
}

static void notice_sent(struct native_state *state, uint64_t clock)
{
    for (uint32_t i = 0; i < state->sending.count; i++) {
        struct native_site *site = &state->sites[state->sending.sites[i]];
        if (!experiment_site_alive(site->experiment, site->site))
            site->count = 0;
        if (site->count)
            notice_one(site, clock);
        if (site->count == 0)
            site_list_remove(&state->sending, i--);
    }
}

/* The first packet that waits at a source. False: it cannot be sent now. */
static bool send_one(struct experiment *experiment, uint32_t source, uint64_t clock)
{
    struct native_state *state = experiment->state;
    if (source < (uint32_t)experiment->mesh->sites)
        return send(&state->sites[source], state, clock);
    return experiment_groups_send(experiment, source, state->words, clock);
}

static void tick(void *context, struct simulation *simulation, uint64_t clock)
{
    struct experiment *experiment = context;
    struct native_state *state = experiment->state;
    notice_sent(state, clock);
    experiment_generate(experiment, clock);
    experiment_groups_join(experiment);
    bool changed = !simulation_idle(simulation);
    for (uint32_t i = 0; i < experiment->waiting.count; i++) {
        uint32_t source = experiment->waiting.sites[i];
        while (send_one(experiment, source, clock))
            changed = true;
        if (scoreboard_waiting(experiment->scoreboard, source) == SCOREBOARD_NONE)
            site_list_remove(&experiment->waiting, i--);
    }
    if ((experiment->waiting.count || state->sending.count) && changed)
        simulation_request_tick(simulation, clock + 1);
    else
        simulation_request_tick(simulation, experiment_next_packet(experiment));
}

/* A site's operator has started: it gets its handler and observer. */
static bool attach(struct experiment *experiment, struct native_site *site)
{
    site->op = simulation_operator(experiment->simulation, site->site);
    pr_operator_set_ordered(site->op, experiment->options->ordered);
    return pr_operator_register(site->op, HANDLER, deliver, site) == 0 &&
           pr_operator_observe(site->op, observe, site) == 0 && experiment_groups_attach(experiment, site->site);
}

/* What the operator of a site has counted. */
static void collect(struct experiment *experiment, const struct native_site *site)
{
    for (unsigned index = PR_COUNTER_DELIVERED; index < EXPERIMENT_COUNTERS; index++)
        experiment->result->counters[index] += pr_operator_counter(site->op, index);
    experiment_groups_collect(experiment, site->site);
}

static void reset(struct experiment *experiment, uint32_t number, bool running)
{
    struct native_state *state = experiment->state;
    struct native_site *site = &state->sites[number];
    if (mesh_is_switch(experiment->mesh, (int)number))
        return;
    if (running) {
        if (!attach(experiment, site))
            experiment_fail(experiment, "site %u: its operator takes no handler after a reset", number);
        simulation_request_tick(experiment->simulation, simulation_clock(experiment->simulation) + 1);
        return;
    }
    collect(experiment, site);
    site->op = NULL;
    site->count = 0;
}

static bool start(struct experiment *experiment)
{
    size_t sites = (size_t)experiment->mesh->sites, window = experiment->options->window;
    struct native_state *state = run_memory_allocate(1, sizeof *state);
    experiment->state = state;
    if (!state)
        return false;
    state->sites = run_memory_allocate(sites, sizeof *state->sites);
    state->pending = run_memory_allocate(sites * window, sizeof *state->pending);
    state->sending.sites = run_memory_allocate(sites, sizeof *state->sending.sites);
    state->words = run_memory_allocate(experiment->mesh->max_packet, sizeof *state->words);
    if (!state->sites || !state->pending || !state->sending.sites || !state->words ||
        !experiment_groups_start(experiment))
        return false;
    unsigned end = ranks_first_site(ranks_own() + 1, (unsigned)sites);
    for (unsigned i = ranks_first_site(ranks_own(), (unsigned)sites); i < end; i++) {
        struct native_site *site = &state->sites[i];
        *site = (struct native_site){.experiment = experiment, .site = i, .pending = state->pending + i * window};
        if (!mesh_is_switch(experiment->mesh, (int)i) && !attach(experiment, site))
            return false;
    }
    if (!experiment_groups_form(experiment))
        return false;
    replica_start(experiment);
    simulation_set_tick(experiment->simulation, tick, experiment);
    simulation_request_tick(experiment->simulation, simulation_clock(experiment->simulation));
    return true;
}

static void finish(struct experiment *experiment)
{
    const struct native_state *state = experiment->state;
    for (int site = 0; site < experiment->mesh->sites; site++)
        if (state->sites[site].op)
            collect(experiment, &state->sites[site]);
}

static void stop(struct experiment *experiment)
{
    struct native_state *state = experiment->state;
    if (!state)
        return;
    run_memory_free(state->sites);
    run_memory_free(state->pending);
    run_memory_free(state->sending.sites);
    run_memory_free(state->words);
    run_memory_free(experiment->group_sites);
    run_memory_free(state);
}

const struct injector injector_native = {.chunk = 64, .start = start, .reset = reset, .finish = finish, .stop = stop};
