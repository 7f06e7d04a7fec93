/* The mesh of a trace as one SVG file that needs no other, without a script.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_POSTMAN_PICTURE_PICTURE_H
#define POSTROAD_TESTS_POSTMAN_PICTURE_PICTURE_H

#include <stdio.h>

#include "postman/picture/trace.h"

enum { PICTURE_ANIMATED = -1 };

/* `frame`: a clock of the trace, or PICTURE_ANIMATED. */
void picture_write(FILE *out, const struct trace *trace, int frame);

#endif
