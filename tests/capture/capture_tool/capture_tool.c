/* Writes captures of random lines with the virtual analyser, and prints what the readers make of a capture.
 *
 *   capture_tool write FILE RATE CHANNELS EDGES PPM JITTER_PS SEED   EDGES changes on each channel, 0 to 2000 ns apart
 *   capture_tool edges FILE      the header, then SAMPLE CHANNEL LEVEL of each edge
 *   capture_tool levels FILE     a row of levels for each sample, as sigrok-cli -O csv writes them
 *   capture_tool count FILE      edges, samples, megabytes of memory
 *
 * SPDX-License-Identifier: ISC
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "analyser/virtual_analyser.h"
#include "capture/capture_read.h"
#include "support/random.h"

enum { ERROR_SIZE = 1200, NAME_SIZE = 16 };

static const uint64_t apart_most_fs = 2000u * (uint64_t)1000000;

static int fail(const char *reason)
{
    fprintf(stderr, "capture_tool: %s\n", reason);
    return 1;
}

static int write_capture(char **arguments)
{
    static char names[ANALYSER_CHANNELS][NAME_SIZE];
    const char *list[ANALYSER_CHANNELS];
    uint64_t next[ANALYSER_CHANNELS], end = 0;
    bool level[ANALYSER_CHANNELS] = {false};
    char error[ERROR_SIZE];
    struct random random;
    struct analyser_settings settings = {.rate_hz = atof(arguments[1]),
                                         .channels = (unsigned)atoi(arguments[2]),
                                         .ppm = atof(arguments[4]),
                                         .jitter_ps = atof(arguments[5]),
                                         .seed = strtoull(arguments[6], NULL, 10),
                                         .names = list};
    random_seed(&random, settings.seed, 1);
    for (unsigned i = 0; i < settings.channels; i++) {
        snprintf(names[i], NAME_SIZE, "line%u.east", i);
        list[i] = names[i];
        next[i] = random_bits(&random) % apart_most_fs;
    }
    struct virtual_analyser *analyser = analyser_create(arguments[0], &settings, error, sizeof error);
    if (!analyser)
        return fail(error);
    for (uint64_t left = strtoull(arguments[3], NULL, 10) * settings.channels; left; left--) {
        unsigned first = 0;
        for (unsigned i = 1; i < settings.channels; i++)
            first = next[i] < next[first] ? i : first;
        level[first] = !level[first];
        end = next[first];
        analyser_change(analyser, end, first, level[first]);
        next[first] += random_bits(&random) % apart_most_fs;
    }
    return analyser_close(analyser, end + apart_most_fs, error, sizeof error) == 0 ? 0 : fail(error);
}

static void print_header(const struct capture *capture)
{
    printf("rate %.17g\n", capture_rate(capture));
    for (unsigned i = 0; i < capture_channels(capture); i++)
        printf("channel %s %d\n", capture_channel_name(capture, i), capture_level(capture, i));
}

static void print_rows(const bool *levels, unsigned channels, uint64_t count)
{
    for (; count; count--)
        for (unsigned i = 0; i < channels; i++)
            printf("%d%c", levels[i], i + 1 < channels ? ',' : '\n');
}

static int print_levels(struct capture *capture)
{
    struct capture_edge edge;
    bool levels[CAPTURE_CHANNELS];
    unsigned channels = capture_channels(capture);
    uint64_t sample = 0;
    int result;
    for (unsigned i = 0; i < channels; i++)
        levels[i] = capture_level(capture, i);
    for (; (result = capture_next(capture, &edge)) > 0; sample = edge.sample) {
        print_rows(levels, channels, edge.sample - sample);
        levels[edge.channel] = edge.level;
    }
    print_rows(levels, channels, capture_length(capture) - sample);
    return result;
}

static int print_edges(struct capture *capture)
{
    struct capture_edge edge;
    int result;
    print_header(capture);
    while ((result = capture_next(capture, &edge)) > 0)
        printf("%" PRIu64 " %u %d\n", edge.sample, edge.channel, edge.level);
    printf("step %.17g length %" PRIu64 "\n", capture_sampling(capture).step, capture_length(capture));
    return result;
}

static int print_count(struct capture *capture)
{
    struct capture_edge edge;
    struct rusage usage;
    uint64_t edges = 0;
    int result;
    while ((result = capture_next(capture, &edge)) > 0)
        edges++;
    getrusage(RUSAGE_SELF, &usage);
    printf("%" PRIu64 " edges, %" PRIu64 " units, %ld MB\n", edges, capture_length(capture), usage.ru_maxrss >> 10);
    return result;
}

int main(int argc, char **argv)
{
    char error[ERROR_SIZE];
    if (argc == 9 && strcmp(argv[1], "write") == 0)
        return write_capture(argv + 2);
    if (argc != 3)
        return fail("expected write, edges, levels or count, see the head of its source");
    struct capture *capture = capture_open(argv[2], error, sizeof error);
    if (!capture)
        return fail(error);
    int result = *argv[1] == 'e'   ? print_edges(capture)
                 : *argv[1] == 'l' ? print_levels(capture)
                                   : print_count(capture);
    if (result < 0)
        fail(capture_error(capture));
    capture_close(capture);
    return result < 0;
}
