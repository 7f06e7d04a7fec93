/* Who belongs to a group. The leader alone decides, and tells each member the whole list, so that the latest view is
 * enough (G1, G2). A site that cannot reach the leader belongs no more (G10): nobody takes its place, because two
 * leaders that do not hear of each other would give two orders.
 *
 *   join:   site -> leader: JOIN with a nonce          leader -> each member: VIEW, to the new one with its nonce
 *   leave:  site -> leader: LEAVE                      leader -> each other: VIEW
 *   death:  source -> leader: DEAD                     leader -> each other: VIEW; to the dead one: OUT, if it lives
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "multicast/groups_private.h"

enum {
    BYTE_BITS = 8,
    COUNT_MASK = 0x3f,
    FIRST_VIEW = 1,
    JOIN_TIME_OUTS = 64, /* until a site that wants to join gives it up */
    VIEW_WORDS_MOST = PR_GROUP_MEMBERS_MAX + PR_GROUP_MEMBERS_MAX / 2
};

struct view {
    uint8_t number, count;
    uint16_t sites[PR_GROUP_MEMBERS_MAX];
    uint8_t since[PR_GROUP_MEMBERS_MAX], nonces[PR_GROUP_MEMBERS_MAX];
};

static unsigned view_words(unsigned count)
{
    return count + (count + 1) / 2;
}

unsigned pr_members_most(const struct pr_groups *groups)
{
    unsigned room = groups->op->common.here.identity->max_packet - 1 - PR_HEADER_WORDS - PR_GROUP_WORDS;
    unsigned most = room * 2 / 3;
    return most < PR_GROUP_MEMBERS_MAX ? most : PR_GROUP_MEMBERS_MAX;
}

/* ---- views ---- */

/* The member as it was, if it is in the view since the same time; else one that begins. */
static struct pr_group_member carry_over(struct pr_group *group, const struct view *view, unsigned place,
                                         uint8_t own_since, bool is_source)
{
    struct pr_group_member *before = pr_group_member_of(group, view->sites[place]), member;
    if (before && before->since == view->since[place]) {
        member = *before;
        member.planted = false;
        member.due = true;
        return member;
    }
    member = (struct pr_group_member){
        .site = view->sites[place],
        .since = view->since[place],
        .nonce = view->nonces[place],
        .known = !pr_view_is_before(view->since[place], own_since), /* its streams begin with it */
        .has.next = pr_group_shape_orders(group->shape) ? group->order : group->next,
    };
    member.ask = is_source && pr_view_is_before(own_since, member.since);
    return member;
}

static bool stays(const struct pr_group_member *member, const struct view *view)
{
    for (unsigned k = 0; k < view->count; k++)
        if (view->sites[k] == member->site)
            return view->since[k] == member->since;
    return false;
}

static void say_goodbye(struct pr_groups *groups, struct pr_group *group, const struct view *view)
{
    for (unsigned k = 0; k < group->count; k++) {
        if (stays(&group->members[k], view))
            continue;
        pr_source_fail(groups, group, &group->members[k]);
        pr_stream_forget(groups, group, group->members[k].site);
    }
}

/* The view has this site. */
static void install(struct pr_groups *groups, struct pr_group *group, const struct view *view)
{
    struct pr_group_member members[PR_GROUP_MEMBERS_MAX];
    bool is_source = pr_groups_site(groups) == group->leader_site || !pr_group_shape_orders(group->shape);
    uint8_t own_since = 0;
    if (group->state == PR_GROUP_IN)
        say_goodbye(groups, group, view);
    for (unsigned k = 0; k < view->count; k++)
        if (view->sites[k] == pr_groups_site(groups))
            own_since = view->since[k];
    for (unsigned k = 0; k < view->count; k++) {
        members[k] = carry_over(group, view, k, own_since, is_source);
        if (members[k].site == pr_groups_site(groups))
            group->own = (uint8_t)k;
        if (members[k].site == group->leader_site)
            group->leader = (uint8_t)k;
    }
    memcpy(group->members, members, view->count * sizeof *members);
    group->count = view->count;
    group->view = view->number;
    group->state = PR_GROUP_IN;
    pr_source_replant(groups, group);
    pr_source_settle(groups, group);
    pr_groups_arm(groups, pr_groups_clock(groups));
    pr_groups_report(groups, PR_GROUPS_VIEW, group, group->leader_site, group->count, group->leader_site);
}

void pr_members_form(struct pr_groups *groups, struct pr_group *group, const uint16_t *sites, unsigned count)
{
    struct view view = {.number = FIRST_VIEW, .count = (uint8_t)count};
    memcpy(view.sites, sites, count * sizeof *sites);
    memset(view.since, FIRST_VIEW, count);
    install(groups, group, &view);
}

void pr_members_lose(struct pr_groups *groups, struct pr_group *group)
{
    if (group->state == PR_GROUP_IN)
        pr_source_end(groups, group);
    for (unsigned k = 0; k < group->count; k++)
        pr_stream_forget(groups, group, group->members[k].site);
    group->state = PR_GROUP_FREE;
    pr_groups_report(groups, PR_GROUPS_LOST, group, group->leader_site, 0, group->leader_site);
}

/* ---- the leader ---- */

static struct view present_view(const struct pr_group *group)
{
    struct view view = {.number = (uint8_t)(group->view + 1), .count = group->count};
    for (unsigned k = 0; k < group->count; k++) {
        view.sites[k] = group->members[k].site;
        view.since[k] = group->members[k].since;
        view.nonces[k] = group->members[k].nonce;
    }
    return view;
}

static void take_out(struct view *view, unsigned site)
{
    unsigned kept = 0;
    for (unsigned k = 0; k < view->count; k++) {
        if (view->sites[k] == site)
            continue;
        view->sites[kept] = view->sites[k];
        view->since[kept] = view->since[k];
        view->nonces[kept++] = view->nonces[k];
    }
    view->count = (uint8_t)kept;
}

static void put_in(struct view *view, unsigned site, uint8_t nonce)
{
    unsigned place = view->count++;
    for (; place > 0 && view->sites[place - 1] > site; place--) {
        view->sites[place] = view->sites[place - 1];
        view->since[place] = view->since[place - 1];
        view->nonces[place] = view->nonces[place - 1];
    }
    view->sites[place] = (uint16_t)site;
    view->since[place] = view->number;
    view->nonces[place] = nonce;
}

/* Every member has to be told the new view. */
static void publish(struct pr_groups *groups, struct pr_group *group, const struct view *view)
{
    install(groups, group, view);
    group->untold = (uint32_t)((UINT64_C(1) << group->count) - 1) & ~(1u << group->own);
}

static void bury(struct pr_groups *groups, struct pr_group *group, unsigned site)
{
    struct view view = present_view(group);
    struct pr_group_packet out = pr_group_packet_of(group, PR_GROUP_KIND_OUT, group->leader_site, 0);
    take_out(&view, site);
    publish(groups, group, &view);
    out.view = view.number;
    pr_groups_tell(groups, PR_HANDLER_GROUP, site, &out, NULL, 0);
}

static void admit(struct pr_groups *groups, struct pr_group *group, unsigned site, uint8_t nonce)
{
    struct view view = present_view(group);
    take_out(&view, site); /* it has restarted */
    if (view.count == pr_members_most(groups)) {
        struct pr_group_packet out = pr_group_packet_of(group, PR_GROUP_KIND_OUT, group->leader_site, 0);
        pr_groups_tell(groups, PR_HANDLER_GROUP, site, &out, NULL, 0);
        return;
    }
    put_in(&view, site, nonce);
    publish(groups, group, &view);
}

/* The member can take no packet now: again later. */
static void tell_view(struct pr_groups *groups, struct pr_group *group, unsigned place)
{
    struct pr_group_packet packet = pr_group_packet_of(group, PR_GROUP_KIND_VIEW, group->leader_site,
                                                       (uint16_t)(group->shape << BYTE_BITS | group->count));
    uint32_t words[VIEW_WORDS_MOST] = {0};
    packet.handler = group->members[place].nonce;
    for (unsigned k = 0; k < group->count; k++) {
        words[k] = group->members[k].site;
        words[group->count + k / 2] |= (uint32_t)group->members[k].since << k % 2 * BYTE_BITS;
    }
    if (pr_groups_tell(groups, PR_HANDLER_MEMBERS, group->members[place].site, &packet, words,
                       view_words(group->count)))
        group->untold &= ~(1u << place);
    else
        pr_groups_arm(groups, pr_groups_clock(groups) + PR_GROUPS_SOON);
}

/* ---- what comes ---- */

static bool read_view(const struct pr_groups *groups, const struct pr_group_packet *packet, const uint32_t *words,
                      unsigned count, struct view *view)
{
    unsigned members = packet->sequence & COUNT_MASK;
    bool own = false;
    if (members == 0 || members > PR_GROUP_MEMBERS_MAX || count != view_words(members))
        return false;
    *view = (struct view){.number = packet->view, .count = (uint8_t)members};
    for (unsigned k = 0; k < members; k++) {
        view->sites[k] = (uint16_t)words[k];
        view->since[k] = (uint8_t)(words[members + k / 2] >> k % 2 * BYTE_BITS);
        own |= words[k] == pr_groups_site(groups);
        if (words[k] >= groups->op->common.here.sites || (k > 0 && words[k] <= words[k - 1]))
            return false;
    }
    return own;
}

static bool has_site(const struct view *view, unsigned site)
{
    for (unsigned k = 0; k < view->count; k++)
        if (view->sites[k] == site)
            return true;
    return false;
}

static void take_view(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                      const uint32_t *words, unsigned count)
{
    struct view view;
    unsigned shape = packet->sequence >> BYTE_BITS;
    if (packet->handler != group->nonce || shape >= PR_GROUP_SHAPES ||
        !read_view(groups, packet, words, count, &view) || !has_site(&view, group->leader_site))
        return;
    if (group->state == PR_GROUP_IN && !pr_view_is_before(group->view, view.number))
        return;
    if (group->state == PR_GROUP_JOINING)
        group->shape = (uint8_t)shape;
    install(groups, group, &view);
}

/* A site asks for a group that nobody leads here. */
static void refuse(struct pr_groups *groups, const struct pr_group_packet *packet, unsigned site)
{
    struct pr_group_packet out = *packet;
    out.kind = PR_GROUP_KIND_OUT;
    pr_groups_tell(groups, PR_HANDLER_GROUP, site, &out, NULL, 0);
}

void pr_members_received(struct pr_groups *groups, const struct pr_group_packet *packet,
                         const struct pr_delivery *delivery)
{
    struct pr_group *group = pr_groups_of(groups, packet->group);
    bool leads = group && group->state == PR_GROUP_IN && pr_group_leads(group);
    struct pr_group_member *from = leads ? pr_group_member_of(group, delivery->source) : NULL, *dead;
    if (packet->kind == PR_GROUP_KIND_VIEW) {
        if (group && delivery->source == group->leader_site && !leads)
            take_view(groups, group, packet, delivery->data + PR_GROUP_WORDS, delivery->data_words - PR_GROUP_WORDS);
    } else if (packet->kind == PR_GROUP_KIND_JOIN) {
        if (!leads)
            refuse(groups, packet, delivery->source);
        else if (!(from && pr_group_place(group, from) == group->own))
            admit(groups, group, delivery->source, packet->handler);
    } else if (from && pr_group_place(group, from) != group->own) {
        dead = packet->kind == PR_GROUP_KIND_LEAVE ? from : pr_group_member_of(group, packet->origin);
        if (dead && pr_group_place(group, dead) != group->own && !pr_view_is_before(packet->view, dead->since))
            bury(groups, group, dead->site);
    }
}

void pr_members_sent_out(struct pr_groups *groups, struct pr_group *group, const struct pr_group_packet *packet,
                         unsigned from)
{
    struct pr_group_member *member = pr_group_member_of(group, from);
    if (group->state == PR_GROUP_JOINING) {
        if (from == group->leader_site && packet->handler == group->nonce)
            pr_members_lose(groups, group);
    } else if (from == group->leader_site && !pr_group_leads(group)) {
        if (!pr_view_is_before(packet->view, pr_group_self(group)->since))
            pr_members_lose(groups, group);
    } else if (member && !pr_view_is_before(packet->view, member->since)) {
        member->silent = PR_GROUPS_TRIES_MAX;
        pr_groups_arm(groups, pr_groups_clock(groups));
    }
}

/* It has not answered the last question either. */
static bool is_dead(const struct pr_groups *groups, const struct pr_group_member *member)
{
    return member->silent >= PR_GROUPS_TRIES_MAX &&
           pr_has_come(pr_groups_clock(groups), member->asked_at + (groups->time_out << PR_GROUPS_BACK_OFF_MOST));
}

static void report_dead(struct pr_groups *groups, struct pr_group *group, struct pr_group_member *member)
{
    struct pr_group_packet packet = pr_group_packet_of(group, PR_GROUP_KIND_DEAD, member->site, 0);
    member->reported = pr_groups_tell(groups, PR_HANDLER_MEMBERS, group->leader_site, &packet, NULL, 0);
}

/* The first member that is dead; NULL: none is. */
static struct pr_group_member *find_dead(struct pr_groups *groups, struct pr_group *group)
{
    for (unsigned k = 0; k < group->count; k++) {
        struct pr_group_member *member = &group->members[k];
        if (k != group->own && !member->reported && is_dead(groups, member))
            return member;
        if (member->silent >= PR_GROUPS_TRIES_MAX && !member->reported)
            pr_groups_arm(groups, member->asked_at + (groups->time_out << PR_GROUPS_BACK_OFF_MOST));
    }
    return NULL;
}

bool pr_members_poll(struct pr_groups *groups, struct pr_group *group)
{
    struct pr_group_member *dead;
    if (group->state == PR_GROUP_JOINING) {
        uint32_t end = group->joined + JOIN_TIME_OUTS * groups->time_out;
        if (!pr_has_come(pr_groups_clock(groups), end)) {
            pr_groups_arm(groups, end);
            return false;
        }
        pr_members_lose(groups, group);
        return true;
    }
    for (unsigned k = 0; k < group->count; k++)
        if (group->untold >> k & 1)
            tell_view(groups, group, k);
    dead = find_dead(groups, group);
    if (!dead)
        return false;
    if (pr_group_leads(group))
        bury(groups, group, dead->site);
    else if (dead->site == group->leader_site)
        pr_members_lose(groups, group);
    else
        report_dead(groups, group, dead);
    return true;
}
