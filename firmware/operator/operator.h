/* The operator: sends, receives, resends and delivers packets (rules O1-O8).
 *
 * All state is in structs the caller owns; no heap, no globals, no interrupts: everything happens in
 * operator_poll and operator_send. One buffer of the pool carries a packet from receipt to retransmission,
 * without a copy.
 *
 * Every packet starts its data with a header of three words: source site, sequence, tries and handler.
 */
#ifndef OPERATOR_OPERATOR_H
#define OPERATOR_OPERATOR_H

#include "operator/network_interface.h"
#include "operator/node_identity.h"

enum {
    OPERATOR_HANDLERS = 8,          /* handlers that can be registered */
    OPERATOR_RECEIVE_RESERVE = 2    /* buffers that no send takes: they stay for receiving */
};

/* Errors are returned negated. */
enum {
    OPERATOR_NO_BUFFER = 1,         /* try again after operator_poll */
    OPERATOR_TOO_LONG,              /* longer than the mesh's max_packet or a pool buffer (O7) */
    OPERATOR_NO_TARGETS,            /* (O7) */
    OPERATOR_UNKNOWN_SITE,          /* not a site of this mesh */
    OPERATOR_BAD_DATA,              /* a word wider than the fabric's */
    OPERATOR_FULL                   /* operator_register: no place left */
};

/* One target: a site and the target_info words only this site gets to see. */
struct target {
    uint16_t site;
    uint16_t info_words;
    const uint32_t *info;           /* may be NULL if info_words is 0 */
};

/* A delivered packet. The pointers are into the packet's buffer: valid until the handler returns. */
struct delivery {
    uint16_t source, sequence;
    uint8_t handler;
    const uint32_t *data;           /* without the operator's header */
    unsigned data_words;
    const uint32_t *info;           /* this site's target_info */
    unsigned info_words;
    uint32_t stamp_first, stamp_last;
};

/* Called from operator_poll. May call operator_send, must not call operator_poll. */
typedef void operator_handler(void *context, const struct delivery *delivery);

enum operator_event_kind {
    OPERATOR_EVENT_DELIVERED,       /* before the handler is called */
    OPERATOR_EVENT_RESENT,          /* a multicast came back aborted; its rest is sent again */
    OPERATOR_EVENT_FALLBACK,        /* the same, but the rest goes as unicasts (O6) */
    OPERATOR_EVENT_FORWARDED        /* a diverted packet of another site is sent on (U3) */
};

struct operator_event {
    enum operator_event_kind kind;
    uint16_t source, sequence;
    uint16_t remaining;             /* targets that it still goes to from here */
    const struct delivery *delivery; /* OPERATOR_EVENT_DELIVERED only, else NULL */
};

/* Sees everything the operator does, the service's deliveries included. Same limits as a handler. */
typedef void operator_observer(void *context, const struct operator_event *event);

/* Counters, by COUNTER_DELIVERED... of protocol.h; FREE_BUFFERS are those on the free list or posted for
 * receiving. */
enum { OPERATOR_COUNTERS = COUNTER_FEWEST_FREE_BUFFERS - COUNTER_DELIVERED + 1 };

struct operator {
    struct network_interface *interface;
    const struct node_identity *identity;
    uint32_t *pool;
    unsigned buffers, packet_words, sites;
    uint32_t strict_bit, address_mask, wide_mask;
    uint32_t free_list, queue_head, queue_tail; /* offsets into the pool, in words; OPERATOR_NONE ends a list */
    unsigned free, posted;
    unsigned reserve;               /* the same for evaluators' sends: three quarters of the pool */
    uint16_t sequence;
    uint32_t counters[OPERATOR_COUNTERS];
    struct {
        operator_handler *function;
        void *context;
        uint8_t handler;
    } handlers[OPERATOR_HANDLERS];
    unsigned handler_count;
    operator_observer *observer;
    void *observer_context;
};

/* Takes ownership of the pool: buffers * PACKET_BUFFER_WORDS(packet_words) words, which must outlive the
 * operator, as must interface and identity. Needs at least 3 buffers. Posts receive buffers at once. 0, or
 * -OPERATOR_NO_BUFFER (fewer than 3), or -OPERATOR_TOO_LONG (max_packet does not fit a buffer). */
int operator_init(struct operator *operator, struct network_interface *interface, const struct node_identity *identity,
                  uint32_t *pool, unsigned buffers, unsigned packet_words);

/* Sends data to a set of sites, this one included if it is named. Duplicate sites are removed, the first
 * stays (O7). Everything is copied. On 0 *sequence (may be NULL) is the packet's sequence number; else a
 * negated error. */
int operator_send(struct operator *operator, const struct target *targets, unsigned count, uint8_t handler,
                  const uint32_t *data, unsigned words, uint16_t *sequence);

/* Buffers operator_send could take now. */
unsigned operator_send_room(const struct operator *operator);

/* Calls function for packets sent to this handler number; again for the same number: replaces. 0 or
 * -OPERATOR_FULL. A packet for a handler nobody registered counts as delivered and is dropped. */
int operator_register(struct operator *operator, uint8_t handler, operator_handler *function, void *context);

void operator_observe(struct operator *operator, operator_observer *function, void *context);

/* Does what is to be done now: at most one received packet. True if anything was done. */
bool operator_poll(struct operator *operator);

/* COUNTER_DELIVERED to COUNTER_FEWEST_FREE_BUFFERS; 0 for an index that does not exist. */
uint32_t operator_counter(const struct operator *operator, unsigned index);

/* The same as operator_send in pieces, to build a packet where it will lie: begin, targets (each followed
 * by its info), data, then commit or cancel. The first error sticks; commit returns it and gives the
 * buffer back. */
struct composition {
    struct operator *operator;
    struct packet *packet;
    unsigned entries, target_words, data_words;
    uint8_t handler;
    uint32_t seen[8];               /* filter for duplicate targets, by the low 8 bits of the site */
    bool duplicate;
    int error;
};

void operator_begin(struct operator *operator, struct composition *composition, uint8_t handler);
void operator_add_target(struct composition *composition, unsigned site);
void operator_add_info(struct composition *composition, uint32_t word);
void operator_add_data(struct composition *composition, uint32_t word);
int operator_commit(struct composition *composition, uint16_t *sequence);
void operator_cancel(struct composition *composition);

#endif
