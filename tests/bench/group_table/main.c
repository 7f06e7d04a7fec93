/* The table of tests/bench/results/groups.md: each shape beside repeated unicasts and the fabric's own multicast, on a
 * mesh of 64 sites. Latency is that to the last member. A row that is named on the command line is printed alone.
 *
 * usage: group_table MESH [MEMBERS LOAD WAY]
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "multicast/group_load.h"

static const struct size {
    unsigned members, groups;
    double loads[5];
} sizes[] = {{4, 16, {0.005, 0.01, 0.02, 0.03, 0.04}},
             {10, 10, {0.002, 0.004, 0.008, 0.012, 0.016}},
             {32, 2, {0.0005, 0.001, 0.002, 0.004, 0.006}}};

enum { LOADS = 5, CLOCKS = 40000, DATA_WORDS = 16, SEED = 1 };

/* Saturated: less than nine tenths of what was sent had arrived by the end of the load. */
static void print_cell(const char *mesh, unsigned members, unsigned groups, double load, unsigned way)
{
    const struct group_load_options options = {.engine = "functional",
                                               .mesh = mesh,
                                               .way = way,
                                               .groups = groups,
                                               .members = members,
                                               .data_words = DATA_WORDS,
                                               .load = load,
                                               .clocks = CLOCKS,
                                               .ends_at_once = true,
                                               .seed = SEED};
    struct group_load_result result;
    group_load_run(&options, &result);
    if (result.accepted < 0.9 * load)
        printf(" saturated, %.4f |", result.accepted);
    else
        printf(" %.0f ± %.0f |", result.latency, result.interval);
    fflush(stdout);
}

static void print_size(const char *mesh, const struct size *size)
{
    printf("| %u members, %u groups |", size->members, size->groups);
    for (unsigned k = 0; k < LOADS; k++)
        printf(" %g |", size->loads[k]);
    printf("\n|---|---|---|---|---|---|\n");
    for (unsigned way = 0; way < GROUP_LOAD_WAYS; way++) {
        printf("| %s |", group_load_way_name(way));
        for (unsigned k = 0; k < LOADS; k++)
            print_cell(mesh, size->members, size->groups, size->loads[k], way);
        printf("\n");
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    if (argc == 5) {
        for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (unsigned way = 0; way < GROUP_LOAD_WAYS; way++)
                if (sizes[k].members == (unsigned)atoi(argv[2]) && strcmp(group_load_way_name(way), argv[4]) == 0)
                    print_cell(argv[1], sizes[k].members, sizes[k].groups, atof(argv[3]), way);
        printf("\n");
        return 0;
    }
    if (argc != 2) {
        fprintf(stderr, "usage: group_table MESH [MEMBERS LOAD WAY]\n");
        return 1;
    }
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
        print_size(argv[1], &sizes[k]);
    return 0;
}
