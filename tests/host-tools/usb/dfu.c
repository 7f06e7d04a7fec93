/* A device of class DFU: see usb.h. In its flash is what was downloaded last; what it does not hold is uploaded as
 * erased.
 *
 * Source: USB Device Class Specification for Device Firmware Upgrade 1.1, "Requests" and appendix A.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "usb.h"

#include <errno.h>
#include <string.h>

enum request { DETACH, DOWNLOAD, GET_STATUS = 3, CLEAR_STATUS, GET_STATE, ABORT };
enum state {
    IDLE = 2,
    DOWNLOAD_SYNC,
    DOWNLOAD_BUSY,
    DOWNLOAD_IDLE,
    MANIFEST_SYNC,
    MANIFEST,
    WAIT_RESET,
    UPLOAD_IDLE,
    ERROR
};
enum { STATUS_OK = 0, STATUS_TARGET = 1, STATUS_BYTES = 6, FLASH_BYTES = 4 << 20, BLOCK = 4096, MANIFEST_MS = 10 };

static struct dfu {
    enum state state;
    bool refuses;
    uint8_t status;
    uint8_t bytes[FLASH_BYTES];
} dfu;

static int stall(void)
{
    dfu.state = ERROR;
    dfu.status = STATUS_TARGET;
    return -EPIPE;
}

static int download(const struct usb_setup *setup, const uint8_t *data)
{
    size_t at = (size_t)setup->value * BLOCK;
    if ((dfu.state != IDLE && dfu.state != DOWNLOAD_IDLE) || setup->length > BLOCK || at + setup->length > FLASH_BYTES)
        return stall();
    dfu.state = setup->length ? DOWNLOAD_SYNC : MANIFEST_SYNC;
    if (dfu.refuses) {
        dfu.state = ERROR;
        dfu.status = STATUS_TARGET;
    } else
        memcpy(dfu.bytes + at, data, setup->length);
    return setup->length;
}

/* Where the wait that a status asks for has led. */
static enum state after_wait(enum state state)
{
    return state == DOWNLOAD_SYNC   ? DOWNLOAD_IDLE
           : state == MANIFEST_SYNC ? MANIFEST
           : state == MANIFEST      ? IDLE
                                    : state;
}

static int give_status(uint8_t *data)
{
    dfu.state = after_wait(dfu.state);
    const uint8_t bytes[STATUS_BYTES] = {dfu.status, dfu.state == MANIFEST ? MANIFEST_MS : 0, 0, 0, (uint8_t)dfu.state,
                                         0};
    memcpy(data, bytes, sizeof bytes);
    return sizeof bytes;
}

static int control(const struct usb_setup *setup, uint8_t *data)
{
    switch (setup->request) {
    case DOWNLOAD:
        return download(setup, data);
    case GET_STATUS:
        return setup->length < STATUS_BYTES ? stall() : give_status(data);
    case GET_STATE:
        data[0] = (uint8_t)dfu.state;
        return 1;
    case CLEAR_STATUS:
    case ABORT:
        dfu.state = IDLE;
        dfu.status = STATUS_OK;
        return 0;
    default:
        return stall();
    }
}

static void claimed(const char *folder, const struct words *fault)
{
    dfu.state = IDLE;
    dfu.status = STATUS_OK;
    dfu.refuses = is_word(fault, 0, "refuse");
    load_flash(folder, dfu.bytes, sizeof dfu.bytes);
}

static void released(const char *folder)
{
    store_flash(folder, dfu.bytes, sizeof dfu.bytes);
}

const struct usb_device usb_dfu = {0x1d50, 0x614b, false, claimed, released, control, NULL, NULL};
