/* The serial lines that `postroad up` is given instead of a .mesh file: tty:PATH[@BAUD], where PATH may be a pattern as
 * in the shell, tty:/dev/ttyUSB*.
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

/* The lines of all operands. A pattern without a match stays as it is: no such line can be opened. False, after
 * printing why. Free it in any case. */
bool up_lines_parse(char **operands, int count, struct up_lines *out);
void up_lines_free(struct up_lines *lines);

#endif
