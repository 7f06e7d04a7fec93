/* See csr_runs.h. The run of each scheme is a function that runs one slot, and says how many packets came through.
 *
 * SPDX-License-Identifier: ISC
 */
#include "csr/csr_runs.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "csr/csr_deflection.h"
#include "csr/csr_general.h"
#include "csr/csr_model.h"
#include "csr/csr_plane.h"
#include "csr/csr_series.h"
#include "csr/csr_traffic.h"
#include "csr/csr_unbuffered.h"
#include "support/or_abort.h"

/* Sums of the slots behind the warm-up. */
struct sums {
    double slots, attempts, accepted, backlogged; /* csr */
    double flights;                               /* graph */
    double distances, under_way, deflected;       /* deflection */
    double hot;                                   /* packets to node 0 */
    double ends, others;                          /* packets of nodes 0 and N - 1, and of all others */
    double multicasts, multicast_slots;
};

void csr_figures_add(struct csr_figures *figures, const char *name, double value)
{
    assert(figures->count < CSR_MOST_FIGURES);
    figures->figures[figures->count].name = name;
    figures->figures[figures->count++].value = value;
}

typedef double run_slot(void *context, struct sums *sums); /* packets accepted or arrived */

/* Runs the slots; adds throughput and its standard error. */
static void measure(const struct csr_run *run, unsigned nodes, run_slot *slot, void *context, struct sums *sums,
                    struct csr_figures *figures)
{
    struct csr_series series = {0};
    for (uint64_t i = 0; i < run->warm_up; i++)
        slot(context, sums);
    *sums = (struct sums){0};
    for (unsigned batch = 0; batch < CSR_BATCHES; batch++) {
        uint64_t slots = run->slots * (batch + 1) / CSR_BATCHES - run->slots * batch / CSR_BATCHES;
        double packets = 0;
        for (uint64_t i = 0; i < slots; i++)
            packets += slot(context, sums);
        if (slots)
            csr_series_add(&series, packets / (double)slots / nodes);
    }
    sums->slots = (double)run->slots;
    csr_figures_add(figures, "throughput", csr_series_mean(&series));
    csr_figures_add(figures, "throughput_error", csr_series_error(&series));
}

/* At most so many arrivals at a node and slot are accepted, drawn from all of them. */
struct few_exits {
    unsigned most;
    struct random random;
};

static uint32_t accept_few(void *context, unsigned node, uint32_t arrived)
{
    struct few_exits *exits = context;
    (void)node;
    while ((unsigned)__builtin_popcount(arrived) > exits->most) {
        uint32_t rest = arrived;
        for (unsigned skip = random_below(&exits->random, (uint32_t)__builtin_popcount(arrived)); skip; skip--)
            rest &= rest - 1;
        arrived &= ~(rest & -rest);
    }
    return arrived;
}

struct csr_run_state {
    struct csr_model *model;
    struct csr_traffic *traffic;
    struct few_exits exits;
    bool lockout; /* count the ends */
    unsigned dimensions;
};

static void state_create(struct csr_run_state *state, const struct csr_run *run, bool forks)
{
    *state = (struct csr_run_state){
        .exits.most = run->exits, .lockout = run->destinations.pattern == CSR_LOCKOUT, .dimensions = run->dimensions};
    random_seed(&state->exits.random, run->seed, 5);
    struct csr_load load = {run->destinations, run->arrival, run->retry, run->redraw, run->seed};
    state->model = csr_model_create(&(struct csr_options){.dimensions = run->dimensions,
                                                          .forks = forks,
                                                          .exits = run->exits ? accept_few : NULL,
                                                          .context = &state->exits,
                                                          .seed = run->seed});
    state->traffic = csr_traffic_create(run->dimensions, &load);
}

static void state_free(struct csr_run_state *state)
{
    csr_model_free(state->model);
    csr_traffic_free(state->traffic);
}

static void count_ends(const struct csr_run_state *state, struct sums *sums)
{
    unsigned last = (1u << state->dimensions) - 1;
    for (unsigned link = 0; link < 2 * state->dimensions; link++) {
        const uint64_t *accepted = csr_model_accepted(state->model, link);
        sums->ends += csr_plane_bit(accepted, 0) + csr_plane_bit(accepted, last);
        for (unsigned node = 1; node < last; node++)
            sums->others += csr_plane_bit(accepted, node);
    }
}

static double settle(struct csr_run_state *state, struct sums *sums)
{
    struct csr_settled settled = csr_traffic_settle(state->traffic, state->model);
    sums->attempts += settled.attempts;
    sums->accepted += settled.accepted;
    sums->hot += settled.hot;
    sums->backlogged += settled.backlogged;
    if (state->lockout)
        count_ends(state, sums);
    return settled.accepted;
}

static double csr_slot(void *context, struct sums *sums)
{
    struct csr_run_state *state = context;
    csr_traffic_offer(state->traffic, state->model);
    csr_model_slot(state->model);
    return settle(state, sums);
}

/* Of nodes 0 and N - 1, and of all others, a node and slot. */
static void add_ends(const struct csr_run *run, const struct sums *sums, struct csr_figures *figures)
{
    if (run->destinations.pattern != CSR_LOCKOUT)
        return;
    csr_figures_add(figures, "ends", sums->ends / 2 / sums->slots);
    csr_figures_add(figures, "others", sums->others / ((1u << run->dimensions) - 2) / sums->slots);
}

static void add_load(const struct csr_run *run, const struct sums *sums, struct csr_figures *figures)
{
    double entries = (double)(2 * run->dimensions) * (1u << run->dimensions) * sums->slots;
    csr_figures_add(figures, "attempt_rate", sums->attempts / entries);
    csr_figures_add(figures, "backlogged", sums->backlogged / entries);
    csr_figures_add(figures, "wait", sums->backlogged / sums->accepted); /* slots: Little's law */
}

void csr_run_csr(const struct csr_run *run, struct csr_figures *figures)
{
    struct csr_run_state state;
    struct sums sums = {0};
    state_create(&state, run, false);
    measure(run, 1u << run->dimensions, csr_slot, &state, &sums, figures);
    csr_figures_add(figures, "saturation", figures->figures[0].value / 2);
    add_load(run, &sums, figures);
    csr_figures_add(figures, "hot", sums.hot / sums.slots); /* packets a slot */
    add_ends(run, &sums, figures);
    state_free(&state);
}

/* One multicast at a time, from a random node to the nodes of a random subcube; it tries in each slot, in the entry
 * buffer of a random module that is empty. */
struct multicast {
    struct csr_run_state state;
    struct random random;
    unsigned fork_count, node;
    uint32_t tag, forks;
    uint64_t begun;
};

static void begin(struct multicast *multicast)
{
    unsigned d = multicast->state.dimensions;
    multicast->node = random_below(&multicast->random, 1u << d);
    multicast->forks = 0;
    while ((unsigned)__builtin_popcount(multicast->forks) < multicast->fork_count)
        multicast->forks |= UINT32_C(1) << random_below(&multicast->random, d);
    multicast->tag = random_below(&multicast->random, 1u << d) & ~multicast->forks;
    multicast->begun = csr_model_now(multicast->state.model);
}

static double multicast_slot(void *context, struct sums *sums)
{
    struct multicast *multicast = context;
    struct csr_run_state *state = &multicast->state;
    unsigned d = state->dimensions, module = random_below(&multicast->random, d);
    unsigned link = 2 * module + (multicast->tag >> module & 1);
    bool tries = !csr_traffic_backlogged(state->traffic, multicast->node, link);
    if (tries)
        csr_traffic_leave(state->traffic, multicast->node, link);
    csr_traffic_offer(state->traffic, state->model);
    if (tries)
        csr_model_offer(state->model, multicast->node, module, multicast->tag, multicast->forks);
    csr_model_slot(state->model);
    double accepted = settle(state, sums);
    for (unsigned k = 0; k < d; k++)
        csr_plane_set_bit(csr_model_forks(state->model, link, k), multicast->node, false);
    if (tries && csr_plane_bit(csr_model_accepted(state->model, link), multicast->node)) {
        sums->multicasts++;
        sums->multicast_slots += (double)(csr_model_now(state->model) - 1 - multicast->begun + d);
        begin(multicast);
    }
    return accepted;
}

void csr_run_multicast(const struct csr_run *run, struct csr_figures *figures)
{
    struct multicast multicast = {.fork_count = (unsigned)__builtin_ctz(run->targets)};
    struct sums sums = {0};
    random_seed(&multicast.random, run->seed, 6);
    state_create(&multicast.state, run, true);
    begin(&multicast);
    measure(run, 1u << run->dimensions, multicast_slot, &multicast, &sums, figures);
    add_load(run, &sums, figures);
    csr_figures_add(figures, "multicasts", sums.multicasts);
    csr_figures_add(figures, "multicast_slots", sums.multicast_slots / sums.multicasts);
    state_free(&multicast.state);
}

/* Every entry buffer keeps its packet until it is accepted. */
struct graph_state {
    const struct csr_run *run;
    const struct csr_routes *routes;
    struct csr_general *general;
    struct random random;
    const struct csr_path **held; /* [link] */
    int *flits;
};

static double graph_slot(void *context, struct sums *sums)
{
    struct graph_state *state = context;
    double accepted = 0;
    for (unsigned link = 0; link < state->routes->links; link++) {
        const struct csr_entry *entry = &state->routes->entries[link];
        if (!state->held[link] && entry->count && random_unit(&state->random) < state->run->arrival)
            state->held[link] = &entry->paths[random_below(&state->random, entry->count)];
        const struct csr_path *path = state->held[link];
        state->flits[link] = path ? csr_general_offer(state->general, path->links, path->length) : -1;
    }
    csr_general_slot(state->general);
    for (unsigned link = 0; link < state->routes->links; link++) {
        unsigned flight = state->flits[link] < 0 ? 0 : csr_general_flight(state->general, state->flits[link]);
        if (!flight)
            continue;
        state->held[link] = NULL;
        sums->flights += flight;
        sums->accepted++;
        accepted++;
    }
    return accepted;
}

void csr_run_graph(const struct csr_run *run, struct csr_figures *figures)
{
    struct graph_state state = {.run = run, .routes = run->routes};
    struct sums sums = {0};
    random_seed(&state.random, run->seed, 7);
    state.general = csr_general_create(&(struct csr_general_options){
        .links = state.routes->links, .buffers = run->buffers, .patience = run->patience, .seed = run->seed});
    state.held = or_abort(calloc(state.routes->links, sizeof *state.held));
    state.flits = or_abort(calloc(state.routes->links, sizeof *state.flits));
    measure(run, state.routes->nodes, graph_slot, &state, &sums, figures);
    csr_figures_add(figures, "saturation", figures->figures[0].value / state.routes->capacity);
    csr_figures_add(figures, "flight", sums.flights / sums.accepted);
    csr_general_free(state.general);
    free(state.held);
    free(state.flits);
}

static double deflection_slot(void *context, struct sums *sums)
{
    struct csr_delivered delivered = csr_deflection_slot(context);
    sums->accepted += delivered.packets;
    sums->hot += delivered.hot;
    sums->distances += (double)delivered.distances;
    sums->under_way += (double)delivered.slots;
    sums->deflected += (double)delivered.deflected;
    return delivered.packets;
}

void csr_run_deflection(const struct csr_run *run, struct csr_figures *figures)
{
    struct sums sums = {0};
    unsigned nodes = 1u << run->dimensions;
    struct csr_deflection *deflection = csr_deflection_create(
        &(struct csr_deflection_options){.dimensions = run->dimensions,
                                         .priority = run->priority,
                                         .two_phases = run->two_phases,
                                         .attempts = run->arrival,
                                         .destinations = run->destinations,
                                         .seed = run->seed});
    measure(run, nodes, deflection_slot, deflection, &sums, figures);
    double links = (double)run->dimensions * nodes * sums.slots;
    csr_figures_add(figures, "saturation", sums.distances / links);
    csr_figures_add(figures, "deflected", sums.deflected / links);
    csr_figures_add(figures, "flight", sums.under_way / sums.accepted);
    csr_figures_add(figures, "hot", sums.hot / sums.slots);
    if (run->destinations.pattern == CSR_LOCKOUT) {
        sums.slots = (double)(run->warm_up + run->slots); /* those that inserted packets are counted in */
        for (unsigned node = 0; node < nodes; node++)
            *(node == 0 || node == nodes - 1 ? &sums.ends : &sums.others) += (double)csr_deflection_inserted(deflection,
                                                                                                             node);
        add_ends(run, &sums, figures);
    }
    csr_deflection_free(deflection);
}

static double unbuffered_slot(void *context, struct sums *sums)
{
    (void)sums;
    return csr_unbuffered_slot(context);
}

void csr_run_unbuffered(const struct csr_run *run, struct csr_figures *figures)
{
    struct sums sums = {0};
    struct csr_unbuffered *unbuffered = csr_unbuffered_create(
        &(struct csr_unbuffered_options){.dimensions = run->dimensions,
                                         .priority = run->priority,
                                         .new_last = run->new_last,
                                         .attempts = run->arrival,
                                         .seed = run->seed});
    measure(run, 1u << run->dimensions, unbuffered_slot, unbuffered, &sums, figures);
    csr_figures_add(figures, "saturation", figures->figures[0].value / 2);
    csr_unbuffered_free(unbuffered);
}
