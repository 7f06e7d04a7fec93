/* See load_signature.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "loader/load_signature.h"

#include <limits.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct reason {
    char *text;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static int fail(const struct reason *reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason->text, reason->size, format, arguments);
    va_end(arguments);
    return -1;
}

void load_lock_text(const struct load_lock *lock, char out[LOAD_LOCK_TEXT])
{
    out[0] = 0;
    if (lock->locked)
        sodium_bin2hex(out, LOAD_LOCK_TEXT, lock->key, sizeof lock->key);
}

bool load_lock_read(struct load_lock *lock, const char *key, uint32_t oldest)
{
    size_t length = 0;
    *lock = (struct load_lock){.locked = *key != 0, .oldest = oldest};
    return !lock->locked || (sodium_hex2bin(lock->key, sizeof lock->key, key, strlen(key), NULL, &length, NULL) == 0 &&
                             length == sizeof lock->key);
}

/* The checks of the verifier (firmware/verifier/signature.c) that the signature itself has not passed yet. */
static int check_lock(const struct load_lock *lock, const struct firmware_image *image, const char *image_path,
                      const struct image_signature *signature, const char *path, const struct reason *reason)
{
    if (4 * image->count > SIGNATURE_IMAGE_BYTES_MAX)
        return fail(reason,
                    "%s: %u bytes in RAM, expected at most %d: the testbed is locked, and its verifier is behind them",
                    image_path, 4 * image->count, SIGNATURE_IMAGE_BYTES_MAX);
    if (memcmp(signature->key, lock->key, sizeof lock->key) != 0)
        return fail(reason, "%s: by another key, expected that of the testbed, which is locked", path);
    if (signature->version < lock->oldest)
        return fail(reason,
                    "%s: version %lu, expected %lu or a later one: the testbed is locked, and accepts no earlier one",
                    path, (unsigned long)signature->version, (unsigned long)lock->oldest);
    return 0;
}

int load_signature_add(struct firmware_image *image, const char *image_path, unsigned ram_words,
                       const struct load_lock *lock, char *error, size_t error_size)
{
    const struct reason reason = {error, error_size};
    struct image_signature signature;
    char path[PATH_MAX + sizeof ".sig"];
    uint32_t words[PR_SIGNATURE_WORDS];
    if (snprintf(path, sizeof path, "%s.sig", image_path) >= (int)sizeof path)
        return fail(&reason, "%s: a name that is too long", image_path);
    int status = image_signature_read(&signature, path, error, error_size);
    if (status < 0)
        return -1;
    if (status > 0)
        return lock->locked
                   ? fail(&reason, "%s: no such file, expected a signature (postroad sign): the testbed is locked",
                          path)
                   : 0;
    if (!image_signature_fits(&signature, image))
        return fail(&reason, "%s: of another image, expected that of %s: sign it again", path, image_path);
    if (lock->locked && check_lock(lock, image, image_path, &signature, path, &reason) != 0)
        return -1;
    if (image->count + PR_SIGNATURE_WORDS > ram_words)
        return fail(&reason, "%s: no room in RAM for its signature", image_path);
    image_signature_words(&signature, image, words);
    memcpy(image->words + image->count, words, sizeof words);
    image->count += PR_SIGNATURE_WORDS;
    return 0;
}
