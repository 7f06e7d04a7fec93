/* See oracle.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/oracle.h"

struct target oracle_target(const struct postman_load *load, unsigned flit_bits)
{
    unsigned flag = 1u << (flit_bits - 1), first = load->machine ^ load->across;
    struct target target;
    target.at[first] = target.at[!first] = load->flits[0] & (flag - 1);
    if (load->flits[0] & flag)
        target.at[!first] = load->flits[1] & (flag - 1);
    return target;
}

lanes oracle_begin(struct targets *targets, const struct targets *before, enum postman_dimension dimension, lanes begun,
                   const lanes *own, unsigned bits)
{
    lanes ends = {0};
    unsigned row, column;
    LANES_EACH(begun, row, column)
    {
        struct target *target = &targets->on_line[dimension][row][column];
        if (dimension == POSTMAN_X)
            *target = targets->sent[dimension][row][column - 1];
        else
            *target = (row ? targets : before)->sent[dimension][(row + LANES_ROWS - 1) % LANES_ROWS][column];
        unsigned coordinate = 0;
        for (unsigned bit = 0; bit < bits; bit++)
            coordinate |= (own[bit][row] >> column & 1) << bit;
        if (target->at[dimension] == coordinate)
            ends[row] |= UINT32_C(1) << column;
    }
    return ends;
}

void oracle_pass(struct targets *targets, enum postman_dimension line, enum postman_dimension output, lanes granted)
{
    unsigned row, column;
    LANES_EACH(granted, row, column)
    targets->sent[output][row][column] = targets->on_line[line][row][column];
}
