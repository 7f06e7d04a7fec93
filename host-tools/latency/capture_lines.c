/* See capture_lines.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/capture_lines.h"

#include "capture/capture_read.h"

#include <math.h>
#include <stdio.h>

/* Two lengths of a sample that agree to this are one. */
static const double same_step = 1e-9;

/* A capture that is being read. */
struct reading {
    struct capture *capture;
    struct wires *wires;
    double units; /* of the file, in a sample */
    int wire_of[CAPTURE_CHANNELS];
};

static int find_channels(struct reading *reading, const char *path, char *error, size_t error_size)
{
    unsigned channels = capture_channels(reading->capture), found = 0;
    for (unsigned i = 0; i < channels; i++) {
        reading->wire_of[i] = wires_find(reading->wires, capture_channel_name(reading->capture, i));
        if (reading->wire_of[i] < 0)
            continue;
        wires_level(reading->wires, (unsigned)reading->wire_of[i], capture_level(reading->capture, i));
        found++;
    }
    if (found)
        return 0;
    snprintf(error, error_size, "%s: none of its %u channels (%s%s) is one of %s, expected %s", path, channels,
             channels ? capture_channel_name(reading->capture, 0) : "", channels > 1 ? ", ..." : "",
             reading->wires->testbed->path, reading->wires->wires[0].channel);
    return -1;
}

static uint64_t in_samples(const struct reading *reading, uint64_t units)
{
    return reading->units == 1 ? units : (uint64_t)llround((double)units / reading->units);
}

static int read_edges(struct reading *reading, char *error, size_t error_size)
{
    struct capture_edge edge;
    int got;
    while ((got = capture_next(reading->capture, &edge)) > 0)
        if (reading->wire_of[edge.channel] >= 0)
            wires_edge(reading->wires, (unsigned)reading->wire_of[edge.channel], in_samples(reading, edge.sample),
                       edge.level);
    if (got < 0)
        snprintf(error, error_size, "%s", capture_error(reading->capture));
    return got;
}

/* Reads the file with samples of this length; 0: as long as the file says at its start. *step is what it says at the
 * end. */
static int read_once(const char *path, const struct testbed *testbed, const struct wires_watch *watch,
                     struct wires *wires, double *step, char *error, size_t error_size)
{
    static struct reading reading;
    reading = (struct reading){.capture = capture_open(path, error, error_size), .wires = wires};
    if (!reading.capture)
        return -1;
    double assumed = *step > 0 ? *step : capture_step(reading.capture), rate = capture_rate(reading.capture);
    reading.units = fabs(rate * assumed - 1) < same_step ? 1 : rate * assumed;
    int result = wires_begin(wires, testbed, reading.units == 1 ? rate : 1 / assumed, error, error_size);
    if (result == 0) {
        wires->watch = watch;
        if (watch)
            watch->begin(watch->context, wires);
        result = find_channels(&reading, path, error, error_size);
        if (result == 0)
            result = read_edges(&reading, error, error_size);
        if (result == 0)
            wires_end(wires, in_samples(&reading, capture_length(reading.capture)));
        else
            wires_free(wires);
    }
    *step = fabs(capture_step(reading.capture) / assumed - 1) < same_step ? assumed : capture_step(reading.capture);
    if (result == 0 && *step != assumed) {
        wires_free(wires);
        result = 1;
    }
    capture_close(reading.capture);
    return result;
}

int capture_lines_read(const char *path, const struct testbed *testbed, const struct wires_watch *watch,
                       struct wires *wires, char *error, size_t error_size)
{
    double step = 0;
    int result = read_once(path, testbed, watch, wires, &step, error, error_size);
    return result == 1 ? read_once(path, testbed, watch, wires, &step, error, error_size) : result;
}
