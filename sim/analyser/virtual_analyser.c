/* See virtual_analyser.h. An edge is kept until no edge of an earlier sample can come any more; then those of one
 * sample become one change of the file.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "analyser/virtual_analyser.h"

#include "analyser/capture_writer.h"
#include "support/or_abort.h"
#include "support/output_file.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No edge is seen earlier or later than this many standard deviations: less than one of 1e14 would be. */
#define JITTER_MOST 8

#define FEMTOSECONDS_PER_SECOND     1e15L
#define FEMTOSECONDS_PER_PICOSECOND 1e3

struct pending_edge {
    uint64_t sample;
    unsigned channel;
    bool level;
};

struct virtual_analyser {
    struct output_file output;
    char *path;
    const struct capture_format *format;
    void *writer;
    struct random random;
    long double samples_per_fs;
    double jitter_fs;
    uint64_t late_fs;                     /* by which an edge may come after one of a later sample */
    uint64_t earliest[ANALYSER_CHANNELS]; /* sample of each channel's last edge */
    uint64_t levels;
    bool begun; /* the first levels are written */
    struct pending_edge *pending;
    size_t pending_first, pending_count, pending_room;
};

/* ---- time ---- */

/* The first sample at or after a time. */
static uint64_t sample_at(const struct virtual_analyser *analyser, uint64_t femtoseconds)
{
    return (uint64_t)ceill((long double)femtoseconds * analyser->samples_per_fs);
}

/* Normally distributed (Box and Muller), cut off at JITTER_MOST. */
static double normal(struct random *random)
{
    double radius = sqrt(-2 * log1p(-random_unit(random))), value = radius * cos(2 * M_PI * random_unit(random));
    return fmax(-JITTER_MOST, fmin(JITTER_MOST, value));
}

/* When an edge is seen. What the lines are at the start is seen at the start. */
static uint64_t seen(struct virtual_analyser *analyser, uint64_t femtoseconds)
{
    if (analyser->jitter_fs == 0 || femtoseconds == 0)
        return femtoseconds;
    double shift = normal(&analyser->random) * analyser->jitter_fs;
    return shift < 0 && (uint64_t)-shift > femtoseconds ? 0 : femtoseconds + (uint64_t)(int64_t)shift;
}

/* ---- edges that wait ---- */

static void make_room(struct virtual_analyser *analyser)
{
    enum { ROOM_FIRST = 256 };
    size_t count = analyser->pending_count;
    if (count)
        memmove(analyser->pending, analyser->pending + analyser->pending_first, count * sizeof *analyser->pending);
    analyser->pending_first = 0;
    if (count < analyser->pending_room)
        return;
    analyser->pending_room = count ? 2 * count : ROOM_FIRST;
    analyser->pending = or_abort(realloc(analyser->pending, analyser->pending_room * sizeof *analyser->pending));
}

/* Inserts an edge behind those of its sample. */
static void insert(struct virtual_analyser *analyser, struct pending_edge edge)
{
    if (analyser->pending_first + analyser->pending_count == analyser->pending_room)
        make_room(analyser);
    struct pending_edge *list = analyser->pending + analyser->pending_first;
    size_t at = analyser->pending_count++;
    for (; at > 0 && list[at - 1].sample > edge.sample; at--)
        list[at] = list[at - 1];
    list[at] = edge;
}

/* Gives the writer all samples before this one. */
static void write_before(struct virtual_analyser *analyser, uint64_t end)
{
    while (analyser->pending_count && analyser->pending[analyser->pending_first].sample < end) {
        uint64_t sample = analyser->pending[analyser->pending_first].sample, before = analyser->levels;
        for (; analyser->pending_count && analyser->pending[analyser->pending_first].sample == sample;
             analyser->pending_first++, analyser->pending_count--) {
            const struct pending_edge *edge = &analyser->pending[analyser->pending_first];
            uint64_t bit = (uint64_t)1 << edge->channel;
            analyser->levels = edge->level ? analyser->levels | bit : analyser->levels & ~bit;
        }
        if (!analyser->begun && sample > 0)
            analyser->format->change(analyser->writer, 0, before);
        if (sample == 0 || analyser->levels != before)
            analyser->format->change(analyser->writer, sample, analyser->levels);
        analyser->begun = true;
    }
}

void analyser_change(struct virtual_analyser *analyser, uint64_t femtoseconds, unsigned channel, bool level)
{
    uint64_t sample = sample_at(analyser, seen(analyser, femtoseconds));
    if (sample < analyser->earliest[channel])
        sample = analyser->earliest[channel];
    analyser->earliest[channel] = sample;
    insert(analyser, (struct pending_edge){.sample = sample, .channel = channel, .level = level});
    if (femtoseconds > analyser->late_fs)
        write_before(analyser, sample_at(analyser, femtoseconds - analyser->late_fs));
}

/* ---- files ---- */

static const struct capture_format *find_format(const char *path)
{
    static const struct capture_format *const formats[] = {&capture_format_sr, &capture_format_vcd};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t ending = strlen(formats[i]->ending);
        if (length > ending && strcmp(path + length - ending, formats[i]->ending) == 0)
            return formats[i];
    }
    return NULL;
}

bool analyser_has_format(const char *path)
{
    return find_format(path) != NULL;
}

static void destroy(struct virtual_analyser *analyser)
{
    free(analyser->pending);
    free(analyser->path);
    free(analyser);
}

struct virtual_analyser *analyser_create(const char *path, const struct analyser_settings *settings, char *error,
                                         size_t error_size)
{
    const struct capture_format *format = find_format(path);
    struct virtual_analyser *analyser = or_abort(calloc(1, sizeof *analyser));
    struct capture_header header = {(uint64_t)settings->rate_hz, settings->channels, settings->names};
    analyser->path = or_abort(strdup(path));
    if (!format)
        snprintf(error, error_size, "%s: expected a file with the ending %s or %s", path, capture_format_sr.ending,
                 capture_format_vcd.ending);
    if (!format || output_file_open(&analyser->output, analyser->path, error, error_size) != 0) {
        destroy(analyser);
        return NULL;
    }
    analyser->format = format;
    analyser->samples_per_fs = settings->rate_hz * (1 + (long double)settings->ppm * 1e-6L) / FEMTOSECONDS_PER_SECOND;
    analyser->jitter_fs = settings->jitter_ps * FEMTOSECONDS_PER_PICOSECOND;
    analyser->late_fs = settings->disorder_fs + (uint64_t)(JITTER_MOST * analyser->jitter_fs) + 1;
    random_seed(&analyser->random, settings->seed, 0);
    analyser->writer = format->begin(analyser->output.file, &header);
    return analyser;
}

static void end(struct virtual_analyser *analyser, uint64_t samples)
{
    write_before(analyser, samples);
    if (!analyser->begun)
        analyser->format->change(analyser->writer, 0, 0);
    analyser->format->end(analyser->writer, samples);
}

int analyser_close(struct virtual_analyser *analyser, uint64_t femtoseconds, char *error, size_t error_size)
{
    uint64_t samples = (uint64_t)floorl((long double)femtoseconds * analyser->samples_per_fs) + 1;
    end(analyser, samples);
    int result = output_file_close(&analyser->output, error, error_size);
    destroy(analyser);
    return result;
}

void analyser_abandon(struct virtual_analyser *analyser)
{
    end(analyser, 1);
    output_file_abandon(&analyser->output);
    destroy(analyser);
}
