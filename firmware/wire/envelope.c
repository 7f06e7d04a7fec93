/* See envelope.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/envelope.h"

#include "wire/crc16.h"

size_t pr_envelope_encode(uint8_t *contents, size_t length, uint8_t *out)
{
    uint16_t crc = pr_crc16(contents, length);
    contents[length] = (uint8_t)crc;
    contents[length + 1] = (uint8_t)(crc >> 8);
    out[0] = 0;
    size_t end = 1 + pr_cobs_encode(contents, length + PR_ENVELOPE_CHECK, out + 1);
    out[end] = 0;
    return end + 1;
}

size_t pr_envelope_decode(const uint8_t *encoded, size_t length, uint8_t *out)
{
    size_t decoded = pr_cobs_decode(encoded, length, out);
    if (decoded == PR_COBS_BAD || decoded < PR_ENVELOPE_CHECK)
        return PR_ENVELOPE_BAD;
    decoded -= PR_ENVELOPE_CHECK;
    return pr_crc16(out, decoded) == (out[decoded] | out[decoded + 1] << 8) ? decoded : PR_ENVELOPE_BAD;
}
