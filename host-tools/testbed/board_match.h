/* Which USB device is which board of a testbed. Nothing is touched, and all boards get a verdict at once.
 *
 * A serial that several devices have proves nothing: then the port has to be given, and no match is better than a
 * sibling.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_BOARD_MATCH_H
#define POSTROAD_TESTBED_BOARD_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "board/board_conf.h"
#include "board/testbed.h"
#include "testbed/usb_scan.h"

enum match_verdict {
    MATCH_FOUND,
    MATCH_MISSING,    /* no device has this serial and path */
    MATCH_AMBIGUOUS,  /* several devices have */
    MATCH_CLAIMED,    /* another board of the testbed fits the same device */
    MATCH_WRONG_TYPE, /* the device has other USB ids than boards of this type */
    MATCH_ELSEWHERE   /* the board is plugged in at another host, or is behind a probe */
};

enum { MATCH_REASON = 256 };

struct board_match {
    enum match_verdict verdict;
    const struct usb_device *device; /* MATCH_FOUND, MATCH_CLAIMED, MATCH_WRONG_TYPE; else NULL */
    char reason[MATCH_REASON];       /* whole sentence, "" if found */
};

/* A word for each verdict: "found", "missing", ... */
const char *match_verdict_name(enum match_verdict verdict);

/* Matches the boards of one host ("": this one) with its devices. `out` has an element for each board of the testbed,
 * `confs` the settings of its type. Returns whether every board of this host was found. */
bool board_match(const struct testbed *testbed, const struct board_conf *confs, const char *host,
                 const struct usb_list *list, struct board_match *out);

/* Is no board in front of this one at the same host? */
bool board_match_begins_host(const struct testbed *testbed, unsigned board);

/* Could this be a board of the type? */
bool board_match_fits(const struct usb_device *device, const struct board_conf *conf);

/* Is the device one that no board was matched with? */
bool board_match_is_extra(const struct usb_device *device, const struct board_match *matches, size_t count);

#endif
