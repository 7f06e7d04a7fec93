/* The USB devices that are plugged in, from udev. Nothing is opened: what has no permission is listed too.
 *
 * Paths are those of /sys/bus/usb/devices: "1-2.3" is port 3 of the hub at port 2 of bus 1. A path stays with the
 * socket, bus and device numbers change whenever a device is plugged in.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_USB_SCAN_H
#define POSTROAD_TESTBED_USB_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "libpostroad/file_holder.h"

enum { USB_INTERFACES = 4, USB_PATH = 32, USB_TEXT = 64 };

/* A device may be plugged in without a file in /dev: so it is in a container. */
enum usb_access { USB_MAY_USE, USB_DENIED, USB_NO_FILE };

struct usb_device {
    char path[USB_PATH];
    char hub[USB_PATH]; /* path of the hub that it is plugged in at; "usb1": a port of the computer */
    unsigned vendor, product, bus, device;
    char serial[USB_TEXT], product_name[USB_TEXT]; /* "": none */
    char node[USB_TEXT];                           /* /dev/bus/usb/... */
    enum usb_access access;                        /* of this user to the node */
    char holder[PR_PROCESS_NAME];                  /* of its lock, where another host has listed it; "": none */
    unsigned current_ma;                           /* that it may take from its hub */
    bool hub_without_supply;                       /* the hub has no power supply but the bus */
    char tty[USB_INTERFACES][USB_TEXT];            /* of each interface: its /dev/tty..., "": none */
    char driver[USB_INTERFACES][USB_TEXT];         /* the kernel's driver that holds it, "": none */
};

struct usb_list {
    size_t count;
    struct usb_device *devices; /* sorted by path, hubs left out */
};

/* Fills in the list, to be freed with usb_list_free. 0, or -1 with the reason. */
int usb_scan(struct usb_list *out, char *error, size_t error_size);
void usb_list_free(struct usb_list *list);

/* The device at a path; NULL: there is none. */
const struct usb_device *usb_list_at(const struct usb_list *list, const char *path);

/* The tty of a board's console: that of the interface its board.conf names. If this one has none, the only tty there
 * is, because firmware of some programmers (DAPLink, BL616) numbers its interfaces otherwise. NULL: none, or several.
 */
const char *usb_device_console(const struct usb_device *device, unsigned interface);

/* The access of this user to a file of /dev, and what is wrong in words; NULL: nothing. */
enum usb_access usb_access_to(const char *file);
const char *usb_access_trouble(enum usb_access access);

/* How many devices have this serial. */
size_t usb_list_with_serial(const struct usb_list *list, const char *serial);

#endif
