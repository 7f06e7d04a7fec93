/* See figures.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "figures.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exit_code.h"
#include "engine/rtl_engine.h"
#include "support/install_paths.h"

enum { SETTLE_STEP = 16, SETTLE_LIMIT = 20000000, SITES_MOST = 64 };

void figures_die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "figures: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(EXIT_MISMATCH);
}

void figures_load(const char *name, bool reliable, struct mesh_config *mesh)
{
    char top[4096], path[4200], error[512];
    if (install_paths_top(top, sizeof top) != 0)
        figures_die("no project above this program");
    snprintf(path, sizeof path, "%s/hw/mesh/%s.mesh", top, name);
    if (mesh_config_load(path, mesh, error, sizeof error) != 0)
        figures_die("%s", error);
    mesh_set_reliable(mesh, reliable);
}

static struct simulation *start(const struct simulation_options *options)
{
    char error[512];
    struct simulation *simulation = rtl_engine.create(options, error, sizeof error);
    if (!simulation)
        figures_die("%s", error);
    figures_settle(simulation);
    return simulation;
}

struct simulation *figures_start(const struct mesh_config *mesh, unsigned pool, unsigned window)
{
    return start(&(struct simulation_options){.mesh = mesh, .pool = pool, .window = window, .seed = 1});
}

static const char *image_path(const char *image)
{
    static char top[4096], path[4200];
    if (install_paths_top(top, sizeof top) != 0)
        figures_die("no project above this program");
    snprintf(path, sizeof path, "%s/build/firmware/%s", top, image);
    return path;
}

struct simulation *figures_start_sites(const struct mesh_config *mesh, const char *image)
{
    return start(
        &(struct simulation_options){.mesh = mesh, .kind = SITE_CORE, .firmware_hex = image_path(image), .seed = 1});
}

struct simulation *figures_start_one_site(const struct mesh_config *mesh, unsigned site, const char *image)
{
    enum site_kind nodes[SITES_MOST];
    if (mesh->sites > SITES_MOST)
        figures_die("too many sites");
    for (int k = 0; k < SITES_MOST; k++)
        nodes[k] = k == (int)site ? SITE_CORE : SITE_NATIVE;
    return start(
        &(struct simulation_options){.mesh = mesh, .nodes = nodes, .firmware_hex = image_path(image), .seed = 1});
}

void figure_add(const struct figure_case *subject, const char *name, double value, int decimals)
{
    printf("%s,%s,%s,\"%s\",\"%s\",%.*f\n", subject->part, subject->mesh, subject->service, subject->what, name,
           decimals, value);
}

const char *service_name(bool reliable)
{
    return reliable ? "reliable" : "raw";
}

void figures_settle(struct simulation *simulation)
{
    uint64_t end = simulation_clock(simulation) + SETTLE_LIMIT;
    while (!simulation_idle(simulation) || simulation_next_wake(simulation) != UINT64_MAX) {
        if (simulation_clock(simulation) > end)
            figures_die("the mesh is not quiet after %d clocks", SETTLE_LIMIT);
        simulation_run(simulation, SETTLE_STEP);
    }
}
