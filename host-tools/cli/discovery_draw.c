/* The picture of a discovery. North is up: y grows upwards.
 *
 *    ~~ 2 --- 3 ~~      --- good   -?- one end only   ... unknown   nothing: missing
 *       |     |         ~~  good, round to the other side (torus, hypercube)
 *    ~~ 0 --- 1 ~~      [0] the gateway   xx a silent site
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/discovery.h"

#include "mesh/topology_view.h"
#include "support/or_abort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The places of sites: a grid of columns and rows. Hypercubes of up to four dimensions are drawn as a torus whose
 * coordinates count in Gray code. */
struct picture {
    const struct discovery *discovery;
    struct topology_picture shape;
    int *sites; /* row by row */
    int gateway_site, width;
};

static int site_at(const struct picture *picture, int column, int row)
{
    return picture->sites[row * picture->shape.columns + column];
}

/* The link from one place to the next, across the edge to the first one again. `upwards` is 0 for east, 1 for
 * north. */
static enum link_state link_at(const struct picture *picture, int column, int row, bool upwards)
{
    int next_column = upwards ? column : (column + 1) % picture->shape.columns;
    int next_row = upwards ? (row + 1) % picture->shape.rows : row;
    int site = site_at(picture, column, row), next = site_at(picture, next_column, next_row), link = 0;
    while (mesh_far_end(picture->discovery->mesh, site, link).site != next)
        link++;
    return discovery_link(picture->discovery, site, link);
}

static void draw_site(const struct picture *picture, int site)
{
    char name[16];
    snprintf(name, sizeof name, site == picture->gateway_site ? "[%d]" : " %d ", site);
    if (!picture->discovery->present[site])
        snprintf(name, sizeof name, " xx ");
    printf("%*s", picture->width, name);
}

static const char *horizontal(enum link_state state)
{
    static const char *const texts[] = {"   ", "---", "-?-", "   ", "-!-", "...", "..."};
    return texts[state];
}

static char vertical(enum link_state state)
{
    static const char letters[] = {' ', '|', '?', ' ', '!', '.', '.'};
    return letters[state];
}

static const char *around(enum link_state state)
{
    static const char *const texts[] = {"  ", "~~", "~?", "  ", "~!", "..", ".."};
    return texts[state];
}

static void draw_row(const struct picture *picture, int row)
{
    const char *side = picture->shape.columns_wrap ? around(link_at(picture, picture->shape.columns - 1, row, false))
                                                   : "  ";
    printf("  %s", side);
    for (int column = 0; column < picture->shape.columns; column++) {
        draw_site(picture, site_at(picture, column, row));
        if (column + 1 < picture->shape.columns)
            fputs(horizontal(link_at(picture, column, row, false)), stdout);
    }
    puts(picture->shape.columns_wrap ? side : "");
}

/* Draws the lines above a row; '~' marks a link that leads round the torus. */
static void draw_lines(const struct picture *picture, int row, bool leads_around)
{
    printf("    ");
    for (int column = 0; column < picture->shape.columns; column++) {
        enum link_state state = link_at(picture, column, row, true);
        char letter = leads_around && state == LINK_GOOD ? '~' : vertical(state);
        printf("%*c%s", picture->width - 1, letter, column + 1 < picture->shape.columns ? "    " : "");
    }
    putchar('\n');
}

static void draw_picture(const struct picture *picture)
{
    if (picture->shape.rows_wrap)
        draw_lines(picture, picture->shape.rows - 1, true);
    for (int row = picture->shape.rows - 1; row >= 0; row--) {
        draw_row(picture, row);
        if (row > 0)
            draw_lines(picture, row - 1, false);
    }
    if (picture->shape.rows_wrap)
        draw_lines(picture, picture->shape.rows - 1, true);
}

/* A neighbour; where only the cables tell, with the links of both ends. */
static void draw_neighbour(const struct mesh_config *mesh, int site, int link)
{
    struct pr_far_end far = mesh_far_end(mesh, site, link);
    if (topology_view(mesh)->cabled)
        printf(" %d-%d.%u", link, far.site, far.link);
    else
        printf(" %d", far.site);
}

static void draw_list(const struct discovery *discovery)
{
    const struct mesh_config *mesh = discovery->mesh;
    for (int site = 0; site < mesh->sites; site++) {
        bool is_switch = mesh_is_switch(mesh, site);
        printf("%6d%s:", site, is_switch ? " (switch)" : discovery->present[site] ? "" : " (silent)");
        for (int link = 0; link < mesh->links; link++) {
            enum link_state state = discovery_link(discovery, site, link);
            if (state == LINK_GOOD || state == LINK_UNASKED)
                draw_neighbour(mesh, site, link);
        }
        putchar('\n');
    }
}

static int *sites_by_place(const struct mesh_config *mesh, const struct topology_picture *shape)
{
    int *sites = or_abort(calloc((size_t)mesh->sites, sizeof *sites));
    for (int site = 0; site < mesh->sites; site++) {
        struct topology_place place = topology_view(mesh)->place(mesh, site);
        sites[place.row * shape->columns + place.column] = site;
    }
    return sites;
}

void discovery_draw(const struct discovery *discovery, int gateway_site)
{
    const struct mesh_config *mesh = discovery->mesh;
    struct picture picture = {.discovery = discovery, .gateway_site = gateway_site};
    char widest[16];
    picture.shape = topology_view(mesh)->picture(mesh);
    if (!picture.shape.columns) {
        draw_list(discovery);
        return;
    }
    picture.sites = sites_by_place(mesh, &picture.shape);
    picture.width = 2 + snprintf(widest, sizeof widest, "%d", mesh->sites - 1);
    if (picture.width < 4)
        picture.width = 4;
    draw_picture(&picture);
    free(picture.sites);
}
