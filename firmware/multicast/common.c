/* What all files of this folder use: finding, sending, and the trees.
 *
 * SPDX-License-Identifier: ISC
 */
#include "multicast/groups_private.h"
#include "operator/events.h"

struct pr_group *pr_groups_of(const struct pr_groups *groups, uint8_t id)
{
    for (unsigned k = 0; k < groups->size.groups; k++)
        if (groups->groups[k].state != PR_GROUP_FREE && groups->groups[k].id == id)
            return &groups->groups[k];
    return NULL;
}

struct pr_group_member *pr_group_member_of(struct pr_group *group, unsigned site)
{
    for (unsigned k = 0; k < group->count; k++)
        if (group->members[k].site == site)
            return &group->members[k];
    return NULL;
}

void pr_groups_arm(struct pr_groups *groups, uint32_t clock)
{
    if (!groups->armed || pr_has_come(groups->wake, clock))
        groups->wake = clock;
    groups->armed = true;
}

void pr_groups_report(struct pr_groups *groups, enum pr_groups_event_kind kind, const struct pr_group *group,
                      unsigned source, unsigned number, unsigned site)
{
    struct pr_groups_event event = {
        .kind = kind,
        .group = group->id,
        .view = group->view,
        .source = (uint16_t)source,
        .number = (uint16_t)number,
        .site = (uint16_t)site,
    };
    if (groups->observer)
        groups->observer(groups->observer_context, &event);
}

struct pr_group_packet pr_group_packet_of(const struct pr_group *group, unsigned kind, unsigned origin,
                                          uint16_t sequence)
{
    return (struct pr_group_packet){
        .kind = (uint8_t)kind,
        .group = group->id,
        .view = group->view,
        .origin = (uint16_t)origin,
        .sequence = sequence,
    };
}

static void add_words(struct pr_composition *composition, const struct pr_group_packet *packet, const uint32_t *data,
                      unsigned words)
{
    uint32_t header[PR_GROUP_ORDERED_WORDS > PR_GROUP_ANSWER_WORDS ? PR_GROUP_ORDERED_WORDS : PR_GROUP_ANSWER_WORDS];
    unsigned header_words = pr_group_packet_words(packet);
    pr_group_packet_encode(packet, header);
    for (unsigned k = 0; k < header_words; k++)
        pr_operator_add_data(composition, header[k]);
    for (unsigned k = 0; k < words; k++)
        pr_operator_add_data(composition, data[k]);
}

/* As many targets as a packet has room for share one. */
uint32_t pr_groups_send_to(struct pr_groups *groups, const struct pr_group *group, uint32_t members,
                           const struct pr_group_packet *packet, const uint32_t *data, unsigned words)
{
    unsigned room = groups->op->common.here.identity->max_packet - PR_HEADER_WORDS - pr_group_packet_words(packet) -
                    words;
    while (members != 0) {
        struct pr_composition composition;
        uint32_t left = members;
        unsigned targets = 0;
        pr_operator_begin(groups->op, &composition, PR_HANDLER_GROUP);
        for (unsigned k = 0; k < group->count && targets < room; k++) {
            if (!(members >> k & 1))
                continue;
            pr_operator_add_target(&composition, group->members[k].site);
            left &= ~(1u << k);
            targets++;
        }
        add_words(&composition, packet, data, words);
        if (pr_operator_commit(&composition, NULL) != 0)
            return members;
        members = left;
    }
    return 0;
}

bool pr_groups_tell(struct pr_groups *groups, uint8_t handler, unsigned site, const struct pr_group_packet *packet,
                    const uint32_t *data, unsigned words)
{
    struct pr_composition composition;
    pr_operator_begin(groups->op, &composition, handler);
    pr_operator_add_target(&composition, site);
    add_words(&composition, packet, data, words);
    return pr_operator_commit(&composition, NULL) == 0;
}

struct pr_group_hold pr_group_hold_of(const struct pr_group_member *origin, const struct pr_group_packet *packet,
                                      const struct pr_delivery *delivery, const uint32_t *data, unsigned words)
{
    bool ordered = packet->kind == PR_GROUP_KIND_DATA && packet->ordered;
    return (struct pr_group_hold){
        .used = true,
        .group = packet->group,
        .handler = packet->handler,
        .origin = packet->origin,
        .sequence = packet->sequence,
        .source = ordered ? packet->source : packet->origin,
        .since = ordered ? packet->since : origin->since & PR_GROUP_SINCE_MASK,
        .number = ordered ? packet->number : packet->sequence,
        .words = (uint16_t)words,
        .stamp_first = delivery->stamp_first,
        .stamp_last = delivery->stamp_last,
        .data = (uint32_t *)data,
    };
}
struct pr_group_hold pr_group_hold_of_slot(const struct pr_group_slot *slot)
{
    return (struct pr_group_hold){
        .group = slot->group,
        .handler = slot->handler,
        .since = slot->since,
        .sequence = slot->sequence,
        .source = slot->source,
        .number = slot->number,
        .words = slot->words,
        .stamp_first = slot->started,
        .stamp_last = slot->started,
        .data = slot->data,
    };
}

void pr_groups_deliver(struct pr_groups *groups, const struct pr_group_hold *what)
{
    const uint32_t info[PR_GROUPS_INFO_WORDS] = {what->group, what->sequence};
    struct pr_delivery delivery = {
        .source = what->source,
        .sequence = what->number,
        .epoch = what->since,
        .handler = what->handler,
        .data = what->data,
        .data_words = what->words,
        .info = info,
        .info_words = PR_GROUPS_INFO_WORDS,
        .stamp_first = what->stamp_first,
        .stamp_last = what->stamp_last,
    };
    struct pr_operator_event event = {
        .kind = PR_OPERATOR_EVENT_DELIVERED,
        .source = what->source,
        .sequence = what->number,
        .delivery = &delivery,
    };
    groups->counters[PR_GROUPS_COUNTER_DELIVERED]++;
    pr_events_report(&groups->op->common.events, &event);
    pr_events_deliver(&groups->op->common.events, &delivery);
}

/* Before a child has said anything, it may lack what a source lets anybody lack. */
void pr_group_plant(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *origin)
{
    struct pr_group_plan plan = {
        .mesh = &groups->op->common.here.identity->shape, .count = group->count, .leader = group->leader};
    uint8_t other[PR_GROUP_MEMBERS_MAX], *parents = origin == pr_group_self(group) ? group->parents : other;
    if (origin->planted)
        return;
    for (unsigned k = 0; k < group->count; k++)
        plan.sites[k] = group->members[k].site;
    pr_group_tree(&plan, group->shape, pr_group_place(group, origin), parents);
    origin->planted = true;
    origin->parent = parents[group->own];
    origin->children = 0;
    for (unsigned k = 0; k < group->count; k++)
        if (parents[k] == group->own && k != group->own)
            origin->children |= 1u << k;
    origin->told = (uint16_t)(origin->received.next - PR_STREAM_SPAN);
    for (unsigned k = 0; k < PR_GROUP_CHILDREN_MAX; k++)
        origin->below[k] = origin->told;
}
