/* Why a bitstream, or a file about it, cannot be used. The first reason is kept.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_FAILURE_H
#define POSTROAD_BITSTREAM_FAILURE_H

#include <stdbool.h>

struct failure {
    bool failed;
    char text[320];
};

/* Returns false, for the caller to return too. */
bool fail(struct failure *failure, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
