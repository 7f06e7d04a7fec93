/* See board_confs.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "testbed/board_confs.h"

#include "support/or_abort.h"
#include "testbed/board_lock.h"
#include "testbed/board_match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int board_confs_load(struct board_confs *out, char *error, size_t error_size)
{
    out->count = board_type_names(out->names);
    for (unsigned i = 0; i < out->count; i++)
        if (board_type_load(out->names[i], &out->confs[i], error, error_size) != 0)
            return -1;
    if (!out->count)
        snprintf(error, error_size, "no board.conf, expected the kit's tree or an installed kit");
    return out->count ? 0 : -1;
}

struct board_conf *board_confs_of(const struct board_confs *confs, const struct testbed *testbed)
{
    struct board_conf *of = or_abort(calloc(testbed->board_count, sizeof *of));
    for (unsigned i = 0; i < testbed->board_count; i++)
        for (unsigned k = 0; k < confs->count; k++)
            if (strcmp(confs->names[k], testbed->boards[i].type) == 0)
                of[i] = confs->confs[k];
    return of;
}

unsigned board_confs_fitting(const struct board_confs *confs, const struct usb_device *device, char *out, size_t size)
{
    unsigned count = 0;
    *out = 0;
    for (unsigned i = 0; i < confs->count; i++)
        if (board_match_fits(device, &confs->confs[i])) {
            size_t used = strlen(out);
            snprintf(out + used, size - used, "%s%s", count++ ? ", " : "", confs->names[i]);
        }
    return count;
}

unsigned board_confs_name_holders(const struct board_confs *confs, struct usb_list *list)
{
    char types[256];
    unsigned count = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct usb_device *device = &list->devices[i];
        count += board_confs_fitting(confs, device, types, sizeof types) &&
                 board_lock_is_held(device->node, device->holder);
    }
    return count;
}
