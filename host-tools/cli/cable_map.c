/* See cable_map.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/cable_map.h"
#include "support/or_abort.h"

#include <stdlib.h>
#include <string.h>

/* The number of each place, MAPPER_NOTHING so far, and the place of each number. */
struct numbering {
    const struct mapper *mapper;
    const struct mesh_config *mesh, *file;
    int site_of[MAPPER_PLACES_MAX];
    int place_of[PR_GRAPH_SITES_MAX];
};

static bool is_switch(const struct mapper *mapper, int place)
{
    return mapper->places[place].site == MAPPER_NOTHING;
}

static void give(struct numbering *numbering, int place, int site)
{
    numbering->site_of[place] = site;
    numbering->place_of[site] = place;
}

static void number_operators(struct numbering *numbering)
{
    memset(numbering->site_of, 0xff, sizeof numbering->site_of);
    memset(numbering->place_of, 0xff, sizeof numbering->place_of);
    for (int place = 0; place < numbering->mapper->count; place++) {
        int site = numbering->mapper->places[place].site;
        if (site >= 0 && site < numbering->mesh->sites)
            give(numbering, place, site);
    }
}

/* The switch of the file that most numbered neighbours of a place have where the place is, if no place has it yet. */
static int number_in_file(const struct numbering *numbering, int place, bool by_operators)
{
    const struct mapper *mapper = numbering->mapper;
    unsigned votes[PR_GRAPH_SITES_MAX] = {0};
    int best = MAPPER_NOTHING;
    for (unsigned link = 0; link < mapper->links; link++) {
        struct mapper_end end = mapper_far_end(mapper, place, link);
        if (end.place < 0 || end.link < 0 || numbering->site_of[end.place] < 0 ||
            (by_operators && is_switch(mapper, end.place)))
            continue;
        int site = mesh_far_end(numbering->file, numbering->site_of[end.place], end.link).site;
        if (site < 0 || !mesh_is_switch(numbering->file, site) || numbering->place_of[site] >= 0)
            continue;
        votes[site]++;
        if (best < 0 || votes[site] > votes[best])
            best = site;
    }
    return best;
}

static void number_by_file(struct numbering *numbering)
{
    for (int round = 0; round <= numbering->mapper->count; round++)
        for (int place = 0; place < numbering->mapper->count; place++) {
            int site = numbering->site_of[place] < 0 ? number_in_file(numbering, place, round == 0) : MAPPER_NOTHING;
            if (site >= 0)
                give(numbering, place, site);
        }
}

/* The lowest operator beside a switch; a number behind all sites if there is none. */
static int lowest_operator(const struct numbering *numbering, int place)
{
    const struct mapper *mapper = numbering->mapper;
    int lowest = numbering->mesh->sites;
    for (unsigned link = 0; link < mapper->links; link++) {
        int behind = mapper->places[place].behind[link];
        if (behind >= 0 && !is_switch(mapper, behind) && mapper->places[behind].site < lowest)
            lowest = mapper->places[behind].site;
    }
    return lowest;
}

/* The switch without a number that is the next one. */
static int next_switch(const struct numbering *numbering)
{
    int next = MAPPER_NOTHING;
    for (int place = 0; place < numbering->mapper->count; place++)
        if (numbering->site_of[place] < 0 && is_switch(numbering->mapper, place) &&
            (next < 0 || lowest_operator(numbering, place) < lowest_operator(numbering, next)))
            next = place;
    return next;
}

/* Returns how many get none. */
static unsigned number_the_rest(struct numbering *numbering)
{
    int left = 0, site = numbering->mesh->sites, place;
    for (place = 0; place < numbering->mapper->count; place++)
        left += numbering->site_of[place] < 0 && is_switch(numbering->mapper, place);
    for (int free = 0; free < left && site > 0;)
        free += numbering->place_of[--site] < 0;
    for (; site < numbering->mesh->sites && (place = next_switch(numbering)) >= 0; site++)
        if (numbering->place_of[site] < 0) {
            give(numbering, place, site);
            left--;
        }
    return (unsigned)left;
}

static struct cable_map_end *place_of_end(const struct cable_map *map, int site, int link)
{
    return &map->ends[site * map->mesh->links + link];
}

struct cable_map_end cable_map_end(const struct cable_map *map, int site, int link)
{
    return *place_of_end(map, site, link);
}

static void take_place(struct cable_map *map, const struct numbering *numbering, int place)
{
    int site = numbering->site_of[place];
    map->switches[site] = is_switch(numbering->mapper, place);
    for (int link = 0; link < map->mesh->links; link++) {
        struct mapper_end end = mapper_far_end(numbering->mapper, place, (unsigned)link);
        struct cable_map_end *out = place_of_end(map, site, link);
        out->site = end.place < 0 ? end.place : numbering->site_of[end.place];
        out->link = end.link;
        if (end.place >= 0 && out->site < 0)
            out->site = MAPPER_UNSURE;
        map->unsure += out->site == MAPPER_UNSURE;
    }
}

void cable_map_make(struct cable_map *map, const struct mapper *mapper, const struct mesh_config *mesh,
                    const struct mesh_config *file)
{
    struct numbering numbering = {.mapper = mapper, .mesh = mesh, .file = file};
    *map = (struct cable_map){.mesh = mesh,
                              .ends = or_abort(calloc((size_t)mesh->sites * (size_t)mesh->links, sizeof *map->ends)),
                              .switches = or_abort(calloc((size_t)mesh->sites, sizeof *map->switches)),
                              .too_far = mapper->too_far,
                              .scouts = mapper->probes};
    for (int i = 0; i < mesh->sites * mesh->links; i++)
        map->ends[i].site = MAPPER_NOTHING;
    number_operators(&numbering);
    if (file)
        number_by_file(&numbering);
    map->surplus = number_the_rest(&numbering);
    for (int place = 0; place < mapper->count; place++)
        if (numbering.site_of[place] >= 0)
            take_place(map, &numbering, place);
}

/* The same number of the cables between two switches, at the other one. */
static int link_of_several(const struct cable_map *map, int site, int link)
{
    int other = cable_map_end(map, site, link).site, before = 0, back = 0;
    for (int k = 0; k < link; k++)
        before += cable_map_end(map, site, k).site == other;
    for (; back < map->mesh->links; back++)
        if (cable_map_end(map, other, back).site == site && before-- == 0)
            return back;
    return MAPPER_NOTHING;
}

static void put_end(const struct cable_map *map, int site, int link, struct mesh_config *mesh)
{
    struct cable_map_end end = cable_map_end(map, site, link);
    int back = end.site >= 0 && end.link < 0 ? link_of_several(map, site, link) : end.link;
    if (end.site < 0 || back < 0 || mesh->cable_end_count == 2 * MESH_CABLES_MAX)
        return;
    mesh->cable_ends[mesh->cable_end_count++] = (struct pr_cable){.site = (uint16_t)site,
                                                                  .link = (uint8_t)link,
                                                                  .far_site = (uint16_t)end.site,
                                                                  .far_link = (uint8_t)back,
                                                                  .delay = 1};
}

void cable_map_put(const struct cable_map *map, struct mesh_config *mesh)
{
    mesh->cable_end_count = 0;
    memset(mesh->switches, 0, sizeof mesh->switches);
    for (int site = 0; site < mesh->sites; site++) {
        if (map->switches[site])
            mesh->switches[site / 64] |= (uint64_t)1 << site % 64;
        for (int link = 0; link < mesh->links; link++)
            put_end(map, site, link, mesh);
    }
}

int cable_map_find(struct gateway *gateway, const struct mesh_config *file, struct cable_map *map)
{
    struct mapper mapper;
    *map = (struct cable_map){.mesh = &gateway->mesh};
    int status = scouts_map(gateway, &mapper);
    if (status == EXIT_OK)
        cable_map_make(map, &mapper, &gateway->mesh, file);
    mapper_free(&mapper);
    return status;
}

void cable_map_free(struct cable_map *map)
{
    free(map->ends);
    free(map->switches);
}
