/* A node with an application: one multicast carries a row of words to all its targets. The target_info of each target
 * gives the slice that belongs to it: first word and count. Each target sends the sum of its slice back to the source,
 * to handler 1.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/node_program.h"

enum { SCATTER = 2, ANSWER = 1, INFO_FIRST = 0, INFO_COUNT = 1, INFO_WORDS = 2 };

static bool has_slice(const struct pr_delivery *delivery)
{
    return delivery->info_words == INFO_WORDS && delivery->info[INFO_FIRST] <= delivery->data_words &&
           delivery->info[INFO_COUNT] <= delivery->data_words - delivery->info[INFO_FIRST];
}

static void scatter(void *context, const struct pr_delivery *delivery)
{
    struct pr_node *node = context;
    struct pr_target source = {.site = delivery->source};
    uint32_t sum = 0;
    if (!has_slice(delivery)) {
        pr_console_log(&node->console, 0, "scatter: expected FIRST,COUNT");
        return;
    }
    for (unsigned i = 0; i < delivery->info[INFO_COUNT]; i++)
        sum += delivery->data[delivery->info[INFO_FIRST] + i];
    sum &= 0xffff; /* as wide as the narrowest fabric's words */
    if (pr_operator_send(&node->op, &source, 1, ANSWER, &sum, 1, NULL) != 0)
        pr_console_log(&node->console, 0, "scatter: no room");
}

int main(void)
{
    struct pr_node *node = pr_node_start();
    pr_operator_register(&node->op, SCATTER, scatter, node);
    pr_node_run(node);
}
