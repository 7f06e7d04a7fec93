/* Console frames on a byte stream: encoding, and a reader that survives garbage.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/console_frame.h"

#include "wire/cobs.h"
#include "wire/crc16.h"

#include <string.h>

enum { FRAME_HEADER = 2, FRAME_CHECK = 2, TEXT_FLUSH_MIN = 2 };

size_t pr_frames_encode(const struct pr_frame *frame, uint8_t *out, size_t size)
{
    uint8_t raw[FRAME_HEADER + PR_FRAMES_PAYLOAD_MAX + FRAME_CHECK];
    if (frame->length > PR_FRAMES_PAYLOAD_MAX || size < PR_FRAMES_WIRE_MAX)
        return 0;
    size_t length = FRAME_HEADER + (size_t)frame->length;
    raw[0] = frame->type;
    raw[1] = frame->id;
    memcpy(raw + FRAME_HEADER, frame->payload, frame->length);
    uint16_t crc = pr_crc16(raw, length);
    raw[length++] = (uint8_t)crc;
    raw[length++] = (uint8_t)(crc >> 8);
    size_t used = 0;
    out[used++] = 0;
    used += pr_cobs_encode(raw, length, out + used);
    out[used++] = 0;
    return used;
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
    uint8_t raw[PR_FRAMES_WIRE_MAX];
    size_t length = pr_cobs_decode(reader->raw, reader->used, raw);
    if (length == PR_COBS_BAD || length < FRAME_HEADER + FRAME_CHECK ||
        length > FRAME_HEADER + PR_FRAMES_PAYLOAD_MAX + FRAME_CHECK)
        return false;
    size_t checked = length - FRAME_CHECK;
    if (pr_crc16(raw, checked) != (raw[checked] | raw[checked + 1] << 8))
        return false;
    out->type = raw[0];
    out->id = raw[1];
    out->length = (uint16_t)(checked - FRAME_HEADER);
    memcpy(out->payload, raw + FRAME_HEADER, out->length);
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

void pr_frames_begin(struct pr_frame *frame, struct pr_frames_cursor *cursor, uint8_t type, uint8_t id)
{
    frame->type = type;
    frame->id = id;
    frame->length = 0;
    cursor->at = 0;
    cursor->overrun = false;
}

void pr_frames_put(struct pr_frame *frame, struct pr_frames_cursor *cursor, unsigned bytes, uint32_t value)
{
    if (cursor->at + bytes > PR_FRAMES_PAYLOAD_MAX) {
        cursor->overrun = true;
        return;
    }
    for (unsigned i = 0; i < bytes; i++)
        frame->payload[cursor->at++] = (uint8_t)(value >> 8 * i);
}

uint32_t pr_frames_get(const struct pr_frame *frame, struct pr_frames_cursor *cursor, unsigned bytes)
{
    uint32_t value = 0;
    if (cursor->at + bytes > frame->length) {
        cursor->overrun = true;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)frame->payload[cursor->at++] << 8 * i;
    return value;
}
