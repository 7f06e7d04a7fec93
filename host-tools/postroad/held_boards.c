/* See held_boards.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/held_boards.h"

#include <stdlib.h>

#include "cli/report.h"
#include "support/or_abort.h"
#include "testbed/board_confs.h"

enum { ERROR_SIZE = 2048 };

void held_boards_note(const struct options *options, const struct usb_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (*list->devices[i].holder)
            report_note(options, "the board at port %s is being written, by %s", list->devices[i].path,
                        list->devices[i].holder);
}

void held_boards_find(const struct options *options)
{
    struct board_confs *confs = or_abort(malloc(sizeof *confs));
    struct usb_list list;
    char error[ERROR_SIZE];
    if (board_confs_load(confs, error, sizeof error) == 0 && usb_scan(&list, error, sizeof error) == 0) {
        board_confs_name_holders(confs, &list);
        held_boards_note(options, &list);
        usb_list_free(&list);
    }
    free(confs);
}
