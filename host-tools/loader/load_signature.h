/* The signature that goes with an image to boards, and the lock of the testbed that they belong to: what its boards
 * would refuse, after seconds or minutes, is refused before anything is sent. The boards do not trust this check.
 *
 * sodium_init comes first.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_LOAD_SIGNATURE_H
#define POSTROAD_LOADER_LOAD_SIGNATURE_H

#include "loader/image_signature.h"

struct load_lock {
    bool locked;
    uint8_t key[SIGNATURE_KEY_BYTES]; /* the public one */
    uint32_t oldest;                  /* earliest version that is accepted */
};

/* The text of a key or none: hexadecimal digits, or "". Reading: false if it is no such text. */
enum { LOAD_LOCK_TEXT = 2 * SIGNATURE_KEY_BYTES + 1 };
void load_lock_text(const struct load_lock *lock, char out[LOAD_LOCK_TEXT]);
bool load_lock_read(struct load_lock *lock, const char *key, uint32_t oldest);

/* Puts the signature beside the image, if there is one, behind it in RAM: boards that are not locked take it for a part
 * of the image. `ram_words`: room of `image->words`. 0, or -1 with "PATH: reason, expected ...": the signature is of
 * another image, has no room, or the lock refuses it. */
int load_signature_add(struct firmware_image *image, const char *image_path, unsigned ram_words,
                       const struct load_lock *lock, char *error, size_t error_size);

#endif
