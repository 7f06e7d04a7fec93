/* See cobs.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/cobs.h"

size_t pr_cobs_encode(const uint8_t *data, size_t length, uint8_t *out)
{
    size_t code_at = 0, end = 1;
    uint8_t code = 1;
    for (size_t k = 0; k < length; k++) {
        uint8_t byte = data[k]; /* read before anything below can be written over it */
        if (code == 0xff) {
            out[code_at] = code;
            code_at = end++;
            code = 1;
        }
        if (byte != 0) {
            out[end++] = byte;
            code++;
        } else {
            out[code_at] = code;
            code_at = end++;
            code = 1;
        }
    }
    out[code_at] = code;
    return end;
}

size_t pr_cobs_decode(const uint8_t *data, size_t length, uint8_t *out)
{
    size_t end = 0, k = 0;
    while (k < length) {
        size_t code = data[k++];
        if (code == 0 || code - 1 > length - k)
            return PR_COBS_BAD;
        for (size_t i = 1; i < code; i++) {
            if (data[k] == 0)
                return PR_COBS_BAD;
            out[end++] = data[k++];
        }
        if (code != 0xff && k < length)
            out[end++] = 0;
    }
    return end;
}
