/* See replica.h. A packet's index in the scoreboard is a rank's own, so that events name its source and sequence
 * number.
 *
 * SPDX-License-Identifier: ISC
 */
#include "experiment/replica.h"

#include <string.h>

#include "experiment/shared_event.h"
#include "ranks/ranks.h"

static void deliver(struct experiment *experiment, const struct scoreboard_delivery *delivery)
{
    if (scoreboard_deliver(experiment->scoreboard, delivery) == SCOREBOARD_UNKNOWN)
        scoreboard_refuse(experiment->scoreboard, delivery);
}

static void take_accepted(struct experiment *experiment, const struct shared_event *event)
{
    int32_t packet = scoreboard_waiting(experiment->scoreboard, event->source);
    if (packet == SCOREBOARD_NONE ||
        scoreboard_accept(experiment->scoreboard, packet, event->clock, event->sequence) != 0)
        experiment_fail(experiment, "site %u of another rank has accepted a packet that is not here", event->source);
}

static void take_injected(struct experiment *experiment, const struct shared_event *event)
{
    int32_t packet = scoreboard_find(experiment->scoreboard, event->source, event->sequence);
    if (packet != SCOREBOARD_NONE)
        scoreboard_inject(experiment->scoreboard, packet, event->clock);
}

/* Returns the length of the content behind the event. */
static size_t take_delivered(struct experiment *experiment, const struct shared_event *event, const uint32_t *content)
{
    struct scoreboard_delivery delivery = {.site = event->site,
                                           .source = event->source,
                                           .sequence = event->sequence,
                                           .epoch = event->epoch,
                                           .data = content,
                                           .data_words = event->data_words,
                                           .info = content + event->data_words,
                                           .info_words = event->info_words,
                                           .stamps_wrong = event->stamps_wrong,
                                           .clock_arrived = event->arrived,
                                           .clock_delivered = event->clock};
    deliver(experiment, &delivery);
    return (event->data_words + (size_t)event->info_words) * sizeof *content;
}

static size_t take(void *context, unsigned from, const uint8_t *bytes)
{
    struct experiment *experiment = context;
    struct shared_event event;
    (void)from;
    memcpy(&event, bytes, sizeof event);
    switch ((enum shared_event_kind)event.kind) {
    case SHARED_ACCEPTED:
        take_accepted(experiment, &event);
        break;
    case SHARED_INJECTED:
        take_injected(experiment, &event);
        break;
    case SHARED_DELIVERED:
        return sizeof event +
               take_delivered(experiment, &event, (const uint32_t *)(const void *)(bytes + sizeof event));
    case SHARED_FAILED:
        scoreboard_fail(experiment->scoreboard, event.source, event.sequence, event.site);
        break;
    case SHARED_SETTLED:
        scoreboard_settle(experiment->scoreboard, event.source, event.sequence, event.clock, true);
        break;
    case SHARED_FAILURE:
        experiment_fail(experiment, "%.*s", SHARED_TEXT_SIZE - 1, (const char *)bytes + sizeof event);
        return sizeof event + SHARED_TEXT_SIZE;
    }
    return sizeof event;
}

void replica_start(struct experiment *experiment)
{
    ranks_on_sent(take, experiment);
}

/* What happens to a packet at its source. */
static void tell(const struct experiment *experiment, const struct shared_event *event)
{
    if (experiment->recorded_by_all)
        shared_event_send_all(event, sizeof *event);
}

int replica_accept(struct experiment *experiment, int32_t packet, uint64_t clock, uint16_t sequence)
{
    struct shared_event event = {.kind = SHARED_ACCEPTED,
                                 .source = scoreboard_source(experiment->scoreboard, packet),
                                 .sequence = sequence,
                                 .clock = clock};
    tell(experiment, &event);
    return scoreboard_accept(experiment->scoreboard, packet, clock, sequence);
}

void replica_inject(struct experiment *experiment, uint32_t source, int32_t packet, uint64_t clock)
{
    struct shared_event event = {.kind = SHARED_INJECTED,
                                 .source = source,
                                 .sequence = scoreboard_sequence(experiment->scoreboard, packet),
                                 .clock = clock};
    tell(experiment, &event);
    scoreboard_inject(experiment->scoreboard, packet, clock);
}

/* Is the packet of this delivery recorded here? An unknown source is no rank's, and the delivery counts as stray. */
static bool is_recorded(const struct experiment *experiment, const struct scoreboard_delivery *delivery)
{
    return delivery->source >= (uint32_t)experiment->mesh->sites || experiment_records(experiment, delivery->source);
}

static void send_delivery(const struct experiment *experiment, const struct scoreboard_delivery *delivery)
{
    struct shared_event event = {.kind = SHARED_DELIVERED,
                                 .site = delivery->site,
                                 .source = delivery->source,
                                 .sequence = delivery->sequence,
                                 .epoch = delivery->epoch,
                                 .data_words = (uint16_t)delivery->data_words,
                                 .info_words = (uint16_t)delivery->info_words,
                                 .stamps_wrong = delivery->stamps_wrong,
                                 .arrived = delivery->clock_arrived,
                                 .clock = delivery->clock_delivered};
    unsigned home = ranks_owner(delivery->source, (unsigned)experiment->mesh->sites);
    for (unsigned rank = 0; rank < ranks_count(); rank++) {
        if (rank == ranks_own() || !(experiment->recorded_by_all || rank == home))
            continue;
        ranks_send(rank, &event, sizeof event);
        ranks_send(rank, delivery->data, delivery->data_words * sizeof *delivery->data);
        ranks_send(rank, delivery->info, delivery->info_words * sizeof *delivery->info);
    }
}

void replica_deliver(struct experiment *experiment, const struct scoreboard_delivery *delivery)
{
    if (is_recorded(experiment, delivery))
        deliver(experiment, delivery);
    if (experiment->recorded_by_all || !is_recorded(experiment, delivery))
        send_delivery(experiment, delivery);
}

void replica_fail(struct experiment *experiment, uint32_t source, uint16_t sequence, uint32_t site)
{
    struct shared_event event = {.kind = SHARED_FAILED, .source = source, .sequence = sequence, .site = site};
    tell(experiment, &event);
    scoreboard_fail(experiment->scoreboard, source, sequence, site);
}

void replica_settle(struct experiment *experiment, uint32_t source, uint16_t sequence)
{
    uint64_t clock = simulation_clock(experiment->simulation);
    struct shared_event event = {.kind = SHARED_SETTLED, .source = source, .sequence = sequence, .clock = clock};
    tell(experiment, &event);
    scoreboard_settle(experiment->scoreboard, source, sequence, clock, true);
}
