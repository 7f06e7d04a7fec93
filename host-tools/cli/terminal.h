/* The properties of the terminal behind a stream: its width, and whether it shows colours.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_TERMINAL_H
#define POSTROAD_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

enum { TERMINAL_DEFAULT_WIDTH = 80 };

enum style { STYLE_PLAIN, STYLE_GOOD, STYLE_DOUBTFUL, STYLE_BAD };

/* What standard output or standard error is written to; screen.h has streams of its own in their places. */
int terminal_descriptor(FILE *out);

/* Columns of the terminal behind a descriptor; 80 if the descriptor is no terminal. */
int terminal_width(int descriptor);

/* Writes a text and a newline, in lines of `width` columns that end between words. The first line has `used` columns
 * already, the others are indented. */
void terminal_wrap(FILE *out, const char *text, int used, int indent, int width);

/* Writes a text and a newline; on a terminal lines end between words, and the others are indented. */
void terminal_print(FILE *out, const char *text, int indent);

/* Rows of the terminal; 0: no terminal. */
int terminal_height(int descriptor);

/* True: a terminal that can move its cursor and show colours (TERM is not "dumb"). */
bool terminal_can_draw(int descriptor);

/* The control sequences that start and end a style on standard output; "" if it is no terminal, or if NO_COLOR is
 * set. */
const char *terminal_style(enum style style);

#endif
