/* See frame.h. The output is one stretch of bytes, moved to the front when its end is reached.
 *
 * SPDX-License-Identifier: ISC
 */
#include "console/frame_writer.h"

#include <string.h>

#include "wire/cobs.h"
#include "wire/crc16.h"

enum {
    FRAME_EXTRA = 4, /* type, id, CRC */
    DELIMITERS = 2
};

uint32_t pr_frame_get(struct pr_frame_reader *reader, unsigned size)
{
    const uint8_t *bytes = reader->bytes;
    uint32_t value = 0;
    if (reader->left < size) {
        reader->bad = true;
        return 0;
    }
    for (unsigned k = 0; k < size; k++)
        value |= (uint32_t)bytes[k] << 8 * k;
    reader->bytes += size;
    reader->left -= size;
    return value;
}

static size_t output_room(const struct pr_console *console)
{
    return PR_CONSOLE_OUTPUT_BYTES - (size_t)(console->output_end - console->output_start);
}

static void move_to_front(struct pr_console *console)
{
    uint16_t length = console->output_end - console->output_start;
    memmove(console->output, console->output + console->output_start, length);
    console->output_start = 0;
    console->output_end = length;
}

/* Room for `bytes` in one stretch, with `reserve` bytes left after that. */
static bool make_room(struct pr_console *console, size_t bytes, size_t reserve)
{
    if (bytes > PR_CONSOLE_FRAME_ENCODED || output_room(console) < bytes + reserve) {
        console->events_dropped++;
        return false;
    }
    if (console->output_end + bytes > PR_CONSOLE_OUTPUT_BYTES)
        move_to_front(console);
    return true;
}

bool pr_frame_room_for_command(struct pr_console *console)
{
    return output_room(console) >= 2 * PR_CONSOLE_FRAME_ENCODED;
}

bool pr_frame_room_for_event(const struct pr_console *console)
{
    return output_room(console) >= 3 * PR_CONSOLE_FRAME_ENCODED;
}

bool pr_frame_begin(struct pr_frame_writer *writer, struct pr_console *console, enum pr_frame_priority priority,
                    uint8_t type, uint8_t id, size_t payload)
{
    size_t raw = payload + FRAME_EXTRA;
    size_t reserve = priority == PR_FRAME_EVENT ? 2 * PR_CONSOLE_FRAME_ENCODED : 0;
    if (!make_room(console, raw + PR_COBS_OVERHEAD(raw) + DELIMITERS, reserve))
        return false;
    writer->console = console;
    writer->raw = console->output + console->output_end + 1 + PR_COBS_OVERHEAD(raw);
    writer->length = 0;
    writer->limit = payload + 2;
    writer->plain = false;
    pr_frame_put_u8(writer, type);
    pr_frame_put_u8(writer, id);
    return true;
}

bool pr_frame_begin_plain(struct pr_frame_writer *writer, struct pr_console *console, size_t length)
{
    if (!make_room(console, length, 0))
        return false;
    writer->console = console;
    writer->raw = console->output + console->output_end;
    writer->length = 0;
    writer->limit = length;
    writer->plain = true;
    return true;
}

void pr_frame_put(struct pr_frame_writer *writer, uint32_t value, unsigned size)
{
    uint8_t *bytes = writer->raw + writer->length;
    if (writer->length + size > writer->limit)
        return;
    writer->length += size;
    for (unsigned k = 0; k < size; k++) {
        bytes[k] = (uint8_t)value;
        value >>= 8;
    }
}

void pr_frame_put_text(struct pr_frame_writer *writer, const char *text)
{
    while (*text != 0)
        pr_frame_put_u8(writer, (uint8_t)*text++);
}

void pr_frame_put_number(struct pr_frame_writer *writer, uint32_t value)
{
    /* Subtracted, one after the other: the cores have no division, and SERV takes half a million clocks for a line. */
    static const uint32_t powers[] = {1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    enum { LAST = sizeof powers / sizeof *powers - 1 };
    bool begun = false;

    for (unsigned k = 0; k <= LAST; k++) {
        uint8_t digit = '0';
        for (; value >= powers[k]; value -= powers[k])
            digit++;
        begun |= digit != '0' || k == LAST;
        if (begun)
            pr_frame_put_u8(writer, digit);
    }
}

void pr_frame_end(struct pr_frame_writer *writer)
{
    struct pr_console *console = writer->console;
    uint8_t *out = console->output + console->output_end;
    uint16_t crc;
    if (writer->plain) {
        console->output_end += writer->length;
        return;
    }
    crc = pr_crc16(writer->raw, writer->length);
    writer->limit += 2;
    pr_frame_put_u16(writer, crc);
    *out++ = 0;
    out += pr_cobs_encode(writer->raw, writer->length, out);
    *out++ = 0;
    console->output_end = (uint16_t)(out - console->output);
}
