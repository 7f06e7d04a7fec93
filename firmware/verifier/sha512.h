/* SHA-512 (FIPS 180-4) in little text: 1.5 KB for RV32I, an eighth of what libsodium's takes; Monocypher's package has
 * none.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_VERIFIER_SHA512_H
#define POSTROAD_VERIFIER_SHA512_H

#include <stddef.h>
#include <stdint.h>

enum { PR_SHA512_BLOCK = 128, PR_SHA512_BYTES = 64 };

struct pr_sha512 {
    uint64_t state[8];
    uint64_t words[16]; /* of the block that is being filled */
    uint32_t length;    /* bytes taken: below 2^29 */
};

void pr_sha512_begin(struct pr_sha512 *hash);
void pr_sha512_add(struct pr_sha512 *hash, const uint8_t *bytes, size_t count);

/* The hash may not be used any more afterwards. */
void pr_sha512_end(struct pr_sha512 *hash, uint8_t out[PR_SHA512_BYTES]);

#endif
