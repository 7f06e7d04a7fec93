/* Is an image in RAM one that a locked board accepts?
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_VERIFIER_SIGNATURE_H
#define POSTROAD_VERIFIER_SIGNATURE_H

#include <stdint.h>

#include "protocol.h"

/* The image with the signature behind it (hw/protocol/packet.ini, "signature"), at the address where it starts. `lock`:
 * key and earliest version, as in LOCK_KEY and behind it. PR_LOAD_DONE, or why not. */
char pr_signature_check(const uint32_t *image, uint32_t address, uint32_t words, const uint32_t *lock);

#endif
