/* Sites that run an image: packets and deliveries go through the console of each site, as a host would do it: SEND, and
 * after LISTEN DELIVERED events at the targets and the outcomes at the source. The console is a byte stream that
 * firmware reads and writes, so it, and not the fabric, limits the load: tens of bytes a packet at hundreds of clocks
 * a byte.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>
#include <string.h>

#include "experiment/injector.h"
#include "operator/operator.h"
#include "protocol.h"
#include "wire/console_frame.h"
#include "wire/console_messages.h"

enum {
    HANDLER = 0xa5,          /* of eight bits, the highest one too */
    START_CLOCKS = 20000000, /* for all sites to start and answer */
    COUNTER_CLOCKS = 20000000,
    RETRY_CLOCKS = 512 /* after "no buffer" or "window full" */
};

/* What a site's console is waited for. */
enum expectation { EXPECT_NOTHING, EXPECT_LISTEN, EXPECT_SEND, EXPECT_COUNTERS };

struct console_site {
    enum expectation expected;
    int32_t packet;        /* that EXPECT_SEND is about */
    unsigned next_counter; /* that EXPECT_COUNTERS is to ask for next */
    uint64_t retry_at;
    size_t output_used, output_sent;
    uint8_t output[PR_FRAMES_WIRE_MAX];
    struct pr_frames_reader reader;
};

/* A delivery whose SEND has not been answered yet. */
struct early_delivery {
    struct scoreboard_delivery delivery;
    uint32_t *data;
};

struct console_state {
    struct console_site *sites;
    uint32_t awaited; /* sites that owe an answer */
    struct early_delivery *early;
    size_t early_count, early_room;
    struct pr_frame frame;
    struct pr_message_delivery delivery;
    uint32_t words[PR_MESSAGE_WORDS_MAX];
};

static void request(struct console_state *state, uint32_t site, enum expectation expected)
{
    struct console_site *console = &state->sites[site];
    console->output_used = pr_frames_encode(&state->frame, console->output, sizeof console->output);
    console->output_sent = 0;
    console->expected = expected;
    state->awaited++;
}

/* The targets of a packet as a console frame has them: the simulator has refused a mesh with larger numbers. */
static unsigned name_targets(const struct scoreboard *scoreboard, int32_t packet, uint16_t sites[TRAFFIC_MAX_TARGETS])
{
    unsigned count;
    const uint32_t *targets = scoreboard_targets(scoreboard, packet, &count);
    for (unsigned i = 0; i < count; i++)
        sites[i] = (uint16_t)targets[i];
    return count;
}

/* Sends the packet at the head of a source's queue, if its console is free and the window allows it. */
static void send(struct experiment *experiment, struct console_state *state, uint32_t site)
{
    struct console_site *console = &state->sites[site];
    int32_t packet = scoreboard_waiting(experiment->scoreboard, site);
    uint16_t sites[TRAFFIC_MAX_TARGETS];
    struct pr_message_send message = {.handler = HANDLER, .data = state->words, .sites = sites};
    if (packet == SCOREBOARD_NONE || console->expected != EXPECT_NOTHING ||
        simulation_clock(experiment->simulation) < console->retry_at ||
        scoreboard_on_their_way(experiment->scoreboard, site) >= experiment->options->window)
        return;
    message.targets = name_targets(experiment->scoreboard, packet, sites);
    message.data_words = scoreboard_data(experiment->scoreboard, packet, state->words);
    console->packet = packet;
    if (!pr_message_send(&state->frame, &message))
        experiment_fail(experiment, "a packet of %u targets and %u data words does not fit a console frame",
                        message.targets, message.data_words);
    else
        request(state, site, EXPECT_SEND);
}

/* Tries the early deliveries again; `last` counts what is still unknown as stray. */
static void deliver_early(struct experiment *experiment, struct console_state *state, bool last)
{
    size_t kept = 0;
    for (size_t i = 0; i < state->early_count; i++) {
        struct early_delivery *early = &state->early[i];
        early->delivery.data = early->data;
        enum scoreboard_verdict verdict = scoreboard_deliver(experiment->scoreboard, &early->delivery);
        if (verdict == SCOREBOARD_UNKNOWN && !last) {
            state->early[kept++] = *early;
            continue;
        }
        if (verdict == SCOREBOARD_UNKNOWN)
            scoreboard_refuse(experiment->scoreboard, &early->delivery);
        free(early->data);
    }
    state->early_count = kept;
}

static void keep_early(struct experiment *experiment, struct console_state *state,
                       const struct scoreboard_delivery *delivery)
{
    size_t bytes = delivery->data_words * sizeof *delivery->data;
    if (state->early_count == state->early_room) {
        size_t room = state->early_room ? 2 * state->early_room : 16;
        struct early_delivery *early = realloc(state->early, room * sizeof *early);
        if (!early) {
            experiment_fail(experiment, "out of memory for deliveries");
            return;
        }
        state->early = early;
        state->early_room = room;
    }
    struct early_delivery *early = &state->early[state->early_count];
    *early = (struct early_delivery){*delivery, malloc(bytes ? bytes : 1)};
    if (!early->data) {
        experiment_fail(experiment, "out of memory for deliveries");
        return;
    }
    memcpy(early->data, delivery->data, bytes);
    state->early_count++;
}

static void read_delivery(struct experiment *experiment, struct console_state *state, uint32_t site)
{
    const struct pr_message_delivery *message = &state->delivery;
    uint64_t now = simulation_clock(experiment->simulation);
    if (!pr_message_read_delivery(&state->frame, &state->delivery)) {
        experiment_fail(experiment, "site %u: a delivery event that cannot be read", site);
        return;
    }
    if (message->handler != HANDLER)
        return;
    struct scoreboard_delivery event = {
        .site = site,
        .source = message->source,
        .sequence = (uint16_t)message->sequence,
        .data = message->data,
        .data_words = message->data_words,
        .info = message->info,
        .info_words = message->info_words,
        .stamps_wrong = (int32_t)(message->stamp_last - message->stamp_first) < (int32_t)message->data_words ||
                        (int32_t)(message->clock - message->stamp_last) < 0,
        .clock_arrived = clock_from_stamp(now, message->stamp_last),
        .clock_delivered = clock_from_stamp(now, message->clock),
    };
    if (scoreboard_deliver(experiment->scoreboard, &event) == SCOREBOARD_UNKNOWN)
        keep_early(experiment, state, &event);
}

/* What became of a packet of this site. */
static void read_outcome(struct experiment *experiment, struct console_state *state, uint32_t site)
{
    struct pr_message_event event;
    uint64_t now = simulation_clock(experiment->simulation);
    if (!pr_message_read_event(&state->frame, &event))
        experiment_fail(experiment, "site %u: an event that cannot be read", site);
    else if (event.what == PR_CONSOLE_KIND_FAILED)
        scoreboard_fail(experiment->scoreboard, site, (uint16_t)event.sequence, event.site);
    else if (event.what == PR_CONSOLE_KIND_SETTLED)
        scoreboard_settle(experiment->scoreboard, site, (uint16_t)event.sequence, clock_from_stamp(now, event.clock),
                          false);
}

static void read_send_answer(struct experiment *experiment, struct console_state *state, uint32_t site, int status)
{
    struct console_site *console = &state->sites[site];
    uint64_t now = simulation_clock(experiment->simulation);
    unsigned sequence;
    uint32_t clock;
    if (status == PR_CONSOLE_NO_BUFFER || status == PR_CONSOLE_WINDOW_FULL) {
        console->retry_at = now + RETRY_CLOCKS;
    } else if (status != PR_CONSOLE_OK || !pr_message_read_send(&state->frame, &sequence, &clock)) {
        experiment_fail(experiment, "site %u refuses a packet: %s", site, pr_message_status_text(status));
    } else if (scoreboard_accept(experiment->scoreboard, console->packet, clock_from_stamp(now, clock),
                                 (uint16_t)sequence) != 0) {
        experiment_fail(experiment, "out of memory for sequence numbers");
    } else {
        scoreboard_inject(experiment->scoreboard, console->packet, clock_from_stamp(now, clock));
        deliver_early(experiment, state, false);
    }
}

/* Asks a site for the operator's counters from `next_counter` on, as many as one answer holds; nothing if it has told
 * all. */
static void ask_for_counters(struct console_state *state, uint32_t site)
{
    unsigned first = state->sites[site].next_counter, count = EXPERIMENT_COUNTERS - first;
    if (count == 0)
        return;
    if (count > PR_CONSOLE_COUNTERS_MAX)
        count = PR_CONSOLE_COUNTERS_MAX;
    state->sites[site].next_counter += count;
    pr_message_counters(&state->frame, site, first, count);
    request(state, site, EXPECT_COUNTERS);
}

static void read_counters(struct experiment *experiment, struct console_state *state, uint32_t site)
{
    struct pr_message_counters counters;
    if (!pr_message_read_counters(&state->frame, &counters) || counters.first + counters.count > EXPERIMENT_COUNTERS)
        return;
    for (unsigned i = 0; i < counters.count; i++)
        experiment->result->counters[counters.first + i] += counters.values[i];
    ask_for_counters(state, site);
}

/* The answer that was waited for, or an event. */
static void read_frame(struct experiment *experiment, struct console_state *state, uint32_t site)
{
    static const uint8_t commands[] = {
        [EXPECT_LISTEN] = PR_CONSOLE_LISTEN, [EXPECT_SEND] = PR_CONSOLE_SEND, [EXPECT_COUNTERS] = PR_CONSOLE_COUNTERS};
    struct console_site *console = &state->sites[site];
    enum expectation expected = console->expected;
    int status = pr_message_status(&state->frame);
    if (state->frame.type == PR_CONSOLE_DELIVERED) {
        read_delivery(experiment, state, site);
        return;
    }
    if (state->frame.type == PR_CONSOLE_EVENT) {
        read_outcome(experiment, state, site);
        return;
    }
    if (expected == EXPECT_NOTHING || state->frame.type != (commands[expected] | PR_CONSOLE_ANSWER))
        return;
    console->expected = EXPECT_NOTHING;
    state->awaited--;
    if (expected == EXPECT_SEND)
        read_send_answer(experiment, state, site, status);
    else if (expected == EXPECT_COUNTERS && status == PR_CONSOLE_OK)
        read_counters(experiment, state, site);
    else if (status != PR_CONSOLE_OK)
        experiment_fail(experiment, "site %u: %s", site, pr_message_status_text(status));
}

/* Moves the bytes of one console both ways. */
static void serve(struct experiment *experiment, struct console_state *state, uint32_t site)
{
    struct console_site *console = &state->sites[site];
    uint8_t bytes[1024];
    size_t left = console->output_used - console->output_sent, count;
    if (left)
        console->output_sent += simulation_console_write(experiment->simulation, site,
                                                         console->output + console->output_sent, left);
    while ((count = simulation_console_read(experiment->simulation, site, bytes, sizeof bytes)) > 0)
        for (size_t i = 0; i < count; i++)
            if (pr_frames_push(&console->reader, bytes[i], &state->frame) == PR_FRAMES_READY)
                read_frame(experiment, state, site);
}

static void serve_all(struct experiment *experiment)
{
    struct console_state *state = experiment->state;
    for (int site = 0; site < experiment->mesh->sites; site++)
        if (!mesh_is_switch(experiment->mesh, site))
            serve(experiment, state, (uint32_t)site);
}

static void step(struct experiment *experiment)
{
    struct console_state *state = experiment->state;
    serve_all(experiment);
    experiment_generate(experiment, simulation_clock(experiment->simulation));
    for (uint32_t i = 0; i < experiment->waiting.count; i++) {
        uint32_t site = experiment->waiting.sites[i];
        send(experiment, state, site);
        if (scoreboard_waiting(experiment->scoreboard, site) == SCOREBOARD_NONE)
            site_list_remove(&experiment->waiting, i--);
    }
}

/* Runs until every site has answered. False: some did not within so many clocks, or before the run was interrupted. */
static bool run_until_answered(struct experiment *experiment, uint64_t clocks)
{
    const struct console_state *state = experiment->state;
    uint64_t limit = simulation_clock(experiment->simulation) + clocks;
    while (state->awaited && simulation_clock(experiment->simulation) < limit && !experiment->failed &&
           !experiment_is_stopped(experiment)) {
        experiment_advance(experiment, injector_console.chunk);
        serve_all(experiment);
    }
    return state->awaited == 0;
}

static bool start(struct experiment *experiment)
{
    uint32_t sites = (uint32_t)experiment->mesh->sites;
    struct console_state *state = calloc(1, sizeof *state);
    experiment->state = state;
    if (state)
        state->sites = calloc(sites, sizeof *state->sites);
    if (!state || !state->sites)
        return false;
    for (uint32_t site = 0; site < sites; site++) {
        if (mesh_is_switch(experiment->mesh, (int)site))
            continue;
        pr_frames_reader_init(&state->sites[site].reader);
        pr_message_listen(&state->frame,
                          PR_CONSOLE_LISTEN_DELIVERED | (experiment->mesh->reliable ? PR_CONSOLE_LISTEN_OUTCOMES : 0));
        request(state, site, EXPECT_LISTEN);
    }
    if (run_until_answered(experiment, START_CLOCKS))
        return true;
    experiment_fail(experiment, "%u of %u sites had not answered %llu clocks after reset", state->awaited, sites,
                    (unsigned long long)simulation_clock(experiment->simulation));
    return false;
}

static bool settled(const struct experiment *experiment)
{
    const struct console_state *state = experiment->state;
    return state->awaited == 0;
}

static void finish(struct experiment *experiment)
{
    struct console_state *state = experiment->state;
    deliver_early(experiment, state, true);
    for (uint32_t site = 0; site < (uint32_t)experiment->mesh->sites; site++) {
        if (state->sites[site].expected != EXPECT_NOTHING || mesh_is_switch(experiment->mesh, (int)site))
            continue;
        state->sites[site].next_counter = PR_COUNTER_DELIVERED;
        ask_for_counters(state, site);
    }
    run_until_answered(experiment, COUNTER_CLOCKS);
}

static void stop(struct experiment *experiment)
{
    struct console_state *state = experiment->state;
    if (!state)
        return;
    for (size_t i = 0; i < state->early_count; i++)
        free(state->early[i].data);
    free(state->early);
    free(state->sites);
    free(state);
}

const struct injector injector_console = {
    .chunk = 32,
    .patience = 400000,
    .start = start,
    .step = step,
    .settled = settled,
    .finish = finish,
    .stop = stop,
};
