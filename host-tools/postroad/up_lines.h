/* The serial lines that are the operands of `postroad up` instead of a .mesh file: tty:PATH[@BAUD]. PATH may be a shell
 * pattern, as in tty:/dev/ttyUSB*.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_UP_LINES_H
#define POSTROAD_POSTROAD_UP_LINES_H

#include <stdbool.h>

struct pr_endpoint;

struct up_lines {
    struct pr_endpoint *lines; /* owned */
    unsigned count;
};

/* True if an operand names a line and no file. */
bool up_lines_named(const char *operand);

/* Expands all operands to lines. A pattern without a match stays as it is, and no such line can be opened. False, after
 * printing the reason. Free the result in either case. */
bool up_lines_parse(char **operands, int count, struct up_lines *out);
void up_lines_free(struct up_lines *lines);

#endif
