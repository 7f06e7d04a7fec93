/* See shapes.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "multicast/shapes.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "protocol.h"

enum {
    CHILDREN_GROWN = 4, /* of a member in a tree that is grown: turned round, the parent comes in addition */
    NOBODY = 0xff
};

/* A copy leaves in 16 clocks, and a member passes it on 20 later. What a link counts for beside its time: measured.
 * They are the same for all packets, because all members have to grow the same tree. */
static const struct pr_group_costs operators = {.copy = 16, .link = 3, .pass_on = 16 + 20, .spared = 24};

static const struct pr_group_costs *costs_of(const struct pr_group_plan *plan)
{
    return plan->costs ? plan->costs : &operators;
}

struct row {
    const char *name;
    void (*parents)(const struct pr_group_plan *plan, unsigned origin, uint8_t *parents);
    bool orders, returns;
};

unsigned pr_group_distance(const struct pr_shape *mesh, unsigned one, unsigned other)
{
    return pr_shape_distance(mesh, pr_shape_address(mesh, one), pr_shape_address(mesh, other));
}

static unsigned distance(const struct pr_group_plan *plan, unsigned one, unsigned other)
{
    if (plan->costs)
        return plan->costs->distance(plan->costs, plan->sites[one], plan->sites[other]);
    return pr_group_distance(plan->mesh, plan->sites[one], plan->sites[other]);
}

static void direct(const struct pr_group_plan *plan, unsigned origin, uint8_t *parents)
{
    memset(parents, (int)origin, plan->count);
}

static void circuit(const struct pr_group_plan *plan, unsigned origin, uint8_t *parents)
{
    for (unsigned k = 0; k < plan->count; k++)
        parents[k] = (uint8_t)(k > 0 ? k - 1 : plan->count - 1u);
    parents[origin] = (uint8_t)origin;
}

static void circuit_return(const struct pr_group_plan *plan, unsigned origin, uint8_t *parents)
{
    circuit(plan, origin, parents);
    parents[origin] = (uint8_t)(origin > 0 ? origin - 1 : plan->count - 1u);
}

/* The leader is the root. In the order of numbers from the leader on, each member hangs on the nearest of those before
 * it; of equals, on the first. So numbers rise from the root down (section 6). */
static void grow_rooted(const struct pr_group_plan *plan, uint8_t *parents)
{
    uint8_t children[PR_GROUP_MEMBERS_MAX] = {0};
    unsigned count = plan->count;
    parents[plan->leader] = plan->leader;
    for (unsigned rank = 1; rank < count; rank++) {
        unsigned member = (plan->leader + rank) % count, best = NOBODY;
        for (unsigned before = 0; before < rank; before++) {
            unsigned other = (plan->leader + before) % count;
            if (children[other] < CHILDREN_GROWN &&
                (best == NOBODY || distance(plan, other, member) < distance(plan, best, member)))
                best = other;
        }
        parents[member] = (uint8_t)best;
        children[best]++;
    }
}

static void tree(const struct pr_group_plan *plan, unsigned origin, uint8_t *parents)
{
    unsigned member = origin, above = origin;
    grow_rooted(plan, parents);
    for (bool more = true; more;) { /* turns the way from the root to the origin round */
        unsigned next = parents[member];
        more = next != member;
        parents[member] = (uint8_t)above;
        above = member;
        member = next;
    }
}

/* A tree of gt while it grows. */
struct growth {
    unsigned free_at[PR_GROUP_MEMBERS_MAX]; /* when a member can send its next copy */
    uint8_t children[PR_GROUP_MEMBERS_MAX];
    uint8_t falls[PR_GROUP_MEMBERS_MAX]; /* to a lower number, on the way from the origin's child */
    uint32_t have;
};

static bool may_send(const struct growth *growth, const struct pr_group_costs *costs, unsigned origin, unsigned sender)
{
    if (!(growth->have >> sender & 1))
        return false;
    if (costs->runs && sender == origin)
        return true;
    return growth->children[sender] < CHILDREN_GROWN && !(costs->runs && growth->falls[sender] >= costs->runs);
}

/* Again and again, of all pairs of one who has the packet and one who lacks it, the one that costs least. */
static void gt(const struct pr_group_plan *plan, unsigned origin, uint8_t *parents)
{
    const struct pr_group_costs *costs = costs_of(plan);
    struct growth growth = {.have = 1u << origin};
    parents[origin] = (uint8_t)origin;
    for (unsigned left = plan->count - 1u; left > 0; left--) {
        unsigned from = 0, to = 0, least = UINT_MAX, arrives = 0;
        for (unsigned pair = 0; pair < (unsigned)plan->count * plan->count; pair++) {
            unsigned sender = pair / plan->count, member = pair % plan->count, links, at;
            if (growth.have >> member & 1 || !may_send(&growth, costs, origin, sender))
                continue;
            links = distance(plan, sender, member);
            at = growth.free_at[sender] + costs->link * links;
            if (at + costs->spared * links < least) {
                least = at + costs->spared * links;
                arrives = at;
                from = sender;
                to = member;
            }
        }
        parents[to] = (uint8_t)from;
        growth.children[from]++;
        growth.falls[to] = (uint8_t)(growth.falls[from] + (from != origin && to < from));
        growth.have |= 1u << to;
        growth.free_at[from] += costs->copy;
        growth.free_at[to] = arrives + costs->pass_on;
    }
}

static const struct row rows[PR_GROUP_SHAPES] = {
    [PR_GROUP_SHAPE_DIRECT] = {"direct", direct, false, false},
    [PR_GROUP_SHAPE_DIRECT_ORDER] = {"direct-order", direct, true, false},
    [PR_GROUP_SHAPE_CIRCUIT] = {"circuit", circuit, false, false},
    [PR_GROUP_SHAPE_CIRCUIT_RETURN] = {"circuit-return", circuit_return, false, true},
    [PR_GROUP_SHAPE_CIRCUIT_ORDER] = {"circuit-order", circuit, true, false},
    [PR_GROUP_SHAPE_TREE] = {"tree", tree, false, false},
    [PR_GROUP_SHAPE_TREE_ORDER] = {"tree-order", tree, true, false},
    [PR_GROUP_SHAPE_GT] = {"gt", gt, false, false},
    [PR_GROUP_SHAPE_GT_ORDER] = {"gt-order", gt, true, false},
};

const char *pr_group_shape_name(unsigned shape)
{
    return shape < PR_GROUP_SHAPES ? rows[shape].name : NULL;
}

int pr_group_shape_by_name(const char *name)
{
    for (int shape = 0; shape < PR_GROUP_SHAPES; shape++)
        if (strcmp(rows[shape].name, name) == 0)
            return shape;
    return -1;
}

bool pr_group_shape_orders(unsigned shape)
{
    return rows[shape].orders;
}

bool pr_group_shape_returns(unsigned shape)
{
    return rows[shape].returns;
}

void pr_group_tree(const struct pr_group_plan *plan, unsigned shape, unsigned origin,
                   uint8_t parents[PR_GROUP_MEMBERS_MAX])
{
    rows[shape].parents(plan, origin, parents);
}
