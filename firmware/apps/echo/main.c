/* A node with an application: each packet for handler ECHO goes back to its source, to handler 1, with its words in
 * reverse order.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/node_program.h"

enum { ECHO = 2, ANSWER = 1, ECHO_WORDS = 32 };

static void echo(void *context, const struct pr_delivery *delivery)
{
    struct pr_node *node = context;
    struct pr_target source = {.site = delivery->source};
    uint32_t words[ECHO_WORDS];
    unsigned count = delivery->data_words < ECHO_WORDS ? delivery->data_words : ECHO_WORDS;
    for (unsigned i = 0; i < count; i++)
        words[i] = delivery->data[count - 1 - i];
    if (pr_operator_send(&node->op, &source, 1, ANSWER, words, count, NULL) != 0)
        pr_console_log(&node->console, 0, "no room for an answer");
}

int main(void)
{
    struct pr_node *node = pr_node_start();
    pr_operator_register(&node->op, ECHO, echo, node);
    pr_node_run(node);
}
