/* See image_signature.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "loader/image_signature.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/input_file.h"
#include "support/or_abort.h"
#include "support/output_file.h"

enum { FILE_MAX = 4096, KEY_FILE_MAX = 128, HEX_MAX = 2 * SIGNATURE_BYTES + 1 };

_Static_assert(SIGNATURE_BYTES == crypto_sign_BYTES && SIGNATURE_KEY_BYTES == crypto_sign_SEEDBYTES, "Ed25519");

/* RFC 8410: what precedes the 32 bytes of a key. */
static const struct key_form {
    const char *label;
    uint8_t prefix[16];
    size_t prefix_size;
} public_form = {"PUBLIC KEY", {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00}, 12},
  private_form = {"PRIVATE KEY",
                  {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20},
                  16};

static int fail(const char *path, const char *reason, char *error, size_t error_size)
{
    snprintf(error, error_size, "%s: %s", path, reason);
    return -1;
}

/* The file as a text; errno if it cannot be read. */
static bool read_text(const char *path, bool private, char text[FILE_MAX])
{
    struct stat status;
    FILE *file = input_file_open(path);
    size_t length = 0;
    errno = file ? 0 : errno;
    if (file && fstat(fileno(file), &status) == 0 && private && (status.st_mode & 077))
        errno = EACCES;
    else if (file)
        length = fread(text, 1, FILE_MAX - 1, file);
    text[length] = 0;
    bool good = file && errno == 0 && !ferror(file);
    if (file) {
        int reason = errno;
        fclose(file);
        errno = reason;
    }
    return good;
}

static bool decode(const struct key_form *form, const char *text, uint8_t key[SIGNATURE_KEY_BYTES])
{
    char begin[40], end[40];
    uint8_t bytes[KEY_FILE_MAX];
    size_t size;
    snprintf(begin, sizeof begin, "-----BEGIN %s-----", form->label);
    snprintf(end, sizeof end, "-----END %s-----", form->label);
    const char *from = strstr(text, begin), *to = from ? strstr(from, end) : NULL;
    if (!to)
        return false;
    from += strlen(begin);
    bool good = sodium_base642bin(bytes, sizeof bytes, from, (size_t)(to - from), "\r\n ", &size, NULL,
                                  sodium_base64_VARIANT_ORIGINAL) == 0 &&
                size == form->prefix_size + SIGNATURE_KEY_BYTES && memcmp(bytes, form->prefix, form->prefix_size) == 0;
    if (good)
        memcpy(key, bytes + form->prefix_size, SIGNATURE_KEY_BYTES);
    sodium_memzero(bytes, sizeof bytes);
    return good;
}

int signature_public_key(const char *path, uint8_t key[SIGNATURE_KEY_BYTES], char *error, size_t error_size)
{
    char text[FILE_MAX];
    if (!read_text(path, false, text))
        return fail(path, strerror(errno), error, error_size);
    if (!decode(&public_form, text, key))
        return fail(path, "expected a public Ed25519 key (openssl pkey -in KEY -pubout)", error, error_size);
    return 0;
}

int signature_private_key(const char *path, uint8_t seed[SIGNATURE_KEY_BYTES], char *error, size_t error_size)
{
    char text[FILE_MAX];
    if (!read_text(path, true, text))
        return fail(path,
                    errno == EACCES ? "other users can read it, or you cannot: chmod 600 if it is yours"
                                    : strerror(errno),
                    error, error_size);
    bool good = decode(&private_form, text, seed);
    sodium_memzero(text, sizeof text);
    return good ? 0
                : fail(path, "expected a private Ed25519 key without a password (openssl genpkey -algorithm ed25519)",
                       error, error_size);
}

/* What is signed: the image, and the first words behind it. The caller frees it. */
static uint32_t *message(const struct image_signature *signature, const struct firmware_image *image, size_t *size)
{
    *size = 4 * (image->count + (size_t)PR_SIGNATURE_VALUE);
    uint32_t *words = or_abort(malloc(*size + 1));
    memcpy(words, image->words, 4 * (size_t)image->count);
    words[image->count + PR_SIGNATURE_MARK] = PR_SIGNATURE_MAGIC;
    words[image->count + PR_SIGNATURE_VERSION] = signature->version;
    words[image->count + PR_SIGNATURE_ADDRESS] = PR_RAM_BASE;
    words[image->count + PR_SIGNATURE_LENGTH] = image->count;
    return words;
}

void image_sign(struct image_signature *signature, const struct firmware_image *image, uint32_t version,
                const uint8_t seed[SIGNATURE_KEY_BYTES])
{
    uint8_t secret[crypto_sign_SECRETKEYBYTES];
    size_t size;
    signature->version = version;
    uint32_t *words = message(signature, image, &size);
    crypto_sign_seed_keypair(signature->key, secret, seed);
    crypto_sign_detached(signature->value, NULL, (const uint8_t *)words, size, secret);
    sodium_memzero(secret, sizeof secret);
    free(words);
}

bool image_signature_fits(const struct image_signature *signature, const struct firmware_image *image)
{
    size_t size;
    uint32_t *words = message(signature, image, &size);
    bool fits = crypto_sign_verify_detached(signature->value, (const uint8_t *)words, size, signature->key) == 0;
    free(words);
    return fits;
}

void image_signature_words(const struct image_signature *signature, const struct firmware_image *image,
                           uint32_t words[PR_SIGNATURE_WORDS])
{
    size_t size;
    uint32_t *all = message(signature, image, &size);
    memcpy(words, all + image->count, 4 * PR_SIGNATURE_VALUE);
    memcpy(words + PR_SIGNATURE_VALUE, signature->value, sizeof signature->value);
    free(all);
}

int image_signature_write(const struct image_signature *signature, const char *path, char *error, size_t error_size)
{
    char key[HEX_MAX], value[HEX_MAX];
    struct output_file output;
    if (output_file_open(&output, path, error, error_size))
        return -1;
    fprintf(output.file, "{\"version\": %lu, \"key\": \"%s\",\n \"signature\": \"%s\"}\n",
            (unsigned long)signature->version, sodium_bin2hex(key, sizeof key, signature->key, sizeof signature->key),
            sodium_bin2hex(value, sizeof value, signature->value, sizeof signature->value));
    return output_file_close(&output, error, error_size);
}

static bool read_hex(const cJSON *object, const char *name, uint8_t *out, size_t size)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
    size_t length;
    return text && strlen(text) == 2 * size && sodium_hex2bin(out, size, text, 2 * size, NULL, &length, NULL) == 0 &&
           length == size;
}

int image_signature_read(struct image_signature *signature, const char *path, char *error, size_t error_size)
{
    char text[FILE_MAX];
    if (!read_text(path, false, text))
        return errno == ENOENT ? 1 : fail(path, strerror(errno), error, error_size);
    cJSON *object = cJSON_Parse(text);
    const cJSON *version = cJSON_GetObjectItem(object, "version");
    bool good = cJSON_IsNumber(version) && version->valuedouble >= 0 && version->valuedouble <= UINT32_MAX &&
                read_hex(object, "key", signature->key, sizeof signature->key) &&
                read_hex(object, "signature", signature->value, sizeof signature->value);
    signature->version = good ? (uint32_t)version->valuedouble : 0;
    cJSON_Delete(object);
    return good ? 0 : fail(path, "expected a signature (postroad sign)", error, error_size);
}
