/* See groups.h: the calls, and where packets of groups come in.
 *
 * SPDX-License-Identifier: ISC
 */
#include "multicast/groups.h"

#include <string.h>

#include "multicast/groups_private.h"

enum {
    FIRST_TIME_OUTS = 4, /* of the least, until the first packet is settled */
    LEAST_PACKETS = 4 /* on links: members on the way store a packet, whereas the operator's least is for the fabric */
};

static bool is_raw(const struct pr_groups *groups)
{
    return !groups->op->common.here.reliable;
}

/* ---- what comes ---- */

/* Who asks a site that is no member is told so; of any other packet for it nothing is said. */
static void say_no_member(struct pr_groups *groups, const struct pr_group_packet *packet, unsigned from)
{
    struct pr_group_packet out = *packet;
    if (packet->kind != PR_GROUP_KIND_QUESTION && packet->kind != PR_GROUP_KIND_SUBMIT)
        return;
    out.kind = PR_GROUP_KIND_OUT;
    pr_groups_tell(groups, PR_HANDLER_GROUP, from, &out, NULL, 0);
}

/* An answer about this site's stream; to a submission it shows that the leader lives. */
static void take_answer(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                        unsigned from)
{
    struct pr_group_member *member = pr_group_member_of(group, from);
    bool ordered = pr_group_shape_orders(group->shape);
    if (!member || packet->origin != pr_groups_site(groups) || pr_view_is_before(packet->view, member->since))
        return;
    member->silent = 0;
    if (ordered && !pr_group_leads(group))
        return;
    if (pr_stream_ahead(packet->sequence, ordered ? group->order : group->next) > 0)
        return;
    member->ask = false;
    pr_source_answered(groups, group, member, packet);
}

static void take_packet(void *context, const struct pr_delivery *delivery)
{
    struct pr_groups *groups = context;
    struct pr_group_packet packet;
    struct pr_group *group;
    unsigned header;
    if (!pr_group_packet_decode(&packet, delivery->data, delivery->data_words))
        return;
    header = pr_group_packet_words(&packet);
    group = pr_groups_of(groups, packet.group);
    if (is_raw(groups)) {
        if (group)
            pr_hops_received(groups, group, &packet, delivery, delivery->data + header, delivery->data_words - header);
    } else if (group && packet.kind == PR_GROUP_KIND_OUT) {
        pr_members_sent_out(groups, group, &packet, delivery->source);
    } else if (group && group->state == PR_GROUP_JOINING) {
        groups->counters[PR_GROUPS_COUNTER_DROPPED]++; /* its view comes soon, and then it is repaired */
    } else if (!group ||
               (!pr_group_member_of(group, delivery->source) && !pr_view_is_before(group->view, packet.view))) {
        say_no_member(groups, &packet, delivery->source);
    } else if (packet.kind == PR_GROUP_KIND_DATA || packet.kind == PR_GROUP_KIND_SUBMIT) {
        pr_stream_received(groups, group, &packet, delivery, delivery->data + header, delivery->data_words - header);
    } else if (packet.kind == PR_GROUP_KIND_ACKNOWLEDGEMENT) {
        pr_stream_acknowledged(groups, group, &packet, delivery->source);
    } else if (packet.kind == PR_GROUP_KIND_ANSWER) {
        take_answer(groups, group, &packet, delivery->source);
    } else if (packet.kind == PR_GROUP_KIND_QUESTION) {
        pr_stream_questioned(groups, group, &packet);
    }
}

static void take_members(void *context, const struct pr_delivery *delivery)
{
    struct pr_group_packet packet;
    if (!pr_group_packet_decode(&packet, delivery->data, delivery->data_words))
        return;
    struct pr_groups *groups = context;
    if (packet.kind == PR_GROUP_KIND_ORDER) {
        if (groups->obey)
            groups->obey(groups, delivery);
    } else if (!is_raw(groups)) {
        pr_members_received(groups, &packet, delivery);
    }
}

/* ---- the calls ---- */

/* Takes memory for `count` things of `bytes` each, so that what comes behind suits pointers too. */
static void *carve(uint32_t **memory, unsigned count, size_t bytes)
{
    void *taken = *memory;
    memset(taken, 0, count * bytes);
    *memory += count * ((bytes + 7) / 8 * 2);
    return taken;
}

static uint32_t least_time_out(const struct pr_operator *op)
{
    const struct pr_site_identity *identity = op->common.here.identity;
    uint32_t on_links = LEAST_PACKETS * identity->max_packet * identity->link_clocks;
    return on_links > op->window.time_out_least ? on_links : op->window.time_out_least;
}

int pr_groups_init(struct pr_groups *groups, struct pr_operator *op, uint32_t *memory,
                   const struct pr_groups_size *size)
{
    if (op->common.here.sites > PR_GROUP_SITES_MAX)
        return -PR_GROUPS_RAW;
    if (!op->common.here.reliable && size->slots < PR_HOP_CLASSES)
        return -PR_GROUPS_NO_ROOM;
    memset(groups, 0, sizeof *groups);
    groups->op = op;
    groups->size = *size;
    groups->time_out_least = least_time_out(op);
    groups->time_out = FIRST_TIME_OUTS * groups->time_out_least;
    groups->groups = carve(&memory, size->groups, sizeof *groups->groups);
    groups->slots = carve(&memory, size->slots, sizeof *groups->slots);
    groups->holds = carve(&memory, size->holds, sizeof *groups->holds);
    for (unsigned k = 0; k < size->slots; k++, memory += size->packet_words)
        groups->slots[k].data = memory;
    for (unsigned k = 0; k < size->holds; k++, memory += size->packet_words)
        groups->holds[k].data = memory;
    return pr_operator_register(op, PR_HANDLER_GROUP, take_packet, groups) == 0 &&
                   pr_operator_register(op, PR_HANDLER_MEMBERS, take_members, groups) == 0
               ? 0
               : -PR_GROUPS_NO_ROOM;
}

void pr_groups_ask(struct pr_groups *groups, bool (*takes)(const void *context), const void *context)
{
    groups->takes = takes;
    groups->takes_context = context;
}

void pr_groups_observe(struct pr_groups *groups, pr_groups_observer *observer, void *context)
{
    groups->observer = observer;
    groups->observer_context = context;
}

/* A group that this site did not belong to. */
static int find_free(struct pr_groups *groups, uint8_t id, struct pr_group **found)
{
    if (pr_groups_of(groups, id))
        return -PR_GROUPS_MEMBER;
    for (unsigned k = 0; k < groups->size.groups; k++) {
        struct pr_group *group = &groups->groups[k];
        if (group->state != PR_GROUP_FREE)
            continue;
        *group = (struct pr_group){.id = id, .nonce = (uint8_t)(group->nonce + 1)};
        *found = group;
        return 0;
    }
    return -PR_GROUPS_NO_ROOM;
}

static bool sites_are_good(const struct pr_groups *groups, unsigned leader, const uint16_t *sites, unsigned count)
{
    bool leads = false, own = false;
    for (unsigned k = 0; k < count; k++) {
        if (sites[k] >= groups->op->common.here.sites || (k > 0 && sites[k] <= sites[k - 1]))
            return false;
        leads |= sites[k] == leader;
        own |= sites[k] == pr_groups_site(groups);
    }
    return leads && own;
}

static bool suits_raw_mesh(const struct pr_groups *groups, unsigned shape, unsigned leader, const uint16_t *sites,
                           unsigned count)
{
    struct pr_group_plan plan = {.mesh = &groups->op->common.here.identity->shape, .count = (uint8_t)count};
    memcpy(plan.sites, sites, count * sizeof *sites);
    while (sites[plan.leader] != leader)
        plan.leader++;
    return pr_hops_suit(&plan, shape);
}

int pr_groups_form(struct pr_groups *groups, uint8_t id, unsigned shape, unsigned leader, const uint16_t *sites,
                   unsigned count)
{
    struct pr_group *group;
    int error;
    if (count > pr_members_most(groups))
        return -PR_GROUPS_TOO_MANY;
    if (shape >= PR_GROUP_SHAPES || !sites_are_good(groups, leader, sites, count) ||
        (is_raw(groups) && !suits_raw_mesh(groups, shape, leader, sites, count)))
        return -PR_GROUPS_BAD;
    error = find_free(groups, id, &group);
    if (error != 0)
        return error;
    group->nonce = 0;
    group->shape = (uint8_t)shape;
    group->leader_site = (uint16_t)leader;
    pr_members_form(groups, group, sites, count);
    return 0;
}

int pr_groups_join(struct pr_groups *groups, uint8_t id, unsigned leader)
{
    struct pr_group_packet packet = {.kind = PR_GROUP_KIND_JOIN, .group = id, .origin = (uint16_t)leader};
    struct pr_group *group;
    int error;
    if (is_raw(groups))
        return -PR_GROUPS_RAW;
    if (leader >= groups->op->common.here.sites || leader == pr_groups_site(groups))
        return -PR_GROUPS_BAD;
    error = find_free(groups, id, &group);
    if (error != 0)
        return error;
    group->leader_site = (uint16_t)leader;
    group->joined = pr_groups_clock(groups);
    group->nonce += group->nonce == 0; /* that of those who have formed the group */
    packet.handler = group->nonce;
    if (!pr_groups_tell(groups, PR_HANDLER_MEMBERS, leader, &packet, NULL, 0))
        return -PR_GROUPS_BUSY;
    group->state = PR_GROUP_JOINING;
    pr_groups_arm(groups, pr_groups_clock(groups));
    return 0;
}

static bool keeps_any(const struct pr_groups *groups, const struct pr_group *group)
{
    for (unsigned k = 0; k < groups->size.slots; k++)
        if (groups->slots[k].state != PR_GROUP_SLOT_FREE && groups->slots[k].group == group->id)
            return true;
    return false;
}

int pr_groups_leave(struct pr_groups *groups, uint8_t id)
{
    struct pr_group *group = pr_groups_of(groups, id);
    struct pr_group_packet packet;
    if (is_raw(groups))
        return -PR_GROUPS_RAW;
    if (!group || group->state != PR_GROUP_IN)
        return -PR_GROUPS_NOBODY;
    if (pr_group_leads(group) && group->count > 1)
        return -PR_GROUPS_LEADS;
    packet = pr_group_packet_of(group, PR_GROUP_KIND_LEAVE, pr_groups_site(groups), 0);
    if (keeps_any(groups, group) ||
        (!pr_group_leads(group) && !pr_groups_tell(groups, PR_HANDLER_MEMBERS, group->leader_site, &packet, NULL, 0)))
        return -PR_GROUPS_BUSY;
    for (unsigned k = 0; k < group->count; k++)
        pr_stream_forget(groups, group, group->members[k].site);
    group->state = PR_GROUP_FREE;
    return 0;
}

unsigned pr_groups_words_most(const struct pr_groups *groups)
{
    unsigned words = groups->op->common.here.identity->max_packet - 1 - PR_HEADER_WORDS - PR_GROUP_ORDERED_WORDS;
    return words < groups->size.packet_words ? words : groups->size.packet_words;
}

static bool is_too_wide(const struct pr_groups *groups, const uint32_t *data, unsigned words)
{
    uint32_t bits = 0;
    for (unsigned k = 0; k < words; k++)
        bits |= data[k];
    return bits & groups->op->common.here.wide_mask;
}

int pr_groups_send(struct pr_groups *groups, uint8_t id, uint8_t handler, const uint32_t *data, unsigned words,
                   uint16_t *number)
{
    struct pr_group *group = pr_groups_of(groups, id);
    struct pr_group_packet packet = {.handler = handler, .source = (uint16_t)pr_groups_site(groups)};
    enum pr_group_slot_state kind;
    if (!group || group->state != PR_GROUP_IN)
        return -PR_GROUPS_NOBODY;
    if (words > pr_groups_words_most(groups))
        return -PR_GROUPS_TOO_LONG;
    if (handler > PR_GROUPS_HANDLER_MOST || is_too_wide(groups, data, words))
        return -PR_GROUPS_BAD;
    kind = pr_group_shape_orders(group->shape) && !pr_group_leads(group) ? PR_GROUP_SLOT_SUBMITTED : PR_GROUP_SLOT_KEPT;
    if (is_raw(groups) ? !pr_hops_has_room(groups, group)
                       : !pr_source_has_room(groups, group, kind) ||
                             (kind == PR_GROUP_SLOT_KEPT && pr_stream_waits(groups, group)))
        return -PR_GROUPS_BUSY;
    packet.since = pr_group_self(group)->since & PR_GROUP_SINCE_MASK;
    packet.number = group->next++;
    if (number)
        *number = packet.number;
    if (is_raw(groups))
        pr_hops_begin(groups, group, &packet, data, words);
    else
        pr_source_begin(groups, group, kind, &packet, data, words);
    return 0;
}

const struct pr_group *pr_groups_find(const struct pr_groups *groups, uint8_t id)
{
    return pr_groups_of(groups, id);
}

bool pr_groups_poll(struct pr_groups *groups)
{
    bool any = false;
    if (!groups->armed || !pr_has_come(pr_groups_clock(groups), groups->wake))
        return false;
    groups->armed = false;
    for (unsigned k = 0; k < groups->size.groups; k++) {
        struct pr_group *group = &groups->groups[k];
        if (is_raw(groups)) {
            any |= group->state == PR_GROUP_IN && pr_hops_poll(groups, group);
            continue;
        }
        if (group->state == PR_GROUP_IN)
            any |= pr_stream_poll(groups, group);
        if (group->state == PR_GROUP_IN)
            any |= pr_source_poll(groups, group);
        if (group->state != PR_GROUP_FREE)
            any |= pr_members_poll(groups, group);
    }
    return any;
}

bool pr_groups_next_wake(const struct pr_groups *groups, uint32_t *clock)
{
    *clock = groups->wake;
    return groups->armed;
}

bool pr_groups_at_rest(const struct pr_groups *groups)
{
    bool rest = true;
    for (unsigned k = 0; k < groups->size.slots; k++)
        rest &= groups->slots[k].state == PR_GROUP_SLOT_FREE;
    for (unsigned k = 0; k < groups->size.holds; k++)
        rest &= !groups->holds[k].used;
    return rest;
}
