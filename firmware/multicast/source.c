/* The packets that this site keeps: those of its stream until all members have them, and those that it has submitted to
 * the leader of an ordered group until they have come in their order.
 *
 *                 pr_source_begin
 *                       |  sent to the children in the tree, or to the leader
 *                       v
 *    +--------------> kept <-----------------------------------------------------+
 *    |                  |  time-out                                              |
 *    |                  v                                                        |
 *    |   submitted: sent again       kept: members that may lack it are asked ---+
 *    |                                     an answer: what is missing goes to that member alone
 *    |                  |
 *    |                  v  acknowledged, answered or returned by the last member, or that one has gone
 *    |               settled
 *
 * - Nobody but this site repairs (G6), and only after an answer, so that nothing goes to who has it (G7).
 * - A member that has not answered PR_GROUPS_TRIES_MAX questions, each of which waited for a time-out, is dead.
 * - The time-out follows the time until packets are settled (Jacobson); only those for which nobody was asked count
 *   (Karn).
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "multicast/groups_private.h"

enum { TIME_OUTS_MOST = 64 }; /* of the least: 65536 clocks on a chip, more on slow links and cores */

static bool is_of(const struct pr_group_slot *slot, const struct pr_group *group, enum pr_group_slot_state kind)
{
    return slot->state == kind && slot->group == group->id;
}

/* Members that are not known to have a packet of the stream: this site too, until it was delivered here in its order.
 */
static uint32_t lacking(struct pr_group *group, uint16_t sequence)
{
    uint32_t members = 0;
    for (unsigned k = 0; k < group->count; k++) {
        const struct pr_group_member *member = &group->members[k];
        bool has = k == group->own
                       ? !pr_group_shape_orders(group->shape) || pr_stream_ahead(sequence, member->handed) < 0
                       : pr_stream_has(&member->has, sequence);
        if (!has)
            members |= 1u << k;
    }
    return members;
}

bool pr_source_has_room(const struct pr_groups *groups, const struct pr_group *group, enum pr_group_slot_state kind)
{
    uint16_t next = kind == PR_GROUP_SLOT_KEPT && pr_group_shape_orders(group->shape) ? group->order : group->next;
    bool any = false;
    for (unsigned k = 0; k < groups->size.slots; k++) {
        const struct pr_group_slot *slot = &groups->slots[k];
        if (is_of(slot, group, kind) && pr_stream_ahead(next, slot->sequence) >= PR_STREAM_SPAN - 1)
            return false;
        any |= slot->state == PR_GROUP_SLOT_FREE;
    }
    return any;
}

static void send_data(struct pr_groups *groups, struct pr_group *group, struct pr_group_slot *slot)
{
    struct pr_group_packet packet = pr_group_packet_of(group, PR_GROUP_KIND_DATA, pr_groups_site(groups),
                                                       slot->sequence);
    packet.handler = slot->handler;
    packet.ordered = pr_group_shape_orders(group->shape);
    packet.source = slot->source;
    packet.since = slot->since;
    packet.number = slot->number;
    slot->unsent = pr_groups_send_to(groups, group, slot->unsent, &packet, slot->data, slot->words);
}

static void send_slot(struct pr_groups *groups, struct pr_group *group, struct pr_group_slot *slot)
{
    if (slot->state == PR_GROUP_SLOT_KEPT) {
        send_data(groups, group, slot);
    } else {
        struct pr_group_packet packet = pr_group_packet_of(group, PR_GROUP_KIND_SUBMIT, pr_groups_site(groups),
                                                           slot->sequence);
        packet.handler = slot->handler;
        slot->unsent = pr_groups_send_to(groups, group, slot->unsent, &packet, slot->data, slot->words);
    }
    if (slot->unsent != 0)
        pr_groups_arm(groups, pr_groups_clock(groups) + PR_GROUPS_SOON);
}

static void wait(struct pr_groups *groups, struct pr_group_slot *slot)
{
    unsigned doublings = slot->tries < PR_GROUPS_BACK_OFF_MOST ? slot->tries : PR_GROUPS_BACK_OFF_MOST;
    slot->deadline = pr_groups_clock(groups) + (groups->time_out << doublings);
    pr_groups_arm(groups, slot->deadline);
}

void pr_source_begin(struct pr_groups *groups, struct pr_group *group, enum pr_group_slot_state kind,
                     const struct pr_group_packet *packet, const uint32_t *data, unsigned words)
{
    struct pr_group_slot *slot = groups->slots;
    bool ordered = pr_group_shape_orders(group->shape);
    while (slot->state != PR_GROUP_SLOT_FREE)
        slot++;
    *slot = (struct pr_group_slot){
        .state = (uint8_t)kind,
        .group = group->id,
        .handler = packet->handler,
        .source = packet->source,
        .since = packet->since,
        .number = packet->number,
        .words = (uint16_t)words,
        .started = pr_groups_clock(groups),
        .data = slot->data,
    };
    memcpy(slot->data, data, words * sizeof *data);
    slot->sequence = kind == PR_GROUP_SLOT_KEPT && ordered ? group->order++ : packet->number;
    pr_group_plant(groups, group, pr_group_self(group));
    slot->unsent = kind == PR_GROUP_SLOT_KEPT ? pr_group_self(group)->children : 1u << group->leader;
    groups->counters[PR_GROUPS_COUNTER_SENT] += kind == PR_GROUP_SLOT_KEPT;
    send_slot(groups, group, slot);
    wait(groups, slot);
    if (group->count == 1 || ordered)
        pr_groups_arm(groups, pr_groups_clock(groups)); /* it may be settled, or be delivered here */
}

static void note_settled(struct pr_groups *groups, const struct pr_group_slot *slot)
{
    uint32_t clocks = pr_groups_clock(groups) - slot->started, least = groups->time_out_least;
    int32_t error = (int32_t)(clocks - (groups->round_trip >> 3));
    if (slot->tries == 0) {
        if (groups->round_trip == 0) {
            groups->round_trip = clocks << 3;
            groups->deviation = clocks << 1;
        } else {
            groups->round_trip += (uint32_t)error;
            groups->deviation += (uint32_t)(error < 0 ? -error : error) - (groups->deviation >> 2);
        }
        groups->time_out = (groups->round_trip >> 3) + groups->deviation;
    } else {
        groups->time_out += groups->time_out >> 3;
    }
    if (groups->time_out < least)
        groups->time_out = least;
    if (groups->time_out > TIME_OUTS_MOST * least)
        groups->time_out = TIME_OUTS_MOST * least;
}

void pr_source_settle(struct pr_groups *groups, struct pr_group *group)
{
    for (unsigned k = 0; k < groups->size.slots; k++) {
        struct pr_group_slot *slot = &groups->slots[k];
        if (!is_of(slot, group, PR_GROUP_SLOT_KEPT) || slot->unsent != 0 || lacking(group, slot->sequence) != 0)
            continue;
        note_settled(groups, slot);
        slot->state = PR_GROUP_SLOT_FREE;
        pr_groups_arm(groups, pr_groups_clock(groups)); /* there is room for what waits */
        pr_groups_report(groups, PR_GROUPS_SETTLED, group, slot->source, slot->number, slot->source);
    }
}

/* Is `place` in the part of this site's tree that hangs on `child`? */
static bool hangs_on(const struct pr_group *group, unsigned place, unsigned child)
{
    for (unsigned steps = 0; place != group->own && steps < group->count; steps++) {
        if (place == child)
            return true;
        place = group->parents[place];
    }
    return false;
}

void pr_source_acknowledged(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *child,
                            uint16_t next)
{
    unsigned place = pr_group_place(group, child);
    pr_group_plant(groups, group, pr_group_self(group));
    if (!(pr_group_self(group)->children >> place & 1))
        return;
    for (unsigned k = 0; k < group->count; k++) {
        struct pr_group_member *member = &group->members[k];
        if (!hangs_on(group, k, place))
            continue;
        if (pr_stream_ahead(next, member->has.next) > 0)
            member->silent = 0;
        pr_stream_learn(&member->has, next, 0);
    }
    pr_source_settle(groups, group);
}

/* What is ahead in an ordered stream is held there and not delivered yet: it does not have to be sent again, and is not
 * settled. An answer to a repair asks for no more: other repairs may be on their way. */
void pr_source_answered(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *member,
                        const struct pr_group_packet *answer)
{
    const struct pr_stream_filter said = {.next = answer->sequence, .ahead = answer->ahead};
    unsigned place = pr_group_place(group, member);
    pr_stream_learn(&member->has, answer->sequence, pr_group_shape_orders(group->shape) ? 0 : answer->ahead);
    for (unsigned k = 0; k < groups->size.slots; k++) {
        struct pr_group_slot *slot = &groups->slots[k];
        struct pr_group_packet packet;
        if (!is_of(slot, group, PR_GROUP_SLOT_KEPT) || !slot->asked || answer->repair ||
            pr_stream_has(&said, slot->sequence))
            continue;
        packet = pr_group_packet_of(group, PR_GROUP_KIND_DATA, pr_groups_site(groups), slot->sequence);
        packet.repair = true;
        packet.handler = slot->handler;
        packet.ordered = pr_group_shape_orders(group->shape);
        packet.source = slot->source;
        packet.since = slot->since;
        packet.number = slot->number;
        if (pr_groups_send_to(groups, group, 1u << place, &packet, slot->data, slot->words) == 0)
            groups->counters[PR_GROUPS_COUNTER_REPAIRS]++;
    }
    pr_source_settle(groups, group);
}

void pr_source_returned(struct pr_groups *groups, struct pr_group *group, uint16_t sequence)
{
    for (unsigned k = 0; k < group->count; k++)
        if (pr_stream_lacks(&group->members[k].has, sequence))
            pr_stream_note(&group->members[k].has, sequence);
    pr_source_settle(groups, group);
}

void pr_source_ordered(struct pr_groups *groups, struct pr_group *group, uint16_t number)
{
    for (unsigned k = 0; k < groups->size.slots; k++) {
        struct pr_group_slot *slot = &groups->slots[k];
        if (is_of(slot, group, PR_GROUP_SLOT_SUBMITTED) && slot->number == number) {
            note_settled(groups, slot);
            slot->state = PR_GROUP_SLOT_FREE;
        }
    }
    group->members[group->leader].silent = 0;
    pr_groups_report(groups, PR_GROUPS_ORDERED, group, pr_groups_site(groups), number, pr_groups_site(groups));
}

struct pr_group_slot *pr_source_undelivered(const struct pr_groups *groups, struct pr_group *group)
{
    for (unsigned k = 0; k < groups->size.slots; k++) {
        struct pr_group_slot *slot = &groups->slots[k];
        if (is_of(slot, group, PR_GROUP_SLOT_KEPT) && slot->sequence == pr_group_self(group)->handed)
            return slot;
    }
    return NULL;
}

void pr_source_fail(struct pr_groups *groups, struct pr_group *group, const struct pr_group_member *member)
{
    uint32_t place = 1u << pr_group_place(group, member);
    for (unsigned k = 0; k < groups->size.slots; k++) {
        struct pr_group_slot *slot = &groups->slots[k];
        if (!is_of(slot, group, PR_GROUP_SLOT_KEPT))
            continue;
        slot->unsent &= ~place;
        if (lacking(group, slot->sequence) & place)
            pr_groups_report(groups, PR_GROUPS_FAILED, group, slot->source, slot->number, member->site);
    }
}

void pr_source_replant(struct pr_groups *groups, const struct pr_group *group)
{
    for (unsigned k = 0; k < groups->size.slots; k++)
        if (groups->slots[k].group == group->id)
            groups->slots[k].unsent = 0; /* what has not left yet is repaired */
}

void pr_source_end(struct pr_groups *groups, struct pr_group *group)
{
    for (unsigned k = 0; k < groups->size.slots; k++) {
        struct pr_group_slot *slot = &groups->slots[k];
        bool kept = is_of(slot, group, PR_GROUP_SLOT_KEPT);
        if (!kept && !is_of(slot, group, PR_GROUP_SLOT_SUBMITTED))
            continue;
        for (unsigned place = 0; place < group->count; place++)
            if (!kept || lacking(group, slot->sequence) >> place & 1)
                pr_groups_report(groups, PR_GROUPS_FAILED, group, slot->source, slot->number,
                                 group->members[place].site);
        slot->state = PR_GROUP_SLOT_FREE;
        pr_groups_report(groups, PR_GROUPS_SETTLED, group, slot->source, slot->number, slot->source);
    }
}

/* No question while the answer to the last one may be on its way, nor to who has not answered the last of all. */
static bool may_ask(const struct pr_groups *groups, const struct pr_group_member *member)
{
    unsigned doublings = member->silent < PR_GROUPS_BACK_OFF_MOST ? member->silent : PR_GROUPS_BACK_OFF_MOST;
    if (member->silent == PR_GROUPS_TRIES_MAX)
        return false;
    return member->silent == 0 ||
           pr_has_come(pr_groups_clock(groups), member->asked_at + (groups->time_out << doublings));
}

static void count_silence(struct pr_groups *groups, struct pr_group_member *member)
{
    member->asked_at = pr_groups_clock(groups);
    if (++member->silent == PR_GROUPS_TRIES_MAX)
        pr_groups_arm(groups, pr_groups_clock(groups) + groups->time_out); /* members.c looks whether it has answered */
}

/* A member that knows of nothing before a number learns here where this site's stream begins for it. */
static void ask(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *member)
{
    struct pr_group_packet packet = pr_group_packet_of(group, PR_GROUP_KIND_QUESTION, pr_groups_site(groups),
                                                       member->has.next);
    if (!may_ask(groups, member) || !pr_groups_tell(groups, PR_HANDLER_GROUP, member->site, &packet, NULL, 0)) {
        pr_groups_arm(groups, pr_groups_clock(groups) + groups->time_out);
        return;
    }
    groups->counters[PR_GROUPS_COUNTER_QUESTIONS]++;
    count_silence(groups, member);
}

/* The deadline of a slot has come. Returns the members that are to be asked. */
static uint32_t time_out(struct pr_groups *groups, struct pr_group *group, struct pr_group_slot *slot)
{
    struct pr_group_member *leader = &group->members[group->leader];
    slot->tries++;
    wait(groups, slot);
    if (slot->state == PR_GROUP_SLOT_KEPT) {
        slot->asked = true;
        return lacking(group, slot->sequence) & ~(1u << group->own);
    }
    if (may_ask(groups, leader))
        count_silence(groups, leader);
    slot->unsent = 1u << group->leader;
    send_slot(groups, group, slot);
    return 0;
}

bool pr_source_poll(struct pr_groups *groups, struct pr_group *group)
{
    uint32_t clock = pr_groups_clock(groups), silent = 0;
    bool any = false;
    for (unsigned k = 0; k < groups->size.slots; k++) {
        struct pr_group_slot *slot = &groups->slots[k];
        if (slot->state == PR_GROUP_SLOT_FREE || slot->group != group->id)
            continue;
        if (slot->unsent != 0) {
            send_slot(groups, group, slot);
            any |= slot->unsent == 0;
        }
        if (pr_has_come(clock, slot->deadline)) {
            silent |= time_out(groups, group, slot);
            any = true;
        } else {
            pr_groups_arm(groups, slot->deadline);
        }
    }
    for (unsigned place = 0; place < group->count; place++) {
        struct pr_group_member *member = &group->members[place];
        if (silent >> place & 1 || member->ask)
            ask(groups, group, member);
    }
    pr_source_settle(groups, group);
    return any;
}
