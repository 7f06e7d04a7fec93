/* The kernel's side of /dev/bus/usb: see usb.h. A transfer is done when it is submitted. A program has one device
 * claimed at a time, and reads the descriptors from umockdev's file. Source: linux/usbdevice_fs.h; "USB device files"
 * of the kernel's manual.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "usb.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/usbdevice_fs.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FILES = 64, URBS = 64, NAME_SIZE = 16, SETUP_BYTES = 8, DEVICE_BYTES = 18, ENDPOINT_IN = 0x80 };
enum { GET_DESCRIPTOR = 6, STRING_DESCRIPTOR = 3, ENGLISH = 0x0409 };

static struct file {
    const struct usb_device *device; /* NULL: not one of these */
    char folder[PATH_SIZE];
    struct words fault;
    bool claimed;
    unsigned transfers, first, count;
    struct usbdevfs_urb *done[URBS]; /* to be reaped */
} files[FILES];

static const struct usb_device *const devices[] = {&usb_ft2232h, &usb_ft231x, &usb_dfu};

/* ---- transfers ---- */

static bool is_lost(struct file *file)
{
    return is_word(&file->fault, 0, "lost") && file->transfers > strtoul(file->fault.word[1], NULL, 0);
}

/* Every device has one string. */
static int give_string(const struct usb_setup *setup, uint8_t *data)
{
    static const uint8_t languages[] = {4, STRING_DESCRIPTOR, ENGLISH & 0xff, ENGLISH >> 8};
    static const uint8_t board[] = {12, STRING_DESCRIPTOR, 'b', 0, 'o', 0, 'a', 0, 'r', 0, 'd', 0};
    const uint8_t *text = setup->value & 0xff ? board : languages;
    int count = text[0] < setup->length ? text[0] : setup->length;
    memcpy(data, text, (size_t)count);
    return count;
}

static int control(struct file *file, const struct usb_setup *setup, uint8_t *data)
{
    if (setup->request == GET_DESCRIPTOR && setup->type == ENDPOINT_IN && setup->value >> 8 == STRING_DESCRIPTOR)
        return give_string(setup, data);
    return file->device->control(setup, data);
}

static int control_urb(struct file *file, const struct usbdevfs_urb *urb)
{
    uint8_t *bytes = urb->buffer;
    if (urb->buffer_length < SETUP_BYTES)
        return -EINVAL;
    const struct usb_setup setup = {.type = bytes[0],
                                    .request = bytes[1],
                                    .value = (uint16_t)(bytes[2] | bytes[3] << 8),
                                    .index = (uint16_t)(bytes[4] | bytes[5] << 8),
                                    .length = (uint16_t)(bytes[6] | bytes[7] << 8)};
    return control(file, &setup, bytes + SETUP_BYTES);
}

static int transfer(struct file *file, const struct usbdevfs_urb *urb)
{
    const struct usb_device *device = file->device;
    if (urb->type == USBDEVFS_URB_TYPE_CONTROL)
        return control_urb(file, urb);
    if (urb->type != USBDEVFS_URB_TYPE_BULK || !device->in)
        return -EINVAL;
    return urb->endpoint & ENDPOINT_IN ? device->in(urb->endpoint, urb->buffer, urb->buffer_length)
                                       : device->out(urb->endpoint, urb->buffer, urb->buffer_length);
}

static int submit(struct file *file, struct usbdevfs_urb *urb)
{
    if (file->count == URBS)
        return -ENOMEM;
    int moved = transfer(file, urb);
    urb->status = moved < 0 ? moved : 0;
    urb->actual_length = moved < 0 ? 0 : moved;
    file->done[(file->first + file->count++) % URBS] = urb;
    return 0;
}

static int reap(struct file *file, struct usbdevfs_urb **out)
{
    if (file->count == 0)
        return -EAGAIN;
    *out = file->done[file->first];
    file->first = (file->first + 1) % URBS;
    file->count--;
    return 0;
}

static int control_at_once(struct file *file, const struct usbdevfs_ctrltransfer *transfer)
{
    const struct usb_setup setup = {.type = transfer->bRequestType,
                                    .request = transfer->bRequest,
                                    .value = transfer->wValue,
                                    .index = transfer->wIndex,
                                    .length = transfer->wLength};
    return control(file, &setup, transfer->data);
}

/* ---- claims ---- */

static int claim(struct file *file)
{
    if (is_word(&file->fault, 0, "taken"))
        return -EBUSY;
    if (!file->claimed)
        file->device->claimed(file->folder, &file->fault);
    file->claimed = true;
    return 0;
}

static void let_go(struct file *file)
{
    if (!file->claimed)
        return;
    FILE *log = open_file(file->folder, "transfers", "ae");
    fprintf(log, "%u\n", file->transfers);
    fclose(log);
    file->claimed = false;
    file->device->released(file->folder);
}

/* Programs that end with a device open. */
__attribute__((destructor)) static void let_all_go(void)
{
    for (size_t k = 0; k < FILES; k++)
        if (files[k].device)
            let_go(&files[k]);
}

/* ---- requests ---- */

/* To the driver of the interface, which has its tty, or from it. -ENODATA: there is no such driver. */
static int give_driver(const struct file *file, bool back)
{
    char there[PATH_SIZE];
    snprintf(there, sizeof there, "%s", path_in(file->folder, "tty"));
    const char *away = path_in(file->folder, "tty.away");
    return file->device->has_tty && rename(back ? away : there, back ? there : away) == 0 ? 0 : -ENODATA;
}

static int name_driver(const struct file *file, struct usbdevfs_getdriver *out)
{
    if (!file->device->has_tty || access(path_in(file->folder, "tty"), F_OK) != 0)
        return -ENODATA;
    strcpy(out->driver, "ftdi_sio");
    return 0;
}

static int sub_request(const struct file *file, const struct usbdevfs_ioctl *request)
{
    return give_driver(file, request->ioctl_code != (int)USBDEVFS_DISCONNECT);
}

static int request(struct file *file, unsigned long number, void *argument)
{
    bool moves = number == USBDEVFS_SUBMITURB || number == USBDEVFS_CONTROL;
    file->transfers += moves;
    if (is_lost(file))
        return -ENODEV;
    switch (number) {
    case USBDEVFS_GET_CAPABILITIES:
        *(uint32_t *)argument = USBDEVFS_CAP_ZERO_PACKET | USBDEVFS_CAP_NO_PACKET_SIZE_LIM;
        return 0;
    case USBDEVFS_SUBMITURB:
        return submit(file, argument);
    case USBDEVFS_REAPURB:
    case USBDEVFS_REAPURBNDELAY:
        return reap(file, argument);
    case USBDEVFS_DISCARDURB:
        return -EINVAL; /* it is done */
    case USBDEVFS_CONTROL:
        return control_at_once(file, argument);
    case USBDEVFS_DISCONNECT_CLAIM:
        give_driver(file, false);
        return claim(file);
    case USBDEVFS_CLAIMINTERFACE:
        return claim(file);
    case USBDEVFS_GETDRIVER:
        return name_driver(file, argument);
    case USBDEVFS_IOCTL:
        return sub_request(file, argument);
    case USBDEVFS_RELEASEINTERFACE:
    case USBDEVFS_SETINTERFACE:
    case USBDEVFS_SETCONFIGURATION:
    case USBDEVFS_CLEAR_HALT:
    case USBDEVFS_RESET:
        return 0;
    default:
        return -ENOTTY;
    }
}

/* ---- what programs call in place of the C library ---- */

/* Nothing else of this library is seen by a program. */
#define SEEN __attribute__((visibility("default")))

static const struct usb_device *device_of(int number)
{
    uint8_t bytes[DEVICE_BYTES];
    if (pread(number, bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return NULL;
    for (size_t k = 0; k < sizeof devices / sizeof *devices; k++)
        if (devices[k]->vendor == (bytes[8] | bytes[9] << 8) && devices[k]->product == (bytes[10] | bytes[11] << 8))
            return devices[k];
    return NULL;
}

/* The descriptor of a device's file, which begins with its device descriptor, or -2: it is none. umockdev's own way to
 * open one needs a socket whose path is too long for some folders. */
static int open_device(const char *path, int flags)
{
    const char *boards = getenv("FAKE_BOARDS"), *root = getenv("UMOCKDEV_DIR");
    unsigned bus, device;
    char real[PATH_SIZE];
    if (!boards || !root || sscanf(path, "/dev/bus/usb/%u/%u", &bus, &device) != 2)
        return -2;
    snprintf(real, sizeof real, "%.900s%.100s", root, path);
    int number = (int)syscall(SYS_openat, AT_FDCWD, real, flags, 0);
    if (number < 0 || number >= FILES)
        return number;
    struct file *file = &files[number];
    *file = (struct file){.device = device_of(number)};
    snprintf(file->folder, sizeof file->folder, "%.900s/%u-%u", boards, bus, device);
    file->fault = read_words(file->folder, "fault");
    return number;
}

#define OPENS(name)                                                                                     \
    SEEN int name(const char *path, int flags, ...)                                                     \
    {                                                                                                   \
        int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name); \
        va_list arguments;                                                                              \
        va_start(arguments, flags);                                                                     \
        mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;                                  \
        va_end(arguments);                                                                              \
        int file = open_device(path, flags);                                                            \
        return file == -2 ? next(path, flags, mode) : file;                                             \
    }

OPENS(open)
OPENS(open64)
OPENS(__open_2) /* what a fortified libusb calls */

SEEN int close(int number)
{
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
    if (number >= 0 && number < FILES && files[number].device) {
        let_go(&files[number]);
        files[number].device = NULL;
    }
    return next(number);
}

/* libusb listens for devices that come and go, of which none does. umockdev would bind the socket to a file that is
 * named after the descriptor alone: of two programs that start at the same time one may find it taken. */
SEEN int bind(int number, const struct sockaddr *address, socklen_t length)
{
    int (*next)(int, const struct sockaddr *,
                socklen_t) = (int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "bind");
    return address->sa_family == AF_NETLINK ? 0 : next(number, address, length);
}

SEEN int ioctl(int number, unsigned long wanted, ...)
{
    int (*next)(int, unsigned long, void *) = (int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
    va_list arguments;
    va_start(arguments, wanted);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (number < 0 || number >= FILES || !files[number].device)
        return next(number, wanted, argument);
    int answer = request(&files[number], wanted, argument);
    if (answer >= 0)
        return answer;
    errno = -answer;
    return -1;
}
