/* See usb_scan_host.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "testbed/usb_scan_host.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/or_abort.h"
#include "testbed/tool_output.h"

enum { HOST_PATIENCE_S = 30 };

static void copy_text(char *out, size_t size, const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
    snprintf(out, size, "%s", text ? text : "");
    for (char *at = out; *at; at++)
        if (!isprint((unsigned char)*at))
            *at = '?';
}

static unsigned number_of(const cJSON *object, const char *key)
{
    const cJSON *number = cJSON_GetObjectItem(object, key);
    return cJSON_IsNumber(number) && number->valuedouble >= 0 ? (unsigned)number->valuedouble : 0;
}

static void read_device(const cJSON *from, struct usb_device *out)
{
    char ids[16];
    const cJSON *interface;
    *out = (struct usb_device){.bus = number_of(from, "bus"), .device = number_of(from, "device")};
    copy_text(out->path, sizeof out->path, from, "path");
    copy_text(out->hub, sizeof out->hub, from, "hub");
    copy_text(out->serial, sizeof out->serial, from, "serial");
    copy_text(out->product_name, sizeof out->product_name, from, "product");
    copy_text(out->node, sizeof out->node, from, "node");
    out->access = cJSON_IsTrue(cJSON_GetObjectItem(from, "accessible")) ? USB_MAY_USE
                  : cJSON_IsTrue(cJSON_GetObjectItem(from, "no_file"))  ? USB_NO_FILE
                                                                        : USB_DENIED;
    copy_text(out->holder, sizeof out->holder, from, "holder");
    copy_text(ids, sizeof ids, from, "usb");
    sscanf(ids, "%4x:%4x", &out->vendor, &out->product);
    cJSON_ArrayForEach(interface, cJSON_GetObjectItem(from, "interfaces"))
    {
        unsigned number = number_of(interface, "number");
        if (number < USB_INTERFACES) {
            copy_text(out->tty[number], USB_TEXT, interface, "tty");
            copy_text(out->driver[number], USB_TEXT, interface, "driver");
        }
    }
}

bool usb_list_parse(const char *text, struct usb_list *out)
{
    const cJSON *device;
    const char *object = strchr(text, '{');
    cJSON *all = object ? cJSON_Parse(object) : NULL;
    const cJSON *devices = cJSON_GetObjectItem(all, "devices");
    bool good = cJSON_IsArray(devices);
    *out = (struct usb_list){.count = 0};
    if (good) {
        out->devices = or_abort(calloc((size_t)cJSON_GetArraySize(devices) + 1, sizeof *out->devices));
        cJSON_ArrayForEach(device, devices) read_device(device, &out->devices[out->count++]);
    }
    cJSON_Delete(all);
    return good;
}

int usb_scan_host(const char *host, struct usb_list *out, char *error, size_t error_size)
{
    char *argv[] = {"ssh", "-T",         "-o",       "BatchMode=yes", "-o",     "ConnectTimeout=10",
                    "--",  (char *)host, "postroad", "boards",        "--json", NULL};
    if (!*host)
        return usb_scan(out, error, error_size);
    char *text = malloc(USB_LIST_TEXT);
    int status = text ? tool_output(argv, false, HOST_PATIENCE_S, text, USB_LIST_TEXT) : -1;
    bool out_of_patience = status < 0 && errno == ETIMEDOUT;
    bool good = status == 0 && usb_list_parse(text, out);
    free(text);
    if (!good)
        snprintf(error, error_size, "host %s: `postroad boards --json` through ssh %s", host,
                 status == 0       ? "prints no list of devices"
                 : out_of_patience ? "has not ended in time"
                 : status == 255   ? "does not reach it"
                                   : "fails there");
    return good ? 0 : -1;
}
