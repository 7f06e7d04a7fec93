/* An image whose stack lies where the boot program works, and holds there what a packet has brought: a handler gathers
 * the packet's words in a line of text on its stack. Nothing else is wrong with it. tests/rtl/board_site sends it words
 * that are code.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/operator.h"
#include "platform/node_program.h"
#include "protocol.h"

enum { GATHER = 9, LINE = PR_LOAD_RESERVED - 136 }; /* so that its start is where the boot program works */

static unsigned sums;

static void gather(void *context, const struct pr_delivery *delivery)
{
    volatile uint8_t line[LINE];
    (void)context;
    for (unsigned k = 0; k < LINE; k++) {
        uint32_t word = delivery->data[k / 2 % delivery->data_words];
        line[k] = (uint8_t)(k % 2 ? word >> 8 : word);
    }
    for (unsigned k = 0; k < LINE; k++)
        sums += line[k];
}

int main(void)
{
    struct pr_node *node = pr_node_start();
    pr_operator_register(&node->op, GATHER, gather, &node->op);
    pr_node_run(node);
}
