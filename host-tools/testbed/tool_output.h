/* Runs a program and takes what it prints. No shell is involved.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_TOOL_OUTPUT_H
#define POSTROAD_TESTBED_TOOL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Runs argv[0], sought on PATH, with nothing as its input. `out` gets what it prints, cut to its size, with a zero
 * behind; `errors` takes standard error too. A program that has not ended within `patience` seconds is killed;
 * INFINITY: it is waited for. Returns its exit code, or -1 with errno if it cannot be started (as posix_spawnp has it),
 * was ended by a signal (ECHILD), or has been killed (ETIMEDOUT). */
int tool_output(char *const *argv, bool errors, double patience, char *out, size_t size);

/* Is a program of this name on PATH? */
bool tool_exists(const char *name);

#endif
