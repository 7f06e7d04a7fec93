/* Console frames on a byte stream: encoding, and a reader that survives garbage.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/console_frame.h"

#include "wire/envelope.h"

#include <string.h>

enum {
    TEXT_FLUSH_MIN = 2,
    CONTENTS_MAX = PR_MESSAGE_FRAME_BYTES + PR_FRAMES_PAYLOAD_MAX,
};

size_t pr_frames_encode(const struct pr_frame *frame, uint8_t *out, size_t size)
{
    uint8_t contents[CONTENTS_MAX + PR_ENVELOPE_CHECK];
    struct pr_payload_writer header = {.bytes = contents, .limit = PR_MESSAGE_FRAME_BYTES};
    if (frame->length > PR_FRAMES_PAYLOAD_MAX || size < PR_FRAMES_WIRE_MAX)
        return 0;
    pr_payload_put(&header, PR_MESSAGE_FRAME_TYPE, frame->type);
    pr_payload_put(&header, PR_MESSAGE_FRAME_ID, frame->id);
    memcpy(contents + PR_MESSAGE_FRAME_BYTES, frame->payload, frame->length);
    return pr_envelope_encode(contents, PR_MESSAGE_FRAME_BYTES + (size_t)frame->length, out);
}

void pr_frames_reader_init(struct pr_frames_reader *reader)
{
    reader->used = 0;
    reader->overflow = false;
    reader->frames = reader->bad = 0;
}

static bool printable(uint8_t byte)
{
    return (byte >= ' ' && byte < 0x7f) || byte == '\n' || byte == '\r' || byte == '\t';
}

static bool all_printable(const uint8_t *bytes, size_t count)
{
    while (count && printable(bytes[count - 1]))
        count--;
    return count == 0;
}

static enum pr_frames_result take_text(struct pr_frames_reader *reader, struct pr_frame *out)
{
    out->type = out->id = 0;
    out->length = (uint16_t)(reader->used < PR_FRAMES_PAYLOAD_MAX ? reader->used : PR_FRAMES_PAYLOAD_MAX);
    memcpy(out->payload, reader->raw, out->length);
    reader->used = 0;
    return PR_FRAMES_TEXT;
}

static bool decode(const struct pr_frames_reader *reader, struct pr_frame *out)
{
    uint8_t contents[PR_FRAMES_WIRE_MAX];
    size_t length = pr_envelope_decode(reader->raw, reader->used, contents);
    struct pr_payload_reader header = {.bytes = contents, .length = length};
    if (length == PR_ENVELOPE_BAD || length < PR_MESSAGE_FRAME_BYTES || length > CONTENTS_MAX)
        return false;
    out->type = (uint8_t)pr_payload_get(&header, PR_MESSAGE_FRAME_TYPE);
    out->id = (uint8_t)pr_payload_get(&header, PR_MESSAGE_FRAME_ID);
    out->length = (uint16_t)(length - PR_MESSAGE_FRAME_BYTES);
    memcpy(out->payload, contents + PR_MESSAGE_FRAME_BYTES, out->length);
    return true;
}

static enum pr_frames_result take_chunk(struct pr_frames_reader *reader, struct pr_frame *out)
{
    if (!reader->overflow && decode(reader, out)) {
        reader->used = 0;
        reader->frames++;
        return PR_FRAMES_READY;
    }
    if (!reader->overflow && all_printable(reader->raw, reader->used))
        return take_text(reader, out);
    reader->used = 0;
    reader->overflow = false;
    reader->bad++;
    return PR_FRAMES_BAD;
}

enum pr_frames_result pr_frames_push(struct pr_frames_reader *reader, uint8_t byte, struct pr_frame *out)
{
    if (byte == 0)
        return reader->used ? take_chunk(reader, out) : PR_FRAMES_NONE;
    if (reader->used == sizeof reader->raw) {
        reader->overflow = true;
        return PR_FRAMES_NONE;
    }
    reader->raw[reader->used++] = byte;
    /* No frame type is printable, so a frame's second byte never lets this pass. */
    if (byte == '\n' && !reader->overflow && reader->used >= TEXT_FLUSH_MIN && all_printable(reader->raw, reader->used))
        return take_text(reader, out);
    return PR_FRAMES_NONE;
}

enum pr_frames_result pr_frames_flush(struct pr_frames_reader *reader, struct pr_frame *out)
{
    bool text = reader->used && !reader->overflow && all_printable(reader->raw, reader->used);
    return text ? take_text(reader, out) : PR_FRAMES_NONE;
}

struct pr_payload_writer pr_frames_begin(struct pr_frame *frame, uint8_t type, uint8_t id)
{
    frame->type = type;
    frame->id = id;
    frame->length = 0;
    return (struct pr_payload_writer){.bytes = frame->payload, .limit = PR_FRAMES_PAYLOAD_MAX};
}

bool pr_frames_end(struct pr_frame *frame, const struct pr_payload_writer *writer)
{
    frame->length = (uint16_t)writer->length;
    return !writer->overrun;
}

struct pr_payload_reader pr_frames_payload(const struct pr_frame *frame)
{
    return (struct pr_payload_reader){.bytes = frame->payload, .length = frame->length};
}
