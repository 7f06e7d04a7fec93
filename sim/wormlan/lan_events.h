/* Events of a simulation in byte times: a binary heap. Within a byte time, what happens has an order of kinds; events
 * of the same byte time and kind must not depend on each other.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORMLAN_LAN_EVENTS_H
#define POSTROAD_WORMLAN_LAN_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/* In the order in which they happen. */
enum lan_event_kind {
    LAN_ALARM,     /* the caller's */
    LAN_SAY,       /* STOP or GO takes the place of a byte on a link */
    LAN_CONTROL,   /* STOP or GO arrives at the sender of a link */
    LAN_SEND,      /* a link begins or ends a run of bytes */
    LAN_STRIP,     /* a route byte leaves the buffer before it asks */
    LAN_ASK,       /* a head asks for its output */
    LAN_GRANT,     /* a free output takes one that asks */
    LAN_PUT_BEGIN, /* a run of bytes arrives */
    LAN_PUT_PAUSE, /* its last byte arrives, and the worm goes on later */
    LAN_PUT_TAIL,  /* its last byte arrives, the worm's last one */
    LAN_PUT_HEADER,
    LAN_REPEAT, /* a buffer that has said STOP says it again */
    LAN_LEVEL,  /* a buffer has reached a threshold, perhaps */
    LAN_HOLD    /* a host stops what comes, or lets it go on */
};

struct lan_event {
    uint64_t order; /* time * 16 + kind */
    uint64_t about; /* an address, or a generation */
    uint32_t where; /* a link or a host */
};

struct lan_events {
    struct lan_event *heap;
    unsigned count, room;
};

static inline uint64_t lan_event_time(const struct lan_event *event)
{
    return event->order / 16;
}

static inline enum lan_event_kind lan_event_kind(const struct lan_event *event)
{
    return (enum lan_event_kind)(event->order % 16);
}

static inline bool lan_events_have(const struct lan_events *events, uint64_t before)
{
    return events->count > 0 && lan_event_time(&events->heap[0]) < before;
}

void lan_events_add(struct lan_events *events, uint64_t time, enum lan_event_kind kind, uint32_t where, uint64_t about);

/* Takes the first one; there has to be one. */
struct lan_event lan_events_take(struct lan_events *events);

void lan_events_free(struct lan_events *events);

#endif
