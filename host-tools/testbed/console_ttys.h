/* The ttys of the consoles of a testbed's boards, as they are plugged in now. A board that was unplugged may come back
 * under another name, so the devices are listed anew whenever a tty is sought.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_CONSOLE_TTYS_H
#define POSTROAD_TESTBED_CONSOLE_TTYS_H

#include <stdbool.h>
#include <stddef.h>

#include "board/board_conf.h"
#include "board/testbed.h"
#include "libpostroad/endpoint.h"
#include "testbed/board_match.h"
#include "testbed/usb_scan.h"

struct console_ttys {
    const struct testbed *testbed;
    struct board_conf *confs;    /* of each board */
    struct board_match *matches; /* of each board, by the last list */
    struct usb_list list;
    double listed; /* when the devices were listed last, on pr_client_now's clock */
};

/* The testbed must outlive it. 0, or -1 with the reason. */
int console_ttys_open(struct console_ttys *ttys, const struct testbed *testbed, char *error, size_t error_size);
void console_ttys_close(struct console_ttys *ttys);

/* The tty of a board of this computer; NULL with the reason. Devices that were listed a tenth of a second ago are not
 * listed again. */
const char *console_ttys_find(struct console_ttys *ttys, unsigned board, char *error, size_t error_size);

/* The same for a board of another host, with the devices that are listed there. */
const char *console_ttys_choose(struct console_ttys *ttys, unsigned board, const struct usb_list *list, char *error,
                                size_t error_size);

/* The console of a board that is not on USB; without a rate in its endpoint it has the board's. 0, or -1 with the
 * reason. */
int console_endpoint(const struct testbed_board *board, struct pr_endpoint *out, char *error, size_t error_size);

#endif
