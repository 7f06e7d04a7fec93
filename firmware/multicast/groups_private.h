/* What the files of this folder share. Each calls only files to the left of it:
 *
 *   group_packet, stream_filter, shapes  <  common  <  source  <  stream  <  members  <  groups  <  orders
 *                                                   <              hops               <
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MULTICAST_GROUPS_PRIVATE_H
#define POSTROAD_MULTICAST_GROUPS_PRIVATE_H

#include "multicast/groups.h"

enum {
    PR_GROUPS_TRIES_MAX = 8, /* questions that a silent member is asked before it counts as dead */
    PR_GROUPS_SOON = 32,     /* clocks until what found no buffer is tried again */
    PR_GROUPS_BACK_OFF_MOST = 3
};

static inline struct pr_group_member *pr_group_self(struct pr_group *group)
{
    return &group->members[group->own];
}

static inline unsigned pr_group_place(const struct pr_group *group, const struct pr_group_member *member)
{
    return (unsigned)(member - group->members);
}

static inline uint32_t pr_groups_clock(const struct pr_groups *groups)
{
    return pr_clock_of(&groups->op->common.here);
}

static inline unsigned pr_groups_site(const struct pr_groups *groups)
{
    return groups->op->common.here.identity->site;
}

static inline bool pr_group_leads(const struct pr_group *group)
{
    return group->own == group->leader;
}

/* Views are compared by their low bytes: a site is not 128 views behind. */
static inline bool pr_view_is_before(uint8_t view, uint8_t than)
{
    return (int8_t)(view - than) < 0;
}

/* ---- common.c ---- */

/* The group if this site is a member or wants to be; NULL: neither. */
struct pr_group *pr_groups_of(const struct pr_groups *groups, uint8_t id);

/* The member with this site number; NULL: it is none. */
struct pr_group_member *pr_group_member_of(struct pr_group *group, unsigned site);

/* pr_groups_poll has work at this clock. */
void pr_groups_arm(struct pr_groups *groups, uint32_t clock);

void pr_groups_report(struct pr_groups *groups, enum pr_groups_event_kind kind, const struct pr_group *group,
                      unsigned source, unsigned number, unsigned site);

/* The header of a packet about the stream of `origin`, in the present view. */
struct pr_group_packet pr_group_packet_of(const struct pr_group *group, unsigned kind, unsigned origin,
                                          uint16_t sequence);

/* Sends a packet to these members. Returns those to which it was not sent for want of a buffer. */
uint32_t pr_groups_send_to(struct pr_groups *groups, const struct pr_group *group, uint32_t members,
                           const struct pr_group_packet *packet, const uint32_t *data, unsigned words);

/* A packet of words behind the header to a site. False: no buffer. */
bool pr_groups_tell(struct pr_groups *groups, uint8_t handler, unsigned site, const struct pr_group_packet *packet,
                    const uint32_t *data, unsigned words);

/* What is to be handed on: of a packet that has just come. */
struct pr_group_hold pr_group_hold_of(const struct pr_group_member *origin, const struct pr_group_packet *packet,
                                      const struct pr_delivery *delivery, const uint32_t *data, unsigned words);

/* The same of a packet that this site keeps. */
struct pr_group_hold pr_group_hold_of_slot(const struct pr_group_slot *slot);

/* Evaluators, or the console, take nothing now. */
static inline bool pr_groups_refuse(const struct pr_groups *groups)
{
    return groups->op->refusing || (groups->takes && !groups->takes(groups->takes_context));
}

/* To handlers and observers of the operator. */
void pr_groups_deliver(struct pr_groups *groups, const struct pr_group_hold *what);

/* Computes what this site has to know of the tree of an origin, if it does not know it. */
void pr_group_plant(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *origin);

/* ---- source.c: the packets that this site keeps ---- */

/* True if one more packet of this kind may be kept. */
bool pr_source_has_room(const struct pr_groups *groups, const struct pr_group *group, enum pr_group_slot_state kind);

/* Keeps a packet and sends it: into the stream of this site, or to the leader, who puts it in order. There is room. */
void pr_source_begin(struct pr_groups *groups, struct pr_group *group, enum pr_group_slot_state kind,
                     const struct pr_group_packet *packet, const uint32_t *data, unsigned words);

/* A child has acknowledged for all behind it; a member has answered; a packet has come back from the circuit; a
 * submitted one has come in its order. */
void pr_source_acknowledged(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *child,
                            uint16_t next);
void pr_source_answered(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *member,
                        const struct pr_group_packet *answer);
void pr_source_returned(struct pr_groups *groups, struct pr_group *group, uint16_t sequence);
void pr_source_ordered(struct pr_groups *groups, struct pr_group *group, uint16_t number);

/* Packets that all members have are settled. To be called when a member has gone, too. */
void pr_source_settle(struct pr_groups *groups, struct pr_group *group);

/* What this member lacks has failed there. */
void pr_source_fail(struct pr_groups *groups, struct pr_group *group, const struct pr_group_member *member);

/* This site is no member any more: all that it keeps has failed where it is not known to have come. */
void pr_source_end(struct pr_groups *groups, struct pr_group *group);

/* The places of the members have changed. */
void pr_source_replant(struct pr_groups *groups, const struct pr_group *group);

/* The next packet of an ordered shape that the leader has not delivered to itself; NULL: there is none. */
struct pr_group_slot *pr_source_undelivered(const struct pr_groups *groups, struct pr_group *group);

/* Time-outs, and what found no buffer. True if anything was done. */
bool pr_source_poll(struct pr_groups *groups, struct pr_group *group);

/* ---- stream.c: the packets of others ---- */
void pr_stream_received(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                        const struct pr_delivery *delivery, const uint32_t *data, unsigned words);
void pr_stream_acknowledged(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                            unsigned from);
void pr_stream_questioned(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet);
bool pr_stream_poll(struct pr_groups *groups, struct pr_group *group);

/* Submissions of others wait for room at this leader, which sends nothing of its own meanwhile. */
bool pr_stream_waits(const struct pr_groups *groups, const struct pr_group *group);

/* Forgets what is held of this origin. */
void pr_stream_forget(struct pr_groups *groups, const struct pr_group *group, unsigned site);

/* ---- hops.c: the service of a raw mesh, in place of source and stream ---- */
enum { PR_HOP_CLASSES = 3 };

/* The class of the buffer at member `to` that a packet needs which waits in one of `class` at member `from`. */
unsigned pr_hop_class(unsigned class, unsigned from, unsigned to);

/* False: packets of this shape would turn more often among these members than there are classes. */
bool pr_hops_suit(const struct pr_group_plan *plan, unsigned shape);
bool pr_hops_has_room(const struct pr_groups *groups, const struct pr_group *group);

/* As pr_source_begin. There is room. */
void pr_hops_begin(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                   const uint32_t *data, unsigned words);
void pr_hops_received(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                      const struct pr_delivery *delivery, const uint32_t *data, unsigned words);
bool pr_hops_poll(struct pr_groups *groups, struct pr_group *group);

/* ---- members.c: who belongs ---- */
void pr_members_form(struct pr_groups *groups, struct pr_group *group, const uint16_t *sites, unsigned count);

/* The most members whose view fits a packet. */
unsigned pr_members_most(const struct pr_groups *groups);

void pr_members_received(struct pr_groups *groups, const struct pr_group_packet *packet,
                         const struct pr_delivery *delivery);

/* Somebody says that this site is none. */
void pr_members_sent_out(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                         unsigned from);

/* This site belongs no more. */
void pr_members_lose(struct pr_groups *groups, struct pr_group *group);
bool pr_members_poll(struct pr_groups *groups, struct pr_group *group);

#endif
