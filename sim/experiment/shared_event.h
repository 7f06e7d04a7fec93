/* What the operators of one rank do to packets, and what all ranks have to know: every rank draws all traffic and has a
 * scoreboard of all packets, of which it sees only the operators of its own sites (sim/ranks).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_EXPERIMENT_SHARED_EVENT_H
#define POSTROAD_EXPERIMENT_SHARED_EVENT_H

#include "model/scoreboard.h"

enum { SHARED_TEXT_SIZE = 400 };

enum shared_event_kind {
    SHARED_ACCEPTED,
    SHARED_INJECTED,
    SHARED_DELIVERED,
    SHARED_FAILED,  /* a target is reported as failed */
    SHARED_SETTLED, /* a packet is */
    SHARED_FAILURE  /* of the run; a text of SHARED_TEXT_SIZE stands behind it */
};

struct shared_event {
    uint64_t clock;   /* of acceptance, injection, delivery, settling */
    uint64_t arrived; /* of a delivery */
    uint32_t site;    /* of a delivery, or the one that is reported */
    uint32_t source;
    uint16_t sequence;
    uint8_t kind, epoch, damage;
};

/* To all other ranks. */
void shared_event_send(const struct shared_event *event);

/* The run cannot go on. */
void shared_event_fail(const char text[SHARED_TEXT_SIZE]);

#endif
