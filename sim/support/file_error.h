/* A mistake in a file: "FILE:LINE: what is wrong, expected ...".
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SUPPORT_FILE_ERROR_H
#define POSTROAD_SUPPORT_FILE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

/* Writes it to `error`, cut to its size. */
void file_error(char *error, size_t error_size, const char *path, int line, const char *format, va_list arguments)
    __attribute__((format(printf, 5, 0)));

#endif
