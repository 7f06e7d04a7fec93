/* The mapper of source-routed switches against graphs in memory: random ones, and the regular ones in which every
 * switch looks like every other. What it says to be certain has to be true, and without faults it has to find all
 * that a scout can find. Cables that work one way only are outside of what it promises: there, little may be wrong.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "cli/cable_map.h"
#include "cli/mapper.h"

enum { NODES_MAX = 96, LINKS_MAX = MAPPER_LINKS_MAX, NOWHERE = -1, SWITCH = -1, LONGEST = MAPPER_ROUTE_MAX };

struct end {
    int node, link;
};

/* Nodes with an operator have their own number as that of the site; node 0 is home. */
struct graph {
    int nodes;
    unsigned links;
    bool has_operator[NODES_MAX];
    struct end far[NODES_MAX][LINKS_MAX];
    bool dead[NODES_MAX][LINKS_MAX]; /* nothing passes from this end to the other */
    /* How scouts fare. */
    uint64_t *seed;
    unsigned lost_of_thousand;
    bool holds;                 /* a scout that comes to a link for the second time waits for itself, and is dropped */
    unsigned long probes, most; /* most: before the mapper is stopped */
    unsigned longest;
};

static void clear(struct graph *graph, int nodes, unsigned links, uint64_t *seed)
{
    *graph = (struct graph){.nodes = nodes, .links = links, .seed = seed};
    for (int node = 0; node < NODES_MAX; node++)
        for (unsigned link = 0; link < LINKS_MAX; link++)
            graph->far[node][link].node = NOWHERE;
}

static bool is_free(const struct graph *graph, int node, int link)
{
    return graph->far[node][link].node == NOWHERE;
}

static void join(struct graph *graph, int node, int link, int other, int back)
{
    CHECK(is_free(graph, node, link) && is_free(graph, other, back) && (unsigned)link < graph->links &&
          (unsigned)back < graph->links);
    graph->far[node][link] = (struct end){other, back};
    graph->far[other][back] = (struct end){node, link};
}

/* Where a way from a node ends: the node whose operator gets it, or NOWHERE. */
static int walk(const struct graph *graph, int node, const uint8_t *ports, unsigned count)
{
    bool passed[NODES_MAX][LINKS_MAX] = {{false}};
    for (unsigned k = 0; k < count; k++) {
        int link = ports[k] - 1;
        if (link < 0)
            return k + 1 == count && graph->has_operator[node] ? node : NOWHERE;
        if ((unsigned)link >= graph->links || is_free(graph, node, link) || graph->dead[node][link] ||
            (graph->holds && passed[node][link]))
            return NOWHERE;
        passed[node][link] = true;
        node = graph->far[node][link].node;
    }
    return NOWHERE;
}

static bool is_lost(struct graph *graph)
{
    return graph->lost_of_thousand > 0 && check_below(graph->seed, 1000) < graph->lost_of_thousand;
}

static int probe(void *context, const struct mapper_route *way, const struct mapper_route *back)
{
    struct graph *graph = context;
    int end = is_lost(graph) ? NOWHERE : walk(graph, 0, way->ports, way->count);
    graph->probes++;
    if (way->count > graph->longest)
        graph->longest = way->count;
    if (end <= 0)
        return end == 0 ? 0 : MAPPER_NOTHING;
    return !is_lost(graph) && walk(graph, end, back->ports, back->count) == 0 ? end : MAPPER_NOTHING;
}

static struct mapper map_of(struct graph *graph, unsigned route_max)
{
    struct mapper mapper = {.probe = probe,
                            .context = graph,
                            .home = 0,
                            .links = graph->links,
                            .route_max = route_max,
                            .tries = graph->lost_of_thousand > 0 ? 6 : 1};
    graph->probes = graph->longest = 0;
    CHECK(mapper_run(&mapper));
    CHECK_EQUAL(mapper.probes, graph->probes);
    return mapper;
}

/* The node that a place is. */
static int node_of(const struct graph *graph, const struct mapper_place *place)
{
    int node = 0;
    for (unsigned k = 0; k < place->there.count; k++)
        node = graph->far[node][place->there.ports[k] - 1].node;
    return node;
}

static unsigned cables_between(const struct graph *graph, int node, int other)
{
    unsigned count = 0;
    for (unsigned link = 0; link < graph->links; link++)
        count += graph->far[node][link].node == other;
    return count;
}

struct found {
    unsigned certain, unpaired, unsure, wrong; /* ends */
};

/* What is said is true, or counted as wrong. */
static struct found check_truth(const struct graph *graph, const struct mapper *mapper)
{
    struct found found = {0};
    for (int number = 0; number < mapper->count; number++) {
        const struct mapper_place *place = &mapper->places[number];
        int node = node_of(graph, place);
        CHECK_EQUAL(graph->has_operator[node] ? node : SWITCH, place->site);
        for (unsigned link = 0; link < graph->links; link++) {
            struct mapper_end end = mapper_far_end(mapper, number, link);
            struct end far = graph->far[node][link];
            found.unsure += end.place == MAPPER_UNSURE;
            if (end.place < 0)
                continue;
            found.wrong += node_of(graph, &mapper->places[end.place]) != far.node ||
                           (end.link >= 0 && end.link != far.link);
            found.certain += end.link >= 0;
            found.unpaired += end.link < 0;
        }
    }
    return found;
}

static int count_reached(const struct graph *graph, bool *reached)
{
    int queue[NODES_MAX], first = 0, last = 0;
    memset(reached, 0, NODES_MAX * sizeof *reached);
    reached[0] = true;
    queue[last++] = 0;
    while (first < last) {
        int node = queue[first++];
        for (unsigned link = 0; link < graph->links; link++) {
            int next = graph->far[node][link].node;
            if (next == NOWHERE || graph->dead[node][link] || reached[next])
                continue;
            reached[next] = true;
            queue[last++] = next;
        }
    }
    return last;
}

/* Every place and every cable has been found, and is certain as far as scouts can say. */
static struct found check_all_found(const struct graph *graph, const struct mapper *mapper)
{
    bool reached[NODES_MAX];
    struct found found = check_truth(graph, mapper);
    unsigned certain = 0, unpaired = 0;
    CHECK_EQUAL(mapper->count, count_reached(graph, reached));
    CHECK_EQUAL(found.wrong, 0);
    for (int node = 0; node < graph->nodes; node++)
        for (unsigned link = 0; reached[node] && link < graph->links; link++) {
            if (is_free(graph, node, (int)link) || graph->dead[node][link])
                continue;
            bool pairs = cables_between(graph, node, graph->far[node][link].node) ==
                         (graph->far[node][link].node == node ? 2u : 1u);
            certain += pairs;
            unpaired += !pairs;
        }
    CHECK_EQUAL(found.certain, certain);
    CHECK_EQUAL(found.unpaired, unpaired);
    CHECK_EQUAL(found.unsure, 0);
    CHECK(!mapper->too_far);
    return found;
}

/* ---- graphs ---- */

/* A host of one link at a switch, as a further node. */
static int add_host(struct graph *graph, int node, int link, int host_link)
{
    int host = graph->nodes++;
    graph->has_operator[host] = true;
    join(graph, host, host_link, node, link);
    return host;
}

/* The switches begin with node 1: home is a host. Its link of the first switch is its last one, as all hosts'. */
static void begin(struct graph *graph, int switches, unsigned links, uint64_t *seed)
{
    clear(graph, 1 + switches, links, seed);
    graph->has_operator[0] = true;
}

static void add_hosts(struct graph *graph, int switches, int link)
{
    join(graph, 0, 0, 1, link);
    for (int node = 2; node <= switches; node++)
        add_host(graph, node, link, 0);
}

static void make_ring(struct graph *graph, int switches, uint64_t *seed)
{
    begin(graph, switches, 4, seed);
    for (int k = 0; k < switches; k++)
        join(graph, 1 + k, 0, 1 + (k + 1) % switches, 1);
}

static void make_torus(struct graph *graph, int columns, int rows, uint64_t *seed)
{
    begin(graph, columns * rows, 5, seed);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            join(graph, 1 + y * columns + x, 0, 1 + y * columns + (x + 1) % columns, 1);
            join(graph, 1 + y * columns + x, 2, 1 + (y + 1) % rows * columns + x, 3);
        }
}

/* Columns of a shuffle: link 0 and 1 lead to the next column, 2 and 3 back. */
static void make_shufflenet(struct graph *graph, int columns, int bits, uint64_t *seed)
{
    int rows = 1 << bits;
    begin(graph, columns * rows, 5, seed);
    for (int column = 0; column < columns; column++)
        for (int row = 0; row < rows; row++)
            for (int k = 0; k < 2; k++) {
                int next = (2 * row + k) % rows, back = row >= rows / 2;
                join(graph, 1 + column * rows + row, k, 1 + (column + 1) % columns * rows + next, 2 + back);
            }
}

static int random_free(struct graph *graph, int node, uint64_t *seed)
{
    unsigned first = check_below(seed, graph->links);
    for (unsigned k = 0; k < graph->links; k++)
        if (is_free(graph, node, (int)((first + k) % graph->links)))
            return (int)((first + k) % graph->links);
    return NOWHERE;
}

static bool join_any(struct graph *graph, int node, int other, uint64_t *seed)
{
    int link = random_free(graph, node, seed), back = NOWHERE;
    if (link < 0)
        return false;
    graph->far[node][link].node = node; /* taken, while the other end is sought */
    back = random_free(graph, other, seed);
    graph->far[node][link].node = NOWHERE;
    if (back >= 0)
        join(graph, node, link, other, back);
    return back >= 0;
}

/* A random tree of switches, further cables anywhere, some of them double or from a switch to itself, and hosts at some
 * switches or at all. Some hosts have two links, and some switches an operator. */
static void make_random(struct graph *graph, int switches, bool all_have_hosts, uint64_t *seed)
{
    begin(graph, switches, 4 + check_below(seed, 5), seed);
    join_any(graph, 0, 1, seed);
    for (int node = 2; node <= switches; node++)
        while (!join_any(graph, node, 1 + (int)check_below(seed, (unsigned)node - 1), seed))
            ;
    for (int node = 1; node <= switches; node++) {
        int link = random_free(graph, node, seed);
        if (all_have_hosts ? link < 0 : check_below(seed, 4) > 0)
            graph->has_operator[node] = all_have_hosts;
        else if (link >= 0)
            add_host(graph, node, link, (int)check_below(seed, graph->links));
    }
    int more = (int)check_below(seed, 2 * (unsigned)switches);
    for (int k = 0; k < more; k++)
        join_any(graph, 1 + (int)check_below(seed, (unsigned)switches), 1 + (int)check_below(seed, (unsigned)switches),
                 seed);
    if (graph->nodes > switches + 1 && check_below(seed, 4) == 0)
        join_any(graph, graph->nodes - 1, 1 + (int)check_below(seed, (unsigned)switches), seed);
}

/* ---- tests ---- */

static uint64_t seed;

static struct found check_some(struct graph *graph)
{
    struct mapper mapper = map_of(graph, LONGEST);
    struct found found = check_truth(graph, &mapper);
    mapper_free(&mapper);
    return found;
}

/* Ends that were certain where scouts may come over a link twice, and where they are dropped then, as if lost: not all
 * is certain there, and little may be wrong. */
static unsigned long freely, once, once_wrong;

static void check_exact(struct graph *graph)
{
    graph->holds = false;
    struct mapper mapper = map_of(graph, LONGEST);
    freely += check_all_found(graph, &mapper).certain;
    mapper_free(&mapper);
    graph->holds = true;
    struct found found = check_some(graph);
    once += found.certain;
    once_wrong += found.wrong;
}

static void test_regular_with_hosts(void)
{
    struct graph graph;
    for (int switches = 3; switches <= 32; switches++) {
        make_ring(&graph, switches, &seed);
        add_hosts(&graph, switches, 2);
        check_exact(&graph);
    }
    for (int columns = 3; columns <= 8; columns++) {
        make_torus(&graph, columns, columns < 6 ? columns : 4, &seed);
        add_hosts(&graph, graph.nodes - 1, 4);
        check_exact(&graph);
    }
    make_shufflenet(&graph, 3, 3, &seed);
    add_hosts(&graph, graph.nodes - 1, 4);
    check_exact(&graph);
}

/* Home alone tells identical switches apart. */
static void test_regular_alone(void)
{
    struct graph graph;
    for (int switches = 3; switches <= 24; switches++) {
        make_ring(&graph, switches, &seed);
        join(&graph, 0, 0, 1, 2);
        check_exact(&graph);
    }
    for (int columns = 3; columns <= 5; columns++) {
        make_torus(&graph, columns, columns, &seed);
        join(&graph, 0, 0, 1, 4);
        check_exact(&graph);
    }
    make_shufflenet(&graph, 3, 3, &seed);
    join(&graph, 0, 0, 1, 4);
    check_exact(&graph);
}

/* Two switches that no scout can tell apart: they hang on one switch by the same two ports. */
static void test_twins(void)
{
    struct graph graph;
    begin(&graph, 3, 6, &seed);
    join(&graph, 0, 0, 1, 0);
    join(&graph, 1, 1, 2, 0);
    join(&graph, 1, 2, 2, 1);
    join(&graph, 1, 3, 3, 0);
    join(&graph, 1, 4, 3, 1);
    struct mapper mapper = map_of(&graph, LONGEST);
    struct found found = check_truth(&graph, &mapper);
    CHECK_EQUAL(found.certain, 2);
    CHECK(found.unsure >= 4);
    mapper_free(&mapper);
}

/* Ends of two switches that differ two cables further on only. */
static void test_late_difference(void)
{
    struct graph graph;
    begin(&graph, 5, 4, &seed);
    join(&graph, 0, 0, 1, 0);
    join(&graph, 1, 1, 2, 0);
    join(&graph, 1, 2, 3, 0);
    join(&graph, 2, 1, 4, 0);
    join(&graph, 3, 1, 5, 0);
    add_host(&graph, 4, 1, 0);
    check_exact(&graph);
    add_host(&graph, 5, 1, 0);
    check_exact(&graph);
}

static void test_random_with_hosts(void)
{
    struct graph graph;
    unsigned long rounds = check_rounds(200);
    for (unsigned long round = 0; round < rounds; round++) {
        make_random(&graph, 2 + (int)check_below(&seed, 31), true, &seed);
        check_exact(&graph);
    }
}

/* Few hosts: nothing is wrong, and what is not certain is little. */
static void test_random_few_hosts(void)
{
    struct graph graph;
    unsigned long rounds = check_rounds(200), certain = 0, rest = 0;
    for (unsigned long round = 0; round < rounds; round++) {
        make_random(&graph, 2 + (int)check_below(&seed, 31), false, &seed);
        struct found found = check_some(&graph);
        CHECK_EQUAL(found.wrong, 0);
        certain += found.certain + found.unpaired;
        rest += found.unsure;
    }
    printf("%lu ends certain, %lu not\n", certain, rest);
    CHECK(rest * 50 < certain);
}

static void cut(struct graph *graph, unsigned of_hundred)
{
    for (int node = 0; node < graph->nodes; node++)
        for (unsigned link = 0; link < graph->links; link++) {
            struct end far = graph->far[node][link];
            if (far.node == NOWHERE || check_below(graph->seed, 200) >= of_hundred)
                continue;
            graph->far[node][link].node = graph->far[far.node][far.link].node = NOWHERE;
        }
}

/* Cables that are cut are not found, all others are. */
static void test_cut_cables(void)
{
    struct graph graph;
    unsigned long rounds = check_rounds(100);
    for (unsigned long round = 0; round < rounds; round++) {
        make_random(&graph, 2 + (int)check_below(&seed, 31), true, &seed);
        cut(&graph, 20);
        CHECK_EQUAL(check_some(&graph).wrong, 0);
    }
}

static void test_lost_scouts(void)
{
    struct graph graph;
    unsigned long rounds = check_rounds(50), certain = 0, all = 0;
    for (unsigned long round = 0; round < rounds; round++) {
        make_random(&graph, 2 + (int)check_below(&seed, 31), true, &seed);
        all += check_some(&graph).certain;
        graph.lost_of_thousand = 30;
        struct found found = check_some(&graph);
        CHECK_EQUAL(found.wrong, 0);
        certain += found.certain;
    }
    printf("%lu ends certain, without losses %lu\n", certain, all);
    CHECK(certain * 20 > all * 19);
}

/* Three of a hundred ends pass nothing on. */
static void test_one_way(void)
{
    struct graph graph;
    unsigned long rounds = check_rounds(100), certain = 0, wrong = 0;
    for (unsigned long round = 0; round < rounds; round++) {
        make_random(&graph, 2 + (int)check_below(&seed, 31), true, &seed);
        for (int node = 0; node < graph.nodes; node++)
            for (unsigned link = 0; link < graph.links; link++)
                graph.dead[node][link] = check_below(&seed, 100) < 3;
        struct found found = check_some(&graph);
        certain += found.certain;
        wrong += found.wrong;
    }
    printf("%lu ends certain, %lu of them wrong\n", certain, wrong);
    CHECK(wrong * 200 <= certain);
}

/* Routes of a node's length: what is too far is said, and what is found is true. */
static void test_short_routes(void)
{
    struct graph graph;
    unsigned long rounds = check_rounds(200), far = 0;
    for (unsigned long round = 0; round < rounds; round++) {
        make_random(&graph, 2 + (int)check_below(&seed, 31), check_below(&seed, 2), &seed);
        struct mapper mapper = map_of(&graph, 11);
        CHECK_EQUAL(check_truth(&graph, &mapper).wrong, 0);
        CHECK(graph.longest <= 11);
        far += mapper.too_far;
        mapper_free(&mapper);
    }
    CHECK(far > 0 && far < rounds);
}

/* Of two cables between two switches one direction each may be among the ends that are not certain. */
static void test_ends_in_doubt(void)
{
    struct mapper_place places[2] = {{.site = 0, .proven = true, .behind = {1, MAPPER_NOTHING, MAPPER_UNSURE}},
                                     {.site = 1, .proven = true, .behind = {MAPPER_NOTHING, 0, MAPPER_NOTHING}}};
    const struct mapper mapper = {.links = 3, .places = places, .count = 2};
    CHECK_EQUAL(mapper_far_end(&mapper, 0, 0).place, 1);
    CHECK_EQUAL(mapper_far_end(&mapper, 0, 0).link, 1);
    places[1].behind[0] = MAPPER_UNSURE;
    CHECK_EQUAL(mapper_far_end(&mapper, 0, 0).place, 1);
    CHECK_EQUAL(mapper_far_end(&mapper, 0, 0).link, MAPPER_UNSURE);
}

/* Hosts 0 to 5 at switches 6 to 9, as in tests/disciplines/routed/lan.mesh, and two cables more. */
static void make_lan(struct graph *graph)
{
    static const int cables[][4] = {{0, 0, 6, 0}, {1, 0, 6, 1}, {2, 0, 7, 0}, {3, 0, 8, 0}, {4, 0, 8, 1}, {5, 0, 9, 0},
                                    {6, 2, 7, 1}, {7, 2, 8, 2}, {8, 3, 9, 1}, {9, 2, 6, 3}, {6, 4, 7, 4}, {7, 3, 9, 3}};
    clear(graph, 10, 5, &seed);
    for (int node = 0; node < 6; node++)
        graph->has_operator[node] = true;
    for (unsigned k = 0; k < sizeof cables / sizeof *cables; k++)
        join(graph, cables[k][0], cables[k][1], cables[k][2], cables[k][3]);
}

static int by_end(const void *left, const void *right)
{
    const struct pr_cable *a = left, *b = right;
    return a->site != b->site ? a->site - b->site : a->link - b->link;
}

/* By lowest operators, or as in a file with a wrong cable: the numbers are those of the graph. */
static void test_numbers(void)
{
    static struct mesh_config mesh, file;
    struct cable_map map;
    struct graph graph;
    make_lan(&graph);
    struct mapper mapper = map_of(&graph, 11);
    mesh_set_shape(&mesh,
                   &(struct pr_shape){.topology = PR_TOPOLOGY_GRAPH, .size_x = 10, .size_y = 5, .word_width = 16});
    cable_map_make(&map, &mapper, &mesh, NULL);
    CHECK_EQUAL(map.surplus, 0);
    CHECK_EQUAL(map.unsure, 0);
    for (int node = 0; node < 10; node++)
        for (int link = 0; link < 5; link++) {
            struct cable_map_end end = cable_map_end(&map, node, link);
            bool several = (node == 6 || node == 7) && end.site == 13 - node;
            CHECK_EQUAL(end.site, graph.far[node][link].node);
            CHECK_EQUAL(end.site < 0 ? 0 : end.link, end.site < 0 ? 0
                                                     : several    ? MAPPER_UNSURE
                                                                  : graph.far[node][link].link);
        }
    cable_map_put(&map, &mesh);
    CHECK_EQUAL(mesh.cable_end_count, 24);
    CHECK_EQUAL(mesh_operators(&mesh), 6);
    CHECK_EQUAL(mesh_far_end(&mesh, 6, 4).link, 4);
    cable_map_free(&map);
    file = mesh;
    for (unsigned k = 0; k < file.cable_end_count; k++) /* switches 7 and 8 have each other's number there */
        for (int far = 0; far < 2; far++) {
            uint16_t *site = far ? &file.cable_ends[k].far_site : &file.cable_ends[k].site;
            *site = *site == 7 ? 8 : *site == 8 ? 7 : *site;
        }
    qsort(file.cable_ends, file.cable_end_count, sizeof *file.cable_ends, by_end);
    cable_map_make(&map, &mapper, &mesh, &file);
    CHECK_EQUAL(cable_map_end(&map, 8, 0).site, 2);
    CHECK_EQUAL(cable_map_end(&map, 7, 1).site, 4);
    CHECK_EQUAL(cable_map_end(&map, 9, 0).site, 5);
    cable_map_free(&map);
    mapper_free(&mapper);
}

static int lie(void *context, const struct mapper_route *way, const struct mapper_route *back)
{
    struct graph *graph = context;
    unsigned drawn = check_below(graph->seed, 100);
    (void)way, (void)back;
    if (++graph->probes > graph->most)
        return MAPPER_STOP;
    return drawn < graph->lost_of_thousand ? MAPPER_NOTHING : drawn < 80 ? 0 : (int)check_below(graph->seed, 65536);
}

/* Whatever is answered, it ends, and what it has found fits the mesh. */
static void test_lies(void)
{
    static struct mesh_config mesh;
    unsigned long rounds = check_rounds(30);
    mesh_set_shape(&mesh,
                   &(struct pr_shape){.topology = PR_TOPOLOGY_GRAPH, .size_x = 10, .size_y = 5, .word_width = 16});
    for (unsigned long round = 0; round < rounds; round++) {
        struct graph graph = {.seed = &seed, .lost_of_thousand = check_below(&seed, 80), .most = 5000};
        struct mapper mapper = {.probe = lie, .context = &graph, .links = 5, .route_max = 11, .tries = 2};
        struct cable_map map;
        mapper_run(&mapper);
        cable_map_make(&map, &mapper, &mesh, round % 2 ? &mesh : NULL);
        cable_map_put(&map, &mesh);
        cable_map_free(&map);
        mapper_free(&mapper);
    }
}

static int stop_later(void *context, const struct mapper_route *way, const struct mapper_route *back)
{
    struct graph *graph = context;
    return graph->probes >= graph->most ? MAPPER_STOP : probe(context, way, back);
}

static void test_stop(void)
{
    struct graph graph;
    make_ring(&graph, 5, &seed);
    add_hosts(&graph, 5, 2);
    for (unsigned most = 0; most < 60; most++) {
        struct mapper mapper = {
            .probe = stop_later, .context = &graph, .links = graph.links, .route_max = LONGEST, .tries = 1};
        graph.probes = 0;
        graph.most = most;
        CHECK(!mapper_run(&mapper));
        mapper_free(&mapper);
    }
}

int main(void)
{
    seed = check_seed();
    RUN(test_regular_with_hosts);
    RUN(test_regular_alone);
    RUN(test_twins);
    RUN(test_late_difference);
    RUN(test_random_with_hosts);
    RUN(test_random_few_hosts);
    RUN(test_cut_cables);
    RUN(test_lost_scouts);
    RUN(test_one_way);
    RUN(test_short_routes);
    RUN(test_ends_in_doubt);
    RUN(test_numbers);
    RUN(test_lies);
    RUN(test_stop);
    printf("%lu ends certain, %lu by scouts that come over no link twice, %lu of them wrong\n", freely, once,
           once_wrong);
    CHECK(10 * once > 8 * freely);
    CHECK(once_wrong * 1000 <= once);
    return 0;
}
