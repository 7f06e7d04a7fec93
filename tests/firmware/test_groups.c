/* Groups (firmware/multicast): the shapes as trees, the filter of a stream, and whole groups over a network that loses,
 * repeats and reorders, with members that die, stop, restart, join and leave. Rules G1 to G12.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "group_mesh.h"

enum { WHOLE_REST = 20000000 };

static uint64_t seed;
static struct group_mesh mesh;

static uint32_t all(unsigned sites)
{
    return (uint32_t)((UINT64_C(1) << sites) - 1);
}

/* ---- shapes ---- */

static struct pr_group_plan draw_plan(uint64_t *random, const struct pr_shape *grid)
{
    struct pr_group_plan plan = {.mesh = grid, .count = (uint8_t)(1 + check_below(random, PR_GROUP_MEMBERS_MAX))};
    unsigned site = 0;
    for (unsigned k = 0; k < plan.count; k++, site++) {
        site += check_below(random, 64 / PR_GROUP_MEMBERS_MAX);
        plan.sites[k] = (uint16_t)site;
    }
    plan.leader = (uint8_t)check_below(random, plan.count);
    return plan;
}

static unsigned numbers_apart(const struct pr_group_costs *costs, unsigned one, unsigned other)
{
    (void)costs;
    return one > other ? one - other : other - one;
}

/* With two classes of buffers numbers fall once at most on the way of a packet that is passed on (section 4). */
static void ways_keep_to_their_classes(void)
{
    const struct pr_shape grid = {.topology = PR_TOPOLOGY_GRID, .size_x = 8, .size_y = 8, .word_width = 16};
    struct pr_group_costs costs = {.copy = 40, .link = 1, .pass_on = 1, .spared = 0, .distance = numbers_apart};
    uint64_t random = seed;
    for (unsigned round = 0; round < check_rounds(60); round++) {
        struct pr_group_plan plan = draw_plan(&random, &grid);
        uint8_t parents[PR_GROUP_MEMBERS_MAX];
        unsigned origin = check_below(&random, plan.count);
        plan.costs = &costs;
        costs.runs = 1 + round % 3;
        pr_group_tree(&plan, PR_GROUP_SHAPE_GT, origin, parents);
        for (unsigned member = 0; member < plan.count; member++) {
            unsigned falls = 0;
            for (unsigned at = member; at != origin; at = parents[at])
                falls += parents[at] != origin && at < parents[at];
            CHECK(falls <= costs.runs);
        }
    }
}

/* From each member the way of parents leads to the origin, and nobody has too many children. */
static void check_tree(const struct pr_group_plan *plan, unsigned shape, unsigned origin, const uint8_t *parents)
{
    unsigned children[PR_GROUP_MEMBERS_MAX] = {0};
    for (unsigned k = 0; k < plan->count; k++) {
        unsigned at = k, steps = 0;
        CHECK(parents[k] < plan->count);
        for (; at != origin; at = parents[at])
            CHECK(steps++ < plan->count);
        children[parents[k]] += k != parents[k] && k != origin;
    }
    for (unsigned k = 0; k < plan->count; k++)
        CHECK(children[k] <= PR_GROUP_CHILDREN_MAX ||
              ((shape == PR_GROUP_SHAPE_DIRECT || shape == PR_GROUP_SHAPE_DIRECT_ORDER) && k == origin));
}

static void every_shape_is_a_tree(void)
{
    const struct pr_shape grid = {.topology = PR_TOPOLOGY_GRID, .size_x = 8, .size_y = 8, .word_width = 16};
    uint64_t random = seed;
    for (unsigned round = 0; round < check_rounds(60); round++) {
        struct pr_group_plan plan = draw_plan(&random, &grid);
        for (unsigned shape = 0; shape < PR_GROUP_SHAPES; shape++) {
            uint8_t parents[PR_GROUP_MEMBERS_MAX];
            unsigned origin = pr_group_shape_orders(shape) ? plan.leader : check_below(&random, plan.count);
            pr_group_tree(&plan, shape, origin, parents);
            check_tree(&plan, shape, origin, parents);
        }
    }
}

/* The paper's: circuits in the order of numbers (section 5), numbers that rise from the root down (section 6). */
static void circuits_and_rooted_trees_follow_numbers(void)
{
    const struct pr_shape grid = {.topology = PR_TOPOLOGY_GRID, .size_x = 8, .size_y = 8, .word_width = 16};
    uint64_t random = seed;
    for (unsigned round = 0; round < check_rounds(60); round++) {
        struct pr_group_plan plan = draw_plan(&random, &grid);
        unsigned count = plan.count, origin = check_below(&random, count);
        uint8_t parents[PR_GROUP_MEMBERS_MAX];
        pr_group_tree(&plan, PR_GROUP_SHAPE_CIRCUIT, origin, parents);
        for (unsigned k = 1; k < count; k++)
            CHECK_EQUAL(parents[(origin + k) % count], (origin + k - 1) % count);
        pr_group_tree(&plan, PR_GROUP_SHAPE_CIRCUIT_RETURN, origin, parents);
        CHECK_EQUAL(parents[origin], (origin + count - 1) % count);
        plan.leader = 0;
        pr_group_tree(&plan, PR_GROUP_SHAPE_TREE_ORDER, 0, parents);
        for (unsigned k = 1; k < count; k++)
            CHECK(parents[k] < k);
    }
}

static void shapes_have_names(void)
{
    for (unsigned shape = 0; shape < PR_GROUP_SHAPES; shape++) {
        CHECK_EQUAL(pr_group_shape_by_name(pr_group_shape_name(shape)), (int)shape);
        CHECK_EQUAL(pr_group_shape_orders(shape), strstr(pr_group_shape_name(shape), "-order") != NULL);
    }
    CHECK_EQUAL(pr_group_shape_by_name("star"), -1);
    CHECK(pr_group_shape_name(PR_GROUP_SHAPES) == NULL);
}

static void distances_are_those_of_links(void)
{
    struct pr_shape mesh_shape = {.topology = PR_TOPOLOGY_GRID, .size_x = 8, .size_y = 8, .word_width = 16};
    CHECK_EQUAL(pr_group_distance(&mesh_shape, 0, 63), 14);
    mesh_shape.topology = PR_TOPOLOGY_TORUS;
    CHECK_EQUAL(pr_group_distance(&mesh_shape, 0, 63), 2);
    mesh_shape.topology = PR_TOPOLOGY_HYPERCUBE;
    CHECK_EQUAL(pr_group_distance(&mesh_shape, 1, 14), 4);
    mesh_shape.topology = PR_TOPOLOGY_GRAPH;
    CHECK_EQUAL(pr_group_distance(&mesh_shape, 1, 14), 1);
}

/* ---- the filter ---- */

static void a_stream_takes_each_number_once(void)
{
    struct pr_stream_filter filter = {.next = 65500};
    uint64_t random = seed;
    bool had[PR_STREAM_SPAN + 1];
    for (unsigned round = 0; round < check_rounds(100000); round++) {
        unsigned ahead = check_below(&random, 2 * PR_STREAM_SPAN);
        uint16_t before = filter.next, number = (uint16_t)(before + ahead);
        CHECK(!pr_stream_lacks(&filter, (uint16_t)(before - 1 - check_below(&random, 30000))));
        if (!pr_stream_lacks(&filter, number)) {
            CHECK(ahead >= PR_STREAM_SPAN || pr_stream_has(&filter, number));
            continue;
        }
        for (unsigned k = 0; k <= PR_STREAM_SPAN; k++)
            had[k] = pr_stream_has(&filter, (uint16_t)(before + k));
        pr_stream_note(&filter, number);
        had[ahead] = true;
        for (unsigned k = 0; k <= PR_STREAM_SPAN; k++)
            CHECK_EQUAL(pr_stream_has(&filter, (uint16_t)(before + k)), had[k]);
    }
}

/* What one says of itself, merged into what was known: never less than either. */
static void what_is_known_grows(void)
{
    uint64_t random = seed;
    for (unsigned round = 0; round < check_rounds(20000); round++) {
        struct pr_stream_filter known = {.next = 100, .ahead = check_random(&random) & ~1u};
        struct pr_stream_filter said = {.next = (uint16_t)(70 + check_below(&random, 80)),
                                        .ahead = check_random(&random) & ~1u},
                                before = known;
        if (check_below(&random, 2))
            known.ahead = before.ahead = before.ahead & check_random(&random);
        pr_stream_learn(&known, said.next, said.ahead);
        for (unsigned number = 60; number < 180; number++)
            CHECK(pr_stream_has(&known, (uint16_t)number) ||
                  !(pr_stream_has(&before, (uint16_t)number) ||
                    (said.next >= 100 && pr_stream_has(&said, (uint16_t)number))));
        CHECK(!pr_stream_has(&known, known.next));
    }
}

/* ---- packets ---- */

static void packets_survive_their_words(void)
{
    uint64_t random = seed;
    for (unsigned round = 0; round < check_rounds(20000); round++) {
        uint32_t words[PR_GROUP_ANSWER_WORDS];
        struct pr_group_packet packet, again;
        unsigned count = check_below(&random, PR_GROUP_ANSWER_WORDS + 1);
        for (unsigned k = 0; k < PR_GROUP_ANSWER_WORDS; k++)
            words[k] = check_random(&random) >> (check_below(&random, 30) ? 16 : 0);
        if (!pr_group_packet_decode(&packet, words, count))
            continue;
        CHECK(pr_group_packet_words(&packet) <= count);
        memset(words, 0xff, sizeof words);
        pr_group_packet_encode(&packet, words);
        CHECK(pr_group_packet_decode(&again, words, count));
        CHECK(memcmp(&packet, &again, sizeof packet) == 0);
    }
}

/* ---- groups ---- */

/* Each of the members sends so many packets, one of all after up to so many clocks if it is taken. */
static void send_all(uint32_t members, unsigned packets, unsigned pause)
{
    unsigned left[GROUP_SITES_MAX], sum = 0;
    uint64_t end = mesh.clock + (uint64_t)packets * 1000000;
    for (unsigned k = 0; k < mesh.settings.sites; k++)
        sum += left[k] = members >> k & 1 ? packets : 0;
    while (sum > 0) {
        unsigned from = check_below(&mesh.random, mesh.settings.sites);
        CHECK(mesh.clock < end);
        if (left[from] > 0 && !group_mesh_is_in(&mesh, from)) {
            sum -= left[from];
            left[from] = 0;
        }
        if (left[from] > 0 && group_mesh_send(&mesh, from) == 0) {
            left[from]--;
            sum--;
        }
        group_mesh_run(&mesh, 1 + check_below(&mesh.random, pause));
    }
}

static void begin(unsigned shape, unsigned sites, unsigned lose, unsigned duplicate)
{
    struct group_settings settings = group_settings(check_random(&seed), sites, shape);
    settings.lose = lose;
    settings.duplicate = duplicate;
    settings.multicast = check_below(&seed, 2);
    settings.leader = shape == PR_GROUP_SHAPE_TREE_ORDER ? 0 : check_below(&seed, sites);
    group_mesh_start(&mesh, &settings, all(sites));
}

/* Nobody repairs where nothing is lost, and each packet crosses the network once for each member. */
static void a_calm_network_needs_no_repair(void)
{
    for (unsigned shape = 0; shape < PR_GROUP_SHAPES; shape++) {
        begin(shape, 12, 0, 0);
        send_all(all(12), 20, 1000);
        group_mesh_rest(&mesh, WHOLE_REST);
        group_mesh_check_all(&mesh, 0);
        CHECK_EQUAL(mesh.delivered, 12 * 20 * (pr_group_shape_orders(shape) ? 12 : 11));
        CHECK_EQUAL(group_mesh_counter(&mesh, PR_GROUPS_COUNTER_REPAIRS), 0);
        CHECK_EQUAL(group_mesh_counter(&mesh, PR_GROUPS_COUNTER_DUPLICATES), 0);
        group_mesh_end(&mesh);
    }
}

/* All send to a new group, and send `more` packets each when they have learned its pace: by how much that raises this
 * counter. */
static unsigned raised_later(const struct group_settings *settings, unsigned packets, unsigned more, unsigned clocks,
                             unsigned counter)
{
    group_mesh_start(&mesh, settings, all(settings->sites));
    send_all(all(settings->sites), packets, clocks);
    group_mesh_rest(&mesh, WHOLE_REST);
    unsigned before = group_mesh_counter(&mesh, counter);
    send_all(all(settings->sites), more, clocks);
    group_mesh_rest(&mesh, WHOLE_REST);
    group_mesh_check_all(&mesh, 0);
    unsigned raised = group_mesh_counter(&mesh, counter) - before;
    group_mesh_end(&mesh);
    return raised;
}

/* On links between boards a packet may take longer than any time-out on a chip. Members learn that, and then repair
 * nothing, though acknowledgements of the whole circuit take 200000 clocks. */
static void slow_links_need_no_repair(void)
{
    struct group_settings settings = group_settings(check_random(&seed), 8, PR_GROUP_SHAPE_CIRCUIT);
    settings.delay_min = 12000;
    settings.link_clocks = 144;
    CHECK_EQUAL(raised_later(&settings, 20, 20, 100000, PR_GROUPS_COUNTER_REPAIRS), 0);
}

/* Nor do they ask before they have learned it: there a packet stands for long in each member that passes it on. */
static void slow_links_need_no_question(void)
{
    struct group_settings settings = group_settings(check_random(&seed), 8, PR_GROUP_SHAPE_GT);
    settings.delay_min = 6000;
    settings.link_clocks = 144;
    group_mesh_start(&mesh, &settings, all(8));
    send_all(all(8), 20, 100000);
    group_mesh_rest(&mesh, WHOLE_REST);
    group_mesh_check_all(&mesh, 0);
    CHECK_EQUAL(group_mesh_counter(&mesh, PR_GROUPS_COUNTER_QUESTIONS), 0);
    group_mesh_end(&mesh);
}

/* On a slow network members of an ordered group learn how long their packets take to come back in their order: what
 * they send to the leader again before would be more than a busy network carries. */
static void members_learn_how_long_an_order_takes(void)
{
    struct group_settings settings = group_settings(check_random(&seed), 6, PR_GROUP_SHAPE_CIRCUIT_ORDER);
    settings.delay_min = 9000;
    CHECK(raised_later(&settings, 60, 20, 20000, PR_GROUPS_COUNTER_DUPLICATES) <
          6 * 20 / 2); /* of a fixed time-out: 300 */
}

static void losses_are_repaired(void)
{
    for (unsigned shape = 0; shape < PR_GROUP_SHAPES; shape++) {
        unsigned sites = 2 + check_below(&seed, 15);
        begin(shape, sites, 30, 20);
        send_all(all(sites), (unsigned)check_rounds(60), 40);
        group_mesh_rest(&mesh, WHOLE_REST);
        group_mesh_check_all(&mesh, 0);
        group_mesh_end(&mesh);
    }
}

/* Behind a repair much can be delivered at once: no more than a console has room for, and the rest later. */
static void hosts_may_be_slow(void)
{
    for (unsigned shape = 0; shape < PR_GROUP_SHAPES; shape++) {
        struct group_settings settings = group_settings(check_random(&seed), 8, shape);
        settings.lose = 60;
        settings.reading = 600;
        group_mesh_start(&mesh, &settings, all(8));
        send_all(all(8), (unsigned)check_rounds(30), 40);
        group_mesh_rest(&mesh, WHOLE_REST);
        group_mesh_check_all(&mesh, 0);
        group_mesh_end(&mesh);
    }
}

/* ---- members that come and go ---- */

static void begin_lossy(unsigned sites, uint32_t members)
{
    struct group_settings settings = group_settings(check_random(&seed), sites, check_below(&seed, PR_GROUP_SHAPES));
    settings.lose = check_below(&seed, 3) * 15;
    settings.duplicate = check_below(&seed, 2) * 20;
    settings.multicast = check_below(&seed, 2);
    while (!(members >> settings.leader & 1))
        settings.leader++;
    group_mesh_start(&mesh, &settings, members);
}

/* What was sent while the dead member belonged to the group, it has got, or its source was told. */
static void check_reported(unsigned dead)
{
    for (unsigned k = 0; k < mesh.message_count && !pr_group_shape_orders(mesh.settings.shape); k++) {
        const struct group_message *message = &mesh.messages[k];
        CHECK(message->source == dead || message->view > 1 || (message->delivered | message->failed) >> dead & 1);
    }
}

static void a_dead_member_is_left_behind(void)
{
    for (unsigned round = 0; round < check_rounds(8); round++) {
        unsigned sites = 3 + check_below(&seed, 10), dead = 1 + check_below(&seed, sites - 1);
        begin_lossy(sites, all(sites));
        send_all(all(sites), 10, 40);
        group_mesh_kill(&mesh, dead);
        send_all(all(sites) & ~(1u << dead), 30, 40);
        group_mesh_rest(&mesh, WHOLE_REST);
        for (unsigned k = 0; k < sites; k++) {
            const struct pr_group *group = pr_groups_find(&mesh.sites[k].groups, GROUP_ID);
            CHECK(k == dead || (group && group->count == sites - 1));
        }
        group_mesh_check_all(&mesh, 1u << dead);
        check_reported(dead);
        group_mesh_end(&mesh);
    }
}

/* Nobody takes the leader's place: who misses it is a member no more, and knows it. */
static void a_group_ends_with_its_leader(void)
{
    for (unsigned round = 0; round < check_rounds(8); round++) {
        unsigned sites = 3 + check_below(&seed, 10);
        begin_lossy(sites, all(sites));
        send_all(all(sites), 5, 40);
        group_mesh_kill(&mesh, mesh.settings.leader);
        send_all(all(sites) & ~(1u << mesh.settings.leader), 20, 40);
        group_mesh_rest(&mesh, WHOLE_REST);
        for (unsigned k = 0; k < sites; k++)
            CHECK(k == mesh.settings.leader || (!group_mesh_is_in(&mesh, k) && mesh.sites[k].lost == 1));
        for (unsigned k = 0; k < mesh.message_count; k++)
            CHECK(mesh.messages[k].settled || pr_group_shape_orders(mesh.settings.shape) ||
                  mesh.messages[k].source == mesh.settings.leader);
        group_mesh_end(&mesh);
    }
}

static void members_join_in_mid_stream(void)
{
    for (unsigned round = 0; round < check_rounds(8); round++) {
        unsigned sites = 4 + check_below(&seed, 10), members = 1 + check_below(&seed, sites - 2);
        begin_lossy(sites, all(members));
        for (unsigned joins = members; joins < sites; joins++) {
            send_all(all(joins), 5, 40);
            group_mesh_join(&mesh, joins);
            send_all(all(joins), 5, 40);
            while (!group_mesh_is_in(&mesh, joins)) {
                CHECK_EQUAL(mesh.sites[joins].lost, 0);
                group_mesh_run(&mesh, 100);
            }
        }
        send_all(all(sites), 10, 40);
        group_mesh_rest(&mesh, WHOLE_REST);
        CHECK_EQUAL(pr_groups_find(&mesh.sites[0].groups, GROUP_ID)->count, sites);
        group_mesh_check_all(&mesh, 0);
        group_mesh_end(&mesh);
    }
}

static void leave(unsigned site)
{
    int error;
    while ((error = pr_groups_leave(&mesh.sites[site].groups, GROUP_ID)) == -PR_GROUPS_BUSY)
        group_mesh_run(&mesh, 100);
    CHECK_EQUAL(error, 0);
    mesh.sites[site].poll = true;
}

static void wait_for(unsigned site)
{
    while (!group_mesh_is_in(&mesh, site)) {
        CHECK_EQUAL(mesh.sites[site].lost, 0);
        group_mesh_run(&mesh, 100);
    }
}

static void members_leave_and_come_back(void)
{
    for (unsigned round = 0; round < check_rounds(8); round++) {
        unsigned sites = 4 + check_below(&seed, 10);
        begin_lossy(sites, all(sites));
        for (unsigned turn = 0; turn < 5; turn++) {
            unsigned leaves = 1 + check_below(&seed, sites - 1);
            send_all(all(sites), 5, 40);
            leave(leaves);
            send_all(all(sites) & ~(1u << leaves), 5, 40);
            group_mesh_join(&mesh, leaves);
            send_all(all(sites) & ~(1u << leaves), 5, 40);
            wait_for(leaves);
        }
        send_all(all(sites), 10, 40);
        group_mesh_rest(&mesh, WHOLE_REST);
        group_mesh_check_all(&mesh, 0);
        group_mesh_end(&mesh);
    }
}

static void a_site_that_restarts_joins_anew(void)
{
    for (unsigned round = 0; round < check_rounds(8); round++) {
        unsigned sites = 4 + check_below(&seed, 10), restarts = 1 + check_below(&seed, sites - 1);
        begin_lossy(sites, all(sites));
        send_all(all(sites), 5, 40);
        group_mesh_restart(&mesh, restarts);
        send_all(all(sites) & ~(1u << restarts), 3, 40);
        group_mesh_join(&mesh, restarts);
        send_all(all(sites) & ~(1u << restarts), 5, 40);
        wait_for(restarts);
        send_all(all(sites), 10, 40);
        group_mesh_rest(&mesh, WHOLE_REST);
        CHECK_EQUAL(pr_groups_find(&mesh.sites[0].groups, GROUP_ID)->count, sites);
        group_mesh_end(&mesh);
    }
}

/* A pause that is too long for the others: it is out, and is told when it goes on. */
static void a_member_that_stops_is_out_or_catches_up(void)
{
    for (unsigned round = 0; round < check_rounds(8); round++) {
        unsigned sites = 4 + check_below(&seed, 10), stops = 1 + check_below(&seed, sites - 1);
        begin_lossy(sites, all(sites));
        send_all(all(sites), 5, 40);
        group_mesh_stop(&mesh, stops, check_below(&seed, 2) ? 3000 : 3000000);
        send_all(all(sites) & ~(1u << stops), 10, 40);
        group_mesh_run(&mesh, 4000000);
        send_all(all(sites), 10, 40);
        group_mesh_rest(&mesh, WHOLE_REST);
        group_mesh_check_all(&mesh, mesh.sites[stops].lost ? 1u << stops : 0);
        CHECK_EQUAL(group_mesh_is_in(&mesh, stops), mesh.sites[stops].lost == 0);
        group_mesh_end(&mesh);
    }
}

/* What was sent in a view that the others do not know yet reaches them once they know it. */
static void a_view_that_is_not_known_is_waited_for(void)
{
    struct group_settings settings = group_settings(check_random(&seed), 3, PR_GROUP_SHAPE_DIRECT);
    struct pr_group *ahead;
    group_mesh_start(&mesh, &settings, all(3));
    ahead = &mesh.sites[0].groups.groups[0];
    ahead->view++;
    CHECK_EQUAL(group_mesh_send(&mesh, 0), 0);
    group_mesh_run(&mesh, 2000);
    CHECK_EQUAL(mesh.delivered, 0);
    CHECK_EQUAL(group_mesh_counter(&mesh, PR_GROUPS_COUNTER_DROPPED), 2);
    for (unsigned k = 1; k < 3; k++)
        mesh.sites[k].groups.groups[0].view++;
    group_mesh_rest(&mesh, WHOLE_REST);
    CHECK_EQUAL(mesh.delivered, 2);
    group_mesh_end(&mesh);
}

/* Any words in packets of groups, from members and others: nothing is written outside, and nobody goes on for ever. */
static void forged_packets_do_no_harm(void)
{
    for (unsigned round = 0; round < check_rounds(8); round++) {
        begin_lossy(4, all(3));
        group_mesh_forge(&mesh, 200);
        group_mesh_run(&mesh, 200000);
        group_mesh_end(&mesh);
    }
}

int main(void)
{
    seed = check_seed();
    RUN(every_shape_is_a_tree);
    RUN(ways_keep_to_their_classes);
    RUN(circuits_and_rooted_trees_follow_numbers);
    RUN(shapes_have_names);
    RUN(distances_are_those_of_links);
    RUN(a_stream_takes_each_number_once);
    RUN(what_is_known_grows);
    RUN(packets_survive_their_words);
    RUN(a_calm_network_needs_no_repair);
    RUN(slow_links_need_no_repair);
    RUN(slow_links_need_no_question);
    RUN(members_learn_how_long_an_order_takes);
    RUN(losses_are_repaired);
    RUN(hosts_may_be_slow);
    RUN(a_dead_member_is_left_behind);
    RUN(a_group_ends_with_its_leader);
    RUN(members_join_in_mid_stream);
    RUN(members_leave_and_come_back);
    RUN(a_site_that_restarts_joins_anew);
    RUN(a_member_that_stops_is_out_or_catches_up);
    RUN(a_view_that_is_not_known_is_waited_for);
    RUN(forged_packets_do_no_harm);
    return 0;
}
