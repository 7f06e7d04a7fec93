/* The label in a board's flash: what the flash holds, so that one small read shows whether a board is right.
 *
 * The label has 64 KB of its own, because some programmers erase as much, below the start counters (hw/soc/boot.md),
 * which stay as they are. `postroad flash` clears it first and writes it last: a board on which writing was cut has no
 * label.
 *
 *   offset  bytes
 *        0      8  "POSTROAD"
 *        8      4  version of this layout, 2
 *       12      4  first site of the board
 *       16      4  sites of the board
 *       20      4  hash of the .mesh
 *       24     32  type of the board, a folder of boards/, zeroes behind it
 *       56      4  bytes of the bitstream
 *       60      4  bytes of the images, all sites together
 *       64     32  SHA-256 of the bitstream
 *       96     32  SHA-256 of the images, one behind the other
 *      128      8  build id of the firmware, as flash_label_build_id has it
 *      136     16  the first bytes of the SHA-256 of all above
 *
 * Numbers are 32 bits, low byte first.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_LABEL_H
#define POSTROAD_TESTBED_FLASH_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"
#include "wire/site_identity.h"

/* While a board is being written, the label's place has the number of the run that writes it: a line of text in zeroes,
 * which no FPGA takes for a bitstream. Whoever finds another number there knows that another run has begun since. */
enum {
    FLASH_LABEL_AT = PR_LOAD_STARTS - 0x10000,
    FLASH_LABEL_BYTES = 256,                       /* as written and read; the rest is 0xff */
    FLASH_LABEL_ALIAS = FLASH_LABEL_AT - 0x200000, /* the same place of each flash that is smaller than 4 MB */
    FLASH_LABEL_TYPE = 32,
    FLASH_HASH = 32,
    FLASH_BUILD_ID = PR_BUILD_ID_BYTES,
    FLASH_HEX = 2 * FLASH_HASH + 1
};

struct flash_label {
    char type[FLASH_LABEL_TYPE];
    uint32_t site, sites, mesh_hash, bitstream_bytes, image_bytes;
    uint8_t bitstream_hash[FLASH_HASH], image_hash[FLASH_HASH], build_id[FLASH_BUILD_ID];
};

void flash_label_encode(const struct flash_label *label, uint8_t out[FLASH_LABEL_BYTES]);

/* False: there is no label in these bytes, or a damaged one. */
bool flash_label_decode(const uint8_t *bytes, size_t length, struct flash_label *out);

/* A new number of a run, drawn at random. */
void flash_run_number(uint8_t out[FLASH_LABEL_BYTES]);

/* Have these bytes the number of a run, or a label? */
bool flash_label_is_of_a_run(const uint8_t *bytes, size_t length);

/* Names a firmware by the words that it is in RAM: the first bytes of its GNU build id, which its node reports, too; of
 * an image without one, the first bytes of the SHA-256 of these words. */
void flash_label_build_id(const uint32_t *words, size_t count, uint8_t out[FLASH_BUILD_ID]);

/* Writes up to FLASH_HASH bytes as hex digits, and a zero. Returns `out`. */
const char *flash_label_hex(const uint8_t *bytes, size_t length, char out[FLASH_HEX]);

#endif
