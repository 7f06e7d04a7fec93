/* See mesh.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/traffic/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/board_simulation.h"
#include "bitstream/line.h"
#include "engine/rtl_engine.h"

enum { ERROR_SIZE = 1024, STEP_CLOCKS = 300, STEP_US = 25 };

static const char image[] = "build/firmware/small-traffic.hex";

static void end_with(const char *reason)
{
    fprintf(stderr, "traffic: %s\n", reason);
    exit(1);
}

static void start_boards(struct mesh *mesh, const char *path, uint64_t seed)
{
    char error[ERROR_SIZE];
    if (testbed_load(path, &mesh->testbed, error, sizeof error) != 0)
        end_with(error);
    mesh->boards = board_simulation_create(&mesh->testbed, seed, error, sizeof error);
    if (!mesh->boards)
        end_with(error);
    mesh->sites = mesh->testbed.board_count;
    for (unsigned i = 0; i < mesh->sites; i++)
        board_simulation_power(mesh->boards, i, true);
}

static void start_rtl(struct mesh *mesh, const char *path, uint64_t seed)
{
    char error[ERROR_SIZE];
    struct mesh_config config;
    if (mesh_config_load(path, &config, error, sizeof error) != 0)
        end_with(error);
    struct simulation_options options = {.mesh = &config, .kind = SITE_CORE, .firmware_hex = image, .seed = seed};
    mesh->rtl = rtl_engine.create(&options, error, sizeof error);
    if (!mesh->rtl)
        end_with(error);
    mesh->sites = (unsigned)config.sites;
}

void mesh_start(struct mesh *mesh, const char *path, uint64_t seed)
{
    const char *ending = strrchr(path, '.');
    *mesh = (struct mesh){.boards = NULL};
    if (ending && strcmp(ending, ".ini") == 0)
        start_boards(mesh, path, seed);
    else
        start_rtl(mesh, path, seed);
}

void mesh_end(struct mesh *mesh)
{
    if (mesh->rtl) {
        simulation_destroy(mesh->rtl);
    } else {
        board_simulation_destroy(mesh->boards);
        testbed_free(&mesh->testbed);
    }
}

void mesh_run(struct mesh *mesh)
{
    if (mesh->rtl)
        simulation_run(mesh->rtl, STEP_CLOCKS);
    else
        board_simulation_run(mesh->boards, board_simulation_now(mesh->boards) + STEP_US * (uint64_t)FS_MICROSECOND);
}

uint64_t mesh_clock(const struct mesh *mesh)
{
    enum { CLOCKS_A_US = 12 };
    return mesh->rtl ? simulation_clock(mesh->rtl) : board_simulation_now(mesh->boards) / FS_MICROSECOND * CLOCKS_A_US;
}

size_t mesh_read(struct mesh *mesh, unsigned site, uint8_t *bytes, size_t length)
{
    return mesh->rtl ? simulation_console_read(mesh->rtl, site, bytes, length)
                     : board_simulation_read(mesh->boards, site, bytes, length);
}

/* Orders are short: there is room. */
void mesh_write(struct mesh *mesh, unsigned site, const uint8_t *bytes, size_t length)
{
    size_t written = mesh->rtl ? simulation_console_write(mesh->rtl, site, bytes, length)
                               : board_simulation_write(mesh->boards, site, bytes, length);
    if (written != length)
        end_with("a serial line has no room for an order");
}
