/* The boards that openFPGALoader knows: `openFPGALoader --list-boards`, asked once.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_PROGRAMMER_LIST_H
#define POSTROAD_TESTBED_PROGRAMMER_LIST_H

#include <stdbool.h>

#include "board/board_conf.h"

enum { PROGRAMMER_BOARD = 64 };

struct programmer_list {
    bool asked;
    char *text; /* NULL: it has not given one, for this reason: */
    const char *reason;
};

enum programmer_knows { PROGRAMMER_KNOWS, PROGRAMMER_KNOWS_NOT, PROGRAMMER_GIVES_NO_LIST };

/* Does it know the board that these options name, behind -b? That of another programmer is known. */
enum programmer_knows programmer_knows_board(struct programmer_list *list, const struct board_conf *conf);

/* The name behind -b; "": none. */
void programmer_board_name(const struct board_conf *conf, char out[PROGRAMMER_BOARD]);

void programmer_list_free(struct programmer_list *list);

#endif
