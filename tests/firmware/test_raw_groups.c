/* Groups of a raw mesh (firmware/multicast/hops.c): buffers are reserved hop by hop, and no buffers wait for each other
 * in a circle. Rules G13 to G15.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "group_mesh.h"
#include "multicast/groups_private.h"

enum { WHOLE_REST = 20000000, SITES = 64, BUFFERS = SITES * PR_HOP_CLASSES };

static uint64_t seed;
static struct group_mesh mesh;

/* The shapes of the paper, each in its own line of rules for buffers; gt turns as it likes. */
static const unsigned shapes[] = {PR_GROUP_SHAPE_DIRECT,        PR_GROUP_SHAPE_CIRCUIT, PR_GROUP_SHAPE_CIRCUIT_RETURN,
                                  PR_GROUP_SHAPE_CIRCUIT_ORDER, PR_GROUP_SHAPE_TREE,    PR_GROUP_SHAPE_TREE_ORDER};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static uint32_t all(unsigned sites)
{
    return (uint32_t)((UINT64_C(1) << sites) - 1);
}

static bool has_settled(unsigned shape)
{
    return pr_group_shape_returns(shape);
}

/* ---- who waits for whom ---- */

static bool waits[BUFFERS][BUFFERS];

static unsigned buffer_of(const struct pr_group_plan *plan, unsigned class, unsigned member)
{
    return PR_HOP_CLASSES * plan->sites[member] + class;
}

/* All that packets of this origin wait for, from the buffer at a member on. */
static void note_waits(const struct pr_group_plan *plan, const uint8_t *parents, unsigned origin, unsigned member,
                       unsigned class)
{
    for (unsigned k = 0; k < plan->count; k++) {
        unsigned next = pr_hop_class(class, member, k);
        bool passes_on = false;
        if (parents[k] != member || k == origin)
            continue;
        for (unsigned other = 0; other < plan->count; other++)
            passes_on |= parents[other] == k;
        if (!passes_on)
            continue; /* it needs no buffer */
        CHECK(next < PR_HOP_CLASSES);
        waits[buffer_of(plan, class, member)][buffer_of(plan, next, k)] = true;
        note_waits(plan, parents, origin, k, next);
    }
}

static bool reaches(unsigned from, unsigned to, bool *seen)
{
    for (unsigned next = 0; next < BUFFERS; next++) {
        if (!waits[from][next] || seen[next])
            continue;
        seen[next] = true;
        if (next == to || reaches(next, to, seen))
            return true;
    }
    return false;
}

static struct pr_group_plan draw_plan(const struct pr_shape *grid)
{
    struct pr_group_plan plan = {.mesh = grid, .count = (uint8_t)(2 + check_below(&seed, 12))};
    unsigned site = 0;
    for (unsigned k = 0; k < plan.count; k++, site++) {
        site += check_below(&seed, SITES / 12 - 1);
        plan.sites[k] = (uint16_t)site;
    }
    plan.leader = (uint8_t)check_below(&seed, plan.count);
    return plan;
}

/* Figure 6: any groups of any shapes side by side, as far as a mesh lets them be formed. */
static void buffers_wait_in_no_circle(void)
{
    const struct pr_shape grid = {.topology = PR_TOPOLOGY_GRID, .size_x = 8, .size_y = 8, .word_width = 16};
    memset(waits, 0, sizeof waits);
    for (unsigned groups = 0; groups < check_rounds(60); groups++) {
        struct pr_group_plan plan = draw_plan(&grid);
        unsigned shape = check_below(&seed, PR_GROUP_SHAPES);
        bool orders = pr_group_shape_orders(shape), above = orders && plan.leader > 0;
        if (!pr_hops_suit(&plan, shape))
            continue;
        for (unsigned origin = 0; origin < plan.count; origin++) {
            uint8_t parents[PR_GROUP_MEMBERS_MAX];
            if (orders && origin != plan.leader) {
                waits[buffer_of(&plan, 0, origin)][buffer_of(&plan, above, plan.leader)] = true; /* what it submits */
                continue;
            }
            pr_group_tree(&plan, shape, origin, parents);
            note_waits(&plan, parents, origin, origin, above);
        }
    }
    for (unsigned buffer = 0; buffer < BUFFERS; buffer++) {
        bool seen[BUFFERS] = {false};
        CHECK(!reaches(buffer, buffer, seen));
    }
}

/* Every shape of the paper with its own leader, the lowest member, and every one that begins at a leader. */
static void the_shapes_of_the_paper_suit(void)
{
    const struct pr_shape grid = {.topology = PR_TOPOLOGY_GRID, .size_x = 8, .size_y = 8, .word_width = 16};
    unsigned refused = 0;
    for (unsigned round = 0; round < check_rounds(100); round++) {
        struct pr_group_plan plan = draw_plan(&grid);
        CHECK(pr_hops_suit(&plan, PR_GROUP_SHAPE_CIRCUIT_ORDER) && pr_hops_suit(&plan, PR_GROUP_SHAPE_TREE_ORDER));
        refused += !pr_hops_suit(&plan, PR_GROUP_SHAPE_GT);
        plan.leader = 0;
        for (unsigned k = 0; k < SHAPES; k++)
            CHECK(pr_hops_suit(&plan, shapes[k]));
    }
    CHECK(refused > 0);
}

/* ---- groups ---- */

static void begin(unsigned shape, unsigned sites, unsigned slots, unsigned lose)
{
    struct group_settings settings = group_settings(check_random(&seed), sites, shape);
    settings.raw = true;
    settings.slots = slots;
    settings.lose = settings.duplicate = lose;
    settings.multicast = check_below(&seed, 2);
    settings.leader = pr_group_shape_orders(shape) ? check_below(&seed, sites) : 0;
    group_mesh_start(&mesh, &settings, all(sites));
}

/* Each member sends so many packets, as fast as they are taken. */
static void send_all(unsigned packets, unsigned pause)
{
    unsigned left[GROUP_SITES_MAX], sites = mesh.settings.sites, sum = packets * sites;
    uint64_t end = mesh.clock + (uint64_t)sum * 1000000;
    for (unsigned k = 0; k < sites; k++)
        left[k] = packets;
    while (sum > 0) {
        unsigned from = check_below(&mesh.random, sites);
        CHECK(mesh.clock < end);
        if (left[from] > 0) {
            int error = group_mesh_send(&mesh, from);
            CHECK(error == 0 || error == -PR_GROUPS_BUSY);
            left[from] -= error == 0;
            sum -= error == 0;
        }
        group_mesh_run(&mesh, 1 + check_below(&mesh.random, pause));
    }
}

static void check_whole(unsigned shape, unsigned packets)
{
    unsigned sites = mesh.settings.sites, settled = 0;
    group_mesh_rest(&mesh, WHOLE_REST);
    group_mesh_check_all(&mesh, 0);
    CHECK_EQUAL(mesh.delivered, (unsigned long)sites * packets * (pr_group_shape_orders(shape) ? sites : sites - 1));
    for (unsigned k = 0; k < sites; k++) {
        settled += mesh.sites[k].settled;
        CHECK_EQUAL(mesh.sites[k].ordered, pr_group_shape_orders(shape) ? packets : 0);
    }
    CHECK_EQUAL(settled, has_settled(shape) ? sites * packets : 0);
}

/* As gt among any members: a draw of so many that it suits. */
static unsigned draw_members_of_gt(void)
{
    const struct pr_shape grid = {.topology = PR_TOPOLOGY_GRID, .size_x = 4, .size_y = 4, .word_width = 16};
    struct pr_group_plan plan = {.mesh = &grid};
    for (unsigned k = 0; k < 16; k++)
        plan.sites[k] = (uint16_t)k;
    do
        plan.count = (uint8_t)(2 + check_below(&seed, 15));
    while (!pr_hops_suit(&plan, PR_GROUP_SHAPE_GT));
    return plan.count;
}

/* One buffer a class, as few as there can be, and all send at once: packets are refused, and none is stuck or lost. */
static void one_buffer_a_class_is_enough(void)
{
    for (unsigned k = 0; k < SHAPES + 4; k++) {
        unsigned packets = (unsigned)check_rounds(40), shape = k < SHAPES ? shapes[k] : PR_GROUP_SHAPE_GT;
        begin(shape, k < SHAPES ? 2 + check_below(&seed, 15) : draw_members_of_gt(), PR_HOP_CLASSES, 0);
        send_all(packets, 5);
        check_whole(shape, packets);
        group_mesh_end(&mesh);
    }
}

/* A leader delivers its own packets to a host that does not take them at once. */
static void hosts_may_be_slow(void)
{
    for (unsigned k = 0; k < SHAPES; k++) {
        struct group_settings settings = group_settings(check_random(&seed), 6, shapes[k]);
        settings.raw = true;
        settings.slots = PR_HOP_CLASSES + 4;
        settings.holds = 0;
        settings.reading = 3000;
        group_mesh_start(&mesh, &settings, all(6));
        send_all(20, 5);
        check_whole(shapes[k], 20);
        group_mesh_end(&mesh);
    }
}

/* Figure 5: who has a buffer takes a packet, who has none refuses it and is asked again. */
static void overflow_takes_what_classes_have_no_room_for(void)
{
    unsigned long few, many;
    begin(PR_GROUP_SHAPE_CIRCUIT, 8, PR_HOP_CLASSES, 0);
    send_all(20, 5);
    check_whole(PR_GROUP_SHAPE_CIRCUIT, 20);
    few = group_mesh_counter(&mesh, PR_GROUPS_COUNTER_UNSENT);
    group_mesh_end(&mesh);
    begin(PR_GROUP_SHAPE_CIRCUIT, 8, PR_HOP_CLASSES + 64, 0);
    send_all(20, 5);
    check_whole(PR_GROUP_SHAPE_CIRCUIT, 20);
    many = group_mesh_counter(&mesh, PR_GROUPS_COUNTER_UNSENT);
    CHECK_EQUAL(group_mesh_counter(&mesh, PR_GROUPS_COUNTER_DROPPED), 0); /* none comes before its predecessor */
    group_mesh_end(&mesh);
    CHECK(few > 0 && many < few);
}

/* A network that loses and repeats packets: each hop sends again what it gets no answer to. */
static void lost_answers_are_waited_out(void)
{
    for (unsigned k = 0; k < SHAPES; k++) {
        begin(shapes[k], 2 + check_below(&seed, 7), PR_HOP_CLASSES + check_below(&seed, 6), 30);
        send_all(8, 2000);
        check_whole(shapes[k], 8);
        group_mesh_end(&mesh);
    }
}

static void what_a_raw_mesh_refuses(void)
{
    struct pr_groups *groups = &mesh.sites[0].groups;
    const uint16_t others[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const struct pr_groups_size few = {1, PR_HOP_CLASSES - 1, 0, GROUP_WORDS_MOST};
    uint32_t memory[PR_GROUPS_MEMORY_WORDS(1, PR_HOP_CLASSES - 1, 0, GROUP_WORDS_MOST)] __attribute__((aligned(8)));
    struct pr_groups another;
    begin(PR_GROUP_SHAPE_TREE, 12, 8, 0);
    CHECK_EQUAL(pr_groups_join(groups, GROUP_ID + 1, 1), -PR_GROUPS_RAW);
    CHECK_EQUAL(pr_groups_leave(groups, GROUP_ID), -PR_GROUPS_RAW);
    CHECK_EQUAL(pr_groups_form(groups, GROUP_ID + 1, PR_GROUP_SHAPE_TREE, 5, others, 12), -PR_GROUPS_BAD);
    CHECK_EQUAL(pr_groups_init(&another, &mesh.sites[0].op, memory, &few), -PR_GROUPS_NO_ROOM);
    group_mesh_end(&mesh);
}

static void forged_packets_do_no_harm(void)
{
    for (unsigned round = 0; round < check_rounds(8); round++) {
        begin(shapes[check_below(&seed, SHAPES)], 4, 4, 0);
        group_mesh_forge(&mesh, 200);
        group_mesh_run(&mesh, 200000);
        group_mesh_end(&mesh);
    }
}

int main(void)
{
    seed = check_seed();
    RUN(buffers_wait_in_no_circle);
    RUN(the_shapes_of_the_paper_suit);
    RUN(one_buffer_a_class_is_enough);
    RUN(hosts_may_be_slow);
    RUN(overflow_takes_what_classes_have_no_room_for);
    RUN(lost_answers_are_waited_out);
    RUN(what_a_raw_mesh_refuses);
    RUN(forged_packets_do_no_harm);
    return 0;
}
