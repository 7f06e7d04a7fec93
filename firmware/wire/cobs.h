/* Consistent overhead byte stuffing: bytes without 0x00, so that 0x00 can delimit frames. Firmware and
 * host tools.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_COBS_H
#define POSTROAD_WIRE_COBS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that encoding adds at most. */
#define PR_COBS_OVERHEAD(length) ((length) / 254 + 1)
#define PR_COBS_BAD              SIZE_MAX

/* Encodes length bytes to out (room for length + PR_COBS_OVERHEAD(length)); returns the encoded length. No
 * 0x00 is added. out may lie PR_COBS_OVERHEAD(length) or more bytes below data in the same buffer. */
size_t pr_cobs_encode(const uint8_t *data, size_t length, uint8_t *out);

/* Decodes length bytes (without the 0x00) to out, which may be data itself and needs length bytes at most.
 * Returns the decoded length, or PR_COBS_BAD. */
size_t pr_cobs_decode(const uint8_t *data, size_t length, uint8_t *out);

#ifdef __cplusplus
}
#endif

#endif
