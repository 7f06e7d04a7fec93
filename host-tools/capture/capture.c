/* What the formats share: which one a file has, its channels, edges in their order, errors. See capture_read.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "capture/capture_private.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- errors ---- */

bool capture_fail(struct capture *capture, uint64_t line, const char *format, ...)
{
    va_list arguments;
    char where[32] = "";
    if (capture->failed)
        return false;
    capture->failed = true;
    if (line)
        snprintf(where, sizeof where, ":%llu", (unsigned long long)line);
    int used = snprintf(capture->error, sizeof capture->error, "%s%s: ", capture->path, where);
    if (used < 0 || (size_t)used >= sizeof capture->error)
        return false;
    va_start(arguments, format);
    vsnprintf(capture->error + used, sizeof capture->error - (size_t)used, format, arguments);
    va_end(arguments);
    for (char *at = capture->error; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
    return false;
}

const char *capture_error(const struct capture *capture)
{
    return capture->error;
}

/* ---- channels and samples ---- */

bool capture_add_channel(struct capture *capture, uint64_t line, const char *name, size_t length)
{
    enum { ROOM_FIRST = 16, NAME_MOST = 255 };
    if (capture->channel_count == CAPTURE_CHANNELS)
        return capture_fail(capture, line, "expected at most %d channels", CAPTURE_CHANNELS);
    if (!length || length > NAME_MOST)
        return capture_fail(capture, line, "the name of a channel has %zu characters, expected 1 to %d", length,
                            NAME_MOST);
    if (capture->channel_count == capture->channel_room) {
        capture->channel_room = capture->channel_room ? 2 * capture->channel_room : ROOM_FIRST;
        capture->channels = realloc(capture->channels, capture->channel_room * sizeof *capture->channels);
        if (!capture->channels)
            abort();
    }
    struct capture_channel *channel = &capture->channels[capture->channel_count++];
    *channel = (struct capture_channel){.name = strndup(name, length)};
    if (!channel->name)
        abort();
    return true;
}

void capture_set(struct capture *capture, unsigned number, bool level)
{
    struct capture_channel *channel = &capture->channels[number];
    channel->next = level;
    if (channel->touched)
        return;
    channel->touched = true;
    capture->touched[capture->touched_count++] = number;
}

static void put_in_order(unsigned *list, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        unsigned value = list[i], at = i;
        for (; at > 0 && list[at - 1] > value; at--)
            list[at] = list[at - 1];
        list[at] = value;
    }
}

/* Channels are set seldom all at once but in the first sample, in order. */
bool capture_end_sample(struct capture *capture, uint64_t sample)
{
    put_in_order(capture->touched, capture->touched_count);
    capture->edge_first = capture->edge_count = 0;
    for (unsigned i = 0; i < capture->touched_count; i++) {
        unsigned number = capture->touched[i];
        struct capture_channel *channel = &capture->channels[number];
        channel->touched = false;
        if (!capture->begun)
            channel->first = channel->next;
        else if (channel->next != channel->level)
            capture->edges[capture->edge_count++] = (struct capture_edge){
                .sample = sample, .channel = number, .level = channel->next};
        channel->level = channel->next;
    }
    capture->touched_count = 0;
    capture->begun = true;
    if (capture->edge_count && capture->seeks_grid)
        capture_grid_add(&capture->grid, sample);
    return capture->edge_count > 0;
}

bool capture_parse_rate(const char *text, size_t length, double *rate)
{
    enum { TEXT_MOST = 31 };
    static const struct {
        const char *name;
        double hertz;
    } units[] = {{"", 1}, {"hz", 1}, {"k", 1e3}, {"khz", 1e3}, {"m", 1e6}, {"mhz", 1e6}, {"g", 1e9}, {"ghz", 1e9}};
    static const double most = 1e12;
    char copy[TEXT_MOST + 1], *end;
    if (length > TEXT_MOST)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    while (length && isspace((unsigned char)copy[length - 1]))
        copy[--length] = 0;
    if (!isdigit((unsigned char)*copy) || tolower((unsigned char)copy[1]) == 'x')
        return false;
    double value = strtod(copy, &end);
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcasecmp(end, units[i].name) == 0) {
            *rate = value * units[i].hertz;
            return *rate > 0 && *rate <= most;
        }
    return false;
}

/* ---- the file ---- */

/* The format, by the first bytes that are no blanks. NULL with errno: the file cannot be read. */
static const struct capture_kind *find_kind(const char *path)
{
    enum { LOOK = 4096 };
    char bytes[LOOK];
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, bytes, sizeof bytes), at = 0;
    int reason = errno;
    if (count >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
        count = -1;
        reason = ESPIPE; /* it is read again from the start */
    }
    if (file >= 0)
        close(file);
    errno = reason;
    if (count < 0)
        return NULL;
    while (at < count && isspace((unsigned char)bytes[at]))
        at++;
    if (count >= 2 && bytes[0] == 'P' && bytes[1] == 'K')
        return &capture_kind_sr;
    return at < count && bytes[at] == '$' ? &capture_kind_vcd : &capture_kind_csv;
}

static bool begin(struct capture *capture)
{
    capture->kind = find_kind(capture->path);
    if (!capture->kind)
        return capture_fail(capture, 0, "%s, expected a capture: .sr, .vcd or .csv", strerror(errno));
    if (!capture->kind->open(capture))
        return false;
    if (!capture->channel_count)
        return capture_fail(capture, 0, "no channels, expected at least one with levels 0 and 1");
    capture->touched = calloc(capture->channel_count, sizeof *capture->touched);
    capture->edges = calloc(capture->channel_count, sizeof *capture->edges);
    if (!capture->touched || !capture->edges)
        abort();
    if (capture->seeks_grid)
        capture_grid_begin(&capture->grid, capture->rate);
    /* Up to the first edges, before which all first levels stand. */
    return capture->kind->advance(capture);
}

struct capture *capture_open(const char *path, char *error, size_t error_size)
{
    struct capture *capture = calloc(1, sizeof *capture);
    if (!capture || !(capture->path = strdup(path)))
        abort();
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

static void end(struct capture *capture)
{
    double rate = capture->seeks_grid ? capture_grid_rate(&capture->grid) : 0;
    capture->ended = true;
    if (rate > 0)
        capture->step = 1 / rate;
}

int capture_next(struct capture *capture, struct capture_edge *out)
{
    if (capture->edge_first == capture->edge_count && !capture->failed && !capture->ended) {
        capture->edge_first = capture->edge_count = 0;
        if (capture->kind->advance(capture) && !capture->edge_count)
            end(capture);
    }
    if (capture->failed)
        return -1;
    if (capture->edge_first == capture->edge_count)
        return 0;
    *out = capture->edges[capture->edge_first++];
    return 1;
}

double capture_rate(const struct capture *capture)
{
    return capture->rate;
}

double capture_step(const struct capture *capture)
{
    return capture->step;
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

bool capture_level(const struct capture *capture, unsigned channel)
{
    return capture->channels[channel].first;
}
