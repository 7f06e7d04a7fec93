/* What the flash of a board is to hold, region by region, in the order in which they are written:
 *
 *   0                      of boards with a golden image: that image
 *   PR_LOAD_LOCK           with boot = flash: the lock, or erased bytes
 *   PR_LOAD_FLASH          with boot = flash: firmware and site record of the board's first site
 *   ... + 128 KB * k       the same of its k-th site
 *   0, or PR_GOLDEN_SLOT   bitstream; on boards with boot = image its RAM has the firmware with the site record
 *   FLASH_LABEL_AT         label
 *
 * Before all of them the label is cleared, and on boards with a lock the start of the bitstream: a lock that is being
 * written is erased for a moment, and then no FPGA starts from this flash.
 *
 * A board whose programmer writes RAM has the bitstream alone. The bitstream is in the form in which the flash has it,
 * with nothing for a programmer to convert, so that what is read back can be compared byte by byte.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_BOARD_IMAGE_H
#define POSTROAD_TESTBED_BOARD_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board/board_conf.h"
#include "board/testbed.h"
#include "mesh/mesh.h"
#include "testbed/flash_label.h"

enum { BOARD_IMAGE_REGIONS = 8, BOARD_IMAGE_CLEARED = 2, BOARD_IMAGE_SITES = 4, BOARD_IMAGE_SITE_STRIDE = 0x20000 };

struct board_region {
    char name[16]; /* "bitstream", "golden image", "lock", "site 3", "label" */
    uint32_t offset;
    bool stays; /* it is not written where the flash has it */
    uint8_t *bytes;
    size_t size;
    uint8_t hash[FLASH_HASH]; /* SHA-256 */
};

struct board_image {
    unsigned count; /* the label, if there is one, is last */
    struct board_region regions[BOARD_IMAGE_REGIONS];
    unsigned cleared_count;                           /* the label is first */
    struct board_region cleared[BOARD_IMAGE_CLEARED]; /* their place; they get the number of the run */
    bool has_label;
    struct flash_label label; /* filled in also where no label is written */
};

/* For a board of a testbed with a mesh. 0, or -1 with a reason. The caller frees the image in either case. */
int board_image_make(struct board_image *image, const struct testbed *testbed, const struct testbed_board *board,
                     const struct board_conf *conf, char *error, size_t error_size);

/* The label's region alone, with an empty label: where to read that of a board. */
void board_image_make_label(struct board_image *image);

void board_image_free(struct board_image *image);

#endif
