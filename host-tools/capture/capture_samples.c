/* What the readers of the formats build a capture with: channels, edges in their order, errors. See capture_private.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "capture/capture_private.h"
#include "support/or_abort.h"
#include "support/shown_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    shown_text_line(capture->error);
    return false;
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
        capture->channels = or_abort(realloc(capture->channels, capture->channel_room * sizeof *capture->channels));
    }
    struct capture_channel *channel = &capture->channels[capture->channel_count++];
    *channel = (struct capture_channel){.name = or_abort(strndup(name, length))};
    shown_text_line(channel->name);
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
