/* What the operators of one rank do to packets, and what other ranks have to know of it (sim/ranks).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_EXPERIMENT_SHARED_EVENT_H
#define POSTROAD_EXPERIMENT_SHARED_EVENT_H

#include <stddef.h>
#include <stdint.h>

enum { SHARED_TEXT_SIZE = 400 };

enum shared_event_kind {
    SHARED_ACCEPTED,
    SHARED_INJECTED,
    SHARED_DELIVERED, /* its data words stand behind it, and then its target_info words */
    SHARED_FAILED,    /* a target is reported as failed */
    SHARED_SETTLED,   /* a packet is */
    SHARED_FAILURE    /* of the run; a text of SHARED_TEXT_SIZE stands behind it */
};

/* A multiple of 4 bytes long, as all that stands behind it. */
struct shared_event {
    uint64_t clock;   /* of acceptance, injection, delivery, settling */
    uint64_t arrived; /* of a delivery */
    uint32_t site;    /* of a delivery, or the one that is reported */
    uint32_t source;
    uint16_t sequence, data_words, info_words;
    uint8_t kind, epoch, stamps_wrong;
};

/* To all other ranks. */
void shared_event_send_all(const void *bytes, size_t length);

/* The run cannot go on: to all other ranks. */
void shared_event_fail(const char text[SHARED_TEXT_SIZE]);

#endif
