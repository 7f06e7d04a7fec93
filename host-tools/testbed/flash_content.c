/* See flash_content.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_content.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/load_records.h"
#include "support/or_abort.h"
#include "testbed/board_image.h"
#include "testbed/golden_slot.h"

enum { RAM_WORDS_MAX = 1 << 18, HEADER_MAX = 512, GO_WORDS = 2 /* length and CRC */ };

/* IDCODEs of ECP5, from Project Trellis' devices.json. */
static const struct {
    uint32_t code;
    const char *name;
} ecp5[] = {
    {0x21111043, "ECP5, LFE5U-12F"},    {0x41111043, "ECP5, LFE5U-25F"},    {0x41112043, "ECP5, LFE5U-45F"},
    {0x41113043, "ECP5, LFE5U-85F"},    {0x01111043, "ECP5, LFE5UM-25F"},   {0x01112043, "ECP5, LFE5UM-45F"},
    {0x01113043, "ECP5, LFE5UM-85F"},   {0x81111043, "ECP5, LFE5UM5G-25F"}, {0x81112043, "ECP5, LFE5UM5G-45F"},
    {0x81113043, "ECP5, LFE5UM5G-85F"},
};

static uint32_t big32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* VERIFY_ID (0xe2, three zeroes, IDCODE) behind the preamble. */
static void name_ecp5(struct flash_content *content, const uint8_t *bytes, size_t length)
{
    static const uint8_t verify[] = {0xe2, 0, 0, 0};
    const uint8_t *at = memmem(bytes, length, verify, sizeof verify);
    uint32_t code = at && at + 8 <= bytes + length ? big32(at + 4) : 0;
    snprintf(content->fpga, sizeof content->fpga, "ECP5, IDCODE 0x%08x", (unsigned)code);
    for (size_t k = 0; k < sizeof ecp5 / sizeof *ecp5; k++)
        if (ecp5[k].code == code)
            snprintf(content->fpga, sizeof content->fpga, "%s", ecp5[k].name);
}

/* The preamble of each family, behind a header of text. A Gowin bitstream begins with a row of ones. */
static void name_fpga(struct flash_content *content, const uint8_t *bytes, size_t length)
{
    static const uint8_t ice40[] = {0x7e, 0xaa, 0x99, 0x7e}, lattice[] = {0xff, 0xff, 0xbd, 0xb3},
                         gowin[] = {0xa5, 0xc3, 0x06, 0x00};
    size_t header = length < HEADER_MAX ? length : HEADER_MAX;
    if (memmem(bytes, header, ice40, sizeof ice40))
        snprintf(content->fpga, sizeof content->fpga, "iCE40");
    else if (memmem(bytes, header, lattice, sizeof lattice))
        name_ecp5(content, bytes, header);
    else if (memmem(bytes, header, gowin, sizeof gowin))
        snprintf(content->fpga, sizeof content->fpga, "Gowin");
}

/* Data records fill RAM; the go record has its length and CRC. Another record ends the image. */
static void read_firmware(struct flash_site *site, const uint8_t *bytes, size_t length, uint32_t *ram)
{
    struct load_record record;
    size_t size;
    for (size_t at = 0; (size = load_record_read(&record, bytes + at, length - at)) > 0; at += size) {
        unsigned kind = record.words[PR_LOAD_COUNT] >> PR_LOAD_COUNT_KIND_SHIFT, count = record.count - PR_LOAD_EXTRA;
        uint32_t first = (record.words[PR_LOAD_ADDRESS] - PR_RAM_BASE) / 4;
        if (kind == PR_LOAD_KIND_GO) {
            site->words = count < GO_WORDS ? 0 : record.words[PR_LOAD_DATA];
            site->good = count >= GO_WORDS && first <= RAM_WORDS_MAX && site->words <= RAM_WORDS_MAX - first &&
                         load_record_crc(ram + first, site->words) == record.words[PR_LOAD_DATA + 1];
            break;
        }
        if (kind != PR_LOAD_KIND_DATA || first > RAM_WORDS_MAX - count)
            break;
        memcpy(ram + first, record.words + PR_LOAD_DATA, 4 * count);
    }
    if (site->good)
        flash_label_build_id(ram, site->words, site->build_id);
}

static void read_site(struct flash_content *content, const uint8_t *bytes, size_t length, uint32_t offset)
{
    struct load_record record;
    size_t size = offset < length ? load_record_read(&record, bytes + offset, length - offset) : 0;
    if (!size || record.words[PR_LOAD_COUNT] >> PR_LOAD_COUNT_KIND_SHIFT != PR_LOAD_KIND_SITE ||
        record.count < PR_LOAD_EXTRA + PR_SITE_RECORD_WORDS)
        return;
    struct flash_site *site = &content->sites[content->site_count++];
    *site = (struct flash_site){.offset = offset,
                                .site = record.words[PR_LOAD_DATA + PR_SITE_RECORD_SITE] & 0xffff,
                                .epoch = record.words[PR_LOAD_DATA + PR_SITE_RECORD_EPOCH]};
    uint32_t *ram = or_abort(calloc(RAM_WORDS_MAX, sizeof *ram));
    read_firmware(site, bytes + offset + size, length - offset - size, ram);
    free(ram);
}

static void read_lock(struct flash_lock *lock, const uint8_t *bytes, size_t length)
{
    static const uint8_t erased[] = {0xff, 0xff, 0xff, 0xff}; /* anything else is a lock: firmware/boot, read_lock() */
    struct flash_site verifier = {.good = false};
    if (length < PR_LOAD_LOCK + sizeof erased || memcmp(bytes + PR_LOAD_LOCK, erased, sizeof erased) == 0)
        return;
    uint32_t *ram = or_abort(calloc(RAM_WORDS_MAX, sizeof *ram));
    read_firmware(&verifier, bytes + PR_LOAD_LOCK + sizeof erased, length - PR_LOAD_LOCK - sizeof erased, ram);
    *lock = (struct flash_lock){
        .locked = true, .good = verifier.good, .oldest = ram[PR_LOAD_VERIFIER / 4 + PR_LOCK_OLDEST]};
    memcpy(lock->key, ram + PR_LOAD_VERIFIER / 4 + PR_LOCK_KEY, sizeof lock->key);
    free(ram);
}

void flash_content_read(struct flash_content *content, const uint8_t *bytes, size_t length)
{
    uint8_t hash[FLASH_HASH];
    *content = (struct flash_content){.bytes = length};
    crypto_hash_sha256(content->hash, bytes, length);
    name_fpga(content, bytes, length);
    if (length > FLASH_LABEL_AT)
        content->has_label = flash_label_decode(bytes + FLASH_LABEL_AT, length - FLASH_LABEL_AT, &content->label);
    content->golden = golden_image_is_known(bytes, length);
    content->slot_good = content->golden && length >= PR_GOLDEN_SLOT + PR_GOLDEN_SLOT_BYTES &&
                         golden_slot_is_good(bytes + PR_GOLDEN_SLOT);
    size_t start = content->golden ? PR_GOLDEN_SLOT : 0;
    if (content->has_label && content->label.bitstream_bytes <= FLASH_LABEL_AT - start) {
        crypto_hash_sha256(hash, bytes + start, content->label.bitstream_bytes);
        content->label_fits = memcmp(hash, content->label.bitstream_hash, FLASH_HASH) == 0;
    }
    read_lock(&content->lock, bytes, length);
    read_site(content, bytes, length, 0); /* a boot image by itself */
    for (uint32_t k = 0; k < FLASH_CONTENT_SITES && content->site_count < FLASH_CONTENT_SITES; k++)
        read_site(content, bytes, length, PR_LOAD_FLASH + k * BOARD_IMAGE_SITE_STRIDE);
}

bool flash_content_is_known(const struct flash_content *content)
{
    return *content->fpga || content->has_label || content->site_count;
}
