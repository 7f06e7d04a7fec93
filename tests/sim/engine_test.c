/* What the tests of the engine share.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rtl_engine.h"
#include "support/install_paths.h"

unsigned pick(uint64_t *state, unsigned limit)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((*state >> 33) % limit);
}

uint64_t mix(uint64_t digest, uint64_t value)
{
    return (digest ^ value) * 0x100000001b3u ^ digest >> 29;
}

void load_mesh(const char *name, struct mesh_config *mesh)
{
    char top[4096], path[4200], error[512];
    if (install_paths_top(top, sizeof top) != 0) {
        fprintf(stderr, "FAIL no project above this test\n");
        exit(1);
    }
    snprintf(path, sizeof path, "%s/hw/mesh/%s.mesh", top, name);
    if (mesh_config_load(path, mesh, error, sizeof error) != 0) {
        fprintf(stderr, "FAIL %s\n", error);
        exit(1);
    }
}

struct simulation *start(const struct simulation_options *options)
{
    char error[512];
    struct simulation *simulation = rtl_engine.create(options, error, sizeof error);
    if (simulation)
        return simulation;
    fprintf(stderr, "FAIL %s\n", error);
    exit(1);
}

bool run_until_idle(struct simulation *simulation, uint64_t limit)
{
    uint64_t end = simulation_clock(simulation) + limit;
    while (!simulation_idle(simulation) && simulation_clock(simulation) < end)
        simulation_run(simulation, 16);
    return simulation_idle(simulation);
}

bool settle(struct simulation *simulation, uint64_t limit)
{
    uint64_t end = simulation_clock(simulation) + limit;
    do
        simulation_run(simulation, 64);
    while ((!simulation_idle(simulation) || simulation_next_wake(simulation) != UINT64_MAX) &&
           simulation_clock(simulation) < end);
    return simulation_clock(simulation) < end;
}

void console_type(struct simulation *simulation, unsigned site, const char *text)
{
    size_t length = strlen(text), taken = simulation_console_write(simulation, site, (const uint8_t *)text, length);
    check(taken == length, "site %u takes %zu of %zu bytes", site, taken, length);
}
