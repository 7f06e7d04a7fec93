/* What the tests of the engine share.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine_test.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "rtl/site_library.h"

static unsigned failures;

void check(bool good, const char *format, ...)
{
    if (good)
        return;
    failures++;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "FAIL ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
}

int verdict(const char *name)
{
    printf("%s: %s\n", name, failures ? "FAIL" : "PASS");
    return failures != 0;
}

uint64_t test_seed(uint64_t otherwise)
{
    const char *text = getenv("SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : otherwise;
    printf("seed %" PRIu64 "\n", seed);
    return seed;
}

unsigned pick(uint64_t *state, unsigned limit)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((*state >> 33) % limit);
}

void load_mesh(const char *name, struct mesh_config *mesh)
{
    char top[4096], path[4200], error[512];
    if (site_library_top(top, sizeof top) != 0) {
        fprintf(stderr, "FAIL no project above this test\n");
        exit(1);
    }
    snprintf(path, sizeof path, "%s/sim/meshes/%s.mesh", top, name);
    if (mesh_config_load(path, mesh, error, sizeof error) != 0) {
        fprintf(stderr, "FAIL %s\n", error);
        exit(1);
    }
}

struct simulation *start(const struct simulation_options *options)
{
    char error[512];
    struct simulation *simulation = simulation_create(options, error, sizeof error);
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
