/* See load_bounds.h. All figures are at a load of 1: what a port or link would carry then is what the bound divides.
 *
 * SPDX-License-Identifier: ISC
 */
#include "experiment/load_bounds.h"

#include <math.h>
#include <stdlib.h>

#include "experiment/experiment.h"
#include "functional/direction.h"
#include "mesh/discipline.h"
#include "mesh/mesh_routes.h"
#include "mesh/topology_view.h"

enum { SITES_MOST = 1024, CUTS_MOST = 16, LEAST_WORDS = TRAFFIC_HEADER_WORDS + 2 }; /* of an acknowledgement */

struct cut {
    double words[2]; /* a clock, each way */
    unsigned links[2];
};

struct sums {
    const struct mesh_config *mesh;
    const struct traffic *traffic;
    struct direction_map map;
    struct place *places;
    struct pr_far_end *far_ends;
    bool timed, routed; /* its idle clocks and its links are known */
    struct cut cuts[CUTS_MOST];
    int cut_count;
    double *link_words, *ejected, *shares;
    double injected_most, held_most; /* words a clock, and packets in a window, of the source that has most */
    double packets, latencies;
};

/* Cuts of a plane are in the middle, beside it too if the number of columns or rows is odd; of a hypercube they are its
 * dimensions. */
static bool is_beyond(const struct mesh_config *mesh, int cut, int site)
{
    int size = cut / 2 ? mesh->size_y : mesh->size_x, place = cut / 2 ? site / mesh->size_x : site % mesh->size_x;
    return mesh_is_hypercube(mesh) ? site >> cut & 1 : place >= (size + cut % 2) / 2;
}

static void count_cut_links(struct sums *sums)
{
    const struct mesh_config *mesh = sums->mesh;
    for (int cut = 0; cut < sums->cut_count; cut++)
        for (int site = 0; site < mesh->sites; site++)
            for (int link = 0; link < mesh->links; link++) {
                int far = mesh_far_end(mesh, site, link).site;
                bool beyond = is_beyond(mesh, cut, site);
                if (far >= 0 && is_beyond(mesh, cut, far) != beyond)
                    sums->cuts[cut].links[beyond]++;
            }
}

static void walk(struct sums *sums, int site, int target, const struct pr_route *routes, double words)
{
    uint32_t address = (uint32_t)mesh_address(sums->mesh, target);
    unsigned from = 0; /* the port by which it came */
    for (int hop = 0;; hop++) {
        unsigned port = routes ? routes[target].ports[hop]
                               : direction_find(&sums->map, sums->places[site], from, address, true, UINT32_MAX, 0);
        if (port == 0)
            return;
        int link = site * sums->mesh->links + (int)port - 1;
        struct pr_far_end far = sums->far_ends[link];
        sums->link_words[link] += words;
        site = far.site;
        from = (unsigned)far.link + 1;
    }
}

/* Clocks of a packet of so many words from the first word's start to the last word's arrival. */
static double idle_latency(const struct mesh_config *mesh, int from, int to, double words)
{
    unsigned hops = (unsigned)mesh_hops(mesh, from, to), turns = (unsigned)mesh_turns(mesh, from, to);
    return mesh->discipline->code->idle_clocks(mesh, hops, turns) + words - 1;
}

/* What a site sends to another: packets a clock. */
static double add_pair(struct sums *sums, int site, int target, const struct pr_route *routes, double packets,
                       double words)
{
    for (int cut = 0; cut < sums->cut_count; cut++) {
        bool beyond = is_beyond(sums->mesh, cut, site);
        if (is_beyond(sums->mesh, cut, target) != beyond)
            sums->cuts[cut].words[beyond] += packets * words;
    }
    if (sums->routed)
        walk(sums, site, target, routes, packets * words);
    if (!sums->timed)
        return 0;
    double there = idle_latency(sums->mesh, site, target, words);
    double back = site == target ? 0 : idle_latency(sums->mesh, target, site, LEAST_WORDS);
    sums->packets += packets;
    sums->latencies += packets * there;
    return packets * (there + back);
}

static void add_source(struct sums *sums, int site)
{
    const struct mesh_config *mesh = sums->mesh;
    struct pr_route *routes = mesh_has_routes(mesh) && sums->routed ? mesh_routes(mesh, (unsigned)site) : NULL;
    double injected = 0, held = 0;
    if (mesh_has_routes(mesh) && sums->routed && !routes)
        abort();
    for (unsigned kind = 0; kind < traffic_kinds(sums->traffic); kind++) {
        struct traffic_flow flow = traffic_flow(sums->traffic, kind, (uint32_t)site, sums->shares);
        double any_other = flow.others / (mesh_operators(mesh) > 1 ? mesh_operators(mesh) - 1 : 1);
        injected += flow.packets * flow.words;
        for (int target = 0; target < mesh->sites; target++) {
            if (mesh_is_switch(mesh, target))
                continue;
            double share = sums->shares[target];
            sums->ejected[target] += flow.packets * (share + any_other * (1 - share)) * flow.one_words;
            if (share > 0)
                held += add_pair(sums, site, target, routes, flow.packets * share, flow.one_words);
        }
    }
    free(routes);
    sums->injected_most = fmax(sums->injected_most, injected);
    sums->held_most = fmax(sums->held_most, held);
}

static double most(const double *values, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, values[i]);
    return most;
}

/* Where nothing is carried there is no bound. */
static double bound(double capacity, double at_full_load)
{
    return at_full_load > 0 ? capacity / at_full_load : 0;
}

static double bisection(const struct sums *sums)
{
    double crossing = 0; /* words a clock and link */
    for (int cut = 0; cut < sums->cut_count; cut++)
        for (int way = 0; way < 2; way++)
            if (sums->cuts[cut].links[way])
                crossing = fmax(crossing, sums->cuts[cut].words[way] / sums->cuts[cut].links[way]);
    return bound(1, crossing);
}

static bool has_multicasts(const struct traffic_options *traffic)
{
    bool some = !traffic->class_count && traffic->multicast > 0;
    for (unsigned i = 0; i < traffic->class_count; i++)
        some = some || traffic->classes[i].multicast > 0;
    return some;
}

static void decide(struct sums *sums, const struct experiment_options *options, bool native)
{
    const struct mesh_config *mesh = sums->mesh;
    const struct discipline_code *code = mesh->discipline->code;
    bool graph = mesh->topology == PR_TOPOLOGY_GRAPH, sourced = mesh_has_routes(mesh);
    bool word_a_clock = !mesh->board_links && (!mesh->discipline->lines || sourced);
    bool plain = !options->model && !options->fault_count && !has_multicasts(&options->traffic);
    bool ordered = word_a_clock && plain && code && code->idle_clocks && code->idle_clocks(mesh, 1, 0) > 0;
    sums->timed = ordered && native;
    sums->routed = ordered || (word_a_clock && plain && sourced);
    sums->cut_count = !word_a_clock || graph ? 0 : mesh_is_hypercube(mesh) ? mesh->dimensions : 4;
    if (!sourced && !graph)
        direction_map_init(&sums->map, mesh, false, false);
}

/* What a hop of any pair asks for. */
static void look_up_hops(struct sums *sums)
{
    const struct mesh_config *mesh = sums->mesh;
    for (int site = 0; site < mesh->sites; site++) {
        sums->places[site] = direction_place(&sums->map, (uint32_t)mesh_address(mesh, site));
        for (int link = 0; link < mesh->links; link++)
            sums->far_ends[site * mesh->links + link] = mesh_far_end(mesh, site, link);
    }
}

static bool allocate(struct sums *sums)
{
    size_t sites = (size_t)sums->mesh->sites;
    size_t links = sites * (size_t)sums->mesh->links;
    sums->link_words = calloc(links, sizeof *sums->link_words);
    sums->places = calloc(sites, sizeof *sums->places);
    sums->far_ends = calloc(links, sizeof *sums->far_ends);
    sums->ejected = calloc(sites, sizeof *sums->ejected);
    sums->shares = calloc(sites, sizeof *sums->shares);
    return sums->link_words && sums->places && sums->far_ends && sums->ejected && sums->shares;
}

struct load_bounds load_bounds(const struct mesh_config *mesh, const struct experiment_options *options,
                               const struct traffic *traffic, bool native)
{
    struct sums sums = {.mesh = mesh, .traffic = traffic};
    struct load_bounds bounds = {{0}, 0};
    if (options->traffic.trace || options->traffic.groups || options->traffic.broadcast_every ||
        mesh->sites > SITES_MOST)
        return bounds;
    if (!allocate(&sums))
        abort();
    decide(&sums, options, native);
    look_up_hops(&sums);
    count_cut_links(&sums);
    for (int site = 0; site < mesh->sites; site++)
        if (!mesh_is_switch(mesh, site))
            add_source(&sums, site);
    bounds.load[BOUND_BISECTION] = bisection(&sums);
    bounds.load[BOUND_CHANNEL] = bound(1, most(sums.link_words, mesh->sites * mesh->links));
    bounds.load[BOUND_INJECTION] = bound(1, sums.injected_most);
    bounds.load[BOUND_EJECTION] = bound(1, most(sums.ejected, mesh->sites));
    bounds.load[BOUND_STORAGE] = mesh->reliable ? bound(options->window, sums.held_most) : 0;
    bounds.zero_load_latency = sums.timed ? sums.latencies / sums.packets : 0;
    free(sums.link_words);
    free(sums.places);
    free(sums.far_ends);
    free(sums.ejected);
    free(sums.shares);
    return bounds;
}
