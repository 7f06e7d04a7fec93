/* A capture, whichever format it has. See capture_read.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "capture/capture_private.h"
#include "support/input_file.h"
#include "support/or_abort.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The format, by the first bytes that are no blanks. NULL with the reason: the file cannot be read, or not again. */
static const struct capture_kind *find_kind(const char *path, const char **reason)
{
    enum { LOOK = 4096 };
    char bytes[LOOK];
    struct stat status;
    int file = input_file_descriptor(path);
    bool stream = file >= 0 && fstat(file, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
    ssize_t count = file < 0 || stream ? -1 : read(file, bytes, sizeof bytes), at = 0;
    *reason = stream ? "no ordinary file, which it has to be to be read twice" : strerror(errno);
    if (file >= 0)
        close(file);
    if (count < 0)
        return NULL;
    if (count > 0)
        at = (ssize_t)capture_mark(bytes, (size_t)count);
    while (at < count && isspace((unsigned char)bytes[at]))
        at++;
    if (count >= 2 && bytes[0] == 'P' && bytes[1] == 'K')
        return &capture_kind_sr;
    return at < count && bytes[at] == '$' ? &capture_kind_vcd : &capture_kind_csv;
}

static bool begin(struct capture *capture)
{
    const char *reason;
    capture->kind = find_kind(capture->path, &reason);
    if (!capture->kind)
        return capture_fail(capture, 0, "%s, expected a capture: .sr, .vcd or .csv", reason);
    if (!capture->kind->open(capture))
        return false;
    if (!capture->channel_count)
        return capture_fail(capture, 0, "no channels, expected at least one with levels 0 and 1%s%s%s",
                            *capture->left_out ? " (" : "", capture->left_out, *capture->left_out ? ")" : "");
    capture->touched = or_abort(calloc(capture->channel_count, sizeof *capture->touched));
    capture->edges = or_abort(calloc(capture->channel_count, sizeof *capture->edges));
    capture->sampling = (struct capture_sampling){.step = 1 / capture->rate, .exact = 1 / capture->rate};
    /* Up to the first edges, before which all first levels stand. */
    return capture->kind->advance(capture);
}

struct capture *capture_open(const char *path, char *error, size_t error_size)
{
    struct capture *capture = or_abort(calloc(1, sizeof *capture));
    capture->path = or_abort(strdup(path));
    if (begin(capture))
        return capture;
    snprintf(error, error_size, "%s", capture->error);
    capture_close(capture);
    return NULL;
}

void capture_close(struct capture *capture)
{
    if (capture->kind)
        capture->kind->close(capture);
    for (unsigned i = 0; i < capture->channel_count; i++)
        free(capture->channels[i].name);
    free(capture->channels);
    free(capture->touched);
    free(capture->edges);
    free(capture->path);
    free(capture);
}

/* The next edge that was read, of a channel that is not ignored. */
static bool fetch(struct capture *capture, struct capture_edge *out)
{
    while (capture->edge_first < capture->edge_count) {
        *out = capture->edges[capture->edge_first++];
        if (capture->channels[out->channel].ignored)
            continue;
        if (capture->seeks_grid)
            capture_grid_add(&capture->grid, out->sample);
        return true;
    }
    return false;
}

int capture_next(struct capture *capture, struct capture_edge *out)
{
    while (!fetch(capture, out) && !capture->failed && !capture->ended) {
        capture->edge_first = capture->edge_count = 0;
        capture->ended = capture->kind->advance(capture) && !capture->edge_count;
        if (capture->ended && capture->seeks_grid)
            capture_grid_end(&capture->grid, &capture->sampling);
    }
    return capture->failed ? -1 : !capture->ended;
}

double capture_rate(const struct capture *capture)
{
    return capture->rate;
}

struct capture_sampling capture_sampling(const struct capture *capture)
{
    return capture->sampling;
}

uint64_t capture_length(const struct capture *capture)
{
    return capture->length;
}

unsigned capture_channels(const struct capture *capture)
{
    return capture->channel_count;
}

const char *capture_channel_name(const struct capture *capture, unsigned channel)
{
    return capture->channels[channel].name;
}

int capture_channel(const struct capture *capture, const char *name)
{
    for (unsigned i = 0; i < capture->channel_count; i++)
        if (strcmp(capture->channels[i].name, name) == 0)
            return (int)i;
    return -1;
}

const char *capture_left_out(const struct capture *capture)
{
    return capture->left_out;
}

void capture_ignore(struct capture *capture, unsigned channel)
{
    capture->channels[channel].ignored = true;
}

bool capture_level(const struct capture *capture, unsigned channel)
{
    return capture->channels[channel].first;
}

const char *capture_error(const struct capture *capture)
{
    return capture->error;
}
