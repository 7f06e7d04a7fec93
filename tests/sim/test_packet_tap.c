/* The tap on a mesh's links, by itself. Every packet that eight backlogged senders get delivered is followed from the
 * site that delivers it to its source, and at zero load the tap's clocks are those of the network_interfaces. No word
 * escapes it. usage: test_packet_tap
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine_test.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/discipline.h"
#include "mesh/mesh.h"
#include "mesh/topology_view.h"
#include "protocol.h"
#include "simulation/packet_tap.h"

enum { HANDLER = 9, SITES_MOST = 64, DELIVERIES_MOST = 65536, WAY_MOST = 256, DATA_MOST = 24 };

struct noted {
    unsigned site;
    struct pr_delivery delivery;
    uint64_t seen; /* clock at the end of the step */
};

struct scene {
    struct mesh_config mesh;
    struct simulation *simulation;
    struct packet_tap *tap;
    uint64_t words_before, seed;
    struct noted *noted;
    unsigned count, sent, several;
};

struct listener {
    struct scene *scene;
    unsigned site;
} listeners[SITES_MOST];

static void delivered(void *context, const struct pr_delivery *delivery)
{
    const struct listener *listener = context;
    struct scene *scene = listener->scene;
    check(scene->count < DELIVERIES_MOST, "too many deliveries");
    scene->noted[scene->count++] = (struct noted){listener->site, *delivery, simulation_clock(scene->simulation)};
}

static void open_scene(struct scene *scene, const char *mesh, bool reliable, uint64_t seed)
{
    *scene = (struct scene){.seed = seed, .noted = calloc(DELIVERIES_MOST, sizeof *scene->noted)};
    load_mesh(mesh, &scene->mesh);
    if (scene->mesh.reliable != reliable)
        mesh_set_reliable(&scene->mesh, reliable);
    scene->simulation = start(
        &(struct simulation_options){.mesh = &scene->mesh, .pool = 64, .seed = seed, .stall = 20});
    scene->tap = packet_tap_create(scene->simulation, &scene->mesh);
    scene->words_before = simulation_link_words(scene->simulation);
    for (unsigned site = 0; site < (unsigned)scene->mesh.sites; site++) {
        listeners[site] = (struct listener){scene, site};
        packet_tap_watch(scene->tap, site);
        pr_operator_register(simulation_operator(scene->simulation, site), HANDLER, delivered, &listeners[site]);
    }
}

static void close_scene(struct scene *scene)
{
    uint64_t moved = simulation_link_words(scene->simulation) - scene->words_before;
    check(scene->mesh.discipline->lines || packet_tap_words(scene->tap) == moved,
          "the tap saw %llu words, %llu have moved", (unsigned long long)packet_tap_words(scene->tap),
          (unsigned long long)moved);
    check(packet_tap_lost(scene->tap) == 0, "passages are lost");
    packet_tap_destroy(scene->tap);
    simulation_destroy(scene->simulation);
    free(scene->noted);
}

static unsigned send_one(struct scene *scene, unsigned from, unsigned targets)
{
    struct pr_target to[4];
    uint32_t data[DATA_MOST];
    unsigned words = pick(&scene->seed, DATA_MOST), sites = (unsigned)scene->mesh.sites;
    unsigned first = pick(&scene->seed, sites);
    for (unsigned i = 0; i < words; i++)
        data[i] = pick(&scene->seed, 65536);
    for (unsigned i = 0; i < targets; i++)
        to[i] = (struct pr_target){.site = (uint16_t)((first + 5 * i) % sites)};
    return pr_operator_send(simulation_operator(scene->simulation, from), to, targets, HANDLER, data, words, NULL) == 0
               ? targets
               : 0;
}

static bool is_of(const struct packet_passage *passage, const struct pr_delivery *delivery)
{
    return passage->source == delivery->source && passage->sequence == delivery->sequence &&
           passage->epoch == delivery->epoch;
}

static int far_end(const struct scene *scene, const struct packet_passage *passage)
{
    return mesh_far_end(&scene->mesh, passage->site, passage->link).site;
}

/* The latest passage of the packet into a site whose head was there before a clock; NULL: none. */
static const struct packet_passage *into(const struct scene *scene, const struct pr_delivery *delivery, unsigned site,
                                         uint64_t before)
{
    size_t count;
    const struct packet_passage *passages = packet_tap_passages(scene->tap, &count), *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (is_of(&passages[i], delivery) && far_end(scene, &passages[i]) == (int)site && passages[i].head < before &&
            (!found || passages[i].head > found->head))
            found = &passages[i];
    return found;
}

/* Follows a delivery back to its source. Returns the links of its way. */
static unsigned follow(struct scene *scene, const struct noted *noted)
{
    const struct pr_delivery *delivery = &noted->delivery;
    unsigned site = noted->site, links = 0;
    uint64_t before = noted->seen;
    while (site != delivery->source && links < WAY_MOST) {
        const struct packet_passage *passage = into(scene, delivery, site, before);
        check(passage != NULL, "packet %u of site %u: no passage into site %u, delivered at site %u",
              delivery->sequence, delivery->source, site, noted->site);
        if (!passage)
            return 0;
        check(passage->handler == HANDLER, "handler %u", passage->handler);
        check(passage->head < passage->terminator, "a terminator that is not behind its head");
        before = passage->head;
        site = passage->site;
        links++;
    }
    check(site == delivery->source, "packet %u of site %u: a way without an end", delivery->sequence, delivery->source);
    return links;
}

static void follow_all(struct scene *scene)
{
    unsigned longer = 0;
    for (unsigned i = 0; i < scene->count; i++) {
        const struct noted *noted = &scene->noted[i];
        unsigned links = follow(scene, noted);
        unsigned least = (unsigned)mesh_hops(&scene->mesh, noted->delivery.source, (int)noted->site);
        check(links >= least, "%u links from %u to %u, at least %u", links, noted->delivery.source, noted->site, least);
        longer += links > least;
    }
    printf("%u deliveries followed, %u on longer ways\n", scene->count, longer);
}

/* Every passage is of a packet that some site has got: nothing is invented. */
static void passages_are_of_deliveries(const struct scene *scene)
{
    size_t count;
    const struct packet_passage *passages = packet_tap_passages(scene->tap, &count);
    unsigned first[SITES_MOST] = {0}, bad = 0;
    for (unsigned i = 0; i < scene->count; i++)
        if (scene->noted[i].delivery.sequence >= first[scene->noted[i].delivery.source])
            first[scene->noted[i].delivery.source] = scene->noted[i].delivery.sequence + 1u;
    for (size_t i = 0; i < count; i++)
        bad += passages[i].source >= (unsigned)scene->mesh.sites || passages[i].sequence >= first[passages[i].source];
    check(bad == 0, "%u of %zu passages are of no packet", bad, count);
    printf("%zu passages\n", count);
}

/* Eight sites send whenever they may; every fourth packet has several targets. */
static void backlogged(const char *mesh, bool reliable, uint64_t seed)
{
    struct scene scene;
    unsigned expected = 0;
    check_about(mesh);
    open_scene(&scene, mesh, reliable, seed);
    for (unsigned step = 0; step < 1200; step++) {
        for (unsigned sender = 0; sender < 8; sender++)
            expected += send_one(&scene, sender * (unsigned)scene.mesh.sites / 8, pick(&scene.seed, 4) ? 1 : 3);
        simulation_run(scene.simulation, 5);
    }
    check(settle(scene.simulation, 4000000), "not at rest");
    check(scene.count == expected, "%u deliveries, expected %u", scene.count, expected);
    check(scene.count > 200, "too few deliveries: %u", scene.count);
    follow_all(&scene);
    passages_are_of_deliveries(&scene);
    close_scene(&scene);
}

static const struct packet_passage *last_into(const struct scene *scene, const struct noted *noted)
{
    return into(scene, &noted->delivery, noted->site, UINT64_MAX);
}

/* One packet at a time, between all pairs: the stamps of the network_interface that receives follow the passage over
 * the last link at one distance, the head's clocks a link depend on turns only, and the way is a shortest one. */
static void zero_load(const char *mesh, uint64_t seed)
{
    struct scene scene;
    int64_t distance = -1, hops[2] = {-1, -1}; /* straight on, and after a turn */
    check_about(mesh);
    open_scene(&scene, mesh, true, seed);
    const unsigned sites = (unsigned)scene.mesh.sites;
    for (unsigned from = 0; from < sites; from++)
        for (unsigned to = 0; to < sites; to++) {
            const struct pr_target target = {.site = (uint16_t)to};
            uint32_t data[3] = {from, to, 7};
            if (from == to)
                continue;
            check(pr_operator_send(simulation_operator(scene.simulation, from), &target, 1, HANDLER, data, 3, NULL) ==
                      0,
                  "not sent");
            check(settle(scene.simulation, 1000000), "not at rest");
            const struct noted *noted = &scene.noted[scene.count - 1];
            const struct packet_passage *last = last_into(&scene, noted);
            unsigned links = follow(&scene, noted);
            check(links == (unsigned)mesh_hops(&scene.mesh, (int)from, (int)to), "%u links", links);
            if (!last)
                continue;
            int64_t clocks = (int64_t)noted->delivery.stamp_last - (int64_t)last->terminator;
            if (distance < 0)
                distance = clocks;
            check(clocks == distance, "the terminator's stamp is %lld clocks behind the last link, others %lld",
                  (long long)clocks, (long long)distance);
            const struct packet_passage *before = into(&scene, &noted->delivery, last->site, last->head);
            if (!before)
                continue;
            int64_t hop = (int64_t)(last->head - before->head), *same = &hops[last->link != before->link];
            if (*same < 0)
                *same = hop;
            check(hop == *same, "%lld clocks a link, others %lld", (long long)hop, (long long)*same);
        }
    check(distance > 0 && distance < 8 && hops[0] < 8 && hops[1] > 0 && hops[1] < 8,
          "distance %lld, hops %lld and %lld", (long long)distance, (long long)hops[0], (long long)hops[1]);
    printf("%u deliveries, stamps %lld clocks behind the last link, %lld clocks a link, %lld after a turn\n",
           scene.count, (long long)distance, (long long)hops[0], (long long)hops[1]);
    close_scene(&scene);
}

int main(void)
{
    uint64_t seed = check_seed();
    zero_load("grid-4x4", seed);
    zero_load("hypercube-4", seed);
    backlogged("grid-4x4", true, seed);
    backlogged("grid-4x4", false, seed + 1);
    backlogged("torus-4x4", true, seed + 2);
    backlogged("adaptive-4x4", true, seed + 3);
    backlogged("csr-hypercube-4", true, seed + 5);
    backlogged("wormlan-torus-4x4", true, seed + 6);
    return verdict("test_packet_tap");
}
