/* See replica.h. A packet's number in the scoreboard is a rank's own, so that events name its source and sequence
 * number. The content of a delivery is checked where it arrives, and the verdict is sent.
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

static void take_delivered(struct experiment *experiment, const struct shared_event *event)
{
    struct scoreboard_delivery delivery = {.site = event->site,
                                           .source = event->source,
                                           .sequence = event->sequence,
                                           .epoch = event->epoch,
                                           .judged = true,
                                           .damage = event->damage,
                                           .clock_arrived = event->arrived,
                                           .clock_delivered = event->clock};
    deliver(experiment, &delivery);
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
        take_delivered(experiment, &event);
        break;
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
    ranks_on_shared(take, experiment);
}

int replica_accept(struct experiment *experiment, int32_t packet, uint64_t clock, uint16_t sequence)
{
    struct shared_event event = {.kind = SHARED_ACCEPTED,
                                 .source = scoreboard_source(experiment->scoreboard, packet),
                                 .sequence = sequence,
                                 .clock = clock};
    shared_event_send(&event);
    return scoreboard_accept(experiment->scoreboard, packet, clock, sequence);
}

void replica_inject(struct experiment *experiment, uint32_t source, int32_t packet, uint64_t clock)
{
    struct shared_event event = {.kind = SHARED_INJECTED,
                                 .source = source,
                                 .sequence = scoreboard_sequence(experiment->scoreboard, packet),
                                 .clock = clock};
    shared_event_send(&event);
    scoreboard_inject(experiment->scoreboard, packet, clock);
}

void replica_deliver(struct experiment *experiment, const struct scoreboard_delivery *delivery)
{
    struct scoreboard_delivery judged = *delivery;
    judged.damage = scoreboard_judge(experiment->scoreboard, delivery);
    judged.judged = true;
    struct shared_event event = {.kind = SHARED_DELIVERED,
                                 .site = judged.site,
                                 .source = judged.source,
                                 .sequence = judged.sequence,
                                 .epoch = judged.epoch,
                                 .damage = (uint8_t)judged.damage,
                                 .arrived = judged.clock_arrived,
                                 .clock = judged.clock_delivered};
    shared_event_send(&event);
    deliver(experiment, &judged);
}

void replica_fail(struct experiment *experiment, uint32_t source, uint16_t sequence, uint32_t site)
{
    struct shared_event event = {.kind = SHARED_FAILED, .source = source, .sequence = sequence, .site = site};
    shared_event_send(&event);
    scoreboard_fail(experiment->scoreboard, source, sequence, site);
}

void replica_settle(struct experiment *experiment, uint32_t source, uint16_t sequence)
{
    uint64_t clock = simulation_clock(experiment->simulation);
    struct shared_event event = {.kind = SHARED_SETTLED, .source = source, .sequence = sequence, .clock = clock};
    shared_event_send(&event);
    scoreboard_settle(experiment->scoreboard, source, sequence, clock, true);
}
