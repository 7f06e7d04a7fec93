/* The settings of all types of boards, and of those of a testbed.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_BOARD_CONFS_H
#define POSTROAD_TESTBED_BOARD_CONFS_H

#include "board/board_type.h"
#include "board/testbed.h"
#include "testbed/usb_scan.h"

struct board_confs {
    unsigned count;
    char names[BOARD_TYPES_MAX][BOARD_TYPE_NAME];
    struct board_conf confs[BOARD_TYPES_MAX];
};

/* 0, or -1 with the reason. */
int board_confs_load(struct board_confs *out, char *error, size_t error_size);

/* One for each board of a testbed, to be freed. Its types exist: testbed_load has seen them. */
struct board_conf *board_confs_of(const struct board_confs *confs, const struct testbed *testbed);

/* The types that a device may be, "icebreaker, hx8k_b_evn"; returns how many. */
unsigned board_confs_fitting(const struct board_confs *confs, const struct usb_device *device, char *out, size_t size);

/* Names in `holder` who is writing a device of the list, if it may be a board. Returns how many are being written. */
unsigned board_confs_name_holders(const struct board_confs *confs, struct usb_list *list);

#endif
