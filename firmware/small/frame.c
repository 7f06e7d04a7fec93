/* Frames lie one behind the other in the output, until all of it has been taken.
 *
 *   | taken | waits | 0 | code | type, id, payload, CRC | 0
 *           start   end        the frame that is being filled
 *
 * A frame of 254 bytes at most is encoded where it lies (COBS): each zero becomes the distance to the next one. This
 * takes 120 bytes less than the encoder of wire/, which moves frames of any length.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/small.h"

#include "console_protocol.h"
#include "wire/crc16.h"

enum {
    OUTPUT_BYTES = PR_SMALL_OUTPUT_BYTES,
    CRC_BYTES = 2,
    PAYLOAD_MAX = 254 - PR_MESSAGE_FRAME_BYTES - CRC_BYTES,
    CONTENTS_AT = 2,                                                /* behind a zero and the first code */
    OVERHEAD = CONTENTS_AT + PR_MESSAGE_FRAME_BYTES + CRC_BYTES + 1 /* of a payload */
};

static uint8_t output[OUTPUT_BYTES];
static uint16_t start, end;
static uint8_t *next; /* where the next byte of the frame goes */

bool frame_has_room(unsigned bytes)
{
    return bytes <= PAYLOAD_MAX && end + OVERHEAD + bytes <= sizeof output;
}

bool frame_begin(unsigned type, unsigned id, unsigned bytes)
{
    if (!frame_has_room(bytes)) {
        count(PR_COUNTER_DROPPED_EVENTS);
        return false;
    }
    next = output + end + CONTENTS_AT;
    frame_put(1, type);
    frame_put(1, id);
    return true;
}

void frame_put(unsigned bytes, uint32_t value)
{
    for (; bytes > 0; bytes--, value >>= 8)
        *next++ = (uint8_t)value;
}

void frame_end(void)
{
    uint8_t *code = output + end;
    frame_put(CRC_BYTES, pr_crc16(code + CONTENTS_AT, (size_t)(next - code) - CONTENTS_AT));
    *code++ = 0;
    for (uint8_t *at = code + 1; at < next; at++) {
        if (*at != 0)
            continue;
        *code = (uint8_t)(at - code);
        code = at;
    }
    *code = (uint8_t)(next - code);
    *next++ = 0;
    end = (uint16_t)(next - output);
}

bool frame_is_waiting(void)
{
    return end > 0;
}

uint8_t frame_take(void)
{
    uint8_t byte = output[start++];
    if (start == end)
        start = end = 0;
    return byte;
}
