/* The map of `postroad top`. Each digit is the load of one direction of a link: 9 is the busiest one of the mesh, and
 * there is none below a hundredth of that. North is up.
 *
 *      2 4-- 3     a digit at the side of the site that sends; of a vertical line, upwards at the left
 *    4|2   -|-
 *      0 1-3 1     xx a silent site, ? what it sends
 *
 * Where there is less room a link has one digit, of the busier direction: 2-4-3.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/topology_view.h"
#include "postroad/top_view.h"
#include "support/or_abort.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDE_LINK = 5, TIGHT_LINK = 3, EDGE_WIDTH = 3, LEVELS = 9, LEAST_PART = 100, LABEL_LEAST = 2 };
enum { UNKNOWN = -1, IDLE = 0 /* else a digit */ };

struct map {
    const struct top_view *view;
    struct page *page;
    struct topology_picture shape;
    struct box box;
    int *sites; /* row by row, from below */
    int label;  /* letters of a site's number */
    int link;   /* columns between two sites */
    double busiest;
};

static int site_at(const struct map *map, int column, int row)
{
    return map->sites[row * map->shape.columns + column];
}

static int x_of(const struct map *map, int column)
{
    return map->box.x + (map->shape.columns_wrap ? EDGE_WIDTH : 0) + column * (map->label + map->link);
}

static int y_of(const struct map *map, int row)
{
    return map->box.y + (map->shape.rows_wrap ? 1 : 0) + 2 * (map->shape.rows - 1 - row);
}

/* An output that leads from one site to another: the first, or the last, where two of the same site do (a ring of two).
 */
static int link_between(const struct mesh_config *mesh, int site, int to, bool last)
{
    int found = -1;
    for (int link = 0; link < mesh->links; link++)
        if (mesh_far_end(mesh, site, link).site == to && (found < 0 || last))
            found = link;
    return found;
}

static int load_of(const struct map *map, int site, int link)
{
    const struct top_site *one = &map->view->model->sites[site];
    unsigned port = (unsigned)link + 1;
    double rate = port < map->view->model->ports ? top_rate(one, PR_COUNTER_WORDS_OUT + port) : 0;
    if (!one->answers)
        return UNKNOWN;
    return rate > 0 && rate >= map->busiest / LEAST_PART ? (int)ceil(LEVELS * rate / map->busiest) : IDLE;
}

static void draw_load(const struct map *map, int x, int y, int load, char idle)
{
    if (load > IDLE)
        page_put(map->page, x, y, STYLE_GOOD + (load - 1) * (STYLE_BAD - STYLE_GOOD + 1) / LEVELS, "%d", load);
    else
        page_put(map->page, x, y, PAGE_PLAIN, "%c", load == IDLE ? idle : '?');
}

/* The line of a link in three columns, whose middle is `line`: what the first and the second end send. */
static void draw_link(const struct map *map, int x, int y, char line, char idle, int first, int second)
{
    page_put(map->page, x + 1, y, PAGE_PLAIN, "%c", line);
    if (map->link == WIDE_LINK) {
        draw_load(map, x, y, first, idle);
        draw_load(map, x + 2, y, second, idle);
        return;
    }
    page_put(map->page, x, y, PAGE_PLAIN, "%c", idle);
    page_put(map->page, x + 2, y, PAGE_PLAIN, "%c", idle);
    draw_load(map, x + 1, y, first > second ? first : second, line);
}

static void draw_horizontal(const struct map *map, int column, int row)
{
    const struct mesh_config *mesh = map->view->model->mesh;
    int site = site_at(map, column, row), next = site_at(map, column + 1, row);
    int link = link_between(mesh, site, next, false), back = (int)mesh_far_end(mesh, site, link).link;
    draw_link(map, x_of(map, column) + map->label + (map->link - TIGHT_LINK) / 2, y_of(map, row), '-', '-',
              load_of(map, site, link), load_of(map, next, back));
}

static void draw_vertical(const struct map *map, int column, int row)
{
    const struct mesh_config *mesh = map->view->model->mesh;
    int site = site_at(map, column, row), next = site_at(map, column, row + 1);
    int link = link_between(mesh, site, next, false), back = (int)mesh_far_end(mesh, site, link).link;
    draw_link(map, x_of(map, column) + map->label - 2, y_of(map, row) - 1, '|', ' ', load_of(map, site, link),
              load_of(map, next, back));
}

/* The links that lead round to the other side: what each end sends, beside it. */
static void draw_sides(const struct map *map, int row)
{
    const struct mesh_config *mesh = map->view->model->mesh;
    int west = site_at(map, 0, row), east = site_at(map, map->shape.columns - 1, row), y = y_of(map, row);
    int link = link_between(mesh, east, west, true), x = x_of(map, map->shape.columns - 1) + map->label;
    page_put(map->page, map->box.x, y, PAGE_PLAIN, "~");
    draw_load(map, map->box.x + 1, y, load_of(map, west, (int)mesh_far_end(mesh, east, link).link), '~');
    draw_load(map, x + 1, y, load_of(map, east, link), '~');
    page_put(map->page, x + 2, y, PAGE_PLAIN, "~");
}

static void draw_ends(const struct map *map, int column)
{
    const struct mesh_config *mesh = map->view->model->mesh;
    int south = site_at(map, column, 0), north = site_at(map, column, map->shape.rows - 1);
    int link = link_between(mesh, north, south, true), x = x_of(map, column) + map->label - 1;
    draw_load(map, x, y_of(map, map->shape.rows - 1) - 1, load_of(map, north, link), '~');
    draw_load(map, x, y_of(map, 0) + 1, load_of(map, south, (int)mesh_far_end(mesh, north, link).link), '~');
}

static void draw_site(const struct map *map, int column, int row)
{
    int site = site_at(map, column, row), x = x_of(map, column), y = y_of(map, row);
    const struct top_site *one = &map->view->model->sites[site];
    enum top_health health = top_health(one);
    int style = health >= TOP_OVERRUN ? PAGE_BAD : health > TOP_WELL ? (int)STYLE_DOUBTFUL : PAGE_PLAIN;
    if (health == TOP_SILENT)
        page_put(map->page, x, y, style, "%*s", map->label, "xx");
    else
        page_put(map->page, x, y, style, "%*d", map->label, site);
    if (site == map->view->selected)
        page_style(map->page, &(struct box){x, y, map->label, 1}, PAGE_REVERSE);
}

static void draw_map(const struct map *map)
{
    for (int row = 0; row < map->shape.rows; row++) {
        for (int column = 0; column < map->shape.columns; column++) {
            draw_site(map, column, row);
            if (column + 1 < map->shape.columns)
                draw_horizontal(map, column, row);
            if (row + 1 < map->shape.rows)
                draw_vertical(map, column, row);
        }
        if (map->shape.columns_wrap)
            draw_sides(map, row);
    }
    for (int column = 0; column < map->shape.columns && map->shape.rows_wrap; column++)
        draw_ends(map, column);
}

static void place_sites(struct map *map)
{
    const struct mesh_config *mesh = map->view->model->mesh;
    map->sites = or_abort(calloc((size_t)mesh->sites, sizeof *map->sites));
    for (int site = 0; site < mesh->sites; site++) {
        struct topology_place place = topology_view(mesh)->place(mesh, site);
        map->sites[place.row * map->shape.columns + place.column] = site;
    }
}

static int map_width(const struct map *map)
{
    return map->shape.columns * (map->label + map->link) - map->link +
           (map->shape.columns_wrap ? 2 * EDGE_WIDTH : 1 /* of the last vertical line */);
}

struct box top_draw_map(const struct top_view *view, struct page *page, const struct box *room, int comfort)
{
    const struct mesh_config *mesh = view->model->mesh;
    struct map map = {.view = view, .page = page, .shape = topology_view(mesh)->picture(mesh), .box = *room};
    map.label = snprintf(NULL, 0, "%d", mesh->sites - 1);
    map.label = map.label < LABEL_LEAST ? LABEL_LEAST : map.label;
    map.link = WIDE_LINK;
    map.link = map_width(&map) <= comfort ? WIDE_LINK : TIGHT_LINK;
    map.box.width = map_width(&map);
    map.box.height = 2 * map.shape.rows - 1 + (map.shape.rows_wrap ? 2 : 0);
    if (!map.shape.columns)
        return (struct box){room->x, room->y, 0, 0};
    if (map.box.width > room->width || map.box.height > room->height)
        return map.box;
    map.busiest = top_busiest(view->model);
    place_sites(&map);
    draw_map(&map);
    free(map.sites);
    return map.box;
}
