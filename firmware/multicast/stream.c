/* The packets of others: taken once, passed on, delivered in order, acknowledged towards the origin.
 *
 *   arrives -- of no member, of an earlier membership, or of an origin whose beginning is not known ---> dropped (G5)
 *      |
 *      |-- evaluators refuse; it has to wait for others and nothing can hold it ------------> dropped, not acknowledged
 *      |-- taken before ------------------------------------------------------------------------------> duplicate (G4)
 *      `-- new
 *            |-- to the children in the tree of its origin, if both know the same view (G3); no buffer: not sent (G6)
 *            |-- ordered, and others come before it --> held
 *            |-- delivered, or put in order by the leader; then those that are held and now follow
 *            `-- acknowledged to the parent when the children have acknowledged it, too (G8)
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "multicast/groups_private.h"

static void deliver(struct pr_groups *groups, struct pr_group *group, const struct pr_group_hold *what)
{
    if (pr_group_shape_orders(group->shape) && what->source == pr_groups_site(groups))
        pr_source_ordered(groups, group, what->number);
    pr_groups_deliver(groups, what);
}

/* At the leader of an ordered group, the streams of the others are what they have submitted. */
static bool is_submission(const struct pr_group *group)
{
    return pr_group_shape_orders(group->shape) && pr_group_leads(group);
}

static bool may_hand(const struct pr_groups *groups, const struct pr_group *group)
{
    return is_submission(group) ? pr_source_has_room(groups, group, PR_GROUP_SLOT_KEPT) : !pr_groups_refuse(groups);
}

static void hand(struct pr_groups *groups, struct pr_group *group, const struct pr_group_hold *what)
{
    struct pr_group_packet packet = {
        .handler = what->handler, .source = what->source, .since = what->since, .number = what->number};
    if (is_submission(group))
        pr_source_begin(groups, group, PR_GROUP_SLOT_KEPT, &packet, what->data, what->words);
    else
        deliver(groups, group, what);
}

static struct pr_group_hold *find_hold(const struct pr_groups *groups, const struct pr_group *group,
                                       const struct pr_group_member *origin, uint16_t sequence)
{
    for (unsigned k = 0; k < groups->size.holds; k++) {
        struct pr_group_hold *hold = &groups->holds[k];
        if (hold->used && hold->group == group->id && hold->origin == origin->site && hold->sequence == sequence)
            return hold;
    }
    return NULL;
}

/* Hands on what is held and follows, until evaluators refuse. True if there was anything. */
static bool hand_held(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *origin)
{
    struct pr_group_hold *hold;
    bool any = false;
    while (may_hand(groups, group) && (hold = find_hold(groups, group, origin, origin->handed))) {
        origin->handed++;
        hand(groups, group, hold);
        hold->used = false;
        any = true;
    }
    if (pr_groups_refuse(groups) && find_hold(groups, group, origin, origin->handed))
        pr_groups_arm(groups, pr_groups_clock(groups) + PR_GROUPS_SOON);
    return any;
}

/* False: nothing can hold it. */
static bool keep(struct pr_groups *groups, const struct pr_group_hold *what)
{
    for (unsigned k = 0; k < groups->size.holds; k++) {
        struct pr_group_hold *hold = &groups->holds[k];
        uint32_t *data = hold->data;
        if (hold->used)
            continue;
        *hold = *what;
        hold->data = data;
        memcpy(data, what->data, what->words * sizeof *data);
        groups->counters[PR_GROUPS_COUNTER_HELD]++;
        return true;
    }
    return false;
}

static void pass_on(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *origin,
                    const struct pr_group_packet *packet, const uint32_t *data, unsigned words)
{
    uint32_t unsent;
    if (packet->repair || packet->view != group->view)
        return;
    pr_group_plant(groups, group, origin);
    if (origin->children == 0)
        return;
    unsent = pr_groups_send_to(groups, group, origin->children, packet, data, words);
    groups->counters[unsent ? PR_GROUPS_COUNTER_UNSENT : PR_GROUPS_COUNTER_FORWARDED]++;
}

/* To a question, or to a repair. */
static void answer(struct pr_groups *groups, struct pr_group *group, const struct pr_group_member *origin,
                   bool to_repair)
{
    struct pr_group_packet packet = pr_group_packet_of(group, PR_GROUP_KIND_ANSWER, origin->site,
                                                       origin->received.next);
    packet.ahead = origin->received.ahead;
    packet.repair = to_repair;
    pr_groups_tell(groups, PR_HANDLER_GROUP, origin->site, &packet, NULL, 0); /* if it cannot, it is asked again */
}

static void owe(struct pr_groups *groups, struct pr_group_member *origin, uint32_t clocks)
{
    uint32_t at = pr_groups_clock(groups) + clocks;
    if (!origin->due || pr_has_come(origin->due_at, at))
        origin->due_at = at;
    origin->due = true;
    pr_groups_arm(groups, at);
}

/* An acknowledgement waits for more packets, for less than the least time-out of a member like this one. An origin that
 * is repaired waits for this packet alone, and is told at once. */
static void acknowledge(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *origin,
                        const struct pr_group_packet *packet)
{
    if (packet->kind == PR_GROUP_KIND_SUBMIT)
        return; /* it comes back in its order */
    if (packet->repair)
        answer(groups, group, origin, true);
    if (!pr_group_shape_returns(group->shape))
        owe(groups, origin, groups->time_out_least / 2);
}

/* It is new, and there is room for it. */
static void take(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *origin,
                 const struct pr_group_packet *packet, const struct pr_group_hold *what, bool held)
{
    pr_stream_note(&origin->received, packet->sequence);
    if (packet->kind == PR_GROUP_KIND_DATA)
        pass_on(groups, group, origin, packet, what->data, what->words);
    acknowledge(groups, group, origin, packet);
    if (held)
        return;
    if (!pr_group_shape_orders(group->shape)) {
        deliver(groups, group, what);
        return;
    }
    origin->handed++;
    hand(groups, group, what);
    hand_held(groups, group, origin);
}

/* In the present memberships of both. A view that this site does not know yet may have another origin of this number:
 * what was sent in it is repaired when the view has come. */
static bool is_of_present(const struct pr_group *group, const struct pr_group_member *origin, uint8_t view)
{
    return !pr_view_is_before(view, group->members[group->own].since) && !pr_view_is_before(view, origin->since) &&
           !pr_view_is_before(group->view, view);
}

/* Of a member, and of the kind that this site gets from it. */
static bool is_expected(const struct pr_group *group, const struct pr_group_member *origin,
                        const struct pr_group_packet *packet)
{
    bool ordered = pr_group_shape_orders(group->shape), submit = packet->kind == PR_GROUP_KIND_SUBMIT;
    if (!origin->known || !is_of_present(group, origin, packet->view))
        return false;
    if (submit)
        return ordered && pr_group_leads(group);
    return packet->ordered == ordered && (!ordered || pr_group_place(group, origin) == group->leader);
}

void pr_stream_received(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                        const struct pr_delivery *delivery, const uint32_t *data, unsigned words)
{
    struct pr_group_member *origin = pr_group_member_of(group, packet->origin);
    struct pr_group_hold what;
    bool held, submit = packet->kind == PR_GROUP_KIND_SUBMIT;
    if (origin && pr_group_place(group, origin) == group->own) {
        if (pr_group_shape_returns(group->shape))
            pr_source_returned(groups, group, packet->sequence);
        return;
    }
    if (!origin || !is_expected(group, origin, packet) || words > groups->size.packet_words) {
        groups->counters[PR_GROUPS_COUNTER_DROPPED]++;
        return;
    }
    what = pr_group_hold_of(origin, packet, delivery, data, words);
    if (!pr_stream_lacks(&origin->received, packet->sequence)) {
        groups->counters[PR_GROUPS_COUNTER_DUPLICATES]++;
        if (submit || packet->repair)
            answer(groups, group, origin, packet->repair);
        return;
    }
    held = pr_group_shape_orders(group->shape) && (packet->sequence != origin->handed || !may_hand(groups, group));
    if ((pr_groups_refuse(groups) && !submit) || (held && !keep(groups, &what))) {
        groups->counters[PR_GROUPS_COUNTER_DROPPED]++;
        if (submit)
            answer(groups, group, origin, false);
        return;
    }
    take(groups, group, origin, packet, &what, held);
}

void pr_stream_acknowledged(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                            unsigned from)
{
    struct pr_group_member *origin = pr_group_member_of(group, packet->origin),
                           *child = pr_group_member_of(group, from);
    unsigned place = 0;
    uint32_t before;
    if (!origin || !child || packet->view != group->view)
        return;
    if (pr_group_place(group, origin) == group->own) {
        if (pr_stream_ahead(packet->sequence, pr_group_shape_orders(group->shape) ? group->order : group->next) <= 0)
            pr_source_acknowledged(groups, group, child, packet->sequence);
        return;
    }
    pr_group_plant(groups, group, origin);
    before = origin->children & ((1u << pr_group_place(group, child)) - 1);
    if (!(origin->children >> pr_group_place(group, child) & 1))
        return;
    for (; before != 0; before &= before - 1)
        place++;
    if (place >= PR_GROUP_CHILDREN_MAX || pr_stream_ahead(packet->sequence, origin->below[place]) <= 0)
        return;
    origin->below[place] = packet->sequence;
    owe(groups, origin, 0);
}

/* Where a stream begins for this site, it learns from the first question of its origin. */
void pr_stream_questioned(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet)
{
    struct pr_group_member *origin = pr_group_member_of(group, packet->origin);
    if (!origin || !is_of_present(group, origin, packet->view))
        return;
    if (!origin->known) {
        origin->known = true;
        origin->received = (struct pr_stream_filter){.next = packet->sequence};
        origin->handed = packet->sequence;
        origin->planted = false;
    }
    answer(groups, group, origin, false);
}

/* What this site and all behind it have. */
static uint16_t merged(const struct pr_group_member *origin)
{
    uint16_t least = origin->received.next;
    unsigned place = 0;
    for (uint32_t left = origin->children; left != 0; left &= left - 1, place++)
        if (pr_stream_ahead(origin->below[place], least) < 0)
            least = origin->below[place];
    return least;
}

/* Tells the parent if there is more to tell than before. */
static void pay(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *origin)
{
    struct pr_group_packet packet;
    uint16_t next;
    origin->due = false;
    if (!origin->known)
        return;
    pr_group_plant(groups, group, origin);
    next = merged(origin);
    if (pr_stream_ahead(next, origin->told) <= 0)
        return;
    packet = pr_group_packet_of(group, PR_GROUP_KIND_ACKNOWLEDGEMENT, origin->site, next);
    if (!pr_groups_tell(groups, PR_HANDLER_GROUP, group->members[origin->parent].site, &packet, NULL, 0)) {
        owe(groups, origin, PR_GROUPS_SOON);
        return;
    }
    origin->told = next;
    groups->counters[PR_GROUPS_COUNTER_ACKNOWLEDGEMENTS]++;
}

/* The leader of an ordered group delivers what it has put in order. */
static bool deliver_own(struct pr_groups *groups, struct pr_group *group)
{
    struct pr_group_slot *slot;
    bool any = false;
    if (!is_submission(group))
        return false;
    while (!pr_groups_refuse(groups) && (slot = pr_source_undelivered(groups, group))) {
        const struct pr_group_hold what = pr_group_hold_of_slot(slot);
        deliver(groups, group, &what);
        pr_group_self(group)->handed++;
        any = true;
    }
    if (pr_groups_refuse(groups) && pr_source_undelivered(groups, group))
        pr_groups_arm(groups, pr_groups_clock(groups) + PR_GROUPS_SOON);
    return any;
}

bool pr_stream_poll(struct pr_groups *groups, struct pr_group *group)
{
    uint32_t clock = pr_groups_clock(groups);
    bool any = deliver_own(groups, group);
    for (unsigned k = 0; k < group->count; k++) {
        struct pr_group_member *origin = &group->members[k];
        if (k == group->own)
            continue;
        if (origin->due && pr_has_come(clock, origin->due_at))
            pay(groups, group, origin);
        else if (origin->due)
            pr_groups_arm(groups, origin->due_at);
        if (is_submission(group) || (pr_group_shape_orders(group->shape) && k == group->leader))
            any |= hand_held(groups, group, origin);
    }
    return any;
}

bool pr_stream_waits(const struct pr_groups *groups, const struct pr_group *group)
{
    for (unsigned k = 0; is_submission(group) && k < groups->size.holds; k++)
        if (groups->holds[k].used && groups->holds[k].group == group->id)
            return true;
    return false;
}

void pr_stream_forget(struct pr_groups *groups, const struct pr_group *group, unsigned site)
{
    for (unsigned k = 0; k < groups->size.holds; k++)
        if (groups->holds[k].group == group->id && groups->holds[k].origin == site)
            groups->holds[k].used = false;
}
