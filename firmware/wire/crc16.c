/* A byte at a time without a table: 512 bytes of RAM are worth more than clocks. By halves: small cores shift a bit a
 * clock.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/crc16.h"

uint16_t pr_crc16(const uint8_t *data, size_t length)
{
    uint8_t high = 0xff, low = 0xff;
    for (size_t k = 0; k < length; k++) {
        uint8_t x = high ^ data[k];
        x ^= x >> 4;
        high = (uint8_t)(low ^ x << 4 ^ x >> 3);
        low = (uint8_t)(x << 5 ^ x);
    }
    return (uint16_t)(high << 8 | low);
}
