/* Opening a serial line, raw and exclusively: two programs that read one console would each get half of every answer.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_TTY_H
#define POSTROAD_LIBPOSTROAD_TTY_H

#include <stddef.h>

/* Returns a non-blocking descriptor that the caller closes, or an enum pr_endpoint_error with the reason in error. If
 * another process has the line open, the reason names that process where /proc shows it. */
int pr_tty_open(const char *path, int baud, char *error, size_t error_size);

#endif
