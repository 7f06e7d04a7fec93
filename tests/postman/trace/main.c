/* Runs the fast model on a workload and writes what its nodes drive: a line a clock, for each node in order a
 * hexadecimal digit, bit 0 x_out, 1 y_out, 2 busy of machine X, 3 busy of machine Y. The first line is clock 0.
 *
 * usage: trace SIZE_X SIZE_Y FLIT OPTIONS WORKLOAD CLOCKS
 *   OPTIONS: letters, v virtual cut-through, r adaptive routing, s adaptive sourcing, p packets on lines first, t a
 * torus; or - WORKLOAD: a file as tests/postman/workload writes it exit: 0; 1 usage, or a workload that is no such file
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postman/postman_model.h"

static bool load_line(struct postman_plane *plane, char *line)
{
    struct postman_load load = {.count = 0};
    unsigned machine, across, two;
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
    return load.count >= 2 && postman_plane_load(plane, &load);
}

static bool load_file(struct postman_plane *plane, const char *name)
{
    char line[1024];
    FILE *file = fopen(name, "r");
    if (!file)
        return false;
    bool good = true;
    while (good && fgets(line, sizeof line, file))
        good = load_line(plane, line);
    fclose(file);
    return good;
}

int main(int count, char **arguments)
{
    if (count != 7) {
        fprintf(stderr, "usage: trace SIZE_X SIZE_Y FLIT OPTIONS WORKLOAD CLOCKS\n");
        return 1;
    }
    const char *letters = arguments[4];
    struct postman_options options = {.size_x = (unsigned)atoi(arguments[1]),
                                      .size_y = (unsigned)atoi(arguments[2]),
                                      .flit_bits = (unsigned)atoi(arguments[3]),
                                      .vct = strchr(letters, 'v'),
                                      .adaptive_routing = strchr(letters, 'r'),
                                      .adaptive_sourcing = strchr(letters, 's'),
                                      .pass_first = strchr(letters, 'p'),
                                      .torus = strchr(letters, 't')};
    struct postman_plane *plane = postman_plane_create(&options);
    if (!plane || !load_file(plane, arguments[5])) {
        fprintf(stderr, "trace: %s: no workload for such a plane\n", arguments[5]);
        postman_plane_free(plane);
        return 1;
    }
    for (unsigned long clocks = strtoul(arguments[6], NULL, 10); clocks > 0; clocks--) {
        for (unsigned node = 0; node < (1u + options.torus) * options.size_x * options.size_y; node++)
            putchar("0123456789abcdef"[postman_plane_lines(plane, node)]);
        putchar('\n');
        postman_plane_clock(plane);
    }
    postman_plane_free(plane);
    return 0;
}
