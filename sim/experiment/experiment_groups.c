/* See experiment_groups.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "experiment/experiment_groups.h"

#include "experiment/replica.h"
#include "support/run_memory.h"
#include "wire/group_order.h"

enum { HANDLER = 0x5a /* not that of the operator's own packets */ };

struct group_site {
    struct experiment *experiment;
    struct pr_groups *groups; /* stays at its address */
    uint32_t site;
};

static const struct traffic_options *options_of(const struct experiment *experiment)
{
    return &experiment->options->traffic;
}

static bool orders(const struct experiment *experiment)
{
    return pr_group_shape_orders(options_of(experiment)->shape);
}

/* The members of a group, and its source of the scoreboard that is the first of them: the leader. */
static const uint16_t *sites_of(const struct experiment *experiment, unsigned group, uint32_t *first)
{
    unsigned count, before = group * options_of(experiment)->members;
    *first = (uint32_t)experiment->mesh->sites + before;
    return traffic_members(experiment->traffic, &count) + before;
}

/* The source of the scoreboard that a site is in a group; beyond all sources if it is no member, or there is no such
 * group. */
static uint32_t source_of(const struct experiment *experiment, unsigned group, uint32_t site)
{
    uint32_t first;
    if (group >= options_of(experiment)->groups)
        return UINT32_MAX;
    const uint16_t *sites = sites_of(experiment, group, &first);
    for (unsigned k = 0; k < options_of(experiment)->members; k++)
        if (sites[k] == site)
            return first + k;
    return UINT32_MAX;
}

static bool is_in_view(const struct pr_group *group, uint32_t site)
{
    for (unsigned k = 0; k < group->count; k++)
        if (group->members[k].site == site)
            return true;
    return false;
}

/* Spares the members that are not in the view of this site. */
static void spare_others(const struct group_site *at, unsigned group, int32_t packet)
{
    const struct experiment *experiment = at->experiment;
    const struct pr_group *view = pr_groups_find(at->groups, (uint8_t)group);
    uint32_t first;
    const uint16_t *sites = sites_of(experiment, group, &first);
    for (unsigned k = 0; packet != SCOREBOARD_NONE && view && k < options_of(experiment)->members; k++)
        if (!is_in_view(view, sites[k]))
            scoreboard_spare(experiment->scoreboard, packet, sites[k]);
}

static bool leads(const struct group_site *at, unsigned group)
{
    uint32_t first;
    return sites_of(at->experiment, group, &first)[0] == at->site;
}

static void deliver(void *context, const struct pr_delivery *delivery)
{
    const struct group_site *at = context;
    struct experiment *experiment = at->experiment;
    unsigned group = delivery->info[0];
    uint64_t now = simulation_clock(experiment->simulation);
    struct scoreboard_delivery event = {
        .site = at->site,
        .source = source_of(experiment, group, delivery->source),
        .sequence = delivery->sequence,
        .data = delivery->data,
        .data_words = delivery->data_words,
        .receiver = source_of(experiment, group, at->site),
        .place = (uint16_t)delivery->info[1],
        .clock_delivered = now,
        .clock_arrived = clock_from_stamp(now, delivery->stamp_last),
    };
    if (orders(experiment) && leads(at, group) && event.source != UINT32_MAX)
        spare_others(at, group, scoreboard_find(experiment->scoreboard, event.source, event.sequence));
    replica_deliver(experiment, &event);
}

static void note_settled(const struct group_site *at, uint32_t source, const struct pr_groups_event *event)
{
    struct experiment *experiment = at->experiment;
    if (orders(experiment) && !leads(at, event->group))
        spare_others(at, event->group, scoreboard_find(experiment->scoreboard, source, event->number));
    replica_settle(experiment, source, event->number);
}

/* It lives, and takes itself for a member. */
static bool is_present(const struct experiment *experiment, unsigned group, uint32_t site)
{
    const struct pr_group *own = pr_groups_find(experiment->group_sites[site].groups, (uint8_t)group);
    return experiment_site_alive(experiment, site) && !simulation_stopped(experiment->simulation, site) && own &&
           own->state == PR_GROUP_IN;
}

/* A member that its leader still has is not to be given up. */
static void note_failed(const struct group_site *at, uint32_t source, const struct pr_groups_event *event)
{
    struct experiment *experiment = at->experiment;
    uint32_t first, leader = sites_of(experiment, event->group, &first)[0];
    experiment->result->failed_present += is_present(experiment, event->group, leader) &&
                                          is_present(experiment, event->group, event->site);
    replica_fail(experiment, source, event->number, event->site);
}

static void observe(void *context, const struct pr_groups_event *event)
{
    const struct group_site *at = context;
    struct experiment *experiment = at->experiment;
    uint32_t source = source_of(experiment, event->group, event->source);
    int32_t packet;
    switch (event->kind) {
    case PR_GROUPS_VIEW:
        break;
    case PR_GROUPS_LOST:
        scoreboard_abandon(experiment->scoreboard, source_of(experiment, event->group, at->site),
                           simulation_clock(experiment->simulation));
        break;
    case PR_GROUPS_ORDERED:
        packet = scoreboard_find(experiment->scoreboard, source, event->number);
        if (packet != SCOREBOARD_NONE)
            scoreboard_hand_over(experiment->scoreboard, packet);
        break;
    case PR_GROUPS_FAILED:
        note_failed(at, source, event);
        break;
    case PR_GROUPS_SETTLED: /* on a raw mesh what has reached all is settled */
        if (experiment->mesh->reliable)
            note_settled(at, source, event);
        break;
    }
}

bool experiment_groups_start(struct experiment *experiment)
{
    size_t sites = (size_t)experiment->mesh->sites;
    unsigned members;
    traffic_members(experiment->traffic, &members);
    if (!members)
        return true;
    experiment->group_sites = run_memory_allocate(sites, sizeof *experiment->group_sites);
    return experiment->group_sites != NULL;
}

bool experiment_groups_attach(struct experiment *experiment, uint32_t site)
{
    if (!experiment->group_sites)
        return true;
    struct group_site *at = &experiment->group_sites[site];
    *at = (struct group_site){experiment, simulation_groups(experiment->simulation, site), site};
    pr_groups_observe(at->groups, observe, at);
    return pr_operator_register(simulation_operator(experiment->simulation, site), HANDLER, deliver, at) == 0;
}

static bool form(struct experiment *experiment, unsigned group)
{
    const struct traffic_options *options = options_of(experiment);
    uint32_t first;
    const uint16_t *sites = sites_of(experiment, group, &first);
    unsigned count = options->members - (group == 0 ? options->joins : 0);
    int error = 0;
    for (unsigned k = 0; k < count && error == 0; k++)
        error = pr_groups_form(simulation_groups(experiment->simulation, sites[k]), (uint8_t)group, options->shape,
                               sites[0], sites, count);
    if (error)
        experiment_fail(experiment, "no group of %u members here: %s", options->members,
                        pr_group_error_text((unsigned)-error));
    return error == 0;
}

bool experiment_groups_form(struct experiment *experiment)
{
    unsigned groups = experiment->group_sites ? options_of(experiment)->groups : 0;
    for (unsigned group = 0; group < groups; group++)
        if (!form(experiment, group))
            return false;
    return true;
}

void experiment_groups_join(struct experiment *experiment)
{
    const struct traffic_options *options = options_of(experiment);
    uint32_t first;
    if (!experiment->group_sites || experiment->joined == options->joins ||
        experiment->generated * (options->joins + 1) < experiment->options->packets * (experiment->joined + 1))
        return;
    const uint16_t *sites = sites_of(experiment, 0, &first);
    unsigned site = sites[options->members - options->joins + experiment->joined];
    struct pr_groups *groups = simulation_groups(experiment->simulation, site);
    if (groups && pr_groups_join(groups, 0, sites[0]) == 0)
        experiment->joined++;
}

bool experiment_groups_send(struct experiment *experiment, uint32_t source, uint32_t *words, uint64_t clock)
{
    struct scoreboard *scoreboard = experiment->scoreboard;
    unsigned group = (source - (uint32_t)experiment->mesh->sites) / options_of(experiment)->members;
    const struct group_site *at = &experiment->group_sites[scoreboard_site(scoreboard, source)];
    int32_t packet = scoreboard_waiting(scoreboard, source);
    uint16_t number;
    if (packet == SCOREBOARD_NONE)
        return false;
    int error = pr_groups_send(at->groups, (uint8_t)group, HANDLER, words, scoreboard_data(scoreboard, packet, words),
                               &number);
    if (error == -PR_GROUPS_BUSY || error == -PR_GROUPS_NOBODY) /* it may be about to join */
        return false;
    if (!orders(experiment))
        spare_others(at, group, packet);
    if (error != 0 || replica_accept(experiment, packet, clock, number) != 0) {
        experiment_fail(experiment, "site %u: its group %u refuses a packet, error %d", at->site, group, -error);
        return false;
    }
    simulation_groups(experiment->simulation, at->site); /* it is polled; a refusal would keep it awake */
    return true;
}

void experiment_groups_collect(struct experiment *experiment, uint32_t site)
{
    if (!experiment->group_sites)
        return;
    const struct pr_groups *groups = experiment->group_sites[site].groups;
    for (unsigned k = 0; k < PR_GROUPS_COUNTERS; k++)
        experiment->result->group_counters[k] += groups->counters[k];
}
