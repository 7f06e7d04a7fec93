/* See board_match.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/board_match.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *match_verdict_name(enum match_verdict verdict)
{
    static const char *const names[] = {
        [MATCH_FOUND] = "found",           [MATCH_MISSING] = "missing",       [MATCH_AMBIGUOUS] = "ambiguous",
        [MATCH_CLAIMED] = "claimed twice", [MATCH_WRONG_TYPE] = "wrong type", [MATCH_ELSEWHERE] = "elsewhere"};
    return names[verdict];
}

bool board_match_fits(const struct usb_device *device, const struct board_conf *conf)
{
    return device->vendor == conf->usb_vendor && device->product == conf->usb_product;
}

static void decide(struct board_match *out, enum match_verdict verdict, const struct usb_device *device,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
static void decide(struct board_match *out, enum match_verdict verdict, const struct usb_device *device,
                   const char *format, ...)
{
    va_list arguments;
    *out = (struct board_match){.verdict = verdict, .device = device};
    va_start(arguments, format);
    vsnprintf(out->reason, sizeof out->reason, format, arguments);
    va_end(arguments);
}

/* Does the device have what the file demands, whatever its type? */
static bool has_marks(const struct usb_device *device, const struct testbed_board *board)
{
    return (!*board->serial || strcmp(board->serial, device->serial) == 0) &&
           (!*board->path || strcmp(board->path, device->path) == 0);
}

/* What the file demands, for messages. */
static void describe(const struct testbed_board *board, char *out, size_t size)
{
    if (*board->serial && *board->path)
        snprintf(out, size, "serial %s at port %s", board->serial, board->path);
    else if (*board->serial)
        snprintf(out, size, "serial %s", board->serial);
    else if (*board->path)
        snprintf(out, size, "at port %s", board->path);
    else
        snprintf(out, size, "of type %s", board->type);
}

static void list_paths(const struct testbed_board *board, const struct board_conf *conf, const struct usb_list *list,
                       char *out, size_t size)
{
    *out = 0;
    for (size_t i = 0; i < list->count; i++)
        if (has_marks(&list->devices[i], board) && board_match_fits(&list->devices[i], conf)) {
            size_t used = strlen(out);
            snprintf(out + used, size - used, "%s%s", used ? ", " : "", list->devices[i].path);
        }
}

/* No device fits. What comes nearest helps: the serial at another port, or another device at the port. */
static void decide_missing(const struct testbed_board *board, const struct board_conf *conf,
                           const struct usb_list *list, struct board_match *out)
{
    char marks[160];
    const struct usb_device *there = *board->path ? usb_list_at(list, board->path) : NULL;
    describe(board, marks, sizeof marks);
    for (size_t i = 0; *board->serial && i < list->count; i++)
        if (*board->path && strcmp(list->devices[i].serial, board->serial) == 0) {
            decide(out, MATCH_MISSING, NULL, "no device %s; serial %s is at port %s", marks, board->serial,
                   list->devices[i].path);
            return;
        }
    if (there)
        decide(out, MATCH_MISSING, NULL, "no device %s; the one there has %s%s", marks,
               *there->serial ? "serial " : "no serial", there->serial);
    else
        decide(out, MATCH_MISSING, NULL, "no device %s, expected %s (%s) plugged in and powered", marks, board->type,
               conf->usb);
}

static void match_one(const struct testbed_board *board, const struct board_conf *conf, const struct usb_list *list,
                      struct board_match *out)
{
    const struct usb_device *found = NULL, *other = NULL;
    unsigned count = 0;
    char paths[120];
    bool marked = *board->serial || *board->path;
    if (*board->probe) {
        decide(out, MATCH_ELSEWHERE, NULL, "behind %s", board->probe);
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct usb_device *device = &list->devices[i];
        if (!has_marks(device, board))
            continue;
        if (board_match_fits(device, conf)) {
            found = device;
            count++;
        } else if (marked)
            other = device;
    }
    if (count == 1) {
        *out = (struct board_match){.verdict = MATCH_FOUND, .device = found};
    } else if (count > 1) {
        list_paths(board, conf, list, paths, sizeof paths);
        decide(out, MATCH_AMBIGUOUS, NULL, "%u devices fit, at the ports %s: expected path = one of them", count,
               paths);
    } else if (other)
        decide(out, MATCH_WRONG_TYPE, other, "the device at port %s is %04x:%04x, expected %s of a %s", other->path,
               other->vendor, other->product, conf->usb, board->type);
    else
        decide_missing(board, conf, list, out);
}

/* Two boards without a doubt of their own, one device. */
static void find_claims(const struct testbed *testbed, struct board_match *out)
{
    for (unsigned i = 0; i < testbed->board_count; i++)
        for (unsigned k = 0; k < testbed->board_count; k++) {
            bool both = (out[i].verdict == MATCH_FOUND || out[i].verdict == MATCH_CLAIMED) && out[i].device &&
                        out[k].device == out[i].device && k != i && out[k].verdict != MATCH_WRONG_TYPE;
            if (both)
                decide(&out[i], MATCH_CLAIMED, out[i].device,
                       "the device at port %s is board %s too, expected serial or path of each", out[i].device->path,
                       testbed->boards[k].name);
        }
}

bool board_match(const struct testbed *testbed, const struct board_conf *confs, const char *host,
                 const struct usb_list *list, struct board_match *out)
{
    bool all = true;
    for (unsigned i = 0; i < testbed->board_count; i++)
        if (strcmp(testbed->boards[i].host, host) == 0)
            match_one(&testbed->boards[i], &confs[i], list, &out[i]);
        else
            decide(&out[i], MATCH_ELSEWHERE, NULL, "plugged in at %s",
                   *testbed->boards[i].host ? testbed->boards[i].host : "this computer");
    find_claims(testbed, out);
    for (unsigned i = 0; i < testbed->board_count; i++)
        all = all && (out[i].verdict == MATCH_FOUND || out[i].verdict == MATCH_ELSEWHERE);
    return all;
}

bool board_match_is_extra(const struct usb_device *device, const struct board_match *matches, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (matches[i].device == device)
            return false;
    return true;
}

bool board_match_begins_host(const struct testbed *testbed, unsigned board)
{
    for (unsigned k = 0; k < board; k++)
        if (strcmp(testbed->boards[k].host, testbed->boards[board].host) == 0)
            return false;
    return true;
}
