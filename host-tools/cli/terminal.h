/* What the other end of a stream shows: how wide it is, and whether it has colours.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_TERMINAL_H
#define POSTROAD_CLI_TERMINAL_H

#include <stdbool.h>

enum { TERMINAL_DEFAULT_WIDTH = 80 };

enum style { STYLE_PLAIN, STYLE_GOOD, STYLE_DOUBTFUL, STYLE_BAD };

/* Columns of the terminal behind a descriptor; what is no terminal has 80. */
int terminal_width(int descriptor);

/* Rows of it; 0: no terminal. */
int terminal_height(int descriptor);

/* True: a terminal that can move its cursor and show colours (TERM is not "dumb"). */
bool terminal_can_draw(int descriptor);

/* What starts a style on standard output and what ends it; "" for what is no terminal, and with NO_COLOR set. */
const char *terminal_style(enum style style);

#endif
