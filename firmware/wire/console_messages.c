/* Requests, answers and events of a node's console, field by field.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/console_messages.h"

#include <string.h>

enum { EVENT_BYTES_OLD = 11 };

static bool finish(struct pr_frame *frame, const struct pr_frames_cursor *cursor)
{
    frame->length = (uint16_t)cursor->at;
    return !cursor->overrun;
}

/* A reader is content when it read exactly what was there. */
static bool complete(const struct pr_frame *frame, const struct pr_frames_cursor *cursor)
{
    return !cursor->overrun && cursor->at == frame->length;
}

bool pr_message_identify(struct pr_frame *frame, unsigned site)
{
    struct pr_frames_cursor cursor;
    pr_frames_begin(frame, &cursor, PR_CONSOLE_IDENTIFY, 0);
    pr_frames_put(frame, &cursor, 2, site);
    return finish(frame, &cursor);
}

static bool ask_range(struct pr_frame *frame, uint8_t type, unsigned site, unsigned first, unsigned count)
{
    struct pr_frames_cursor cursor;
    pr_frames_begin(frame, &cursor, type, 0);
    pr_frames_put(frame, &cursor, 2, site);
    pr_frames_put(frame, &cursor, 1, first);
    pr_frames_put(frame, &cursor, 1, count);
    return finish(frame, &cursor);
}

bool pr_message_identify_part(struct pr_frame *frame, unsigned site, unsigned first, unsigned count)
{
    return ask_range(frame, PR_CONSOLE_IDENTIFY_PART, site, first, count);
}

bool pr_message_ping(struct pr_frame *frame, unsigned site, unsigned data_words)
{
    struct pr_frames_cursor cursor;
    pr_frames_begin(frame, &cursor, PR_CONSOLE_PING, 0);
    pr_frames_put(frame, &cursor, 2, site);
    pr_frames_put(frame, &cursor, 2, data_words);
    return finish(frame, &cursor);
}

bool pr_message_listen(struct pr_frame *frame, unsigned mask)
{
    struct pr_frames_cursor cursor;
    pr_frames_begin(frame, &cursor, PR_CONSOLE_LISTEN, 0);
    pr_frames_put(frame, &cursor, 1, mask);
    return finish(frame, &cursor);
}

bool pr_message_counters(struct pr_frame *frame, unsigned site, unsigned first, unsigned count)
{
    return ask_range(frame, PR_CONSOLE_COUNTERS, site, first, count);
}

bool pr_message_shell(struct pr_frame *frame, const char *line)
{
    struct pr_frames_cursor cursor;
    pr_frames_begin(frame, &cursor, PR_CONSOLE_SHELL, 0);
    for (; *line; line++)
        pr_frames_put(frame, &cursor, 1, (uint8_t)*line);
    return finish(frame, &cursor);
}

static void put_words(struct pr_frame *frame, struct pr_frames_cursor *cursor, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        pr_frames_put(frame, cursor, 4, words[i]);
}

bool pr_message_send(struct pr_frame *frame, const struct pr_message_send *send)
{
    struct pr_frames_cursor cursor;
    pr_frames_begin(frame, &cursor, PR_CONSOLE_SEND, 0);
    pr_frames_put(frame, &cursor, 1, send->handler);
    pr_frames_put(frame, &cursor, 1, 0);
    pr_frames_put(frame, &cursor, 2, send->targets);
    pr_frames_put(frame, &cursor, 2, send->data_words);
    for (unsigned i = 0; i < send->targets; i++) {
        pr_frames_put(frame, &cursor, 2, send->sites[i]);
        pr_frames_put(frame, &cursor, 2, send->info ? send->info[i].count : 0);
        if (send->info)
            put_words(frame, &cursor, send->info[i].words, send->info[i].count);
    }
    put_words(frame, &cursor, send->data, send->data_words);
    return finish(frame, &cursor);
}

int pr_message_status(const struct pr_frame *frame)
{
    return frame->length ? frame->payload[0] : -1;
}

bool pr_message_read_identity(const struct pr_frame *frame, unsigned *site, struct pr_site_identity *out)
{
    struct pr_frames_cursor cursor = {.at = 1};
    uint32_t words[PR_SITE_IDENTITY_WORDS] = {0};
    bool old = frame->length == 3 + 4 * PR_MESSAGE_IDENTITY_WORDS_OLD;
    *site = pr_frames_get(frame, &cursor, 2);
    for (unsigned i = 0; i < (old ? PR_MESSAGE_IDENTITY_WORDS_OLD : PR_SITE_IDENTITY_WORDS); i++)
        words[i] = pr_frames_get(frame, &cursor, 4);
    memcpy(out, words, sizeof words);
    return complete(frame, &cursor);
}

bool pr_message_read_identity_part(const struct pr_frame *frame, unsigned *site, struct pr_site_identity *out)
{
    struct pr_frames_cursor cursor = {.at = 1};
    uint32_t *words = &out->map_version;
    *site = pr_frames_get(frame, &cursor, 2);
    unsigned first = pr_frames_get(frame, &cursor, 1), count = pr_frames_get(frame, &cursor, 1);
    if (first + count > PR_SITE_IDENTITY_WORDS)
        return false;
    for (unsigned i = first; i < first + count; i++)
        words[i] = pr_frames_get(frame, &cursor, 4);
    return complete(frame, &cursor);
}

bool pr_message_read_ping(const struct pr_frame *frame, struct pr_message_ping *out)
{
    struct pr_frames_cursor cursor = {.at = 1};
    out->site = pr_frames_get(frame, &cursor, 2);
    out->round_trip = pr_frames_get(frame, &cursor, 4);
    out->out = pr_frames_get(frame, &cursor, 4);
    out->back = pr_frames_get(frame, &cursor, 4);
    return complete(frame, &cursor);
}

bool pr_message_read_send(const struct pr_frame *frame, unsigned *sequence, uint32_t *clock)
{
    struct pr_frames_cursor cursor = {.at = 1};
    *sequence = pr_frames_get(frame, &cursor, 2);
    *clock = pr_frames_get(frame, &cursor, 4);
    return complete(frame, &cursor);
}

bool pr_message_read_counters(const struct pr_frame *frame, struct pr_message_counters *out)
{
    struct pr_frames_cursor cursor = {.at = 1};
    out->site = pr_frames_get(frame, &cursor, 2);
    out->first = pr_frames_get(frame, &cursor, 1);
    out->count = pr_frames_get(frame, &cursor, 1);
    if (out->count > PR_CONSOLE_COUNTERS_MAX)
        return false;
    for (unsigned i = 0; i < out->count; i++)
        out->values[i] = pr_frames_get(frame, &cursor, 4);
    return complete(frame, &cursor);
}

bool pr_message_read_delivery(const struct pr_frame *frame, struct pr_message_delivery *out)
{
    struct pr_frames_cursor cursor = {.at = 0};
    out->source = pr_frames_get(frame, &cursor, 2);
    out->sequence = pr_frames_get(frame, &cursor, 2);
    out->handler = pr_frames_get(frame, &cursor, 1);
    out->info_words = pr_frames_get(frame, &cursor, 1);
    out->data_words = pr_frames_get(frame, &cursor, 2);
    out->stamp_first = pr_frames_get(frame, &cursor, 4);
    out->stamp_last = pr_frames_get(frame, &cursor, 4);
    out->clock = pr_frames_get(frame, &cursor, 4);
    if (cursor.overrun || out->info_words > PR_MESSAGE_WORDS_MAX || out->data_words > PR_MESSAGE_WORDS_MAX)
        return false;
    for (unsigned i = 0; i < out->info_words; i++)
        out->info[i] = pr_frames_get(frame, &cursor, 4);
    for (unsigned i = 0; i < out->data_words; i++)
        out->data[i] = pr_frames_get(frame, &cursor, 4);
    return complete(frame, &cursor);
}

bool pr_message_read_event(const struct pr_frame *frame, struct pr_message_event *out)
{
    struct pr_frames_cursor cursor = {.at = 0};
    out->what = pr_frames_get(frame, &cursor, 1);
    out->source = pr_frames_get(frame, &cursor, 2);
    out->sequence = pr_frames_get(frame, &cursor, 2);
    out->remaining = pr_frames_get(frame, &cursor, 2);
    out->clock = pr_frames_get(frame, &cursor, 4);
    out->site = out->failure = 0;
    if (frame->length > EVENT_BYTES_OLD) {
        out->site = pr_frames_get(frame, &cursor, 2);
        out->failure = pr_frames_get(frame, &cursor, 1);
    }
    return complete(frame, &cursor);
}

const char *pr_message_text(const struct pr_frame *frame, size_t *length)
{
    size_t skip = frame->type == PR_CONSOLE_LOG ? 1 : 0;
    if ((frame->type != PR_CONSOLE_LOG && frame->type != 0) || frame->length <= skip)
        return NULL;
    *length = frame->length - skip;
    return (const char *)frame->payload + skip;
}

const char *pr_message_status_text(int status)
{
    static const char *const texts[] = {
        [PR_CONSOLE_OK] = "ok",
        [PR_CONSOLE_BAD_REQUEST] = "bad request",
        [PR_CONSOLE_NO_BUFFER] = "no free buffer",
        [PR_CONSOLE_TOO_LONG] = "too long",
        [PR_CONSOLE_NO_TARGETS] = "no targets",
        [PR_CONSOLE_UNKNOWN_SITE] = "unknown site",
        [PR_CONSOLE_UNSUPPORTED] = "unsupported",
        [PR_CONSOLE_BAD_DATA] = "a word wider than the fabric's",
        [PR_CONSOLE_WINDOW_FULL] = "window full",
    };
    if (status < 0 || status >= (int)(sizeof texts / sizeof *texts))
        return "an unknown status";
    return texts[status];
}

const char *pr_message_event_text(unsigned what)
{
    static const char *const texts[] = {
        [0] = "unknown",
        [PR_OPERATOR_EVENT_RESENT] = "resent after abort",
        [PR_OPERATOR_EVENT_FALLBACK] = "unicast fallback",
        [PR_OPERATOR_EVENT_FORWARDED] = "forwarded",
        [PR_OPERATOR_EVENT_TIMED_OUT] = "resent after time-out",
        [PR_OPERATOR_EVENT_FAILED] = "failed",
        [PR_OPERATOR_EVENT_SETTLED] = "settled",
    };
    return texts[what < sizeof texts / sizeof *texts ? what : 0];
}

const char *pr_message_failure_text(unsigned failure)
{
    static const char *const texts[] = {
        [0] = "reason unknown",
        [PR_OPERATOR_FAILED_TIME_OUT] = "no acknowledgement",
        [PR_OPERATOR_FAILED_RESTARTED] = "restarted",
    };
    return texts[failure < sizeof texts / sizeof *texts ? failure : 0];
}
