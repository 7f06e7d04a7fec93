/* The devices at another host, as `postroad boards --json` prints them there.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_USB_LIST_TEXT_H
#define POSTROAD_TESTBED_USB_LIST_TEXT_H

#include <stdbool.h>

#include "testbed/usb_scan.h"

/* Room for what a host prints. */
enum { USB_LIST_TEXT = 1 << 20 };

/* Fills in the list, to be freed with usb_list_free; what stands in front of the object is left out, for a shell may
 * greet. False: there is no list in the text. */
bool usb_list_parse(const char *text, struct usb_list *out);

#endif
