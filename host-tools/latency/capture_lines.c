/* See capture_lines.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/capture_lines.h"

#include "capture/capture_read.h"

#include <math.h>
#include <stdio.h>

enum { NAMES_SIZE = 300 };

/* Two lengths that agree to this are one; of a sample, or in samples. */
static const double same = 1e-9, same_phase = 0.01;

/* A capture that is being read. Times of the file become numbers of steps: these are samples, or a whole part of one.
 */
struct reading {
    struct capture *capture;
    struct wire_traffic *traffic;
    struct capture_sampling sampling; /* as assumed */
    double units;                     /* of the file, in a step */
    int wire_of[CAPTURE_CHANNELS];
};

/* The names of all channels, as far as there is room for them. */
static void name_channels(const struct capture *capture, char names[NAMES_SIZE])
{
    size_t used = 0;
    names[0] = '\0';
    for (unsigned i = 0; i < capture_channels(capture); i++) {
        int length = snprintf(names + used, NAMES_SIZE - used, "%s%s", i ? ", " : "", capture_channel_name(capture, i));
        if (used + (size_t)length >= NAMES_SIZE - sizeof ", ...") {
            snprintf(names + used, NAMES_SIZE - used, "%s...", i ? ", " : "");
            return;
        }
        used += (size_t)length;
    }
}

static int take_channel(struct reading *reading, unsigned channel, const char *path, char *error, size_t error_size)
{
    const char *name = capture_channel_name(reading->capture, channel);
    int number = wires_find(&reading->traffic->wires, name);
    reading->wire_of[channel] = number;
    if (number < 0) {
        capture_ignore(reading->capture, channel);
        return 0;
    }
    const struct wire *wire = &reading->traffic->wires.wires[number];
    for (unsigned i = 0; i < channel; i++)
        if (reading->wire_of[i] == number) {
            snprintf(error, error_size, "%s: its channels %u (%s) and %u (%s) are both %s, expected one channel for it",
                     path, i + 1, capture_channel_name(reading->capture, i), channel + 1, name, wire->name);
            return -1;
        }
    wires_level(&reading->traffic->wires, (unsigned)number, capture_level(reading->capture, channel));
    return 1;
}

static int find_channels(struct reading *reading, const char *path, char *error, size_t error_size)
{
    unsigned channels = capture_channels(reading->capture), found = 0;
    const char *left_out = capture_left_out(reading->capture);
    char names[NAMES_SIZE];
    for (unsigned i = 0; i < channels; i++) {
        int taken = take_channel(reading, i, path, error, error_size);
        if (taken < 0)
            return -1;
        found += (unsigned)taken;
    }
    if (found)
        return 0;
    name_channels(reading->capture, names);
    snprintf(error, error_size, "%s: none of its %u channels (%s) is one of %s, expected %s%s%s", path, channels, names,
             reading->traffic->wires.testbed->path, reading->traffic->wires.wires[0].channel, *left_out ? "; " : "",
             left_out);
    return -1;
}

/* A time may lie before the first sample by what it was rounded to: all numbers are one greater. */
static uint64_t in_steps(const struct reading *reading, uint64_t units)
{
    return reading->units == 1 ? units
                               : (uint64_t)llround(((double)units - reading->sampling.phase) / reading->units + 1);
}

static int read_edges(struct reading *reading, char *error, size_t error_size)
{
    struct capture_edge edge;
    int got;
    while ((got = capture_next(reading->capture, &edge)) > 0)
        if (reading->wire_of[edge.channel] >= 0)
            wire_traffic_edge(reading->traffic, (unsigned)reading->wire_of[edge.channel],
                              in_steps(reading, edge.sample), edge.level);
    if (got < 0)
        snprintf(error, error_size, "%s", capture_error(reading->capture));
    return got;
}

/* How many steps a sample is divided into. The samples of a file that does not say its rate may seem to be coarser than
 * they are, if all edges lie on a few of them: so coarse that no bit could be read. */
static unsigned steps_in_sample(const struct capture_sampling *sampling, const struct testbed *testbed)
{
    enum { STEPS_MOST = 1024 };
    double fastest = 0; /* bits per second */
    unsigned steps = 1;
    for (unsigned i = 0; i < testbed->board_count; i++)
        fastest = fmax(fastest, (double)testbed->boards[i].link_hz / WIRES_CLOCKS_A_BIT);
    while (sampling->sought && steps < STEPS_MOST && steps / sampling->step < LINE_SAMPLES_A_BIT * fastest)
        steps *= 2;
    return steps;
}

static bool same_sampling(const struct capture_sampling *a, const struct capture_sampling *b, double rate)
{
    double phase = fabs(a->phase - b->phase) / rate;
    return fabs(a->step / b->step - 1) < same && fabs(a->exact / b->exact - 1) < same && phase < same_phase * a->step &&
           a->guessed == b->guessed;
}

/* Reads the file with these samples; step 0: as it says at its start. *sampling is what it says at the end. 1: that is
 * something else. */
static int read_once(const char *path, const struct testbed *testbed, const struct wires_watch *watch,
                     struct wire_traffic *traffic, struct capture_sampling *sampling, char *error, size_t error_size)
{
    static struct reading reading;
    reading = (struct reading){.capture = capture_open(path, error, error_size), .traffic = traffic};
    if (!reading.capture)
        return -1;
    reading.sampling = sampling->step > 0 ? *sampling : capture_sampling(reading.capture);
    double rate = capture_rate(reading.capture);
    unsigned steps = steps_in_sample(&reading.sampling, testbed);
    double step = reading.sampling.step / steps;
    reading.units = fabs(rate * step - 1) < same ? 1 : rate * step;
    int result = wire_traffic_begin(traffic, testbed, reading.units == 1 ? rate : 1 / step, error, error_size);
    if (result == 0) {
        wires_exact(&traffic->wires, reading.sampling.exact / step, reading.sampling.guessed || steps > 1);
        traffic->watch = watch;
        if (watch)
            watch->begin(watch->context, &traffic->wires);
        result = find_channels(&reading, path, error, error_size);
        if (result == 0)
            result = read_edges(&reading, error, error_size);
        if (result == 0)
            wire_traffic_end(traffic, in_steps(&reading, capture_length(reading.capture)));
        else
            wire_traffic_free(traffic);
    }
    *sampling = capture_sampling(reading.capture);
    if (result == 0 && !same_sampling(sampling, &reading.sampling, rate)) {
        wire_traffic_free(traffic);
        result = 1;
    }
    capture_close(reading.capture);
    return result;
}

int capture_lines_read(const char *path, const struct testbed *testbed, const struct wires_watch *watch,
                       struct wire_traffic *traffic, char *error, size_t error_size)
{
    struct capture_sampling sampling = {.step = 0};
    int result = read_once(path, testbed, watch, traffic, &sampling, error, error_size);
    return result == 1 ? read_once(path, testbed, watch, traffic, &sampling, error, error_size) : result;
}
