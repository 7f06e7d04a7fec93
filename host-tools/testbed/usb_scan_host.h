/* The devices at another host, as `postroad boards --json` prints them there.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_USB_SCAN_HOST_H
#define POSTROAD_TESTBED_USB_SCAN_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "testbed/usb_scan.h"

/* Room for what a host prints. */
enum { USB_LIST_TEXT = 1 << 20 };

/* Fills in the list, to be freed with usb_list_free; what stands in front of the object is left out, for a shell may
 * greet. False: there is no list in the text. */
bool usb_list_parse(const char *text, struct usb_list *out);

/* The devices of a host, "": this one, to be freed with usb_list_free. Waits for the other host. 0, or -1 with the
 * reason.
 */
int usb_scan_host(const char *host, struct usb_list *out, char *error, size_t error_size);

#endif
