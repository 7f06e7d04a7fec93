/* Groups of a raw mesh, whose fabric and operators promise nothing about a packet that no site can hold: the service of
 * Gerla, Palnati and Walton, sections 4 to 6. Each member that passes a packet on keeps it until the next ones have
 * taken it. So buffers are reserved on the way, and a packet never waits in the fabric for the buffer of a member.
 *
 *    sender                  member that passes on            member
 *      | kept, class 0         |                                |
 *      |---- data, class 1 --->| a buffer of class 1 is free    |
 *      |<--- taken ------------| delivered                      |
 *      | free                  |---- data, class 1 ------------>| no buffer is free
 *                              |<--- refused -------------------|
 *                              |   a while later                |
 *                              |---- data, class 1 ------------>| delivered
 *                              |<--- taken ---------------------|
 *
 * - Buffers have classes (G14). In class 0 packets go to members with lower numbers, in the others to higher ones; one
 *   that turns goes on in the next class. So a buffer waits only for one of a higher class, or of the same class at a
 *   member further on, and no buffers can wait for each other in a circle. The paper needs two classes, one for each
 *   shape before and behind its turn; three serve all its shapes side by side.
 * - The first slots have a class each. Those behind them serve any class: the paper's overflow to the memory of a host.
 * - Packets of a stream leave a member one after the other (G15), so that a member knows by one number what it has. A
 *   packet that is sent again because an answer was lost is answered again, and not taken twice.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "multicast/groups_private.h"

enum {
    FALLING = 0,            /* the class of packets that go to lower numbers */
    RETRY_CLOCKS = 512,     /* from a refusal until the packet is sent again */
    ANSWER_CLOCKS = 1 << 17 /* from a packet until it is sent again without an answer: of a network that has lost one */
};

unsigned pr_hop_class(unsigned class, unsigned from, unsigned to)
{
    bool rises = to > from;
    if (class == FALLING)
        return rises ? FALLING + 1 : FALLING;
    return rises ? class : class + 1;
}

/* In an ordered group all packets of the leader begin in one class, whoever has submitted them: else one that has to
 * leave first could wait for a lower class than one behind it. */
static unsigned first_class(unsigned shape, unsigned leader)
{
    return pr_group_shape_orders(shape) && leader > 0 ? FALLING + 1 : FALLING;
}

/* The class in which a member keeps packets of the origin. */
static unsigned class_at(const uint8_t *parents, unsigned origin, unsigned class, unsigned member)
{
    uint8_t way[PR_GROUP_MEMBERS_MAX];
    unsigned steps = 0;
    for (; member != origin; member = parents[member])
        way[steps++] = (uint8_t)member;
    for (unsigned from = origin; steps > 0; from = way[steps])
        class = pr_hop_class(class, from, way[--steps]);
    return class;
}

bool pr_hops_suit(const struct pr_group_plan *plan, unsigned shape)
{
    uint8_t parents[PR_GROUP_MEMBERS_MAX];
    unsigned class = first_class(shape, plan->leader);
    for (unsigned origin = 0; origin < plan->count; origin++) {
        if (pr_group_shape_orders(shape) && origin != plan->leader)
            continue;
        pr_group_tree(plan, shape, origin, parents);
        for (unsigned k = 0; k < plan->count; k++) /* one that passes nothing on needs no buffer */
            if (k != origin && class_at(parents, origin, class, parents[k]) >= PR_HOP_CLASSES)
                return false;
    }
    return true;
}

/* ---- buffers ---- */

static struct pr_group_slot *find_free(const struct pr_groups *groups, unsigned class)
{
    if (groups->slots[class].state == PR_GROUP_SLOT_FREE)
        return &groups->slots[class];
    for (unsigned k = PR_HOP_CLASSES; k < groups->size.slots; k++)
        if (groups->slots[k].state == PR_GROUP_SLOT_FREE)
            return &groups->slots[k];
    return NULL;
}

bool pr_hops_has_room(const struct pr_groups *groups, const struct pr_group *group)
{
    bool submits = pr_group_shape_orders(group->shape) && !pr_group_leads(group);
    return find_free(groups, submits ? FALLING : first_class(group->shape, group->leader)) != NULL;
}

/* The slot that has to leave first of this stream. */
static bool is_first(const struct pr_groups *groups, const struct pr_group_slot *slot)
{
    for (unsigned k = 0; k < groups->size.slots; k++) {
        const struct pr_group_slot *other = &groups->slots[k];
        if (other->state == slot->state && other->group == slot->group && other->origin == slot->origin &&
            pr_stream_ahead(other->sequence, slot->sequence) < 0)
            return false;
    }
    return true;
}

static struct pr_group_slot *keep(struct pr_groups *groups, const struct pr_group *group, unsigned class,
                                  enum pr_group_slot_state state, const struct pr_group_hold *what)
{
    struct pr_group_slot *slot = find_free(groups, class);
    if (!slot)
        return NULL;
    *slot = (struct pr_group_slot){
        .state = (uint8_t)state,
        .group = group->id,
        .handler = what->handler,
        .since = what->since,
        .class = (uint8_t) class,
        .origin = what->origin,
        .sequence = what->sequence,
        .source = what->source,
        .number = what->number,
        .words = what->words,
        .started = pr_groups_clock(groups),
        .deadline = pr_groups_clock(groups),
        .data = slot->data,
    };
    memcpy(slot->data, what->data, what->words * sizeof *slot->data);
    pr_groups_arm(groups, slot->deadline);
    return slot;
}

/* When nobody has to take it any more, the next one may leave. */
static void note_taken(struct pr_groups *groups, struct pr_group_slot *slot)
{
    if (slot->open == 0)
        slot->state = PR_GROUP_SLOT_FREE;
    pr_groups_arm(groups, slot->open ? slot->deadline : pr_groups_clock(groups));
}

static void deliver(struct pr_groups *groups, const struct pr_group *group, const struct pr_group_hold *what)
{
    if (pr_group_shape_orders(group->shape) && what->source == pr_groups_site(groups))
        pr_groups_report(groups, PR_GROUPS_ORDERED, group, what->source, what->number, 0);
    pr_groups_deliver(groups, what);
}

/* What the leader of an ordered group takes itself, unless evaluators refuse. In a poll, because a handler may send. */
static bool deliver_own(struct pr_groups *groups, struct pr_group *group, struct pr_group_slot *slot)
{
    const struct pr_group_hold what = pr_group_hold_of_slot(slot);
    if (pr_groups_refuse(groups)) {
        pr_groups_arm(groups, pr_groups_clock(groups) + PR_GROUPS_SOON);
        return false;
    }
    slot->open &= ~(1u << group->own);
    slot->unsent &= ~(1u << group->own);
    deliver(groups, group, &what);
    note_taken(groups, slot);
    return true;
}

/* ---- sending ---- */

static bool send_copy(struct pr_groups *groups, const struct pr_group *group, const struct pr_group_slot *slot,
                      unsigned to)
{
    bool submits = slot->state == PR_GROUP_SLOT_SUBMITTED;
    struct pr_group_packet packet = pr_group_packet_of(group, submits ? PR_GROUP_KIND_SUBMIT : PR_GROUP_KIND_DATA,
                                                       slot->origin, slot->sequence);
    packet.view = (uint8_t)(submits ? first_class(group->shape, group->leader)
                                    : pr_hop_class(slot->class, group->own, to));
    packet.handler = slot->handler;
    packet.ordered = !submits && pr_group_shape_orders(group->shape);
    packet.source = slot->source;
    packet.since = slot->since;
    packet.number = slot->number;
    return pr_groups_tell(groups, PR_HANDLER_GROUP, group->members[to].site, &packet, slot->data, slot->words);
}

static void send_slot(struct pr_groups *groups, const struct pr_group *group, struct pr_group_slot *slot)
{
    if (slot->unsent == 0)
        slot->unsent = slot->open; /* no answer has come */
    for (unsigned k = 0; k < group->count; k++)
        if (slot->unsent >> k & 1 && send_copy(groups, group, slot, k))
            slot->unsent &= ~(1u << k);
    slot->deadline = pr_groups_clock(groups) + (slot->unsent ? PR_GROUPS_SOON : ANSWER_CLOCKS);
}

bool pr_hops_poll(struct pr_groups *groups, struct pr_group *group)
{
    uint32_t clock = pr_groups_clock(groups);
    bool any = false;
    for (unsigned k = 0; k < groups->size.slots; k++) {
        struct pr_group_slot *slot = &groups->slots[k];
        if (slot->state == PR_GROUP_SLOT_FREE || slot->group != group->id || !is_first(groups, slot))
            continue;
        if (slot->open >> group->own & 1)
            any |= deliver_own(groups, group, slot);
        if (slot->open != 0 && pr_has_come(clock, slot->deadline)) {
            send_slot(groups, group, slot);
            any = true;
        }
        if (slot->open != 0)
            pr_groups_arm(groups, slot->deadline);
    }
    return any;
}

static void answer(struct pr_groups *groups, const struct pr_group *group, const struct pr_group_packet *packet,
                   unsigned from, unsigned kind)
{
    struct pr_group_packet out = pr_group_packet_of(group, kind, packet->origin, packet->sequence);
    pr_groups_tell(groups, PR_HANDLER_GROUP, from, &out, NULL, 0); /* if it cannot, the packet comes again */
}

static void take_answer(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                        unsigned from)
{
    const struct pr_group_member *member = pr_group_member_of(group, from);
    uint32_t set = member ? 1u << pr_group_place(group, member) : 0;
    for (unsigned k = 0; k < groups->size.slots; k++) {
        struct pr_group_slot *slot = &groups->slots[k];
        if (slot->state == PR_GROUP_SLOT_FREE || slot->group != group->id || slot->origin != packet->origin ||
            slot->sequence != packet->sequence || !(slot->open & set))
            continue;
        if (packet->kind == PR_GROUP_KIND_REFUSED) {
            slot->unsent |= set;
            slot->deadline = pr_groups_clock(groups) + RETRY_CLOCKS;
        } else {
            slot->open &= ~set;
            slot->unsent &= ~set;
        }
        note_taken(groups, slot);
    }
}

/* ---- what comes ---- */

/* Puts a packet into the group's one stream, at the leader. False: no buffer. */
static bool put_in_order(struct pr_groups *groups, struct pr_group *group, struct pr_group_hold *what)
{
    struct pr_group_member *self = pr_group_self(group);
    struct pr_group_slot *slot;
    what->origin = (uint16_t)pr_groups_site(groups);
    what->sequence = group->order;
    pr_group_plant(groups, group, self);
    slot = keep(groups, group, first_class(group->shape, group->leader), PR_GROUP_SLOT_KEPT, what);
    if (!slot)
        return false;
    group->order++;
    slot->open = slot->unsent = self->children | 1u << group->own; /* taken here by pr_hops_poll */
    groups->counters[PR_GROUPS_COUNTER_SENT]++;
    return true;
}

/* A packet of the origin's stream that is new here. False: evaluators refuse, or no buffer to pass it on from. Who
 * passes nothing on needs none, of whatever class. */
static bool take(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *origin,
                 const struct pr_group_packet *packet, const struct pr_group_hold *what)
{
    if (origin == pr_group_self(group)) {
        pr_groups_report(groups, PR_GROUPS_SETTLED, group, origin->site, packet->sequence, 0); /* it has come back */
        return true;
    }
    if (pr_groups_refuse(groups))
        return false;
    pr_group_plant(groups, group, origin);
    if (origin->children != 0) {
        struct pr_group_slot *slot = packet->view < PR_HOP_CLASSES
                                         ? keep(groups, group, packet->view, PR_GROUP_SLOT_KEPT, what)
                                         : NULL;
        if (!slot)
            return false;
        slot->open = slot->unsent = origin->children;
        groups->counters[PR_GROUPS_COUNTER_FORWARDED]++;
    }
    deliver(groups, group, what);
    return true;
}

/* In `handed` each member has the number of the next packet that it takes of a stream; at the leader of an ordered
 * group, of the packets that a member submits. */
static void take_data(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                      const struct pr_delivery *delivery, const uint32_t *data, unsigned words)
{
    struct pr_group_member *origin = pr_group_member_of(group, packet->origin);
    bool ordered = pr_group_shape_orders(group->shape), submitted = packet->kind == PR_GROUP_KIND_SUBMIT;
    struct pr_group_hold what;
    int ahead;
    if (!origin || words > groups->size.packet_words || submitted != (ordered && pr_group_leads(group)) ||
        (!submitted && packet->ordered != ordered) || (ahead = pr_stream_ahead(packet->sequence, origin->handed)) > 0) {
        groups->counters[PR_GROUPS_COUNTER_DROPPED]++;
        return;
    }
    what = pr_group_hold_of(origin, packet, delivery, data, words);
    if (ahead < 0) {
        groups->counters[PR_GROUPS_COUNTER_DUPLICATES]++;
    } else if (submitted ? put_in_order(groups, group, &what) : take(groups, group, origin, packet, &what)) {
        origin->handed++;
    } else {
        groups->counters[PR_GROUPS_COUNTER_UNSENT]++;
        answer(groups, group, packet, delivery->source, PR_GROUP_KIND_REFUSED);
        return;
    }
    answer(groups, group, packet, delivery->source, PR_GROUP_KIND_ACKNOWLEDGEMENT);
}

void pr_hops_received(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                      const struct pr_delivery *delivery, const uint32_t *data, unsigned words)
{
    if (packet->kind == PR_GROUP_KIND_DATA || packet->kind == PR_GROUP_KIND_SUBMIT)
        take_data(groups, group, packet, delivery, data, words);
    else if (packet->kind == PR_GROUP_KIND_ACKNOWLEDGEMENT || packet->kind == PR_GROUP_KIND_REFUSED)
        take_answer(groups, group, packet, delivery->source);
}

void pr_hops_begin(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                   const uint32_t *data, unsigned words)
{
    struct pr_group_hold what = {
        .handler = packet->handler,
        .since = packet->since,
        .origin = packet->source,
        .source = packet->source,
        .sequence = packet->number,
        .number = packet->number,
        .words = (uint16_t)words,
        .stamp_first = pr_groups_clock(groups),
        .stamp_last = pr_groups_clock(groups),
        .data = (uint32_t *)data,
    };
    bool ordered = pr_group_shape_orders(group->shape);
    struct pr_group_slot *slot;
    if (ordered && pr_group_leads(group)) {
        put_in_order(groups, group, &what);
        return;
    }
    slot = keep(groups, group, FALLING, ordered ? PR_GROUP_SLOT_SUBMITTED : PR_GROUP_SLOT_KEPT, &what);
    pr_group_plant(groups, group, pr_group_self(group));
    slot->open = slot->unsent = ordered ? 1u << group->leader : pr_group_self(group)->children;
    note_taken(groups, slot);
    groups->counters[PR_GROUPS_COUNTER_SENT] += !ordered;
}
