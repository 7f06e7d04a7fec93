/* USB devices that are not there, below libusb: a library for LD_PRELOAD, in front of umockdev's, which has their place
 * in sysfs. A program that opens /dev/bus/usb/BUS/DEVICE speaks to it as to the kernel (usbdevfs.c), so that
 * programmers and libraries are the real ones.
 *
 *   ftdi.c   FT2232H with MPSSE, FT231X with bit-bang: what moves on their pins
 *   pins.c   what is behind the pins: an iCE40 and its serial flash; an ECP5 behind JTAG (../imitate/jtag.h)
 *   dfu.c    a device of class DFU
 *
 * environment: FAKE_BOARDS, a folder with a folder BUS-DEVICE for each device:
 *   flash     what it holds, each bit inverted; missing: erased. It is written when the program lets go of the device
 *   fault     missing: none. Else KIND [NUMBER]; beside those of the flash (../imitate/imitate.h):
 *     lost NUMBER      the cable is pulled out after this number of transfers
 *     taken            another program has the device
 *     no_flash         nothing drives the flash's output
 *     done_low         the FPGA does not start
 *     idcode NUMBER    the ECP5 is another part
 *     refuse           DFU: the device takes no data (errTARGET)
 *   transfers a line is added for each program: how many transfers it made
 *   tty       the console; it is away while a program has the interface, and until it gives it back to the driver
 *   console   for the role `consoles`: `silent` while the FPGA has no configuration
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_HOST_TOOLS_USB_USB_H
#define POSTROAD_TESTS_HOST_TOOLS_USB_USB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../imitate/imitate.h"

/* A control transfer; the data is beside it. */
struct usb_setup {
    uint8_t type, request;
    uint16_t value, index, length;
};

/* What a device does in a transfer. Each returns the number of bytes, or an error as the kernel has it (-EPIPE: it
 * stalls). */
struct usb_device {
    uint16_t vendor, product;
    bool has_tty; /* the driver ftdi_sio has its interface A, whose tty is the console */
    void (*claimed)(const char *folder, const struct words *fault);
    void (*released)(const char *folder);
    int (*control)(const struct usb_setup *setup, uint8_t *data);
    int (*out)(unsigned endpoint, const uint8_t *bytes, int count); /* NULL: there is none */
    int (*in)(unsigned endpoint, uint8_t *bytes, int count);
};

extern const struct usb_device usb_ft2232h, usb_ft231x, usb_dfu;

/* What hangs on the eight pins of an FTDI chip. */
struct pins {
    void (*claimed)(const char *folder, const struct words *fault);
    void (*released)(const char *folder);
    void (*set)(uint8_t levels);
    uint8_t (*get)(void);
    void (*pass)(uint64_t femtoseconds); /* time */
};

extern const struct pins pins_ice40, pins_ecp5;

#endif
