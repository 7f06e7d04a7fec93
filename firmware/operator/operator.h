/* The operator: sends, receives, resends and delivers packets (rules O1-O8).
 *
 * All state is in structs the caller owns; no heap, no globals, no interrupts: everything happens in
 * operator_poll and operator_send. One buffer of the pool carries a packet from receipt to retransmission,
 * without a copy.
 *
 * A mesh offers one of two services (identity->reliable):
 *   reliable  the source keeps a packet in its window until each target has acknowledged it or is given up; every
 *             packet is delivered exactly once to each target or reported as failed; other sites may discard what
 *             they cannot hold, so storage never locks up (firmware/README.md, "The reliable service");
 *   raw       the papers' service: a packet is owed by whoever holds it, and storage may lock up.
 * Every packet starts its data with a header of three words: source site, sequence, handler and flags (header.h).
 */
#ifndef OPERATOR_OPERATOR_H
#define OPERATOR_OPERATOR_H

#include "operator/network_interface.h"
#include "wire/site_identity.h"
#include "operator/duplicate_filter.h"
#include "operator/send_window.h"

enum {
    OPERATOR_HANDLERS = 8,          /* handlers that can be registered */
    OPERATOR_OBSERVERS = 2,
    OPERATOR_RECEIVE_RESERVE = 2    /* buffers that no send takes: they stay for receiving */
};

/* Acknowledgements and control packets leave from small buffers of their own. */
enum {
    SMALL_BUFFERS = 4,
    SMALL_PACKET_WORDS = 1 + HEADER_SOURCE + 1 + CONTROL_WORDS
};

/* What an operator is given room for. A raw mesh needs neither window nor sites. */
struct operator_size {
    unsigned buffers;               /* of the pool, 3 at least */
    unsigned packet_words;          /* word area of one: the mesh's max_packet must fit */
    unsigned window;                /* packets of its own that wait for acknowledgements: 1 to WINDOW_MAX, and no more
                                       than buffers - 2, or the window is made smaller */
    unsigned sites;                 /* the mesh may have this many */
};

/* 32-bit words of memory for all of it. */
#define OPERATOR_SET_WORDS(sites) (((sites) + 31) / 32)
#define OPERATOR_MEMORY_WORDS(buffers, packet_words, sites) \
    ((buffers) * PACKET_BUFFER_WORDS(packet_words) + SMALL_BUFFERS * PACKET_BUFFER_WORDS(SMALL_PACKET_WORDS) + \
     (WINDOW_MAX + 1) * OPERATOR_SET_WORDS(sites) + (sites) * PEER_WORDS)

/* Errors are returned negated. */
enum {
    OPERATOR_NO_BUFFER = 1,         /* try again after operator_poll */
    OPERATOR_TOO_LONG,              /* longer than the mesh's max_packet or a pool buffer (O7) */
    OPERATOR_NO_TARGETS,            /* (O7) */
    OPERATOR_UNKNOWN_SITE,          /* not a site of this mesh */
    OPERATOR_BAD_DATA,              /* a word wider than the fabric's */
    OPERATOR_FULL,                  /* operator_register, operator_observe: no place left */
    OPERATOR_WINDOW_FULL,           /* as many packets as the window spans wait for acknowledgements: try again later */
    OPERATOR_TOO_MANY_SITES,        /* operator_init: the mesh has more sites than there is room for */
    OPERATOR_RESERVED               /* operator_register: HANDLER_LOAD, which is kept free for load records */
};

/* Why a target was given up. */
enum operator_failure {
    OPERATOR_FAILED_TIME_OUT = 1,   /* it did not acknowledge in any of TRIES_MAX tries */
    OPERATOR_FAILED_RESTARTED       /* it restarted: whether it had the packet before is not known */
};

/* One target: a site and the target_info words only this site gets to see. */
struct target {
    uint16_t site;
    uint16_t info_words;
    const uint32_t *info;           /* may be NULL if info_words is 0 */
};

/* A delivered packet. The pointers are into the packet's buffer, which may be leaving for other sites at the same time: valid
 * until the handler returns, and not to be written to. */
struct delivery {
    uint16_t source, sequence;
    uint8_t epoch;                  /* of the source, modulo 32: with source and sequence it names the packet */
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
    OPERATOR_EVENT_FORWARDED,       /* a diverted packet of another site is sent on (U3) */
    OPERATOR_EVENT_TIMED_OUT,       /* reliable: its source sends it again, to those that have not acknowledged */
    OPERATOR_EVENT_FAILED,          /* reliable: one target of this site's packet is given up */
    OPERATOR_EVENT_SETTLED          /* reliable: this site's packet is acknowledged or given up everywhere */
};

struct operator_event {
    enum operator_event_kind kind;
    uint16_t source, sequence;
    uint16_t remaining;             /* targets that it still goes to from here; SETTLED: that failed */
    uint16_t site;                  /* FAILED: the target */
    enum operator_failure failure;  /* FAILED: why */
    const struct delivery *delivery; /* OPERATOR_EVENT_DELIVERED only, else NULL */
};

/* Sees everything the operator does, the service's deliveries included. Same limits as a handler. */
typedef void operator_observer(void *context, const struct operator_event *event);

/* Counters, by COUNTER_DELIVERED... of protocol.h; FREE_BUFFERS are those on the free list or posted for
 * receiving. */
enum { OPERATOR_COUNTERS = COUNTER_REFUSED - COUNTER_DELIVERED + 1 };

struct operator {
    struct network_interface *interface;
    const struct node_identity *identity;
    uint32_t *memory;               /* buffers first: offsets below are words into it; UINT32_MAX ends a list */
    unsigned buffers, packet_words, sites;
    uint32_t strict_bit, wide_mask;
    struct node_addresses addresses;
    uint32_t free_list, small_list, queue_head, queue_tail;
    unsigned free, posted, small, sending, sending_max;
    unsigned reserve;               /* buffers that evaluators leave alone */
    uint32_t counters[OPERATOR_COUNTERS];
    uint32_t random;
    bool relieved, refusing;
    struct window window;
    struct peer *peers;             /* by site number */
    uint32_t *due;                  /* set of sites that an acknowledgement is due to */
    unsigned due_count;
    uint32_t polled;                /* clock of the last operator_poll */
    uint32_t acknowledge_clocks;    /* that an acknowledgement waits for company */
    uint32_t next_due;              /* no acknowledgement is due before this clock */
    unsigned announced;             /* sites that have been told of this site's restart */
    bool transmitting;
    struct {
        operator_handler *function;
        void *context;
        uint8_t handler;
    } handlers[OPERATOR_HANDLERS];
    unsigned handler_count;
    struct {
        operator_observer *function;
        void *context;
    } observers[OPERATOR_OBSERVERS];
    unsigned observer_count;
};

/* Takes ownership of the memory, OPERATOR_MEMORY_WORDS of it, which must outlive the operator, as must interface and
 * identity. Posts receive buffers at once. 0, or -OPERATOR_NO_BUFFER (fewer than 3), -OPERATOR_TOO_LONG (max_packet
 * does not fit a buffer), -OPERATOR_TOO_MANY_SITES. */
int operator_init(struct operator *operator, struct network_interface *interface, const struct node_identity *identity,
                  uint32_t *memory, const struct operator_size *size);

/* Sends data to a set of sites, this one included if it is named. Duplicate sites are removed, the first
 * stays (O7). Everything is copied. On 0 *sequence (may be NULL) is the packet's sequence number; else a
 * negated error. */
int operator_send(struct operator *operator, const struct target *targets, unsigned count, uint8_t handler,
                  const uint32_t *data, unsigned words, uint16_t *sequence);

/* The same, but waits while the window or the pool is full, also with arguments that it refuses then: polls the
 * operator, and calls idle (may be NULL) when there is nothing to do. Never from a handler or an observer. */
int operator_send_blocking(struct operator *operator, const struct target *targets, unsigned count, uint8_t handler,
                           const uint32_t *data, unsigned words, uint16_t *sequence, void (*idle)(void *context),
                           void *context);

/* Packets operator_send could take now. */
unsigned operator_send_room(const struct operator *operator);

/* Reliable service: from now on no packet is sent while an earlier one waits for an acknowledgement of one of its
 * targets, so that each pair of sites sees its packets in order; a late copy of one that was reported as failed may still
 * come after its successors. Off at first. */
void operator_set_ordered(struct operator *operator, bool ordered);

/* Calls function for packets sent to this handler number; again for the same number: replaces. 0,
 * -OPERATOR_FULL or -OPERATOR_RESERVED. A packet for a handler nobody registered counts as delivered and is dropped. */
int operator_register(struct operator *operator, uint8_t handler, operator_handler *function, void *context);

/* Reliable service: while refusing, packets for evaluators are not delivered (those of the services are). Their sources
 * are told that this site is alive, and send them again, for a quarter of a minute at a megahertz. Off at first. */
void operator_refuse(struct operator *operator, bool refusing);

/* 0 or -OPERATOR_FULL. */
int operator_observe(struct operator *operator, operator_observer *function, void *context);

/* Does what is to be done now: at most one received packet. True if anything was done. */
bool operator_poll(struct operator *operator);

/* The clock (low 32 bits) at which operator_poll has something to do even if no packet comes or leaves. False: never. */
bool operator_next_wake(struct operator *operator, uint32_t *clock);

/* The operator's own, 0 for any other index. */
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
