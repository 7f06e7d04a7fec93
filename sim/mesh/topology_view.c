/* See topology_view.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/topology_view.h"

#include <stdio.h>

/* ---- grid and torus: a plane ---- */

static void plane_describe(const struct mesh_config *mesh, char out[TOPOLOGY_TEXT])
{
    snprintf(out, TOPOLOGY_TEXT, "%s %dx%d", mesh_topology_name(mesh->topology), mesh->size_x, mesh->size_y);
}

static const char *plane_link_name(int link)
{
    static const char *const names[] = {"east", "west", "north", "south"};
    return link >= 0 && link < 4 ? names[link] : "none";
}

/* East and north. */
static bool plane_leads_away(const struct mesh_config *mesh, int site, int link)
{
    (void)mesh, (void)site;
    return link % 2 == 0;
}

static int column(const struct mesh_config *mesh, int site)
{
    return site % mesh->size_x;
}

static int row(const struct mesh_config *mesh, int site)
{
    return site / mesh->size_x;
}

static int along_line(int from, int to)
{
    return from > to ? from - to : to - from;
}

static int along_ring(int from, int to, int size)
{
    int straight = along_line(from, to);
    return size - straight < straight ? size - straight : straight;
}

static int grid_hops(const struct mesh_config *mesh, int from, int to)
{
    return along_line(column(mesh, from), column(mesh, to)) + along_line(row(mesh, from), row(mesh, to));
}

static int torus_hops(const struct mesh_config *mesh, int from, int to)
{
    return along_ring(column(mesh, from), column(mesh, to), mesh->size_x) +
           along_ring(row(mesh, from), row(mesh, to), mesh->size_y);
}

static int plane_turns(const struct mesh_config *mesh, int from, int to)
{
    return column(mesh, from) != column(mesh, to) && row(mesh, from) != row(mesh, to);
}

static int grid_diameter(const struct mesh_config *mesh)
{
    return mesh->size_x - 1 + mesh->size_y - 1;
}

static int torus_diameter(const struct mesh_config *mesh)
{
    return mesh->size_x / 2 + mesh->size_y / 2;
}

static struct topology_picture grid_picture(const struct mesh_config *mesh)
{
    return (struct topology_picture){.columns = mesh->size_x, .rows = mesh->size_y};
}

static struct topology_picture torus_picture(const struct mesh_config *mesh)
{
    return (struct topology_picture){mesh->size_x, mesh->size_y, mesh->size_x > 1, mesh->size_y > 1};
}

static struct topology_place plane_place(const struct mesh_config *mesh, int site)
{
    return (struct topology_place){column(mesh, site), row(mesh, site)};
}

static int plane_middle(const struct mesh_config *mesh)
{
    return (mesh->sites + (mesh->size_y > 1 ? mesh->size_x : 0)) / 2;
}

static bool plane_square(const struct mesh_config *mesh)
{
    return mesh->size_x == mesh->size_y;
}

static int plane_transposed(const struct mesh_config *mesh, int site)
{
    return column(mesh, site) * mesh->size_x + row(mesh, site);
}

/* Half way round, were it a ring. */
static int plane_tornado(const struct mesh_config *mesh, int site)
{
    int x = (column(mesh, site) + (mesh->size_x + 1) / 2 - 1) % mesh->size_x;
    int y = (row(mesh, site) + (mesh->size_y + 1) / 2 - 1) % mesh->size_y;
    return y * mesh->size_x + x;
}

/* ---- hypercube ---- */

static void cube_describe(const struct mesh_config *mesh, char out[TOPOLOGY_TEXT])
{
    snprintf(out, TOPOLOGY_TEXT, "%s, %d dimensions", mesh_topology_name(mesh->topology), mesh->dimensions);
}

static const char *cube_link_name(int link)
{
    static char text[TOPOLOGY_TEXT];
    snprintf(text, sizeof text, "dimension %d", link);
    return text;
}

/* From the lower address. */
static bool cube_leads_away(const struct mesh_config *mesh, int site, int link)
{
    (void)mesh;
    return !(site >> link & 1);
}

static int cube_hops(const struct mesh_config *mesh, int from, int to)
{
    (void)mesh;
    return __builtin_popcount((unsigned)(from ^ to));
}

static int cube_turns(const struct mesh_config *mesh, int from, int to)
{
    return from == to ? 0 : cube_hops(mesh, from, to) - 1;
}

static int cube_diameter(const struct mesh_config *mesh)
{
    return mesh->dimensions;
}

/* Up to four dimensions are drawn as a torus whose coordinates count in Gray code. Only one link joins two places; with
 * four places, Gray code closes the ring. */
static struct topology_picture cube_picture(const struct mesh_config *mesh)
{
    enum { DRAWN_DIMENSIONS = 4 };
    if (mesh->dimensions > DRAWN_DIMENSIONS)
        return (struct topology_picture){0};
    int columns = 1 << (mesh->dimensions + 1) / 2, rows = 1 << mesh->dimensions / 2;
    return (struct topology_picture){columns, rows, columns > 2, rows > 2};
}

static int place_in_gray_code(int code)
{
    int place = code;
    while (code >>= 1)
        place ^= code;
    return place;
}

static struct topology_place cube_place(const struct mesh_config *mesh, int site)
{
    int column_bits = (mesh->dimensions + 1) / 2;
    return (struct topology_place){place_in_gray_code(site & ((1 << column_bits) - 1)),
                                   place_in_gray_code(site >> column_bits)};
}

static int half_of_sites(const struct mesh_config *mesh)
{
    return mesh->sites / 2;
}

static bool cube_square(const struct mesh_config *mesh)
{
    return mesh->dimensions % 2 == 0;
}

static int cube_transposed(const struct mesh_config *mesh, int site)
{
    int half = mesh->dimensions / 2;
    return site >> half | (site & ((1 << half) - 1)) << half;
}

/* ---- graph ---- */

static void graph_describe(const struct mesh_config *mesh, char out[TOPOLOGY_TEXT])
{
    snprintf(out, TOPOLOGY_TEXT, "%s, %d sites", mesh_topology_name(mesh->topology), mesh->sites);
}

static const char *graph_link_name(int link)
{
    static char text[TOPOLOGY_TEXT];
    snprintf(text, sizeof text, "port %d", link);
    return text;
}

/* From the lower site. */
static bool graph_leads_away(const struct mesh_config *mesh, int site, int link)
{
    return mesh_far_end(mesh, site, link).site > site;
}

/* Links from a site to each; returns the most. */
static int graph_distances(const struct mesh_config *mesh, int from, int hops[PR_GRAPH_SITES_MAX])
{
    int queue[PR_GRAPH_SITES_MAX], count = 1, most = 0;
    for (int site = 0; site < mesh->sites; site++)
        hops[site] = site == from ? 0 : -1;
    queue[0] = from;
    for (int first = 0; first < count; first++)
        for (int link = 0; link < mesh->links; link++) {
            int far = mesh_far_end(mesh, queue[first], link).site;
            if (far < 0 || hops[far] >= 0)
                continue;
            most = hops[far] = hops[queue[first]] + 1;
            queue[count++] = far;
        }
    return most;
}

static int graph_hops(const struct mesh_config *mesh, int from, int to)
{
    int hops[PR_GRAPH_SITES_MAX];
    graph_distances(mesh, from, hops);
    return hops[to];
}

static int graph_turns(const struct mesh_config *mesh, int from, int to)
{
    (void)mesh, (void)from, (void)to;
    return 0;
}

static int graph_diameter(const struct mesh_config *mesh)
{
    int hops[PR_GRAPH_SITES_MAX], most = 0;
    for (int site = 0; site < mesh->sites; site++) {
        int longest = graph_distances(mesh, site, hops);
        most = longest > most ? longest : most;
    }
    return most;
}

static struct topology_picture graph_picture(const struct mesh_config *mesh)
{
    (void)mesh;
    return (struct topology_picture){0};
}

/* Row by row in a square. */
static struct topology_place graph_place(const struct mesh_config *mesh, int site)
{
    int side = 1;
    while (side * side < mesh->sites)
        side++;
    return (struct topology_place){site % side, site / side};
}

/* Where there is an operator. */
static int graph_middle(const struct mesh_config *mesh)
{
    int site = mesh->sites / 2;
    while (mesh_is_switch(mesh, site))
        site = (site + 1) % mesh->sites;
    return site;
}

static bool graph_square(const struct mesh_config *mesh)
{
    (void)mesh;
    return false;
}

/* ---- the table ---- */

static const struct topology_view views[] = {
    [PR_TOPOLOGY_GRID] = {"north, east, south or west", false, false, NULL, plane_describe, plane_link_name,
                          plane_leads_away, grid_hops, plane_turns, grid_diameter, grid_picture, plane_place,
                          plane_middle, plane_square, plane_transposed, plane_tornado},
    [PR_TOPOLOGY_TORUS] = {"north, east, south or west", false, false, NULL, plane_describe, plane_link_name,
                           plane_leads_away, torus_hops, plane_turns, torus_diameter, torus_picture, plane_place,
                           plane_middle, plane_square, plane_transposed, plane_tornado},
    [PR_TOPOLOGY_HYPERCUBE] = {"the number of a dimension", true, false, "dimension", cube_describe, cube_link_name,
                               cube_leads_away, cube_hops, cube_turns, cube_diameter, cube_picture, cube_place,
                               half_of_sites, cube_square, cube_transposed, NULL},
    [PR_TOPOLOGY_GRAPH] = {"the number of a port", true, true, "port", graph_describe, graph_link_name,
                           graph_leads_away, graph_hops, graph_turns, graph_diameter, graph_picture, graph_place,
                           graph_middle, graph_square, NULL, NULL},
};

const struct topology_view *topology_view(const struct mesh_config *mesh)
{
    return &views[mesh->topology];
}

const char *topology_describe(const struct mesh_config *mesh, char out[TOPOLOGY_TEXT])
{
    topology_view(mesh)->describe(mesh, out);
    return out;
}

const char *mesh_link_name(const struct mesh_config *mesh, int link)
{
    return topology_view(mesh)->link_name(link);
}

int mesh_hops(const struct mesh_config *mesh, int from, int to)
{
    return topology_view(mesh)->hops(mesh, from, to);
}

int mesh_turns(const struct mesh_config *mesh, int from, int to)
{
    return topology_view(mesh)->turns(mesh, from, to);
}

int mesh_diameter(const struct mesh_config *mesh)
{
    return topology_view(mesh)->diameter(mesh);
}
