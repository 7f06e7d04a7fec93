/* Runs the fast model on a workload and writes what its nodes drive: a line a clock, for each node in order a
 * hexadecimal digit, bit 0 x_out, 1 y_out, 2 busy of machine X, 3 busy of machine Y. The first line is clock 0.
 *
 * usage: trace SIZE_X SIZE_Y FLIT OPTIONS WORKLOAD CLOCKS
 *   OPTIONS: tests/postman/option_letters.h
 *   WORKLOAD: a file as tests/postman/workload writes it
 * exit: 0; 1 usage, or a workload that is no such file
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postman/option_letters.h"

enum { MOST_LATE = 4096 };

/* The packets that are not there from the start on, in the order of the file. */
struct late {
    unsigned long clock;
    struct postman_load load;
    bool requested;
};

struct workload {
    struct late late[MOST_LATE];
    unsigned count;
};

static bool load_line(struct postman_plane *plane, struct workload *workload, char *line)
{
    struct postman_load load = {.count = 0};
    unsigned machine, across, two;
    unsigned long clock = line[0] == '@' ? strtoul(line + 1, &line, 10) : 0;
    int place;
    if (sscanf(line, "%u %u %u %u%n", &load.node, &machine, &across, &two, &place) != 4)
        return false;
    load.machine = machine;
    load.across = across;
    char *rest = line + place, *end;
    for (unsigned flit; flit = (unsigned)strtoul(rest, &end, 16), end != rest; rest = end) {
        if (load.count == POSTMAN_MOST_FLITS)
            return false;
        load.flits[load.count++] = (uint16_t)flit;
    }
    if (load.count < 2 || (clock && workload->count == MOST_LATE))
        return false;
    if (!clock)
        return postman_plane_load(plane, &load);
    workload->late[workload->count++] = (struct late){clock, load, false};
    return true;
}

static bool load_file(struct postman_plane *plane, struct workload *workload, const char *name)
{
    char line[1024];
    FILE *file = fopen(name, "r");
    if (!file)
        return false;
    bool good = true;
    while (good && fgets(line, sizeof line, file))
        good = load_line(plane, workload, line);
    fclose(file);
    return good;
}

/* A machine's packets are requested one behind the other. */
static void request(struct postman_plane *plane, struct workload *workload)
{
    for (unsigned i = 0; i < workload->count; i++) {
        struct late *late = &workload->late[i];
        if (!late->requested && late->clock <= postman_plane_now(plane))
            late->requested = postman_plane_request(plane, &late->load);
    }
}

int main(int count, char **arguments)
{
    if (count != 7) {
        fprintf(stderr, "usage: trace SIZE_X SIZE_Y FLIT OPTIONS WORKLOAD CLOCKS\n");
        return 1;
    }
    struct postman_options options = {.size_x = (unsigned)atoi(arguments[1]),
                                      .size_y = (unsigned)atoi(arguments[2]),
                                      .flit_bits = (unsigned)atoi(arguments[3])};
    struct postman_plane *plane = NULL;
    if (option_letters(arguments[4], &options))
        plane = postman_plane_create(&options);
    static struct workload workload;
    if (!plane || !load_file(plane, &workload, arguments[5])) {
        fprintf(stderr, "trace: %s: no workload for such a plane\n", arguments[5]);
        postman_plane_free(plane);
        return 1;
    }
    for (unsigned long clocks = strtoul(arguments[6], NULL, 10); clocks > 0; clocks--) {
        for (unsigned node = 0; node < (1u + options.torus) * options.size_x * options.size_y; node++)
            putchar("0123456789abcdef"[postman_plane_lines(plane, node)]);
        putchar('\n');
        request(plane, &workload);
        postman_plane_clock(plane);
    }
    postman_plane_free(plane);
    return 0;
}
