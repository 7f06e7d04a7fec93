/* See lan_groups.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wormlan/lan_groups.h"

#include <string.h>

#include "support/or_abort.h"
#include "support/random.h"

enum { GROUPS_STREAM = 3 };

static const struct lan_scheme schemes[] = {
    {"hamsf", PR_GROUP_SHAPE_CIRCUIT, false},
    {"hamct", PR_GROUP_SHAPE_CIRCUIT, true},
    {"hamorder", PR_GROUP_SHAPE_CIRCUIT_ORDER, true},
    {"treeroot", PR_GROUP_SHAPE_TREE_ORDER, false},
    {"treebcast", PR_GROUP_SHAPE_TREE, false},
    {"treect", PR_GROUP_SHAPE_TREE_ORDER, true},
    {"treebct", PR_GROUP_SHAPE_TREE, true},
    {"gt", PR_GROUP_SHAPE_GT, true},
    {"gtsf", PR_GROUP_SHAPE_GT, false},
    {"gtorder", PR_GROUP_SHAPE_GT_ORDER, true},
    {"unicasts", PR_GROUP_SHAPE_DIRECT, false},
};

const char *lan_scheme_name(unsigned number)
{
    return number < sizeof schemes / sizeof *schemes ? schemes[number].name : NULL;
}

const struct lan_scheme *lan_scheme_by_name(const char *name)
{
    for (unsigned i = 0; lan_scheme_name(i); i++)
        if (strcmp(schemes[i].name, name) == 0)
            return &schemes[i];
    return NULL;
}

/* Costs with the graph whose distances they have. */
struct costs {
    struct pr_group_costs costs;
    const struct lan_graph *graph;
};

static unsigned distance(const struct pr_group_costs *costs, unsigned one, unsigned other)
{
    const struct lan_graph *graph = ((const struct costs *)costs)->graph;
    return lan_switches(graph, one, other) - 1;
}

static void draw_members(struct lan_groups *groups, unsigned group, struct random *random)
{
    unsigned hosts = groups->graph->hosts, place = 0;
    uint8_t *places = &groups->places[group * hosts];
    memset(places, LAN_NO_MEMBER, hosts);
    for (unsigned drawn = 0; drawn < groups->size;) {
        unsigned host = random_below(random, hosts);
        drawn += places[host] == LAN_NO_MEMBER;
        places[host] = 0;
    }
    for (unsigned host = 0; host < hosts; host++) {
        if (places[host] == LAN_NO_MEMBER)
            continue;
        groups->members[group * groups->size + place] = (uint16_t)host;
        places[host] = (uint8_t)place++;
        groups->joined[host * groups->count + groups->joined_count[host]++] = (uint16_t)group;
    }
}

static unsigned weight_of(const struct lan_tree *tree, unsigned member)
{
    const struct lan_branch *branch = &tree->branches[member];
    unsigned weight = 1;
    for (unsigned k = 0; k < branch->count; k++)
        weight += weight_of(tree, branch->children[k]);
    return weight;
}

static void put_heaviest_first(struct lan_tree *tree, struct lan_branch *branch)
{
    for (unsigned i = 1; i < branch->count; i++)
        for (unsigned k = i; k > 0; k--) {
            uint8_t before = branch->children[k - 1], child = branch->children[k];
            if (weight_of(tree, child) <= weight_of(tree, before))
                break;
            branch->children[k - 1] = child;
            branch->children[k] = before;
        }
}

static void grow(struct lan_groups *groups, unsigned group, unsigned origin, const struct costs *costs,
                 const struct lan_group_options *options)
{
    struct pr_group_plan plan = {.costs = &costs->costs, .count = (uint8_t)groups->size};
    struct lan_tree *tree = &groups->trees[group * groups->size + origin];
    uint8_t parents[PR_GROUP_MEMBERS_MAX];
    memcpy(plan.sites, &groups->members[group * groups->size], groups->size * sizeof *plan.sites);
    pr_group_tree(&plan, options->shape, origin, parents);
    for (unsigned place = 0; place < groups->size; place++) {
        struct lan_branch *branch = &tree->branches[parents[place]];
        if (place != origin)
            branch->children[branch->count++] = (uint8_t)place;
    }
    for (unsigned place = 0; options->heaviest_first && place < groups->size; place++)
        put_heaviest_first(tree, &tree->branches[place]);
}

struct lan_groups *lan_groups_create(const struct lan_graph *graph, const struct lan_group_options *options)
{
    struct lan_groups *groups = or_abort(calloc(1, sizeof *groups));
    struct costs costs = {options->costs, graph};
    struct random random;
    costs.costs.distance = distance;
    random_seed(&random, options->seed, GROUPS_STREAM);
    *groups = (struct lan_groups){
        .graph = graph,
        .count = options->count,
        .size = options->size,
        .orders = pr_group_shape_orders(options->shape),
        .members = or_abort(calloc((size_t)options->count * options->size, sizeof(uint16_t))),
        .places = or_abort(calloc((size_t)options->count * graph->hosts, 1)),
        .joined = or_abort(calloc((size_t)graph->hosts * options->count, sizeof(uint16_t))),
        .joined_count = or_abort(calloc(graph->hosts, sizeof(uint16_t))),
        .trees = or_abort(calloc((size_t)options->count * options->size, sizeof(struct lan_tree)))};
    for (unsigned group = 0; group < groups->count; group++) {
        draw_members(groups, group, &random);
        for (unsigned origin = 0; origin < groups->size; origin++)
            grow(groups, group, origin, &costs, options);
    }
    return groups;
}

void lan_groups_free(struct lan_groups *groups)
{
    free(groups->members);
    free(groups->places);
    free(groups->joined);
    free(groups->joined_count);
    free(groups->trees);
    free(groups);
}

/* ---- means ---- */

static void add_copy(const struct lan_groups *groups, unsigned from, unsigned to, struct lan_traffic_means *means)
{
    means->multicast_switches += lan_switches(groups->graph, from, to);
    means->multicast_copies++;
}

/* Of one multicast. */
static void add_multicast(const struct lan_groups *groups, unsigned group, unsigned origin,
                          struct lan_traffic_means *means)
{
    unsigned leader = lan_member(groups, group, 0);
    if (groups->orders && origin != leader)
        add_copy(groups, origin, leader, means);
    for (unsigned place = 0; place < groups->size; place++) {
        unsigned member = lan_member(groups, group, place);
        const struct lan_branch *branch = lan_branch(groups, group, origin, member);
        for (unsigned k = 0; k < branch->count; k++)
            add_copy(groups, member, lan_member(groups, group, branch->children[k]), means);
    }
}

struct lan_traffic_means lan_groups_means(const struct lan_groups *groups, double share, double length)
{
    unsigned hosts = groups->graph->hosts;
    struct lan_traffic_means sum = {0};
    double unicasts = 0, unicast_switches = 0;
    for (unsigned host = 0; host < hosts; host++) {
        unsigned joined = groups->joined_count[host];
        struct lan_traffic_means own = {0};
        double switches = 0;
        for (unsigned to = 0; to < hosts; to++)
            switches += to == host ? 0 : (double)lan_switches(groups->graph, host, to) / (hosts - 1);
        unicasts += joined ? 1 - share : 1;
        unicast_switches += (joined ? 1 - share : 1) * switches;
        for (unsigned i = 0; i < joined; i++)
            add_multicast(groups, groups->joined[host * groups->count + i], host, &own);
        if (joined) {
            sum.multicast_copies += share * own.multicast_copies / joined;
            sum.multicast_switches += share * own.multicast_switches / joined;
        }
    }
    return (struct lan_traffic_means){
        .bytes = ((unicasts + sum.multicast_copies) * length + unicast_switches + sum.multicast_switches) / hosts,
        .copies = (unicasts + sum.multicast_copies) / hosts,
        .multicast_copies = sum.multicast_copies / hosts,
        .multicast_switches = sum.multicast_copies > 0 ? sum.multicast_switches / sum.multicast_copies : 0};
}
