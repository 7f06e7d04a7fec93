/* The envelope of everything on a byte stream, console frames as records: 0x00, COBS(contents, CRC-16 low byte first),
 * 0x00. The zeroes let a reader find the next envelope behind any garbage, the CRC tells whether it is whole.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_ENVELOPE_H
#define POSTROAD_WIRE_ENVELOPE_H

#include <stddef.h>
#include <stdint.h>

#include "wire/cobs.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PR_ENVELOPE_CHECK = 2 }; /* bytes of the CRC */

#define PR_ENVELOPE_BAD SIZE_MAX

/* Bytes on the stream, at most, of so many bytes of contents. */
#define PR_ENVELOPE_WIRE(length) ((length) + PR_ENVELOPE_CHECK + PR_COBS_OVERHEAD((length) + PR_ENVELOPE_CHECK) + 2)

/* Bytes that the contents may lie above the envelope that is made of them, or more, to be in one buffer with it. */
#define PR_ENVELOPE_HEADROOM(length) (1 + PR_COBS_OVERHEAD((length) + PR_ENVELOPE_CHECK))

/* Writes the envelope of `length` bytes to `out`, PR_ENVELOPE_WIRE(length) bytes at most, and returns its bytes. The
 * PR_ENVELOPE_CHECK bytes behind the contents are written over. */
size_t pr_envelope_encode(uint8_t *contents, size_t length, uint8_t *out);

/* Takes what lay between two zeroes and writes its contents to `out`, which may be `encoded` itself and needs room for
 * `length` bytes. Returns the bytes of the contents without the CRC, or PR_ENVELOPE_BAD. */
size_t pr_envelope_decode(const uint8_t *encoded, size_t length, uint8_t *out);

#ifdef __cplusplus
}
#endif

#endif
