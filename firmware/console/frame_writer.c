/* See frame_writer.h. The output is one stretch of bytes, moved to the front when its end is reached:
 *
 *   | taken | wait for the host | headroom | type, id, payload |   free   |
 *           start               end        the frame being built
 *
 * SPDX-License-Identifier: ISC
 */
#include "console/frame_writer.h"

#include <string.h>

static size_t output_room(const struct pr_frame_output *output)
{
    return PR_CONSOLE_OUTPUT_BYTES - (size_t)(output->end - output->start);
}

static void move_to_front(struct pr_frame_output *output)
{
    uint16_t length = output->end - output->start;
    memmove(output->bytes, output->bytes + output->start, length);
    output->start = 0;
    output->end = length;
}

/* Room for `bytes` in one stretch, with `reserve` bytes left after that. */
static bool make_room(struct pr_frame_output *output, size_t bytes, size_t reserve)
{
    if (bytes > PR_CONSOLE_FRAME_ENCODED || output_room(output) < bytes + reserve) {
        output->dropped++;
        return false;
    }
    if (output->end + bytes > PR_CONSOLE_OUTPUT_BYTES)
        move_to_front(output);
    return true;
}

bool pr_frame_room_for_command(const struct pr_frame_output *output)
{
    return output_room(output) >= 2 * PR_CONSOLE_FRAME_ENCODED;
}

bool pr_frame_room_for_event(const struct pr_frame_output *output)
{
    return output_room(output) >= 3 * PR_CONSOLE_FRAME_ENCODED;
}

bool pr_frame_begin(struct pr_frame_writer *writer, struct pr_frame_output *output, enum pr_frame_priority priority,
                    uint8_t type, uint8_t id, size_t payload)
{
    size_t contents = PR_MESSAGE_FRAME_BYTES + payload;
    size_t reserve = priority == PR_FRAME_EVENT ? 2 * PR_CONSOLE_FRAME_ENCODED : 0;
    if (!make_room(output, PR_ENVELOPE_WIRE(contents), reserve))
        return false;
    uint8_t *header = output->bytes + output->end + PR_ENVELOPE_HEADROOM(contents);
    header[PR_FIELD_OFFSET(PR_MESSAGE_FRAME_TYPE)] = type;
    header[PR_FIELD_OFFSET(PR_MESSAGE_FRAME_ID)] = id;
    *writer = (struct pr_frame_writer){
        .output = output,
        .payload = {.bytes = header + PR_MESSAGE_FRAME_BYTES, .limit = payload},
    };
    return true;
}

bool pr_frame_begin_plain(struct pr_frame_writer *writer, struct pr_frame_output *output, size_t length)
{
    if (!make_room(output, length, 0))
        return false;
    *writer = (struct pr_frame_writer){
        .output = output,
        .payload = {.bytes = output->bytes + output->end, .limit = length},
        .plain = true,
    };
    return true;
}

void pr_frame_put_text(struct pr_frame_writer *writer, const char *text)
{
    while (*text != 0)
        pr_payload_append(&writer->payload, 1, (uint8_t)*text++);
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
            pr_payload_append(&writer->payload, 1, digit);
    }
}

void pr_frame_end(struct pr_frame_writer *writer)
{
    struct pr_frame_output *output = writer->output;
    size_t length = writer->payload.length;
    if (!writer->plain)
        length = pr_envelope_encode(writer->payload.bytes - PR_MESSAGE_FRAME_BYTES, PR_MESSAGE_FRAME_BYTES + length,
                                    output->bytes + output->end);
    output->end += (uint16_t)length;
}

size_t pr_frame_take_output(struct pr_frame_output *output, uint8_t *bytes, size_t length)
{
    size_t there = (size_t)(output->end - output->start);
    if (length > there)
        length = there;
    memcpy(bytes, output->bytes + output->start, length);
    output->start += length;
    if (output->start == output->end)
        output->start = output->end = 0;
    return length;
}
