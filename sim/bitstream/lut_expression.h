/* A look-up table of up to four inputs as an expression in C on words, with few operations.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_LUT_EXPRESSION_H
#define POSTROAD_BITSTREAM_LUT_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

enum { LUT_EXPRESSION_SIZE = 2048, LUT_EXPRESSION_INPUTS = 4 };

/* Writes the expression of `table`, whose bit number is made of the inputs, inputs[0] the lowest. `inputs` are names.
 */
void lut_expression(char out[LUT_EXPRESSION_SIZE], uint16_t table, const char *const *inputs, int count);

#endif
