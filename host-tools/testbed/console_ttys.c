/* See console_ttys.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "testbed/console_ttys.h"

#include "libpostroad/client.h"
#include "support/or_abort.h"
#include "testbed/board_confs.h"
#include "testbed/board_lock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double fresh_time = 0.1; /* seconds */

int console_ttys_open(struct console_ttys *ttys, const struct testbed *testbed, char *error, size_t error_size)
{
    struct board_confs *confs = or_abort(malloc(sizeof *confs));
    *ttys = (struct console_ttys){.testbed = testbed,
                                  .matches = or_abort(calloc(testbed->board_count, sizeof *ttys->matches)),
                                  .listed = -INFINITY};
    int status = board_confs_load(confs, error, error_size);
    if (status == 0)
        ttys->confs = board_confs_of(confs, testbed);
    free(confs);
    return status;
}

void console_ttys_close(struct console_ttys *ttys)
{
    usb_list_free(&ttys->list);
    free(ttys->confs);
    free(ttys->matches);
    *ttys = (struct console_ttys){.testbed = NULL};
}

static bool list_devices(struct console_ttys *ttys, char *error, size_t error_size)
{
    double now = pr_client_now();
    if (now - ttys->listed < fresh_time)
        return true;
    usb_list_free(&ttys->list);
    ttys->listed = -INFINITY;
    if (usb_scan(&ttys->list, error, error_size) != 0)
        return false;
    ttys->listed = now;
    return true;
}

/* Of the last match. */
static const char *matched_tty(const struct console_ttys *ttys, unsigned board, char *error, size_t error_size)
{
    const struct board_match *match = &ttys->matches[board];
    char holder[PR_PROCESS_NAME];
    unsigned interface = ttys->confs[board].console_interface;
    if (match->verdict != MATCH_FOUND) {
        snprintf(error, error_size, "%s: %s", match_verdict_name(match->verdict), match->reason);
        return NULL;
    }
    /* Of a device at another host the holder is listed; its node is none of this computer. */
    bool here = !*ttys->testbed->boards[board].host;
    snprintf(holder, sizeof holder, "%s", match->device->holder);
    if (*holder || (here && board_lock_is_held(match->device->node, holder))) {
        snprintf(error, error_size, "the board at port %s is being written, by %s", match->device->path, holder);
        return NULL;
    }
    const char *tty = usb_device_console(match->device, interface);
    if (!tty)
        snprintf(error, error_size, "no serial line at interface %u of the device at port %s", interface,
                 match->device->path);
    return tty;
}

const char *console_ttys_find(struct console_ttys *ttys, unsigned board, char *error, size_t error_size)
{
    if (!list_devices(ttys, error, error_size))
        return NULL;
    board_match(ttys->testbed, ttys->confs, "", &ttys->list, ttys->matches);
    return matched_tty(ttys, board, error, error_size);
}

const char *console_ttys_choose(struct console_ttys *ttys, unsigned board, const struct usb_list *list, char *error,
                                size_t error_size)
{
    board_match(ttys->testbed, ttys->confs, ttys->testbed->boards[board].host, list, ttys->matches);
    return matched_tty(ttys, board, error, error_size);
}

int console_endpoint(const struct testbed_board *board, struct pr_endpoint *out, char *error, size_t error_size)
{
    char reason[PR_ENDPOINT_PATH_SIZE + 128];
    if (pr_endpoint_parse(board->console, out, reason, sizeof reason) != 0) {
        snprintf(error, error_size, "console: %s", reason);
        return -1;
    }
    if (!strchr(board->console, '@'))
        out->baud = (int)board->baud;
    return 0;
}
