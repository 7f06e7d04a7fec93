/* See signature.h. Ed25519 (RFC 8032): Monocypher has the curve, with BLAKE2b of its own; the hash is SHA-512 here.
 *
 * SPDX-License-Identifier: ISC
 */
#include "verifier/signature.h"

#include <monocypher.h>

#include "verifier/sha512.h"

enum { KEY_BYTES = 32, POINT_BYTES = 32 };

static char check_value(const uint32_t *image, const uint32_t *value, const uint32_t *key)
{
    struct pr_sha512 hash;
    uint8_t digest[PR_SHA512_BYTES], scalar[32];
    const uint8_t *begin = (const uint8_t *)image, *signature = (const uint8_t *)value;
    pr_sha512_begin(&hash);
    pr_sha512_add(&hash, signature, POINT_BYTES);
    pr_sha512_add(&hash, (const uint8_t *)key, KEY_BYTES);
    pr_sha512_add(&hash, begin, (size_t)(signature - begin));
    pr_sha512_end(&hash, digest);
    crypto_eddsa_reduce(scalar, digest);
    return crypto_eddsa_check_equation(signature, (const uint8_t *)key, scalar) == 0 ? PR_LOAD_DONE
                                                                                     : PR_LOAD_BAD_SIGNATURE;
}

char pr_signature_check(const uint32_t *image, uint32_t address, uint32_t words, const uint32_t *lock)
{
    const uint32_t *signature = image + words - PR_SIGNATURE_WORDS, room = PR_LOAD_VERIFIER;
    uint32_t offset = address - PR_RAM_BASE;
    if (offset > room || words > (room - offset) / 4)
        return PR_LOAD_BAD_ADDRESS;
    if (words < PR_SIGNATURE_WORDS || signature[PR_SIGNATURE_MARK] != PR_SIGNATURE_MAGIC ||
        signature[PR_SIGNATURE_ADDRESS] != address || signature[PR_SIGNATURE_LENGTH] != words - PR_SIGNATURE_WORDS)
        return PR_LOAD_UNSIGNED;
    if (signature[PR_SIGNATURE_VERSION] < lock[PR_LOCK_OLDEST - PR_LOCK_KEY])
        return PR_LOAD_OLD_VERSION;
    return check_value(image, signature + PR_SIGNATURE_VALUE, lock);
}
