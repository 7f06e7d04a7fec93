/* Signatures of firmware images, for locked boards (hw/soc/boot.md). Ed25519; keys are files as `openssl genpkey
 * -algorithm ed25519` and `openssl pkey -pubout` write them. The signature of IMAGE lies beside it, in IMAGE.sig:
 *
 *   {"version": 3, "key": "...", "signature": "..."}      bytes as hexadecimal digits
 *
 * sodium_init comes first.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_IMAGE_SIGNATURE_H
#define POSTROAD_LOADER_IMAGE_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board/firmware_image.h"
#include "protocol.h"

enum {
    SIGNATURE_KEY_BYTES = 32,
    SIGNATURE_BYTES = 64,
    SIGNATURE_IMAGE_BYTES_MAX = PR_LOAD_VERIFIER - 4 * PR_SIGNATURE_WORDS /* of an image for locked boards */
};

struct image_signature {
    uint32_t version;
    uint8_t key[SIGNATURE_KEY_BYTES]; /* the public one */
    uint8_t value[SIGNATURE_BYTES];
};

/* 0, or -1 with "PATH: reason, expected ...". A private key that other users can read is refused. */
int signature_public_key(const char *path, uint8_t key[SIGNATURE_KEY_BYTES], char *error, size_t error_size);
int signature_private_key(const char *path, uint8_t seed[SIGNATURE_KEY_BYTES], char *error, size_t error_size);

void image_sign(struct image_signature *signature, const struct firmware_image *image, uint32_t version,
                const uint8_t seed[SIGNATURE_KEY_BYTES]);

/* The signature file of an image. Reading: 1 if there is no such file. Else 0, or -1 with a reason. */
int image_signature_write(const struct image_signature *signature, const char *path, char *error, size_t error_size);
int image_signature_read(struct image_signature *signature, const char *path, char *error, size_t error_size);

/* Is it of this image, by the key that it names? */
bool image_signature_fits(const struct image_signature *signature, const struct firmware_image *image);

/* The words that go behind the image in RAM. */
void image_signature_words(const struct image_signature *signature, const struct firmware_image *image,
                           uint32_t words[PR_SIGNATURE_WORDS]);

#endif
