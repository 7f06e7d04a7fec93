/* Requests, answers and events of a node's console, field by field. */
#include "wire/console_messages.h"

#include <string.h>

enum { EVENT_BYTES_OLD = 11 };

static bool finish(struct frame *frame, const struct frames_cursor *cursor)
{
    frame->length = (uint16_t)cursor->at;
    return !cursor->overrun;
}

/* A reader is content when it read exactly what was there. */
static bool complete(const struct frame *frame, const struct frames_cursor *cursor)
{
    return !cursor->overrun && cursor->at == frame->length;
}

bool message_identify(struct frame *frame, unsigned site)
{
    struct frames_cursor cursor;
    frames_begin(frame, &cursor, CONSOLE_IDENTIFY, 0);
    frames_put(frame, &cursor, 2, site);
    return finish(frame, &cursor);
}

static bool ask_range(struct frame *frame, uint8_t type, unsigned site, unsigned first, unsigned count)
{
    struct frames_cursor cursor;
    frames_begin(frame, &cursor, type, 0);
    frames_put(frame, &cursor, 2, site);
    frames_put(frame, &cursor, 1, first);
    frames_put(frame, &cursor, 1, count);
    return finish(frame, &cursor);
}

bool message_identify_part(struct frame *frame, unsigned site, unsigned first, unsigned count)
{
    return ask_range(frame, CONSOLE_IDENTIFY_PART, site, first, count);
}

bool message_ping(struct frame *frame, unsigned site, unsigned data_words)
{
    struct frames_cursor cursor;
    frames_begin(frame, &cursor, CONSOLE_PING, 0);
    frames_put(frame, &cursor, 2, site);
    frames_put(frame, &cursor, 2, data_words);
    return finish(frame, &cursor);
}

bool message_listen(struct frame *frame, unsigned mask)
{
    struct frames_cursor cursor;
    frames_begin(frame, &cursor, CONSOLE_LISTEN, 0);
    frames_put(frame, &cursor, 1, mask);
    return finish(frame, &cursor);
}

bool message_counters(struct frame *frame, unsigned site, unsigned first, unsigned count)
{
    return ask_range(frame, CONSOLE_COUNTERS, site, first, count);
}

bool message_shell(struct frame *frame, const char *line)
{
    struct frames_cursor cursor;
    frames_begin(frame, &cursor, CONSOLE_SHELL, 0);
    for (; *line; line++)
        frames_put(frame, &cursor, 1, (uint8_t)*line);
    return finish(frame, &cursor);
}

static void put_words(struct frame *frame, struct frames_cursor *cursor, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        frames_put(frame, cursor, 4, words[i]);
}

bool message_send(struct frame *frame, const struct message_send *send)
{
    struct frames_cursor cursor;
    frames_begin(frame, &cursor, CONSOLE_SEND, 0);
    frames_put(frame, &cursor, 1, send->handler);
    frames_put(frame, &cursor, 1, 0);
    frames_put(frame, &cursor, 2, send->targets);
    frames_put(frame, &cursor, 2, send->data_words);
    for (unsigned i = 0; i < send->targets; i++) {
        frames_put(frame, &cursor, 2, send->sites[i]);
        frames_put(frame, &cursor, 2, send->info ? send->info[i].count : 0);
        if (send->info)
            put_words(frame, &cursor, send->info[i].words, send->info[i].count);
    }
    put_words(frame, &cursor, send->data, send->data_words);
    return finish(frame, &cursor);
}

int message_status(const struct frame *frame)
{
    return frame->length ? frame->payload[0] : -1;
}

bool message_read_identity(const struct frame *frame, unsigned *site, struct node_identity *out)
{
    struct frames_cursor cursor = {.at = 1};
    uint32_t words[NODE_IDENTITY_WORDS] = {0};
    bool old = frame->length == 3 + 4 * MESSAGE_IDENTITY_WORDS_OLD;
    *site = frames_get(frame, &cursor, 2);
    for (unsigned i = 0; i < (old ? MESSAGE_IDENTITY_WORDS_OLD : NODE_IDENTITY_WORDS); i++)
        words[i] = frames_get(frame, &cursor, 4);
    memcpy(out, words, sizeof words);
    return complete(frame, &cursor);
}

bool message_read_identity_part(const struct frame *frame, unsigned *site, struct node_identity *out)
{
    struct frames_cursor cursor = {.at = 1};
    uint32_t *words = &out->map_version;
    *site = frames_get(frame, &cursor, 2);
    unsigned first = frames_get(frame, &cursor, 1), count = frames_get(frame, &cursor, 1);
    if (first + count > NODE_IDENTITY_WORDS)
        return false;
    for (unsigned i = first; i < first + count; i++)
        words[i] = frames_get(frame, &cursor, 4);
    return complete(frame, &cursor);
}

bool message_read_ping(const struct frame *frame, struct message_ping *out)
{
    struct frames_cursor cursor = {.at = 1};
    out->site = frames_get(frame, &cursor, 2);
    out->round_trip = frames_get(frame, &cursor, 4);
    out->out = frames_get(frame, &cursor, 4);
    out->back = frames_get(frame, &cursor, 4);
    return complete(frame, &cursor);
}

bool message_read_send(const struct frame *frame, unsigned *sequence, uint32_t *clock)
{
    struct frames_cursor cursor = {.at = 1};
    *sequence = frames_get(frame, &cursor, 2);
    *clock = frames_get(frame, &cursor, 4);
    return complete(frame, &cursor);
}

bool message_read_counters(const struct frame *frame, struct message_counters *out)
{
    struct frames_cursor cursor = {.at = 1};
    out->site = frames_get(frame, &cursor, 2);
    out->first = frames_get(frame, &cursor, 1);
    out->count = frames_get(frame, &cursor, 1);
    if (out->count > CONSOLE_COUNTERS_MAX)
        return false;
    for (unsigned i = 0; i < out->count; i++)
        out->values[i] = frames_get(frame, &cursor, 4);
    return complete(frame, &cursor);
}

bool message_read_delivery(const struct frame *frame, struct message_delivery *out)
{
    struct frames_cursor cursor = {.at = 0};
    out->source = frames_get(frame, &cursor, 2);
    out->sequence = frames_get(frame, &cursor, 2);
    out->handler = frames_get(frame, &cursor, 1);
    out->info_words = frames_get(frame, &cursor, 1);
    out->data_words = frames_get(frame, &cursor, 2);
    out->stamp_first = frames_get(frame, &cursor, 4);
    out->stamp_last = frames_get(frame, &cursor, 4);
    out->clock = frames_get(frame, &cursor, 4);
    if (cursor.overrun || out->info_words > MESSAGE_WORDS_MAX || out->data_words > MESSAGE_WORDS_MAX)
        return false;
    for (unsigned i = 0; i < out->info_words; i++)
        out->info[i] = frames_get(frame, &cursor, 4);
    for (unsigned i = 0; i < out->data_words; i++)
        out->data[i] = frames_get(frame, &cursor, 4);
    return complete(frame, &cursor);
}

bool message_read_event(const struct frame *frame, struct message_event *out)
{
    struct frames_cursor cursor = {.at = 0};
    out->what = frames_get(frame, &cursor, 1);
    out->source = frames_get(frame, &cursor, 2);
    out->sequence = frames_get(frame, &cursor, 2);
    out->remaining = frames_get(frame, &cursor, 2);
    out->clock = frames_get(frame, &cursor, 4);
    out->site = out->failure = 0;
    if (frame->length > EVENT_BYTES_OLD) {
        out->site = frames_get(frame, &cursor, 2);
        out->failure = frames_get(frame, &cursor, 1);
    }
    return complete(frame, &cursor);
}

const char *message_text(const struct frame *frame, size_t *length)
{
    size_t skip = frame->type == CONSOLE_LOG ? 1 : 0;
    if ((frame->type != CONSOLE_LOG && frame->type != 0) || frame->length <= skip)
        return NULL;
    *length = frame->length - skip;
    return (const char *)frame->payload + skip;
}

const char *message_status_text(int status)
{
    static const char *const texts[] = {
        [CONSOLE_OK] = "ok",
        [CONSOLE_BAD_REQUEST] = "bad request",
        [CONSOLE_NO_BUFFER] = "no free buffer",
        [CONSOLE_TOO_LONG] = "too long",
        [CONSOLE_NO_TARGETS] = "no targets",
        [CONSOLE_UNKNOWN_SITE] = "unknown site",
        [CONSOLE_UNSUPPORTED] = "unsupported",
        [CONSOLE_BAD_DATA] = "a word wider than the fabric's",
        [CONSOLE_WINDOW_FULL] = "window full",
    };
    if (status < 0 || status >= (int)(sizeof texts / sizeof *texts))
        return "an unknown status";
    return texts[status];
}

const char *message_event_text(unsigned what)
{
    static const char *const texts[] = {
        [0] = "unknown",
        [OPERATOR_EVENT_RESENT] = "resent after abort",
        [OPERATOR_EVENT_FALLBACK] = "unicast fallback",
        [OPERATOR_EVENT_FORWARDED] = "forwarded",
        [OPERATOR_EVENT_TIMED_OUT] = "resent after time-out",
        [OPERATOR_EVENT_FAILED] = "failed",
        [OPERATOR_EVENT_SETTLED] = "settled",
    };
    return texts[what < sizeof texts / sizeof *texts ? what : 0];
}

const char *message_failure_text(unsigned failure)
{
    static const char *const texts[] = {
        [0] = "reason unknown",
        [OPERATOR_FAILED_TIME_OUT] = "no acknowledgement",
        [OPERATOR_FAILED_RESTARTED] = "restarted",
    };
    return texts[failure < sizeof texts / sizeof *texts ? failure : 0];
}
