/* Requests, answers and events of a node's console, field by field.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/console_messages.h"

#include <string.h>

/* Of nodes older than the reliable service. */
enum { EVENT_BYTES_OLD = PR_FIELD_OFFSET(PR_MESSAGE_EVENT_SITE) };

bool pr_message_identify(struct pr_frame *frame, unsigned site)
{
    struct pr_payload_writer writer = pr_frames_begin(frame, PR_CONSOLE_IDENTIFY, 0);
    pr_payload_put(&writer, PR_MESSAGE_IDENTIFY_SITE, site);
    return pr_frames_end(frame, &writer);
}

static bool ask_range(struct pr_frame *frame, uint8_t type, unsigned site, unsigned first, unsigned count)
{
    struct pr_payload_writer writer = pr_frames_begin(frame, type, 0);
    pr_payload_put(&writer, PR_MESSAGE_RANGE_SITE, site);
    pr_payload_put(&writer, PR_MESSAGE_RANGE_FIRST, first);
    pr_payload_put(&writer, PR_MESSAGE_RANGE_COUNT, count);
    return pr_frames_end(frame, &writer);
}

bool pr_message_identify_part(struct pr_frame *frame, unsigned site, unsigned first, unsigned count)
{
    return ask_range(frame, PR_CONSOLE_IDENTIFY_PART, site, first, count);
}

bool pr_message_ping(struct pr_frame *frame, unsigned site, unsigned data_words)
{
    struct pr_payload_writer writer = pr_frames_begin(frame, PR_CONSOLE_PING, 0);
    pr_payload_put(&writer, PR_MESSAGE_PING_SITE, site);
    pr_payload_put(&writer, PR_MESSAGE_PING_DATA_WORDS, data_words);
    return pr_frames_end(frame, &writer);
}

bool pr_message_listen(struct pr_frame *frame, unsigned mask)
{
    struct pr_payload_writer writer = pr_frames_begin(frame, PR_CONSOLE_LISTEN, 0);
    pr_payload_put(&writer, PR_MESSAGE_LISTEN_BITS, mask);
    return pr_frames_end(frame, &writer);
}

bool pr_message_counters(struct pr_frame *frame, unsigned site, unsigned first, unsigned count)
{
    return ask_range(frame, PR_CONSOLE_COUNTERS, site, first, count);
}

bool pr_message_hold(struct pr_frame *frame, uint32_t clocks)
{
    struct pr_payload_writer writer = pr_frames_begin(frame, PR_CONSOLE_HOLD, 0);
    pr_payload_put(&writer, PR_MESSAGE_HOLD_CLOCKS, clocks);
    return pr_frames_end(frame, &writer);
}

bool pr_message_routes(struct pr_frame *frame, unsigned first, const struct pr_route *routes, unsigned count)
{
    struct pr_payload_writer writer = pr_frames_begin(frame, PR_CONSOLE_ROUTES, 0);
    for (unsigned i = 0; i < count; i++) {
        pr_payload_append(&writer, PR_FIELD_BYTES(PR_MESSAGE_ROUTE_SITE), first + i);
        pr_payload_append(&writer, PR_FIELD_BYTES(PR_MESSAGE_ROUTE_COUNT), routes[i].count);
        for (unsigned k = 0; k < routes[i].count; k++)
            pr_payload_append(&writer, 1, routes[i].ports[k]);
    }
    return pr_frames_end(frame, &writer);
}

bool pr_message_shell(struct pr_frame *frame, const char *line)
{
    struct pr_payload_writer writer = pr_frames_begin(frame, PR_CONSOLE_SHELL, 0);
    for (; *line; line++)
        pr_payload_append(&writer, 1, (uint8_t)*line);
    return pr_frames_end(frame, &writer);
}

static void put_words(struct pr_payload_writer *writer, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        pr_payload_append(writer, 4, words[i]);
}

static void put_entry(struct pr_payload_writer *writer, unsigned site, const struct pr_message_info *info)
{
    pr_payload_append(writer, PR_FIELD_BYTES(PR_MESSAGE_ENTRY_SITE), site);
    pr_payload_append(writer, PR_FIELD_BYTES(PR_MESSAGE_ENTRY_INFO_WORDS), info ? info->count : 0);
    if (info)
        put_words(writer, info->words, info->count);
}

bool pr_message_send(struct pr_frame *frame, const struct pr_message_send *send)
{
    struct pr_payload_writer writer = pr_frames_begin(frame, PR_CONSOLE_SEND, 0);
    pr_payload_put(&writer, PR_MESSAGE_SEND_HANDLER, send->handler);
    pr_payload_put(&writer, PR_MESSAGE_SEND_FLAGS, send->halves ? PR_CONSOLE_SEND_HALVES : 0);
    pr_payload_put(&writer, PR_MESSAGE_SEND_TARGETS, send->targets);
    pr_payload_put(&writer, PR_MESSAGE_SEND_DATA_WORDS, send->data_words);
    for (unsigned i = 0; i < send->targets; i++)
        put_entry(&writer, send->sites[i], send->info ? &send->info[i] : NULL);
    for (unsigned k = 0; k < send->data_words; k++)
        pr_payload_append(&writer, send->halves ? 2 : 4, send->data[k]);
    return pr_frames_end(frame, &writer);
}

void pr_message_log(struct pr_frame *frame, const char *text, size_t length)
{
    struct pr_payload_writer writer = pr_frames_begin(frame, PR_CONSOLE_LOG, 0);
    pr_payload_put(&writer, PR_MESSAGE_LOG_LEVEL, 0);
    for (size_t i = 0; i < length; i++)
        pr_payload_append(&writer, 1, (uint8_t)text[i]);
    pr_frames_end(frame, &writer);
}

int pr_message_status(const struct pr_frame *frame)
{
    return frame->length ? frame->payload[PR_FIELD_OFFSET(PR_MESSAGE_STATUS_ANSWER_STATUS)] : -1;
}

static void get_words(struct pr_payload_reader *reader, uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        words[i] = pr_payload_next(reader, 4);
}

bool pr_message_read_identity(const struct pr_frame *frame, unsigned *site, struct pr_site_identity *out)
{
    struct pr_payload_reader reader = pr_frames_payload(frame);
    uint32_t words[PR_SITE_IDENTITY_ALL_WORDS] = {0};
    bool old = frame->length == PR_MESSAGE_IDENTIFY_ANSWER_BYTES + 4 * PR_MESSAGE_IDENTITY_WORDS_OLD;
    *site = pr_payload_get(&reader, PR_MESSAGE_IDENTIFY_ANSWER_SITE);
    get_words(&reader, words, old ? PR_MESSAGE_IDENTITY_WORDS_OLD : PR_SITE_IDENTITY_WORDS);
    memcpy(out, words, sizeof words);
    return pr_payload_is_complete(&reader);
}

bool pr_message_read_identity_part(const struct pr_frame *frame, unsigned *site, struct pr_site_identity *out)
{
    struct pr_payload_reader reader = pr_frames_payload(frame);
    uint32_t *words = &out->map_version;
    *site = pr_payload_get(&reader, PR_MESSAGE_RANGE_ANSWER_SITE);
    unsigned first = pr_payload_get(&reader, PR_MESSAGE_RANGE_ANSWER_FIRST);
    unsigned count = pr_payload_get(&reader, PR_MESSAGE_RANGE_ANSWER_COUNT);
    if (first + count > PR_SITE_IDENTITY_ALL_WORDS)
        return false;
    get_words(&reader, words + first, count);
    return pr_payload_is_complete(&reader);
}

bool pr_message_read_ping(const struct pr_frame *frame, struct pr_message_ping *out)
{
    struct pr_payload_reader reader = pr_frames_payload(frame);
    out->site = pr_payload_get(&reader, PR_MESSAGE_PING_ANSWER_SITE);
    out->round_trip = pr_payload_get(&reader, PR_MESSAGE_PING_ANSWER_ROUND_TRIP);
    out->out = pr_payload_get(&reader, PR_MESSAGE_PING_ANSWER_OUT);
    out->back = pr_payload_get(&reader, PR_MESSAGE_PING_ANSWER_BACK);
    return pr_payload_is_complete(&reader);
}

bool pr_message_read_send(const struct pr_frame *frame, unsigned *sequence, uint32_t *clock)
{
    struct pr_payload_reader reader = pr_frames_payload(frame);
    *sequence = pr_payload_get(&reader, PR_MESSAGE_SEND_ANSWER_SEQUENCE);
    *clock = pr_payload_get(&reader, PR_MESSAGE_SEND_ANSWER_CLOCK);
    return pr_payload_is_complete(&reader);
}

bool pr_message_read_counters(const struct pr_frame *frame, struct pr_message_counters *out)
{
    struct pr_payload_reader reader = pr_frames_payload(frame);
    out->site = pr_payload_get(&reader, PR_MESSAGE_RANGE_ANSWER_SITE);
    out->first = pr_payload_get(&reader, PR_MESSAGE_RANGE_ANSWER_FIRST);
    out->count = pr_payload_get(&reader, PR_MESSAGE_RANGE_ANSWER_COUNT);
    if (out->count > PR_CONSOLE_COUNTERS_MAX)
        return false;
    get_words(&reader, out->values, out->count);
    return pr_payload_is_complete(&reader);
}

bool pr_message_read_delivery(const struct pr_frame *frame, struct pr_message_delivery *out)
{
    struct pr_payload_reader reader = pr_frames_payload(frame);
    out->source = pr_payload_get(&reader, PR_MESSAGE_DELIVERED_SOURCE);
    out->sequence = pr_payload_get(&reader, PR_MESSAGE_DELIVERED_SEQUENCE);
    out->handler = pr_payload_get(&reader, PR_MESSAGE_DELIVERED_HANDLER);
    out->info_words = pr_payload_get(&reader, PR_MESSAGE_DELIVERED_INFO_WORDS);
    out->data_words = pr_payload_get(&reader, PR_MESSAGE_DELIVERED_DATA_WORDS);
    out->stamp_first = pr_payload_get(&reader, PR_MESSAGE_DELIVERED_STAMP_FIRST);
    out->stamp_last = pr_payload_get(&reader, PR_MESSAGE_DELIVERED_STAMP_LAST);
    out->clock = pr_payload_get(&reader, PR_MESSAGE_DELIVERED_CLOCK);
    if (reader.overrun || out->info_words > PR_MESSAGE_WORDS_MAX || out->data_words > PR_MESSAGE_WORDS_MAX)
        return false;
    get_words(&reader, out->info, out->info_words);
    get_words(&reader, out->data, out->data_words);
    return pr_payload_is_complete(&reader);
}

bool pr_message_read_event(const struct pr_frame *frame, struct pr_message_event *out)
{
    struct pr_payload_reader reader = pr_frames_payload(frame);
    out->what = pr_payload_get(&reader, PR_MESSAGE_EVENT_KIND);
    out->source = pr_payload_get(&reader, PR_MESSAGE_EVENT_SOURCE);
    out->sequence = pr_payload_get(&reader, PR_MESSAGE_EVENT_SEQUENCE);
    out->remaining = pr_payload_get(&reader, PR_MESSAGE_EVENT_REMAINING);
    out->clock = pr_payload_get(&reader, PR_MESSAGE_EVENT_CLOCK);
    out->site = out->failure = 0;
    if (frame->length > EVENT_BYTES_OLD) {
        out->site = pr_payload_get(&reader, PR_MESSAGE_EVENT_SITE);
        out->failure = pr_payload_get(&reader, PR_MESSAGE_EVENT_REASON);
    }
    return pr_payload_is_complete(&reader);
}

const char *pr_message_text(const struct pr_frame *frame, size_t *length)
{
    size_t skip = frame->type == PR_CONSOLE_LOG ? PR_MESSAGE_LOG_BYTES : 0;
    if ((frame->type != PR_CONSOLE_LOG && frame->type != 0) || frame->length <= skip)
        return NULL;
    *length = frame->length - skip;
    return (const char *)frame->payload + skip;
}

#define TEXT_ROW(value, text) [value] = text,

const char *pr_message_status_text(int status)
{
    static const char *const texts[] = {PR_CONSOLE_STATUS_LIST(TEXT_ROW)};
    if (status < 0 || status >= (int)(sizeof texts / sizeof *texts))
        return "an unknown status";
    return texts[status];
}

const char *pr_message_event_text(unsigned what)
{
    static const char *const texts[] = {[0] = "unknown", PR_CONSOLE_KIND_LIST(TEXT_ROW)};
    return texts[what < sizeof texts / sizeof *texts ? what : 0];
}

const char *pr_message_failure_text(unsigned failure)
{
    static const char *const texts[] = {[0] = "reason unknown", PR_CONSOLE_REASON_LIST(TEXT_ROW)};
    return texts[failure < sizeof texts / sizeof *texts ? failure : 0];
}
