/* See sim_replay.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* M_PI */
#include "postroad/sim_replay.h"

#include <inttypes.h>
#include <math.h>

#include "mesh/topology_view.h"

static const double beside_it = 0.07, from_site = 0.18, stub = 0.3;

struct spot {
    double x, y;
};

static bool is_placed(const struct mesh_config *mesh)
{
    return !topology_view(mesh)->link_axis;
}

static struct spot spot_of(const struct mesh_config *mesh, int site)
{
    double angle = 2 * M_PI * site / mesh->sites, radius = mesh->sites / 4.0;
    if (!is_placed(mesh))
        return (struct spot){radius * sin(angle), radius * cos(angle)};
    struct topology_place at = topology_view(mesh)->place(mesh, site);
    return (struct spot){at.column, at.row};
}

bool sim_replay_arrow(const struct mesh_config *mesh, int site, int link, struct link_arrow *out)
{
    static const int step_x[] = {1, -1, 0, 0}, step_y[] = {0, 0, 1, -1};
    int next = mesh_far_end(mesh, site, link).site;
    if (next < 0)
        return false;
    struct spot at = spot_of(mesh, site), far = spot_of(mesh, next);
    bool round = is_placed(mesh) && (far.x != at.x + step_x[link] || far.y != at.y + step_y[link]);
    if (round)
        far = (struct spot){at.x + step_x[link], at.y + step_y[link]};
    double distance = hypot(far.x - at.x, far.y - at.y), length = round ? stub : distance - 2 * from_site;
    double dx = (far.x - at.x) / distance, dy = (far.y - at.y) / distance;
    *out = (struct link_arrow){at.x + from_site * dx + beside_it * dy, at.y + from_site * dy - beside_it * dx,
                               length * dx, length * dy};
    return true;
}

static const char *comma(int i)
{
    return i ? "," : "";
}

static void put_mesh(FILE *out, const struct mesh_config *mesh)
{
    struct link_arrow arrow;
    int links = 0;
    fprintf(out, "\"sites\":[");
    for (int site = 0; site < mesh->sites; site++)
        fprintf(out, "%s[%.2f,%.2f]", comma(site), spot_of(mesh, site).x, spot_of(mesh, site).y);
    fprintf(out, "],\"links\":[");
    for (int i = 0; i < mesh->sites * mesh->links; i++)
        if (sim_replay_arrow(mesh, i / mesh->links, i % mesh->links, &arrow))
            fprintf(out, "%s[%.2f,%.2f,%.2f,%.2f,\"site %d %s\"]", comma(links++), arrow.x, arrow.y, arrow.dx, arrow.dy,
                    i / mesh->links, mesh_link_name(mesh, i % mesh->links));
}

static void put_words(FILE *out, const struct mesh_config *mesh, const uint32_t *words)
{
    int links = 0;
    for (int i = 0; i < mesh->sites * mesh->links; i++)
        if (mesh_far_end(mesh, i / mesh->links, i % mesh->links).site >= 0)
            fprintf(out, "%s%" PRIu32, comma(links++), words[i]);
}

void sim_replay_write(FILE *out, const struct sim_point *point, int number)
{
    const struct mesh_config *mesh = point->mesh;
    const struct experiment_frames *frames = point->result->frames;
    if (!frames)
        return;
    fprintf(out, "{\"point\":%d,", number);
    put_mesh(out, mesh);
    fprintf(out, "],\"clocks\":[");
    for (unsigned i = 0; i < frames->count; i++)
        fprintf(out, "%s%" PRIu64, comma((int)i), frames->ends[i]);
    fprintf(out, "],\"words\":[");
    for (unsigned i = 0; i < frames->count; i++) {
        fprintf(out, "%s[", comma((int)i));
        put_words(out, mesh, frames->words + i * (size_t)(mesh->sites * mesh->links));
        fputc(']', out);
    }
    fprintf(out, "]}\n");
}
