/* See workload_line.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/workload_line.h"

#include <stdio.h>

void workload_line_print(unsigned clock, const struct postman_load *load, unsigned flit_bits)
{
    if (clock)
        printf("@%u ", clock);
    printf("%u %u %u %u", load->node, load->machine, load->across, load->flits[0] >> (flit_bits - 1));
    for (unsigned i = 0; i < load->count; i++)
        printf(" %x", load->flits[i]);
    printf("\n");
}
