/* What bytes are: the content of a board's flash, a bitstream, or a boot image.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_CONTENT_H
#define POSTROAD_TESTBED_FLASH_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/image_signature.h"
#include "testbed/flash_label.h"

enum { FLASH_CONTENT_SITES = 4, FLASH_CONTENT_FPGA = 40 };

/* Firmware and site record of a site, as the boot program takes them. */
struct flash_site {
    uint32_t offset; /* in the bytes */
    unsigned site;
    uint32_t epoch;
    unsigned words;                   /* of firmware */
    bool good;                        /* ends with a go record whose CRC the firmware has */
    uint8_t build_id[FLASH_BUILD_ID]; /* where good */
};

/* What a locked board accepts. */
struct flash_lock {
    bool locked, good; /* good: the verifier is whole; only then the rest */
    uint8_t key[SIGNATURE_KEY_BYTES];
    uint32_t oldest;
};

struct flash_content {
    size_t bytes;
    uint8_t hash[FLASH_HASH];      /* SHA-256 of all */
    char fpga[FLASH_CONTENT_FPGA]; /* which FPGA's bitstream is at the start; "": none */
    bool has_label;
    struct flash_label label;
    bool label_fits;        /* the bitstream has the hash in the label */
    bool golden, slot_good; /* it has a golden image, which would start the bitstream in the slot */
    struct flash_lock lock;
    unsigned site_count;
    struct flash_site sites[FLASH_CONTENT_SITES];
};

void flash_content_read(struct flash_content *content, const uint8_t *bytes, size_t length);

/* Is anything in these bytes known: a bitstream, a label or an image? */
bool flash_content_is_known(const struct flash_content *content);

#endif
