/* The consoles of a testbed's boards, for `postroad up TESTBED`.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_UP_TESTBED_H
#define POSTROAD_POSTROAD_UP_TESTBED_H

#include <stdbool.h>

#include "board/testbed.h"
#include "cli/exit_code.h"
#include "daemon/board_console.h"
#include "loader/load_signature.h"
#include "testbed/console_ways.h"

struct up_testbed {
    struct testbed testbed;
    struct load_lock lock;
    struct console_ttys ttys; /* the ways have its address, so it must stay where it is */
    struct console_way *ways; /* of each board */
    struct board_consoles consoles;
};

/* True if an operand names a testbed: its name ends with .ini. */
bool up_testbed_named(const char *operand);

/* Reads the file, and finds the tty of each board, or of those in `only` (names with commas between them; NULL: all).
 * All that is missing or ambiguous is printed at once. EXIT_OK; EXIT_USAGE: the file or a name is wrong;
 * EXIT_TRANSPORT: a board is not there. To be freed in either case. */
enum exit_code up_testbed_find(const char *path, const char *only, struct up_testbed *out);
void up_testbed_free(struct up_testbed *testbed);

#endif
