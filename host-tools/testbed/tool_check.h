/* Questions about programs: is one installed, what does it list, which one has a file open.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_TOOL_CHECK_H
#define POSTROAD_TESTBED_TOOL_CHECK_H

#include <stdbool.h>
#include <stddef.h>

enum { TOOL_NAME = 64 };

/* Is the program on PATH? */
bool tool_is_there(const char *program);

/* Does a line of the output of `PROGRAM OPTION` begin with the word? A program that takes longer than ten seconds is
 * ended. */
bool tool_lists(const char *program, const char *option, const char *word);

/* The process that has the file open, as NAME (PID). False: none that this user can see. */
bool tool_holder_of(const char *path, char *out, size_t size);

#endif
