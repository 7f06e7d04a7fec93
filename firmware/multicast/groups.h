/* Groups: multicast, ordered if wanted, by operators alone, over every fabric. A layer above firmware/operator;
 * README.md has the protocols, rules.md the rules G1 to G15.
 *
 * A site is a member of some groups, each with a number from 0 to 255. What a member sends is delivered exactly once to
 * each other member, or its source learns which did not get it; of an ordered shape it is delivered to all members, the
 * source too, in one order. Deliveries go to the handlers and observers of the operator:
 *
 *   delivery.source, .sequence  the member that sent it, and its number there, from 0 on in each group
 *   delivery.epoch              low 4 bits of the view since when the source is a member
 *   delivery.info[0], [1]       group; place in the order (of a shape without order: as .sequence)
 *   delivery.handler, .data     as the source gave them
 *
 * A raw mesh has the paper's own service (hops.c): the members of a group stay those that formed it, and a packet is
 * delivered exactly once to each unless a member or its memory is gone. Nobody reports that; SETTLED comes of shapes
 * that return alone.
 *
 * As the operator: no heap, no globals, everything in the caller's memory, and everything happens in pr_groups_poll,
 * pr_operator_poll and the calls that send.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MULTICAST_GROUPS_H
#define POSTROAD_MULTICAST_GROUPS_H

#include "multicast/shapes.h"
#include "multicast/stream_filter.h"
#include "operator/operator.h"
#include "wire/group_packet.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PR_GROUPS_NUMBERS = 256, PR_GROUPS_INFO_WORDS = 2, PR_GROUPS_HANDLER_MOST = PR_HANDLER_ORDERS - 1 };

/* Errors are returned negated. */
enum {
    PR_GROUPS_RAW = 1,  /* the mesh is raw, or has more than PR_GROUP_SITES_MAX sites */
    PR_GROUPS_NO_ROOM,  /* no place for one more group, no handler left, or on a raw mesh too few slots */
    PR_GROUPS_MEMBER,   /* it is a member already */
    PR_GROUPS_NOBODY,   /* it is no member, or not yet */
    PR_GROUPS_BAD,      /* no such shape, site or group; sites not in the order of their numbers; this one not there; on
                           a raw mesh: a shape whose packets turn too often among these members (G14) */
    PR_GROUPS_TOO_MANY, /* members: more than PR_GROUP_MEMBERS_MAX, or than a packet has room for */
    PR_GROUPS_TOO_LONG, /* data: more words than pr_groups_words_most */
    PR_GROUPS_BUSY,     /* as many packets as there is room for wait for acknowledgements: again after a poll */
    PR_GROUPS_LEADS     /* the leader cannot leave before the others */
};

enum pr_groups_event_kind {
    PR_GROUPS_VIEW,    /* members have changed, or this site has become one */
    PR_GROUPS_LOST,    /* this site is no member any more: the leader is gone, or has sent it out */
    PR_GROUPS_ORDERED, /* ordered: a packet of this site has its place and was delivered here */
    PR_GROUPS_FAILED,  /* `site` did not get the packet for sure: it has left, is dead, or the group is lost */
    PR_GROUPS_SETTLED  /* all others have it, but for those that failed */
};

/* FAILED and SETTLED come to the site that keeps the packet: its source, or of an ordered shape the leader. */
struct pr_groups_event {
    enum pr_groups_event_kind kind;
    uint8_t group, view;
    uint16_t source, number, site;
};

/* May call pr_groups_send, as a handler may. Neither may call another function of this header. */
typedef void pr_groups_observer(void *context, const struct pr_groups_event *event);

enum {
    PR_GROUPS_COUNTER_SENT,      /* packets of streams that began here */
    PR_GROUPS_COUNTER_FORWARDED, /* passed on */
    PR_GROUPS_COUNTER_UNSENT,    /* not passed on for want of a buffer */
    PR_GROUPS_COUNTER_DELIVERED,
    PR_GROUPS_COUNTER_DUPLICATES,
    PR_GROUPS_COUNTER_HELD,    /* waited for those before them in the order */
    PR_GROUPS_COUNTER_DROPPED, /* no room to hold it, the evaluators refuse, or of no stream that is known */
    PR_GROUPS_COUNTER_ACKNOWLEDGEMENTS,
    PR_GROUPS_COUNTER_QUESTIONS,
    PR_GROUPS_COUNTER_REPAIRS,
    PR_GROUPS_COUNTERS
};

/* One member, as another one sees it. */
struct pr_group_member {
    uint16_t site;
    uint8_t since;  /* low byte of the first view that it is in */
    uint8_t nonce;  /* by which it tells the views since it joined from earlier ones; at the leader alone */
    uint8_t silent; /* questions since it was last heard */
    bool ask;       /* it may not know yet where this site's stream begins for it */
    bool reported;  /* as dead, to the leader */
    uint32_t asked_at;
    struct pr_stream_filter has; /* of this site's stream */
    /* The stream of that member: of an ordered shape, the leader's is the group's, and at the leader the others' are
     * what they have submitted. */
    struct pr_stream_filter received;
    uint16_t handed; /* the first number that was not delivered, or put in order */
    bool known;      /* where its stream begins */
    /* Its tree, as far as it concerns this site. */
    bool planted, due; /* due: an acknowledgement */
    uint8_t parent;
    uint32_t children;
    uint16_t below[PR_GROUP_CHILDREN_MAX]; /* what the sites behind a child have acknowledged, child by child */
    uint16_t told;                         /* what the parent was told */
    uint32_t due_at;
};

enum pr_group_state { PR_GROUP_FREE, PR_GROUP_JOINING, PR_GROUP_IN };

struct pr_group {
    uint8_t state, id, shape, nonce;
    uint8_t count, own, leader; /* own, leader: places in `members` */
    uint8_t view;               /* its low byte */
    uint16_t leader_site;
    uint32_t joined;                       /* clock: joining: since when */
    uint16_t next;                         /* number of this site's next packet */
    uint16_t order;                        /* at the leader of an ordered shape: of the next packet of the group */
    uint32_t untold;                       /* at the leader: members that have to be sent the view */
    uint8_t parents[PR_GROUP_MEMBERS_MAX]; /* of this site's own tree, if that is planted */
    struct pr_group_member members[PR_GROUP_MEMBERS_MAX]; /* in the order of site numbers */
};

enum pr_group_slot_state { PR_GROUP_SLOT_FREE, PR_GROUP_SLOT_KEPT, PR_GROUP_SLOT_SUBMITTED };

/* A packet that this site keeps until all members have it; submitted: until the leader has put it in order. */
struct pr_group_slot {
    uint8_t state, group, handler, since, tries;
    uint8_t class;           /* of a raw mesh, with `origin` and `open`: */
    bool asked;              /* repairs may be sent */
    uint16_t origin;         /* whose stream it is in */
    uint16_t sequence;       /* in the stream; submitted: `number` */
    uint16_t source, number; /* who sent it, and its number there */
    uint16_t words;
    uint32_t unsent; /* children that it has not been sent to for want of a buffer */
    uint32_t open;   /* members that have not taken it */
    uint32_t started, deadline;
    uint32_t *data;
};

/* A packet that waits for those before it in its stream. */
struct pr_group_hold {
    bool used;
    uint8_t group, handler, since; /* since: low bits of the view since when the source is a member */
    uint16_t origin, sequence, source, number, words;
    uint32_t stamp_first, stamp_last;
    uint32_t *data;
};

struct pr_groups_size {
    unsigned groups, slots, holds; /* slots: at most PR_STREAM_SPAN */
    unsigned packet_words;         /* data words of the longest packet */
};

#define PR_GROUPS_MEMORY_WORDS(groups, slots, holds, packet_words)             \
    ((groups) * ((sizeof(struct pr_group) + 7) / 8 * 2) +                      \
     (slots) * ((sizeof(struct pr_group_slot) + 7) / 8 * 2 + (packet_words)) + \
     (holds) * ((sizeof(struct pr_group_hold) + 7) / 8 * 2 + (packet_words)))

struct pr_groups {
    struct pr_operator *op;
    struct pr_groups_size size;
    struct pr_group *groups;
    struct pr_group_slot *slots;
    struct pr_group_hold *holds;
    pr_groups_observer *observer;
    void *observer_context;
    void (*obey)(struct pr_groups *groups, const struct pr_delivery *order); /* NULL: orders are dropped */
    bool (*takes)(const void *context);                                      /* NULL: evaluators take all */
    const void *takes_context;
    bool armed; /* there is something to do, at the clock `wake` */
    uint32_t wake;
    uint32_t round_trip, deviation, time_out; /* estimates: clocks times 8 and times 4; clocks */
    uint32_t time_out_least;                  /* clocks */
    uint32_t counters[PR_GROUPS_COUNTERS];
};

/* Registers the two handlers of groups. memory: PR_GROUPS_MEMORY_WORDS of it, on an address that suits pointers. 0,
 * -PR_GROUPS_RAW (too many sites) or -PR_GROUPS_NO_ROOM. */
int pr_groups_init(struct pr_groups *groups, struct pr_operator *op, uint32_t *memory,
                   const struct pr_groups_size *size);

/* Hosts may give this site orders (wire/group_order.h): to form, join, leave, send, show. Off at first. */
void pr_groups_take_orders(struct pr_groups *groups);

/* Beside pr_operator_refuse, `takes` is asked before each delivery: behind a repair a poll may have more to deliver
 * than a console has room for. What is not taken is held, or asked for again. */
void pr_groups_ask(struct pr_groups *groups, bool (*takes)(const void *context), const void *context);

void pr_groups_observe(struct pr_groups *groups, pr_groups_observer *observer, void *context);

/* Forms a group without a packet: all its sites make this call with the same arguments. `leader` is one of `sites`,
 * which are in the order of their numbers. Its number alone forms a group that others may join. 0, -PR_GROUPS_BAD,
 * _MEMBER, _NO_ROOM or _TOO_MANY. */
int pr_groups_form(struct pr_groups *groups, uint8_t id, unsigned shape, unsigned leader, const uint16_t *sites,
                   unsigned count);

/* Asks the leader to become a member. The event VIEW says that it has; until then nothing can be sent. LOST: the leader
 * does not lead this group. 0, -PR_GROUPS_RAW, _BAD, _MEMBER, _NO_ROOM, _BUSY. */
int pr_groups_join(struct pr_groups *groups, uint8_t id, unsigned leader);

/* Leaves. Nothing is delivered from now on. 0, -PR_GROUPS_RAW, _NOBODY, _LEADS, or _BUSY: a packet of this site waits
 * for acknowledgements, or the operator is full. */
int pr_groups_leave(struct pr_groups *groups, uint8_t id);

/* Sends to all members. 0 and the packet's number in *number (may be NULL), or -PR_GROUPS_NOBODY, _TOO_LONG, _BAD
 * (a handler above PR_GROUPS_HANDLER_MOST, or a word that is wider than the fabric's), _BUSY. */
int pr_groups_send(struct pr_groups *groups, uint8_t id, uint8_t handler, const uint32_t *data, unsigned words,
                   uint16_t *number);

/* Data words of the longest packet. */
unsigned pr_groups_words_most(const struct pr_groups *groups);

/* NULL: this site has nothing to do with the group. */
const struct pr_group *pr_groups_find(const struct pr_groups *groups, uint8_t id);

/* After each pr_operator_poll. True if anything was done. */
bool pr_groups_poll(struct pr_groups *groups);

/* As pr_operator_next_wake. */
bool pr_groups_next_wake(const struct pr_groups *groups, uint32_t *clock);

/* Nothing is kept, held or owed. */
bool pr_groups_at_rest(const struct pr_groups *groups);

#ifdef __cplusplus
}
#endif

#endif
