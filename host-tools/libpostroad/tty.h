/* A serial line, raw and exclusively ours: two programs on one console would each get half of every answer.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_TTY_H
#define POSTROAD_LIBPOSTROAD_TTY_H

#include <stddef.h>

/* A non-blocking descriptor that the caller closes, or an endpoint_error with the reason in error; where another
 * process has the line open the reason names it.
 */
int pr_tty_open(const char *path, int baud, char *error, size_t error_size);

#endif
