/* Console frames on a byte stream: encoding, and a reader that survives garbage. */
#include "wire/console_frame.h"

#include "wire/cobs.h"
#include "wire/crc16.h"

#include <string.h>

enum { FRAME_HEADER = 2, FRAME_CHECK = 2, TEXT_FLUSH_MIN = 2 };

size_t frames_encode(const struct frame *frame, uint8_t *out, size_t size)
{
    uint8_t raw[FRAME_HEADER + FRAMES_PAYLOAD_MAX + FRAME_CHECK];
    if (frame->length > FRAMES_PAYLOAD_MAX || size < FRAMES_WIRE_MAX)
        return 0;
    size_t length = FRAME_HEADER + (size_t)frame->length;
    raw[0] = frame->type;
    raw[1] = frame->id;
    memcpy(raw + FRAME_HEADER, frame->payload, frame->length);
    uint16_t crc = crc16(raw, length);
    raw[length++] = (uint8_t)crc;
    raw[length++] = (uint8_t)(crc >> 8);
    size_t used = 0;
    out[used++] = 0;
    used += cobs_encode(raw, length, out + used);
    out[used++] = 0;
    return used;
}

void frames_reader_init(struct frames_reader *reader)
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

static enum frames_result take_text(struct frames_reader *reader, struct frame *out)
{
    out->type = out->id = 0;
    out->length = (uint16_t)(reader->used < FRAMES_PAYLOAD_MAX ? reader->used : FRAMES_PAYLOAD_MAX);
    memcpy(out->payload, reader->raw, out->length);
    reader->used = 0;
    return FRAMES_TEXT;
}

static bool decode(const struct frames_reader *reader, struct frame *out)
{
    uint8_t raw[FRAMES_WIRE_MAX];
    size_t length = cobs_decode(reader->raw, reader->used, raw);
    if (length == COBS_BAD || length < FRAME_HEADER + FRAME_CHECK ||
        length > FRAME_HEADER + FRAMES_PAYLOAD_MAX + FRAME_CHECK)
        return false;
    size_t checked = length - FRAME_CHECK;
    if (crc16(raw, checked) != (raw[checked] | raw[checked + 1] << 8))
        return false;
    out->type = raw[0];
    out->id = raw[1];
    out->length = (uint16_t)(checked - FRAME_HEADER);
    memcpy(out->payload, raw + FRAME_HEADER, out->length);
    return true;
}

static enum frames_result take_chunk(struct frames_reader *reader, struct frame *out)
{
    if (!reader->overflow && decode(reader, out)) {
        reader->used = 0;
        reader->frames++;
        return FRAMES_READY;
    }
    if (!reader->overflow && all_printable(reader->raw, reader->used))
        return take_text(reader, out);
    reader->used = 0;
    reader->overflow = false;
    reader->bad++;
    return FRAMES_BAD;
}

enum frames_result frames_push(struct frames_reader *reader, uint8_t byte, struct frame *out)
{
    if (byte == 0)
        return reader->used ? take_chunk(reader, out) : FRAMES_NONE;
    if (reader->used == sizeof reader->raw) {
        reader->overflow = true;
        return FRAMES_NONE;
    }
    reader->raw[reader->used++] = byte;
    /* No frame type is printable, so a frame's second byte never lets this pass. */
    if (byte == '\n' && !reader->overflow && reader->used >= TEXT_FLUSH_MIN &&
        all_printable(reader->raw, reader->used))
        return take_text(reader, out);
    return FRAMES_NONE;
}

enum frames_result frames_flush(struct frames_reader *reader, struct frame *out)
{
    bool text = reader->used && !reader->overflow && all_printable(reader->raw, reader->used);
    return text ? take_text(reader, out) : FRAMES_NONE;
}

void frames_begin(struct frame *frame, struct frames_cursor *cursor, uint8_t type, uint8_t id)
{
    frame->type = type;
    frame->id = id;
    frame->length = 0;
    cursor->at = 0;
    cursor->overrun = false;
}

void frames_put(struct frame *frame, struct frames_cursor *cursor, unsigned bytes, uint32_t value)
{
    if (cursor->at + bytes > FRAMES_PAYLOAD_MAX) {
        cursor->overrun = true;
        return;
    }
    for (unsigned i = 0; i < bytes; i++)
        frame->payload[cursor->at++] = (uint8_t)(value >> 8 * i);
}

uint32_t frames_get(const struct frame *frame, struct frames_cursor *cursor, unsigned bytes)
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
