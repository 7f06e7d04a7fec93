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

/* Clocks, for the trees of gt: a copy leaves in so many, crosses a link, and a member passes it on after so many. Each
 * link counts for more than its time, since what crosses it takes it from others: measured. They are the same for all
 * packets, because all members have to grow the same tree. */
enum { COPY_CLOCKS = 16, LINK_CLOCKS = 3, FORWARD_CLOCKS = 20, SPARED_CLOCKS = 24 };

struct row {
    const char *name;
    void (*parents)(const struct pr_group_plan *plan, unsigned origin, uint8_t *parents);
    bool orders, returns;
};

static unsigned between(unsigned one, unsigned other)
{
    return one > other ? one - other : other - one;
}

static unsigned around(unsigned one, unsigned other, unsigned size)
{
    unsigned way = between(one, other);
    return way > size - way ? size - way : way;
}

unsigned pr_group_distance(const struct pr_shape *mesh, unsigned one, unsigned other)
{
    unsigned size_x = mesh->size_x, differ = one ^ other, links = 0;
    switch (mesh->topology) {
    case PR_TOPOLOGY_GRID:
        return between(one % size_x, other % size_x) + between(one / size_x, other / size_x);
    case PR_TOPOLOGY_TORUS:
        return around(one % size_x, other % size_x, size_x) + around(one / size_x, other / size_x, mesh->size_y);
    case PR_TOPOLOGY_HYPERCUBE:
        for (; differ != 0; differ &= differ - 1)
            links++;
        return links;
    default:
        return one != other;
    }
}

static unsigned distance(const struct pr_group_plan *plan, unsigned one, unsigned other)
{
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

/* Again and again, of all pairs of one who has the packet and one who lacks it, the one that costs least. A sender
 * sends its next copy later by COPY_CLOCKS; who has got a copy sends FORWARD_CLOCKS later. */
static void gt(const struct pr_group_plan *plan, unsigned origin, uint8_t *parents)
{
    unsigned free_at[PR_GROUP_MEMBERS_MAX] = {0};
    uint8_t children[PR_GROUP_MEMBERS_MAX] = {0};
    uint32_t have = 1u << origin;
    parents[origin] = (uint8_t)origin;
    for (unsigned left = plan->count - 1u; left > 0; left--) {
        unsigned from = 0, to = 0, least = UINT_MAX, arrives = 0;
        for (unsigned pair = 0; pair < (unsigned)plan->count * plan->count; pair++) {
            unsigned sender = pair / plan->count, member = pair % plan->count, at, cost;
            if (!(have >> sender & 1) || have >> member & 1 || children[sender] == CHILDREN_GROWN)
                continue;
            at = free_at[sender] + COPY_CLOCKS + LINK_CLOCKS * distance(plan, sender, member);
            cost = at + SPARED_CLOCKS * distance(plan, sender, member);
            if (cost < least) {
                least = cost;
                arrives = at;
                from = sender;
                to = member;
            }
        }
        parents[to] = (uint8_t)from;
        children[from]++;
        have |= 1u << to;
        free_at[from] += COPY_CLOCKS;
        free_at[to] = arrives + FORWARD_CLOCKS;
    }
}

static const struct row rows[PR_GROUP_SHAPES] = {
    [PR_GROUP_SHAPE_DIRECT] = {"direct", direct, false, false},
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
