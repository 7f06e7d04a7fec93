/* Settings in the place of a .mesh file's: which lines they replace, what a mesh is then, where a wrong one is blamed;
 * and any text with any of them.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "mesh/mesh.h"
#include "mesh/mesh_settings.h"
#include "mutate_text.h"

static const char text[] = "; size = 2x2\n[mesh]\ntopology = grid\nsize = 4x4\n[buffers]\nmax_packet=64\nnet_input = 4";

static char *applied_to(const char *to, size_t count, const char *const *items)
{
    char error[200];
    return mesh_settings_apply(to, &(struct mesh_settings){count, items}, error, sizeof error);
}

static void check_applied(size_t count, const char *const *items, const char *expected)
{
    char *applied = applied_to(text, count, items);
    check(applied && strcmp(applied, expected) == 0, "%s", applied);
    free(applied);
}

static void check_texts(void)
{
    check_applied(0, NULL,
                  "; size = 2x2\n[mesh]\ntopology = grid\nsize = 4x4\n[buffers]\nmax_packet=64\nnet_input = 4\n");
    check_applied(1, (const char *[]){"mesh.size=8x8"},
                  "; size = 2x2\n[mesh]\ntopology = grid\n; size = 4x4\n[buffers]\nmax_packet=64\nnet_input = 4\n"
                  "[mesh]\nsize = 8x8\n");
    check_applied(2, (const char *[]){"buffers.max_packet=", "site.cpu=serv"},
                  "; size = 2x2\n[mesh]\ntopology = grid\nsize = 4x4\n[buffers]\n; max_packet=64\nnet_input = 4\n"
                  "; [buffers]\n; max_packet: its default\n[site]\ncpu = serv\n");
    char *other = applied_to("[a]\nx = 1\n[b]\nx = 2\n", 1, (const char *[]){"b.x=3"});
    check(strcmp(other, "[a]\nx = 1\n[b]\n; x = 2\n[b]\nx = 3\n") == 0, "%s", other);
    free(other);
    CHECK(mesh_settings_has(text, "buffers", "net_input") && mesh_settings_has(text, "mesh", "size"));
    CHECK(!mesh_settings_has(text, "mesh", "max_packet") && !mesh_settings_has(text, "buffers", "net"));
}

static void check_refused(void)
{
    static const char *const bad[] = {"",
                                      "size",
                                      "mesh",
                                      "mesh.size",
                                      ".size=4x4",
                                      "mesh.=4x4",
                                      "=",
                                      ".=",
                                      "mesh=4.4",
                                      "mesh.size=4x4\n[site]",
                                      "[mesh].size=4x4"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char *applied = applied_to(text, 1, &bad[k]);
        check(!applied, "'%s' is accepted", bad[k]);
        free(applied);
    }
}

static int load(const char *path, size_t count, const char *const *items, struct mesh_config *mesh, char error[300])
{
    return mesh_config_load_set(path, &(struct mesh_settings){count, items}, mesh, NULL, error, 300);
}

/* The same mesh as that of a file which has these settings; and who is blamed. */
static void check_meshes(const char *path)
{
    struct mesh_config mesh, same;
    char error[300] = "", start[600];
    CHECK_EQUAL(load(path, 2, (const char *[]){"mesh.size=3x2", "buffers.max_packet="}, &mesh, error), 0);
    static const char without[] = "[mesh]\ntopology = grid\nsize = 3x2\n[buffers]\nnet_input = 4\n";
    CHECK_EQUAL(mesh_config_parse(path, without, strlen(without), &same, error, sizeof error), 0);
    CHECK(mesh.sites == 6 && mesh.hash == same.hash);
    CHECK_EQUAL(load(path, 2, (const char *[]){"buffers.max_packet=", "site.cpu=z80"}, &mesh, error), -1);
    check(strncmp(error, "--set site.cpu=z80: cpu is z80, expected", 40) == 0, "%s", error);
    CHECK_EQUAL(load(path, 1, (const char *[]){"mesh.size=0x0"}, &mesh, error), -1);
    check(strncmp(error, "--set mesh.size=0x0: ", 21) == 0, "%s", error);
    CHECK_EQUAL(load(path, 1, (const char *[]){"mesh.topology=hypercube"}, &mesh, error), -1); /* the file's size */
    snprintf(start, sizeof start, "%s:4: ", path);
    check(strncmp(error, start, strlen(start)) == 0, "%s", error);
}

/* Comments alone are put in, and every line of the text stays in its place. */
static void check_any_text(uint64_t *state)
{
    static const char *const seeds[] = {text, "[mesh]\r\nsize =\n[buffers\nmax_packet\n[]\n=\n",
                                        "size=1\n\n[mesh] x\n\tsize\t= 3"};
    static const char *const items[] = {"mesh.size=2x2", "buffers.max_packet="};
    char any[400];
    for (unsigned long run = 0; run < check_rounds(2000); run++) {
        const char *seed = seeds[check_below(state, 3)];
        size_t length = strlen(seed);
        memcpy(any, seed, length);
        for (unsigned edits = check_below(state, 6); edits > 0; edits--)
            length = mutate_text(state, seeds, 3, any, length, sizeof any - 1);
        any[length] = 0;
        char *applied = applied_to(any, 2, items);
        const char *at = applied;
        for (const char *line = any; *line; line += strcspn(line, "\n"), line += *line == '\n') {
            size_t count = strcspn(line, "\n");
            at += strncmp(at, line, count) == 0 && at[count] == '\n' ? 0 : 2;
            check(strncmp(at, line, count) == 0 && at[count] == '\n', "'%.*s' is gone", (int)count, line);
            at += count + 1;
        }
        check(strcmp(at, "[mesh]\nsize = 2x2\n; [buffers]\n; max_packet: its default\n") == 0, "%s", applied);
        free(applied);
    }
}

int main(void)
{
    uint64_t state = check_seed();
    const char *folder = getenv("TMPDIR");
    char path[500];
    snprintf(path, sizeof path, "%s/settings.mesh", folder ? folder : "build");
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) != EOF && fclose(file) == 0);
    check_texts();
    check_refused();
    check_meshes(path);
    check_any_text(&state);
    return verdict("mesh_settings");
}
