/* What the operator tells of its work: deliveries to handlers, events to observers, and counters. Private to the
 * operator, except for the types.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_EVENTS_H
#define POSTROAD_OPERATOR_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PR_OPERATOR_HANDLERS = 8, /* handlers that can be registered */
    PR_OPERATOR_OBSERVERS = 2
};

/* Why a target was given up. */
enum pr_operator_failure {
    PR_OPERATOR_FAILED_TIME_OUT = 1, /* it acknowledged none of PR_TRIES_MAX tries */
    PR_OPERATOR_FAILED_RESTARTED     /* it restarted, and may or may not have received the packet before */
};

/* A delivered packet. The pointers are into the packet's buffer, which may be leaving for other sites at the same time.
 * They are valid until the handler returns, and the words must not be changed. */
struct pr_delivery {
    uint32_t source;
    uint16_t sequence;
    uint8_t epoch; /* of the source, modulo 32: source, sequence and epoch identify the packet */
    uint8_t handler;
    const uint32_t *data; /* without the operator's header */
    unsigned data_words;
    const uint32_t *info; /* this site's target_info */
    unsigned info_words;
    uint32_t stamp_first, stamp_last;
};

/* Called from pr_operator_poll. May call pr_operator_send, must not call pr_operator_poll. */
typedef void pr_operator_handler(void *context, const struct pr_delivery *delivery);

enum pr_operator_event_kind {
    PR_OPERATOR_EVENT_DELIVERED, /* before the handler is called */
    PR_OPERATOR_EVENT_RESENT,    /* a multicast came back aborted; its rest is sent again */
    PR_OPERATOR_EVENT_FALLBACK,  /* the same, but the rest goes as unicasts (O6) */
    PR_OPERATOR_EVENT_FORWARDED, /* a packet of another site is sent on: it was diverted (U3), or this is its relay */
    PR_OPERATOR_EVENT_TIMED_OUT, /* reliable: this site retransmits its packet to the targets that have not acknowledged
                                    it */
    PR_OPERATOR_EVENT_FAILED,    /* reliable: one target of this site's packet is given up */
    PR_OPERATOR_EVENT_SETTLED    /* reliable: every target of this site's packet has acknowledged it or was given up */
};

struct pr_operator_event {
    enum pr_operator_event_kind kind;
    uint32_t source;
    uint32_t site; /* FAILED: the target */
    uint16_t sequence;
    uint16_t remaining;                 /* targets to which it still goes from here; SETTLED: targets that failed */
    enum pr_operator_failure failure;   /* FAILED: why */
    const struct pr_delivery *delivery; /* PR_OPERATOR_EVENT_DELIVERED only, else NULL */
};

/* Called with every event, deliveries to the services included. Same limits as a handler. */
typedef void pr_operator_observer(void *context, const struct pr_operator_event *event);

/* Counters, by PR_COUNTER_DELIVERED... of protocol.h. Those of free buffers are the pool's. */
enum { PR_OPERATOR_COUNTERS = PR_COUNTER_RELAYED - PR_COUNTER_DELIVERED + 1 };

struct pr_events {
    uint32_t counters[PR_OPERATOR_COUNTERS];
    struct {
        pr_operator_handler *function;
        void *context;
        uint8_t handler;
    } handlers[PR_OPERATOR_HANDLERS];
    unsigned handler_count;
    struct {
        pr_operator_observer *function;
        void *context;
    } observers[PR_OPERATOR_OBSERVERS];
    unsigned observer_count;
};

static inline void pr_count(struct pr_events *events, unsigned index)
{
    events->counters[index - PR_COUNTER_DELIVERED]++;
}

/* True if the handler has a function. */
bool pr_events_have_handler(const struct pr_events *events, uint8_t handler);

/* As pr_operator_register and pr_operator_observe (operator.h). False: no place is left. */
bool pr_events_register(struct pr_events *events, uint8_t handler, pr_operator_handler *function, void *context);
bool pr_events_observe(struct pr_events *events, pr_operator_observer *function, void *context);

/* Calls every observer. An observer may send, so that the state of the operator may have changed on return. */
void pr_events_report(const struct pr_events *events, const struct pr_operator_event *event);

/* Calls the handler's function, if it has one. */
void pr_events_deliver(const struct pr_events *events, const struct pr_delivery *delivery);

#ifdef __cplusplus
}
#endif

#endif
