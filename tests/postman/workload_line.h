/* A line of a workload, as the fast model (trace/) and the bench of the RTL read it:
 *
 *   [@clock] node machine across two flit flit ...
 *
 * node: row * SIZE_X + column, in the plane's own directions; machine: 0 X, 1 Y, whose transit buffer; across: 1 if the
 * other dimension's output sends it; two: 1 if it has two address flits; flits in hexadecimal. `@clock`: the operator
 * requests the buffer from that clock on (R12); otherwise the packet is in it before clock 0. Lines of one machine are
 * in the order of their clocks.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_POSTMAN_WORKLOAD_LINE_H
#define POSTROAD_TESTS_POSTMAN_WORKLOAD_LINE_H

#include "postman/postman_model.h"

/* `clock` 0: before clock 0. */
void workload_line_print(unsigned clock, const struct postman_load *load, unsigned flit_bits);

#endif
