/* A byte at a time without a table: 512 bytes of RAM are worth more than the clocks. */
#include "operator/crc16.h"

uint16_t crc16(const uint8_t *data, size_t length)
{
    uint16_t crc = 0xffff;

    for (size_t k = 0; k < length; k++) {
        uint8_t x = (uint8_t)(crc >> 8 ^ data[k]);

        x ^= x >> 4;
        crc = (uint16_t)(crc << 8 ^ x << 12 ^ x << 5 ^ x);
    }
    return crc;
}
