/* An oracle for `no_dead_flits`: what is on a line is known with its header bit. Each output has the target of the
 * packet that it sends beside its bits, node by node; a node of a grid asks the output upstream.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTMAN_ORACLE_H
#define POSTROAD_POSTMAN_ORACLE_H

#include <stdint.h>

#include "postman/lanes.h"
#include "postman/postman_model.h"

/* As packets have it. A coordinate that has been stripped is any. */
struct target {
    uint16_t at[2];
};

struct targets {
    struct target on_line[2][LANES_ROWS][POSTMAN_MOST_SIDE]; /* of the packet on the line, or the last one */
    struct target sent[2][LANES_ROWS][POSTMAN_MOST_SIDE];    /* by the output */
};

struct target oracle_target(const struct postman_load *load, unsigned flit_bits);

/* Packets begin on lines of this dimension. `before`: the rows above these ones; not looked at for the first rows.
 * `own`: the coordinate, a lanes a bit. Returns those that go no further in this dimension. */
lanes oracle_begin(struct targets *targets, const struct targets *before, enum postman_dimension dimension, lanes begun,
                   const lanes *own, unsigned bits);

/* An output takes the packets on lines of this dimension. */
void oracle_pass(struct targets *targets, enum postman_dimension line, enum postman_dimension output, lanes granted);

#endif
