/* Fault specifications: what is accepted and what it means, what is refused and why; then random mutations of good
 * ones, built with the sanitizers: whatever comes in, the answer is 0 or -1 with a reason, and what is accepted can be
 * run.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L

#include "mesh/fault.h"

#include "engine_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUZZ_RUNS = 200000 };

#define GRID "[mesh]\ntopology=grid\nsize=4x3\n"
#define CUBE "[mesh]\ntopology=hypercube\ndimensions=3\n"

static void parse_mesh(const char *text, struct mesh_config *mesh)
{
    char error[256];
    check(mesh_config_parse("text", text, strlen(text), mesh, error, sizeof error) == 0, "%s", error);
}

static void accepted(const struct mesh_config *mesh, const char *text, struct fault expected)
{
    struct fault fault;
    char error[256] = "";
    int result = fault_parse(text, mesh, &fault, error, sizeof error);
    check(result == 0, "%s: %s", text, error);
    bool same = fault.kind == expected.kind && fault.site == expected.site && fault.link == expected.link &&
                fault.repeated == expected.repeated && fault.at == expected.at && fault.clocks == expected.clocks &&
                fault.share > expected.share * 0.999 - 1e-300 && fault.share < expected.share * 1.001 + 1e-300;
    check(result != 0 || same, "%s: another meaning", text);
}

static void test_accepted(const struct mesh_config *grid, const struct mesh_config *cube)
{
    accepted(grid, "corrupt:0.001",
             (struct fault){.kind = FAULT_CORRUPT, .site = FAULT_ANY, .link = FAULT_ANY, .share = 0.001});
    accepted(grid, "corrupt:1e-5",
             (struct fault){.kind = FAULT_CORRUPT, .site = FAULT_ANY, .link = FAULT_ANY, .share = 1e-5});
    accepted(grid, "corrupt:5.west:1", (struct fault){.kind = FAULT_CORRUPT, .site = 5, .link = 1, .share = 1});
    accepted(grid, "link:0.north:100", (struct fault){.kind = FAULT_LINK, .site = 0, .link = 2, .at = 100});
    accepted(
        grid, "link:any.south:~500:20",
        (struct fault){.kind = FAULT_LINK, .site = FAULT_ANY, .link = 3, .repeated = true, .at = 500, .clocks = 20});
    accepted(grid, "link:any:0:20",
             (struct fault){.kind = FAULT_LINK, .site = FAULT_ANY, .link = FAULT_ANY, .clocks = 20});
    accepted(cube, "link:7.2:100:1", (struct fault){.kind = FAULT_LINK, .site = 7, .link = 2, .at = 100, .clocks = 1});
    accepted(grid, "reset:11:1000",
             (struct fault){.kind = FAULT_RESET, .site = 11, .link = FAULT_ANY, .at = 1000, .clocks = 16});
    accepted(
        grid, "reset:any:~20000:1",
        (struct fault){
            .kind = FAULT_RESET, .site = FAULT_ANY, .link = FAULT_ANY, .repeated = true, .at = 20000, .clocks = 1});
    accepted(grid, "stop:3:0", (struct fault){.kind = FAULT_STOP, .site = 3, .link = FAULT_ANY});
    accepted(grid, "stop:any:~9:7",
             (struct fault){
                 .kind = FAULT_STOP, .site = FAULT_ANY, .link = FAULT_ANY, .repeated = true, .at = 9, .clocks = 7});
}

static const char *const bad[][2] = {
    {"", "unknown kind "},
    {"corrupt", "expected corrupt:SHARE"},
    {"corrupt:", "share is "},
    {"corrupt:0", "share is 0"},
    {"corrupt:1.5", "share is 1.5"},
    {"corrupt:-0.1", "share is -0.1"},
    {"corrupt:nan", "share is nan"},
    {"corrupt:0x1p-3", "share is 0x1p-3"},
    {"corrupt:0.1%", "share is 0.1%"},
    {"corrupt:any:0.1", "expected its number, or corrupt:SHARE"},
    {"corrupt:any.east:0.1", "expected its number, or corrupt:SHARE"},
    {"corrupt:0.west:0.1", "over the edge"},
    {"corrupt:0.east:0.1:4", "4 fields"},
    {"link:0.east", "expected link:SITE.DIRECTION:AT"},
    {"link:0:5", "expected SITE.DIRECTION"},
    {"link:0.up:5", "direction is up, expected north"},
    {"link:0.0:5", "direction is 0, expected north"},
    {"link:12.east:5", "site is 12, expected 0 to 11"},
    {"link:0.south:5", "over the edge"},
    {"link:0.east:soon", "clock is soon"},
    {"link:0.east:~0:5", "clock is ~0"},
    {"link:0.east:~100", "expected a number of clocks at the end"},
    {"link:0.east:5:0", "length is 0"},
    {"link:0.east:5:6:7", "more than 4 fields"},
    {"reset:0", "expected reset:SITE:AT"},
    {"reset:-1:5", "site is -1"},
    {"reset:0.east:5", "site is 0.east"},
    {"reset:0:99999999999999999999", "clock is 9999"},
    {"reset:0:5:", "length is "},
    {"stop::5", "site is "},
    {"stop:any:~7", "for good"},
    {"halt:0:5", "unknown kind halt"},
};

static void refused(const struct mesh_config *mesh, const char *text, const char *reason)
{
    struct fault fault;
    char error[256] = "accepted";
    int result = fault_parse(text, mesh, &fault, error, sizeof error);
    check(result == -1 && strncmp(error, "fault ", 6) == 0 && strstr(error, reason) && strstr(error, "expected"),
          "%s: \"%s\", expected \"%s\"", text, error, reason);
}

static void test_refused(const struct mesh_config *grid, const struct mesh_config *cube)
{
    struct mesh_config lone;
    char text[300];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(grid, bad[i][0], bad[i][1]);
    refused(cube, "link:0.east:5", "the number of a dimension");
    refused(cube, "link:0.3:5", "the number of a dimension");
    parse_mesh("[mesh]\ntopology=grid\nsize=1x1\n", &lone);
    refused(&lone, "link:any:5", "no link in this mesh");
    memset(text, '1', sizeof text);
    text[sizeof text - 1] = 0;
    refused(grid, text, "characters");
}

/* As the engine relies on it. */
static bool sound(const struct mesh_config *mesh, const struct fault *fault)
{
    bool site = fault->site >= FAULT_ANY && fault->site < mesh->sites;
    bool link = fault->link >= FAULT_ANY && fault->link < mesh->links;
    bool ends = !fault->repeated || (fault->at > 0 && fault->clocks > 0);
    bool share = fault->kind != FAULT_CORRUPT || (fault->share > 0 && fault->share <= 1);
    bool exists = fault->site < 0 || fault->link < 0 || mesh_far_end(mesh, fault->site, fault->link).site >= 0;
    return site && link && ends && share && exists && (fault->kind != FAULT_RESET || fault->clocks > 0);
}

static void fuzz(const struct mesh_config *mesh, uint64_t seed)
{
    static const char *const seeds[] = {"corrupt:0.001",  "corrupt:5.west:1", "link:any.south:~500:20",
                                        "link:7.2:100:1", "reset:11:1000",    "stop:any:~9:7"};
    static const char letters[] = ":~.0123456789eE-+ any west%sn\n\t\xff";
    unsigned accepted_runs = 0;
    for (unsigned run = 0; run < FUZZ_RUNS; run++) {
        char text[128], error[40];
        struct fault fault;
        size_t length = (size_t)snprintf(text, sizeof text, "%s", seeds[pick(&seed, 6)]);
        for (unsigned edits = pick(&seed, 4); edits > 0; edits--) {
            size_t at = pick(&seed, (unsigned)length + 1);
            if (pick(&seed, 2) && length < 100) {
                memmove(text + at + 1, text + at, length - at + 1);
                text[at] = letters[pick(&seed, sizeof letters - 1)];
                length++;
            } else if (at < length) {
                memmove(text + at, text + at + 1, length - at);
                length--;
            }
        }
        char *copy = strdup(text); /* its exact size, so that the address sanitizer sees an overrun */
        int result = fault_parse(copy, mesh, &fault, error, sizeof error);
        check(result == 0 ? sound(mesh, &fault) : result == -1 && strncmp(error, "fault ", 6) == 0, "\"%s\": %d", text,
              result);
        accepted_runs += result == 0;
        free(copy);
    }
    check(accepted_runs > FUZZ_RUNS / 20, "%u of %u accepted, too few for a test", accepted_runs, FUZZ_RUNS);
}

int main(void)
{
    struct mesh_config grid, cube;
    uint64_t seed = check_seed();
    parse_mesh(GRID, &grid);
    parse_mesh(CUBE, &cube);
    test_accepted(&grid, &cube);
    test_refused(&grid, &cube);
    fuzz(&grid, seed);
    fuzz(&cube, seed + 1);
    return verdict("test_fault_specs");
}
