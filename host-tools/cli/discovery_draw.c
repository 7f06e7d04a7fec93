/* The picture of a discovery. North is up: y grows upwards.
 *
 *    ~~ 2 --- 3 ~~      --- good   -?- one end only   ... unknown   nothing: missing
 *       |     |         ~~  good, round to the other side (torus, hypercube)
 *    ~~ 0 --- 1 ~~      [0] the gateway   xx a silent site
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/discovery.h"

#include <stdio.h>
#include <string.h>

enum { DRAWN_DIMENSIONS = 4 };

/* The places of sites: a grid of columns and rows. Hypercubes of up to four dimensions are drawn as a torus whose
 * coordinates count in Gray code. */
struct picture {
    const struct discovery *discovery;
    int columns, rows, gateway_site, width;
    bool columns_wrap, rows_wrap; /* a link leads from the last to the first */
};

static int gray(int value)
{
    return value ^ value >> 1;
}

static int site_at(const struct picture *picture, int column, int row)
{
    const struct mesh_config *mesh = picture->discovery->mesh;
    if (mesh->topology != PR_TOPOLOGY_HYPERCUBE)
        return row * mesh->size_x + column;
    return gray(column) | gray(row) * picture->columns;
}

/* The link from one place to the next, across the edge to the first one again. `upwards` is 0 for east, 1 for
 * north. */
static enum link_state link_at(const struct picture *picture, int column, int row, bool upwards)
{
    const struct mesh_config *mesh = picture->discovery->mesh;
    int site = site_at(picture, column, row), link = upwards ? 2 : 0;
    if (mesh->topology == PR_TOPOLOGY_HYPERCUBE) {
        int next_column = upwards ? column : (column + 1) % picture->columns;
        int next_row = upwards ? (row + 1) % picture->rows : row;
        int difference = site ^ site_at(picture, next_column, next_row);
        for (link = 0; difference > 1; link++)
            difference >>= 1;
    }
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
    static const char *const texts[] = {"   ", "---", "-?-", "   ", "-!-", "..."};
    return texts[state];
}

static char vertical(enum link_state state)
{
    static const char letters[] = {' ', '|', '?', ' ', '!', '.'};
    return letters[state];
}

static const char *around(enum link_state state)
{
    static const char *const texts[] = {"  ", "~~", "~?", "  ", "~!", ".."};
    return texts[state];
}

static void draw_row(const struct picture *picture, int row)
{
    const char *side = picture->columns_wrap ? around(link_at(picture, picture->columns - 1, row, false)) : "  ";
    printf("  %s", side);
    for (int column = 0; column < picture->columns; column++) {
        draw_site(picture, site_at(picture, column, row));
        if (column + 1 < picture->columns)
            fputs(horizontal(link_at(picture, column, row, false)), stdout);
    }
    puts(picture->columns_wrap ? side : "");
}

/* Draws the lines above a row; '~' marks a link that leads round the torus. */
static void draw_lines(const struct picture *picture, int row, bool leads_around)
{
    printf("    ");
    for (int column = 0; column < picture->columns; column++) {
        enum link_state state = link_at(picture, column, row, true);
        char letter = leads_around && state == LINK_GOOD ? '~' : vertical(state);
        printf("%*c%s", picture->width - 1, letter, column + 1 < picture->columns ? "    " : "");
    }
    putchar('\n');
}

static void draw_picture(const struct picture *picture)
{
    if (picture->rows_wrap)
        draw_lines(picture, picture->rows - 1, true);
    for (int row = picture->rows - 1; row >= 0; row--) {
        draw_row(picture, row);
        if (row > 0)
            draw_lines(picture, row - 1, false);
    }
    if (picture->rows_wrap)
        draw_lines(picture, picture->rows - 1, true);
}

static void draw_list(const struct discovery *discovery)
{
    for (int site = 0; site < discovery->mesh->sites; site++) {
        printf("%6d%s:", site, discovery->present[site] ? "" : " (silent)");
        for (int link = 0; link < discovery->mesh->links; link++)
            if (discovery_link(discovery, site, link) == LINK_GOOD)
                printf(" %d", mesh_neighbour(discovery->mesh, site, link));
        putchar('\n');
    }
}

void discovery_draw(const struct discovery *discovery, int gateway_site)
{
    const struct mesh_config *mesh = discovery->mesh;
    char widest[16];
    bool cube = mesh->topology == PR_TOPOLOGY_HYPERCUBE;
    struct picture picture = {
        .discovery = discovery, .columns = mesh->size_x, .rows = mesh->size_y, .gateway_site = gateway_site};
    if (cube && mesh->dimensions > DRAWN_DIMENSIONS) {
        draw_list(discovery);
        return;
    }
    if (cube) {
        picture.columns = 1 << (mesh->dimensions + 1) / 2;
        picture.rows = 1 << mesh->dimensions / 2;
    }
    /* In a hypercube only one link joins two places; with four places, Gray code closes the ring. */
    picture.columns_wrap = cube ? picture.columns > 2 : mesh->topology == PR_TOPOLOGY_TORUS && mesh->size_x > 1;
    picture.rows_wrap = cube ? picture.rows > 2 : mesh->topology == PR_TOPOLOGY_TORUS && mesh->size_y > 1;
    picture.width = 2 + snprintf(widest, sizeof widest, "%d", mesh->sites - 1);
    if (picture.width < 4)
        picture.width = 4;
    draw_picture(&picture);
}
