/* See flash_label.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "testbed/flash_label.h"

#include "board/firmware_image.h"
#include "support/shown_text.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

static const char magic[] = "POSTROAD";

enum {
    VERSION = 2,
    AT_VERSION = 8,
    AT_SITE = 12,
    AT_SITES = 16,
    AT_MESH = 20,
    AT_TYPE = 24,
    AT_BITSTREAM_BYTES = 56,
    AT_IMAGE_BYTES = 60,
    AT_BITSTREAM_HASH = 64,
    AT_IMAGE_HASH = 96,
    AT_BUILD_ID = 128,
    AT_CHECK = 136,
    CHECK_BYTES = 16,
    RUN_NUMBER = 16
};

static void put32(uint8_t *out, uint32_t value)
{
    for (int k = 0; k < 4; k++)
        out[k] = (uint8_t)(value >> 8 * k);
}

static uint32_t get32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

void flash_label_encode(const struct flash_label *label, uint8_t out[FLASH_LABEL_BYTES])
{
    uint8_t hash[FLASH_HASH];
    memset(out, 0xff, FLASH_LABEL_BYTES);
    memcpy(out, magic, AT_VERSION);
    put32(out + AT_VERSION, VERSION);
    put32(out + AT_SITE, label->site);
    put32(out + AT_SITES, label->sites);
    put32(out + AT_MESH, label->mesh_hash);
    memset(out + AT_TYPE, 0, FLASH_LABEL_TYPE);
    memcpy(out + AT_TYPE, label->type, strnlen(label->type, FLASH_LABEL_TYPE - 1));
    put32(out + AT_BITSTREAM_BYTES, label->bitstream_bytes);
    put32(out + AT_IMAGE_BYTES, label->image_bytes);
    memcpy(out + AT_BITSTREAM_HASH, label->bitstream_hash, FLASH_HASH);
    memcpy(out + AT_IMAGE_HASH, label->image_hash, FLASH_HASH);
    memcpy(out + AT_BUILD_ID, label->build_id, FLASH_BUILD_ID);
    crypto_hash_sha256(hash, out, AT_CHECK);
    memcpy(out + AT_CHECK, hash, CHECK_BYTES);
}

bool flash_label_decode(const uint8_t *bytes, size_t length, struct flash_label *out)
{
    uint8_t hash[FLASH_HASH];
    if (length < AT_CHECK + CHECK_BYTES || memcmp(bytes, magic, AT_VERSION) != 0 ||
        get32(bytes + AT_VERSION) != VERSION)
        return false;
    crypto_hash_sha256(hash, bytes, AT_CHECK);
    if (memcmp(hash, bytes + AT_CHECK, CHECK_BYTES) != 0)
        return false;
    *out = (struct flash_label){.site = get32(bytes + AT_SITE),
                                .sites = get32(bytes + AT_SITES),
                                .mesh_hash = get32(bytes + AT_MESH),
                                .bitstream_bytes = get32(bytes + AT_BITSTREAM_BYTES),
                                .image_bytes = get32(bytes + AT_IMAGE_BYTES)};
    memcpy(out->type, bytes + AT_TYPE, FLASH_LABEL_TYPE - 1);
    shown_text_line(out->type); /* whoever has written the flash */
    memcpy(out->bitstream_hash, bytes + AT_BITSTREAM_HASH, FLASH_HASH);
    memcpy(out->image_hash, bytes + AT_IMAGE_HASH, FLASH_HASH);
    memcpy(out->build_id, bytes + AT_BUILD_ID, FLASH_BUILD_ID);
    return true;
}

static const char run[] = "number of a run of postroad flash: ";

void flash_run_number(uint8_t out[FLASH_LABEL_BYTES])
{
    uint8_t number[RUN_NUMBER];
    char hex[FLASH_HEX];
    memset(out, 0, FLASH_LABEL_BYTES);
    randombytes_buf(number, sizeof number);
    snprintf((char *)out, FLASH_LABEL_BYTES, "%s%s", run, flash_label_hex(number, sizeof number, hex));
}

bool flash_label_is_of_a_run(const uint8_t *bytes, size_t length)
{
    struct flash_label label;
    return flash_label_decode(bytes, length, &label) ||
           (length >= sizeof run - 1 && memcmp(bytes, run, sizeof run - 1) == 0);
}

void flash_label_build_id(const uint32_t *words, size_t count, uint8_t out[FLASH_BUILD_ID])
{
    uint8_t hash[FLASH_HASH];
    if (firmware_build_id(words, count, out))
        return;
    crypto_hash_sha256(hash, (const uint8_t *)words, 4 * count);
    memcpy(out, hash, FLASH_BUILD_ID);
}

const char *flash_label_hex(const uint8_t *bytes, size_t length, char out[FLASH_HEX])
{
    return sodium_bin2hex(out, FLASH_HEX, bytes, length);
}
