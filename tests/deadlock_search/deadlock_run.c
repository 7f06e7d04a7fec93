/* SPDX-License-Identifier: ISC */
#include "deadlock_run.h"

#include <stdio.h>
#include <string.h>

#include "operator/operator.h"
#include "protocol.h"
#include "simulation/simulation.h"
#include "workload/scoreboard.h"

enum {
    HANDLER = 1,
    LOOK = 32, /* clocks between two looks */
    LINKS_MAX = 5,
    OPERATOR_SLACK = 4096, /* clocks in which an operator that misses polls is polled */
    STARVED_FACTOR = 64,   /* a word that waits so many times the longest time-out on a link starves */
    RETRY_CLOCKS = 1 << 19 /* reliable service: between two tries of a source, and to spare */
};

struct runner;

struct endpoint {
    struct runner *runner;
    struct pr_operator *op;
    unsigned site, first, next, end; /* its packets: the first, the next to be sent, one beyond the last */
};

struct runner {
    const struct deadlock_case *drawn;
    const struct deadlock_observer *observer;
    struct deadlock_result *result;
    struct simulation *simulation;
    struct endpoint endpoints[CASE_SITES];
    struct scoreboard *board;
    uint16_t sequences[CASE_PACKETS]; /* of the packets that an operator has taken */
    bool given_up, refused;           /* a source gave up a target; an operator refused a packet */
    uint64_t progress;                /* counts whatever brings a packet further for good */
    uint64_t progress_at, moved_words;
    uint64_t patience; /* clocks without any movement that show a hang */
    uint64_t link_moved[CASE_SITES][LINKS_MAX];
    uint32_t link_words[CASE_SITES][LINKS_MAX];
    bool starved;
};

/* The one that is running: operators' callbacks and observers have no other way to it. */
static const struct runner *running;

const char *deadlock_end_name(enum deadlock_end end)
{
    static const char *const names[DEADLOCK_ENDS] = {"complete", "storage",  "deadlock", "held",  "starved",
                                                     "livelock", "given up", "lost",     "wrong", "failed"};
    return names[end];
}

/* Packets that have not come to their end. */
static unsigned open_packets(const struct runner *runner)
{
    return runner->drawn->packet_count - (unsigned)scoreboard_totals(runner->board)->finished;
}

/* Something was delivered or settled as it must not be, or an operator refused a packet. */
static bool is_wrong(const struct runner *runner)
{
    return runner->refused || *scoreboard_complaint(runner->board);
}

static int find_packet(const struct runner *runner, unsigned source, unsigned sequence)
{
    const struct endpoint *endpoint = &runner->endpoints[source];
    if (source >= (unsigned)runner->drawn->mesh.sites)
        return -1;
    for (unsigned i = endpoint->first; i < endpoint->next; i++)
        if (runner->sequences[i] == sequence)
            return (int)i;
    return -1;
}

int deadlock_packet(const struct simulation *simulation, unsigned source, unsigned sequence)
{
    return running && running->simulation == simulation ? find_packet(running, source, sequence) : -1;
}

static void deliver(void *context, const struct pr_delivery *delivery)
{
    struct endpoint *endpoint = context;
    struct runner *runner = endpoint->runner;
    struct scoreboard_delivery event = {.site = endpoint->site,
                                        .source = delivery->source,
                                        .sequence = delivery->sequence,
                                        .data = delivery->data,
                                        .data_words = delivery->data_words,
                                        .clock_delivered = simulation_clock(runner->simulation)};
    enum scoreboard_verdict verdict = scoreboard_deliver(runner->board, &event);
    if (verdict == SCOREBOARD_UNKNOWN)
        scoreboard_refuse(runner->board, &event);
    runner->progress += verdict == SCOREBOARD_GOOD;
}

static void observe(void *context, const struct pr_operator_event *event)
{
    struct endpoint *endpoint = context;
    struct runner *runner = endpoint->runner;
    uint64_t clock = simulation_clock(runner->simulation);
    if (event->kind == PR_OPERATOR_EVENT_FAILED) {
        if (!runner->given_up)
            snprintf(runner->result->detail, sizeof runner->result->detail,
                     "clock %llu: site %u gives up packet %d at site %u", (unsigned long long)clock, endpoint->site,
                     find_packet(runner, endpoint->site, event->sequence), event->site);
        runner->given_up = true;
        scoreboard_fail(runner->board, endpoint->site, event->sequence, event->site);
    } else if (event->kind == PR_OPERATOR_EVENT_SETTLED) {
        scoreboard_settle(runner->board, endpoint->site, event->sequence, clock, true);
        runner->progress++;
    }
}

/* 0, or a negated error of the operator. */
static int compose(struct endpoint *endpoint, const struct case_packet *packet, uint16_t *sequence)
{
    const struct scoreboard *board = endpoint->runner->board;
    uint32_t data[UINT8_MAX];
    struct pr_composition composition;
    scoreboard_data(board, scoreboard_waiting(board, endpoint->site), data);
    pr_operator_begin(endpoint->op, &composition, HANDLER);
    for (unsigned i = 0; i < packet->target_count; i++)
        pr_operator_add_target(&composition, packet->targets[i]);
    for (unsigned i = 0; i < packet->data_words; i++)
        pr_operator_add_data(&composition, data[i]);
    return pr_operator_commit(&composition, sequence);
}

/* Hands over the next packet of a site if it is due. False: it is not, or the operator cannot take it now. */
static bool send(struct runner *runner, struct endpoint *endpoint, uint64_t clock)
{
    const struct case_packet *packet = &runner->drawn->packets[endpoint->next];
    uint16_t *sequence = &runner->sequences[endpoint->next];
    if (endpoint->next == endpoint->end || packet->due > clock || pr_operator_send_room(endpoint->op) == 0 ||
        scoreboard_on_their_way(runner->board, endpoint->site) >= runner->drawn->window)
        return false;
    int error = compose(endpoint, packet, sequence);
    if (error == -PR_OPERATOR_WINDOW_FULL || error == -PR_OPERATOR_NO_BUFFER)
        return false;
    if (error && !runner->refused)
        snprintf(runner->result->detail, sizeof runner->result->detail,
                 "site %u: its operator refuses a packet, error %d", endpoint->site, -error);
    runner->refused |= error;
    scoreboard_accept(runner->board, scoreboard_waiting(runner->board, endpoint->site), clock, *sequence);
    endpoint->next++;
    runner->progress++;
    return true;
}

/* The clock in which the next packet falls due that no operator was offered yet; UINT64_MAX if there is none. */
static uint64_t next_due(const struct runner *runner, uint64_t clock)
{
    uint64_t due = UINT64_MAX;
    for (unsigned site = 0; site < (unsigned)runner->drawn->mesh.sites; site++) {
        const struct endpoint *endpoint = &runner->endpoints[site];
        const struct case_packet *packet = &runner->drawn->packets[endpoint->next];
        if (endpoint->next < endpoint->end && packet->due > clock && packet->due < due)
            due = packet->due;
    }
    return due;
}

static void tick(void *context, struct simulation *simulation, uint64_t clock)
{
    struct runner *runner = context;
    bool sent = false;
    for (unsigned site = 0; site < (unsigned)runner->drawn->mesh.sites; site++)
        while (send(runner, &runner->endpoints[site], clock))
            sent = true;
    uint64_t due = next_due(runner, clock);
    if (sent)
        simulation_request_tick(simulation, clock + 1);
    else if (due != UINT64_MAX)
        simulation_request_tick(simulation, due);
}

static uint64_t longest_time_out(const struct mesh_config *mesh)
{
    return mesh_longest_wait(mesh) + mesh->receive_patience + OPERATOR_SLACK;
}

/* The packets of the case, which their sources will send in this order. */
static bool fill_scoreboard(struct runner *runner)
{
    const struct deadlock_case *drawn = runner->drawn;
    runner->board = scoreboard_create(&drawn->mesh, drawn->seed, CASE_SITES);
    for (unsigned i = 0; runner->board && i < drawn->packet_count; i++) {
        const struct case_packet *packet = &drawn->packets[i];
        uint32_t targets[CASE_SITES];
        for (unsigned k = 0; k < packet->target_count; k++)
            targets[k] = packet->targets[k];
        struct traffic_packet entry = {.clock = packet->due,
                                       .source = packet->source,
                                       .data_words = packet->data_words,
                                       .target_count = packet->target_count,
                                       .targets = targets};
        if (scoreboard_generate(runner->board, &entry) != 0)
            return false;
    }
    return runner->board;
}

static bool set_up(struct runner *runner)
{
    const struct deadlock_case *drawn = runner->drawn;
    struct simulation_options options = {.engine = drawn->engine->name,
                                         .model = drawn->model,
                                         .relays = drawn->relays,
                                         .mesh = &drawn->mesh,
                                         .pool = drawn->pool,
                                         .window = drawn->window,
                                         .seed = drawn->seed,
                                         .stall = drawn->stall,
                                         .observed = runner->observer && !runner->observer->waves,
                                         .waves = runner->observer ? runner->observer->waves : NULL};
    unsigned packet = 0;
    runner->patience = 2 * longest_time_out(&drawn->mesh);
    runner->simulation = simulation_create(&options, runner->result->detail, sizeof runner->result->detail);
    if (!runner->simulation || !fill_scoreboard(runner))
        return false;
    for (unsigned site = 0; site < (unsigned)drawn->mesh.sites; site++) {
        struct endpoint *endpoint = &runner->endpoints[site];
        *endpoint = (struct endpoint){.runner = runner,
                                      .site = site,
                                      .first = packet,
                                      .next = packet,
                                      .op = simulation_operator(runner->simulation, site)};
        while (packet < drawn->packet_count && drawn->packets[packet].source == site)
            packet++;
        endpoint->end = packet;
        pr_operator_register(endpoint->op, HANDLER, deliver, endpoint);
        pr_operator_observe(endpoint->op, observe, endpoint);
    }
    simulation_set_tick(runner->simulation, tick, runner);
    simulation_request_tick(runner->simulation, 0);
    return true;
}

/* Is the word shown on this link held up by the site at its other end? A simulator without words cannot tell. */
static bool link_waits(const struct runner *runner, unsigned site, unsigned link)
{
    const struct mesh_config *mesh = &runner->drawn->mesh;
    if (!runner->simulation->signal)
        return false;
    const uint64_t *words = simulation_words(runner->simulation);
    unsigned links = (unsigned)mesh->links;
    struct pr_far_end far = mesh_far_end(mesh, (int)site, (int)link);
    return far.site >= 0 && (words[site * links + link] & LINK_SLOT_WORD) &&
           (words[(unsigned)far.site * links + far.link] & LINK_SLOT_WAIT);
}

static void look_at_link(struct runner *runner, unsigned site, unsigned link, uint64_t now)
{
    uint32_t words = simulation_counter(runner->simulation, site, PR_COUNTER_WORDS_OUT + 1 + link);
    if (words != runner->link_words[site][link] || !link_waits(runner, site, link)) {
        runner->link_words[site][link] = words;
        runner->link_moved[site][link] = now;
    }
    uint64_t waited = now - runner->link_moved[site][link];
    if (waited > runner->result->longest_wait)
        runner->result->longest_wait = waited;
    if (waited > STARVED_FACTOR * runner->patience)
        runner->starved = true;
}

/* Notes what has moved since the last look. */
static void look(struct runner *runner)
{
    const struct mesh_config *mesh = &runner->drawn->mesh;
    uint64_t now = simulation_clock(runner->simulation), words = runner->progress;
    for (unsigned site = 0; site < (unsigned)mesh->sites; site++) {
        words += simulation_counter(runner->simulation, site, PR_COUNTER_WORDS_OUT);
        for (unsigned link = 0; link < (unsigned)mesh->links; link++) {
            look_at_link(runner, site, link, now);
            words += runner->link_words[site][link];
        }
    }
    if (words != runner->moved_words) {
        runner->moved_words = words;
        runner->result->moved = now;
    }
}

/* Runs some clocks; an observer sees each of them. */
static void run_clocks(struct runner *runner, uint64_t clocks)
{
    const struct deadlock_observer *observer = runner->observer;
    if (!observer || !observer->clock) {
        simulation_run(runner->simulation, clocks);
        return;
    }
    for (uint64_t i = 0; i < clocks; i++) {
        observer->clock(observer->context, runner->simulation);
        simulation_run(runner->simulation, 1);
    }
}

/* Where everything sleeps, time jumps to the next timer. False: there is none. */
static bool jump(struct runner *runner)
{
    uint64_t now = simulation_clock(runner->simulation), wake = simulation_next_wake(runner->simulation);
    if (wake == UINT64_MAX)
        return false;
    if (wake > now)
        simulation_run(runner->simulation, wake - now);
    runner->progress_at += wake - now;
    runner->result->moved += wake - now;
    for (unsigned site = 0; site < CASE_SITES; site++)
        for (unsigned link = 0; link < LINKS_MAX; link++)
            runner->link_moved[site][link] = wake;
    return true;
}

/* A site where a packet waits for its operator without a clock's break, and for which there is no buffer. */
static bool out_of_storage(struct runner *runner)
{
    uint32_t waited[CASE_SITES];
    bool empty = false;
    for (unsigned site = 0; site < (unsigned)runner->drawn->mesh.sites; site++)
        waited[site] = simulation_counter(runner->simulation, site, PR_COUNTER_RECEIVE_WAITS);
    run_clocks(runner, LOOK);
    for (unsigned site = 0; site < (unsigned)runner->drawn->mesh.sites; site++) {
        uint32_t clocks = simulation_counter(runner->simulation, site, PR_COUNTER_RECEIVE_WAITS) - waited[site];
        if (clocks == LOOK && simulation_counter(runner->simulation, site, PR_COUNTER_RECEIVED_PACKETS) &&
            pr_operator_counter(runner->endpoints[site].op, PR_COUNTER_FREE_BUFFERS) == 0)
            empty = true;
    }
    return empty;
}

/* Takes the operators away. True if everything leaves the fabric then. */
static bool fabric_empties(struct runner *runner)
{
    uint64_t progress = runner->progress;
    simulation_set_tick(runner->simulation, NULL, NULL);
    simulation_abandon_operators(runner->simulation);
    runner->result->moved = simulation_clock(runner->simulation);
    while (!simulation_idle(runner->simulation) &&
           simulation_clock(runner->simulation) - runner->result->moved <= runner->patience) {
        run_clocks(runner, LOOK);
        look(runner);
    }
    runner->progress = progress;
    return simulation_idle(runner->simulation);
}

/* Something has waited for too long: why? */
static enum deadlock_end diagnose(struct runner *runner, enum deadlock_end suspected)
{
    const struct deadlock_observer *observer = runner->observer;
    uint64_t moved = runner->result->moved;
    bool storage = suspected == DEADLOCK_HELD && !runner->drawn->mesh.reliable && out_of_storage(runner);
    if (observer && observer->stalled)
        observer->stalled(observer->context, runner->simulation);
    bool empties = fabric_empties(runner);
    if (observer && observer->emptied)
        observer->emptied(observer->context, runner->simulation);
    runner->result->moved = moved;
    if (!empties)
        return DEADLOCK_FABRIC;
    return storage ? DEADLOCK_STORAGE : suspected;
}

/* The end that a run has come to, or seems to have come to; DEADLOCK_ENDS: it goes on. */
static enum deadlock_end judge(struct runner *runner, uint64_t *progress)
{
    uint64_t now = simulation_clock(runner->simulation);
    uint64_t barren = STARVED_FACTOR * runner->patience + (runner->drawn->mesh.reliable ? RETRY_CLOCKS : 0);
    if (runner->progress != *progress) {
        *progress = runner->progress;
        runner->progress_at = now;
    }
    if (now - runner->result->moved > runner->patience)
        return DEADLOCK_HELD;
    if (runner->starved)
        return DEADLOCK_STARVED;
    if (now - runner->progress_at > barren)
        return DEADLOCK_LIVELOCK;
    return DEADLOCK_ENDS;
}

/* A source whose operator refused a packet asks again once something has been done since. */
static bool ask_again(struct runner *runner, uint64_t *asked)
{
    uint64_t now = simulation_clock(runner->simulation);
    bool waits = false;
    for (unsigned site = 0; site < (unsigned)runner->drawn->mesh.sites; site++) {
        const struct endpoint *endpoint = &runner->endpoints[site];
        waits |= endpoint->next < endpoint->end && runner->drawn->packets[endpoint->next].due <= now;
    }
    if (!waits || *asked == runner->progress)
        return false;
    *asked = runner->progress;
    simulation_request_tick(runner->simulation, now);
    return true;
}

static enum deadlock_end run_to_the_end(struct runner *runner)
{
    uint64_t progress = 0, asked = 0;
    enum deadlock_end end = DEADLOCK_ENDS;
    while (end == DEADLOCK_ENDS) {
        if (simulation_idle(runner->simulation)) {
            if (open_packets(runner) == 0)
                return DEADLOCK_COMPLETE;
            if (!ask_again(runner, &asked) && !jump(runner))
                return DEADLOCK_LOST;
        }
        run_clocks(runner, LOOK);
        look(runner);
        end = judge(runner, &progress);
    }
    return diagnose(runner, end);
}

/* What the scoreboard and the operators say outweighs how the fabric stood. */
static void conclude(struct runner *runner)
{
    struct deadlock_result *result = runner->result;
    if (result->end == DEADLOCK_LOST && !is_wrong(runner))
        snprintf(result->detail, sizeof result->detail, "all is quiet, and %u packets have not arrived",
                 open_packets(runner));
    if (*scoreboard_complaint(runner->board) && !runner->refused)
        snprintf(result->detail, sizeof result->detail, "%s", scoreboard_complaint(runner->board));
    if (runner->given_up && result->end == DEADLOCK_COMPLETE)
        result->end = DEADLOCK_GIVEN_UP;
    if (is_wrong(runner) && result->end != DEADLOCK_FABRIC)
        result->end = DEADLOCK_WRONG;
}

void deadlock_run(const struct deadlock_case *drawn, const struct deadlock_observer *observer,
                  struct deadlock_result *result)
{
    static struct runner runner;
    memset(&runner, 0, sizeof runner);
    memset(result, 0, sizeof *result);
    runner.drawn = drawn;
    runner.observer = observer;
    runner.result = result;
    running = &runner;
    result->end = DEADLOCK_FAILED;
    if (set_up(&runner)) {
        result->end = run_to_the_end(&runner);
        result->clocks = simulation_clock(runner.simulation);
        result->longest_way = scoreboard_settling(runner.board)->max;
        conclude(&runner);
    }
    scoreboard_free(runner.board);
    simulation_destroy(runner.simulation);
    running = NULL;
}
