/* Boards of this computer that are being written, and do not answer meanwhile.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_HELD_BOARDS_H
#define POSTROAD_POSTROAD_HELD_BOARDS_H

#include "cli/options.h"
#include "testbed/usb_scan.h"

/* A note on each of the list, with its holder. */
void held_boards_note(const struct options *options, const struct usb_list *list);

/* The same of all that are plugged in. */
void held_boards_find(const struct options *options);

#endif
