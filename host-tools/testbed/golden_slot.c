/* See golden_slot.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "testbed/golden_slot.h"

#include <string.h>

/* CRC-32/MPEG-2. */
static uint32_t crc_of(const uint8_t *bytes, size_t count)
{
    uint32_t crc = 0xffffffff;
    for (size_t k = 0; k < count; k++) {
        crc ^= (uint32_t)bytes[k] << 24;
        for (int bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7 : 0);
    }
    return crc;
}

/* icemulti's header is five vectors of 32 bytes: preamble, boot mode, start address, bank offset, reboot. The first one
 * is for power-on, the third one that of image 1. */
bool golden_image_is_known(const uint8_t *bytes, size_t length)
{
    enum { VECTOR = 32, VECTORS = 5 };
    static const uint8_t begin[] = {0x7e, 0xaa, 0x99, 0x7e, 0x92, 0x00, 0x00, 0x44, 0x03};
    static const uint8_t slot[] = {(uint8_t)(PR_GOLDEN_SLOT >> 16), (uint8_t)(PR_GOLDEN_SLOT >> 8),
                                   (uint8_t)PR_GOLDEN_SLOT};
    if (length < VECTOR * VECTORS)
        return false;
    for (size_t k = 0; k < VECTORS; k++)
        if (memcmp(bytes + VECTOR * k, begin, sizeof begin) != 0)
            return false;
    return memcmp(bytes + VECTOR * 2 + sizeof begin, slot, sizeof slot) == 0;
}

void golden_slot_seal(uint8_t slot[PR_GOLDEN_SLOT_BYTES], size_t size)
{
    memset(slot + size, 0xff, GOLDEN_SLOT_ROOM - size);
    uint32_t crc = crc_of(slot, GOLDEN_SLOT_ROOM);
    for (int k = 0; k < GOLDEN_SLOT_CRC; k++)
        slot[GOLDEN_SLOT_ROOM + k] = (uint8_t)(crc >> (24 - 8 * k));
}

bool golden_slot_is_good(const uint8_t slot[PR_GOLDEN_SLOT_BYTES])
{
    return crc_of(slot, PR_GOLDEN_SLOT_BYTES) == 0;
}
