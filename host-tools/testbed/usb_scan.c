/* See usb_scan.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/usb_scan.h"
#include "support/or_abort.h"

#include <ctype.h>
#include <errno.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLASS_HUB = 9, DECIMAL = 10, HEXADECIMAL = 16 };

/* Numbers have their base from the kernel: a device number 010 is ten. */
static unsigned number(struct udev_device *device, const char *name, int base)
{
    const char *text = udev_device_get_sysattr_value(device, name);
    return text ? (unsigned)strtoul(text, NULL, base) : 0;
}

/* A device may send anything as its serial; on a terminal it must do no harm. */
static void copy(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text ? text : "");
    for (char *at = out; *at; at++)
        if (!isprint((unsigned char)*at))
            *at = '?';
}

/* "1-2.3" is plugged in at "1-2", "1-2" at "usb1". */
static void find_hub(struct usb_device *device)
{
    const char *dot = strrchr(device->path, '.');
    if (dot)
        snprintf(device->hub, sizeof device->hub, "%.*s", (int)(dot - device->path), device->path);
    else
        snprintf(device->hub, sizeof device->hub, "usb%.*s", (int)strcspn(device->path, "-"), device->path);
}

/* bmAttributes of a hub: bit 6, it has a supply of its own. */
static bool lacks_supply(struct udev_device *device)
{
    enum { SELF_POWERED = 0x40 };
    struct udev_device *hub = udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device");
    const char *attributes = hub ? udev_device_get_sysattr_value(hub, "bmAttributes") : NULL;
    return attributes && !(strtoul(attributes, NULL, HEXADECIMAL) & SELF_POWERED);
}

enum usb_access usb_access_to(const char *file)
{
    if (access(file, R_OK | W_OK) == 0)
        return USB_MAY_USE;
    return errno == ENOENT || errno == ENOTDIR ? USB_NO_FILE : USB_DENIED;
}

const char *usb_access_trouble(enum usb_access access)
{
    return access == USB_MAY_USE ? NULL
           : access == USB_DENIED
               ? "this user may not use it"
               : "there is no such file, though the kernel has the device: has this container the device files?";
}

static void read_device(struct udev_device *from, struct usb_device *out)
{
    *out = (struct usb_device){.vendor = number(from, "idVendor", HEXADECIMAL),
                               .product = number(from, "idProduct", HEXADECIMAL),
                               .bus = number(from, "busnum", DECIMAL),
                               .device = number(from, "devnum", DECIMAL),
                               .current_ma = number(from, "bMaxPower", DECIMAL),
                               .hub_without_supply = lacks_supply(from)};
    copy(out->path, sizeof out->path, udev_device_get_sysname(from));
    copy(out->serial, sizeof out->serial, udev_device_get_sysattr_value(from, "serial"));
    copy(out->product_name, sizeof out->product_name, udev_device_get_sysattr_value(from, "product"));
    copy(out->node, sizeof out->node, udev_device_get_devnode(from));
    out->access = usb_access_to(out->node);
    find_hub(out);
}

/* Calls `each` for the devices of a subsystem. 0, or -1. */
static int enumerate(struct udev *udev, const char *subsystem, void (*each)(struct udev_device *, struct usb_list *),
                     struct usb_list *list)
{
    struct udev_list_entry *entry;
    struct udev_enumerate *found = udev_enumerate_new(udev);
    int result = found ? udev_enumerate_add_match_subsystem(found, subsystem) : -1;
    if (result >= 0)
        result = udev_enumerate_scan_devices(found);
    udev_list_entry_foreach(entry, result >= 0 ? udev_enumerate_get_list_entry(found) : NULL)
    {
        struct udev_device *device = udev_device_new_from_syspath(udev, udev_list_entry_get_name(entry));
        if (device)
            each(device, list);
        udev_device_unref(device);
    }
    udev_enumerate_unref(found);
    return result >= 0 ? 0 : -1;
}

static bool is_type(struct udev_device *device, const char *type)
{
    const char *own = udev_device_get_devtype(device);
    return own && strcmp(own, type) == 0;
}

static void add_device(struct udev_device *device, struct usb_list *list)
{
    if (!is_type(device, "usb_device") || number(device, "bDeviceClass", HEXADECIMAL) == CLASS_HUB)
        return;
    list->devices = or_abort(realloc(list->devices, (list->count + 1) * sizeof *list->devices));
    read_device(device, &list->devices[list->count++]);
}

static struct usb_device *find(const struct usb_list *list, const char *path)
{
    for (size_t i = 0; path && i < list->count; i++)
        if (strcmp(list->devices[i].path, path) == 0)
            return &list->devices[i];
    return NULL;
}

/* The device of an interface, and the interface's number; NULL: not of this list. */
static struct usb_device *owner(struct udev_device *interface, const struct usb_list *list, unsigned *at)
{
    struct udev_device *parent = interface ? udev_device_get_parent_with_subsystem_devtype(interface, "usb",
                                                                                           "usb_device")
                                           : NULL;
    struct usb_device *device = parent ? find(list, udev_device_get_sysname(parent)) : NULL;
    *at = device ? number(interface, "bInterfaceNumber", HEXADECIMAL) : 0;
    return *at < USB_INTERFACES ? device : NULL;
}

static void add_driver(struct udev_device *interface, struct usb_list *list)
{
    unsigned at;
    struct usb_device *device = is_type(interface, "usb_interface") ? owner(interface, list, &at) : NULL;
    if (device)
        copy(device->driver[at], sizeof device->driver[at], udev_device_get_driver(interface));
}

static void add_tty(struct udev_device *tty, struct usb_list *list)
{
    unsigned at;
    struct usb_device *device = owner(udev_device_get_parent_with_subsystem_devtype(tty, "usb", "usb_interface"), list,
                                      &at);
    if (device)
        copy(device->tty[at], sizeof device->tty[at], udev_device_get_devnode(tty));
}

/* 1-2 before 1-10. */
static int compare_paths(const void *a, const void *b)
{
    return strverscmp(((const struct usb_device *)a)->path, ((const struct usb_device *)b)->path);
}

int usb_scan(struct usb_list *out, char *error, size_t error_size)
{
    struct udev *udev = udev_new();
    *out = (struct usb_list){0};
    bool good = udev && enumerate(udev, "usb", add_device, out) == 0 && enumerate(udev, "usb", add_driver, out) == 0 &&
                enumerate(udev, "tty", add_tty, out) == 0;
    udev_unref(udev);
    if (!good) {
        snprintf(error, error_size, "udev lists no devices, expected /sys");
        usb_list_free(out);
        return -1;
    }
    if (out->count)
        qsort(out->devices, out->count, sizeof *out->devices, compare_paths);
    return 0;
}

void usb_list_free(struct usb_list *list)
{
    free(list->devices);
    *list = (struct usb_list){0};
}

const struct usb_device *usb_list_at(const struct usb_list *list, const char *path)
{
    return find(list, path);
}

const char *usb_device_console(const struct usb_device *device, unsigned interface)
{
    const char *only = NULL;
    if (interface < USB_INTERFACES && *device->tty[interface])
        return device->tty[interface];
    for (int k = 0; k < USB_INTERFACES; k++)
        if (*device->tty[k]) {
            if (only)
                return NULL;
            only = device->tty[k];
        }
    return only;
}

size_t usb_list_with_serial(const struct usb_list *list, const char *serial)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += strcmp(list->devices[i].serial, serial) == 0;
    return count;
}
