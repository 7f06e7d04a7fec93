/* What it costs to draw a packet of uniform traffic: every rank of a simulation draws the packets of all.
 *
 * usage: draw_traffic FILE.mesh LOAD PACKETS
 * Prints nanoseconds of processor time a packet.
 * exit: 0, 1 usage
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "workload/traffic.h"

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    struct mesh_config mesh;
    struct traffic *traffic;
    struct traffic_packet packet;
    char error[400] = "expected FILE.mesh LOAD PACKETS";
    unsigned long packets = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
    struct traffic_options options = {.load = argc == 4 ? atof(argv[2]) : 0, .length = 8, .seed = 1};
    if (packets == 0 || mesh_config_load(argv[1], &mesh, error, sizeof error) != 0 ||
        !(traffic = traffic_create(&mesh, &options, error, sizeof error))) {
        fprintf(stderr, "draw_traffic: %s\n", error);
        return 1;
    }
    double begun = processor_seconds();
    for (unsigned long i = 0; i < packets; i++)
        traffic_next(traffic, &packet);
    printf("%.0f\n", (processor_seconds() - begun) / (double)packets * 1e9);
    traffic_free(traffic);
    return 0;
}
