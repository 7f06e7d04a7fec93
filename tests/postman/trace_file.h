/* Files of traces, for the tests of what reads them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_POSTMAN_TRACE_FILE_H
#define POSTROAD_TESTS_POSTMAN_TRACE_FILE_H

#include <stddef.h>

/* Writes the file; returns its path, which is the same in each call. */
const char *trace_file_write(const char *text, size_t length);

void trace_file_remove(void);

#endif
