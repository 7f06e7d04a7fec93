/* What tests of images on verilated cores share.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_ON_CORE_H
#define POSTROAD_TESTS_FIRMWARE_ON_CORE_H

#include "check.h"
#include "engine/rtl_engine.h"
#include "simulation/simulation.h"

/* Read by the address sanitizer: what a verilated site leaves behind is Verilator's. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

/* Whole sites of the mesh that `text`, a .mesh file, describes, with `image` in each; ends the test if it cannot.
 * `name` is the test's: the text stands in a file of that name meanwhile. */
static struct simulation *start_on_core(const char *name, const char *text, const char *image)
{
    const char *folder = getenv("TMPDIR");
    char path[512], error[512];
    struct mesh_config mesh;
    struct simulation_options options = {.mesh = &mesh, .kind = SITE_CORE, .firmware_hex = image};
    struct simulation *simulation;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s.mesh", folder != NULL ? folder : "/tmp", name);
    file = fopen(path, "w");
    CHECK(file != NULL);
    fputs(text, file);
    CHECK(fclose(file) == 0);
    if (mesh_config_load(path, &mesh, error, sizeof error) != 0 ||
        (simulation = rtl_engine.create(&options, error, sizeof error)) == NULL) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    remove(path);
    return simulation;
}

#endif
