/* A node with a traffic evaluator, for `postroad bench`.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/node_program.h"
#include "platform/platform.h"
#include "traffic/traffic.h"

static struct pr_traffic_evaluator traffic;
static PR_PLATFORM_NOT_CLEARED uint32_t received[PR_SITES_MAX];

enum { BUFFERS = PR_POOL_SIZE - 3 }; /* their room is the evaluator's text's */
static PR_PLATFORM_NOT_CLEARED uint32_t memory[PR_NODE_MEMORY_WORDS(BUFFERS)];

static bool poll(void *context)
{
    return pr_traffic_poll(context);
}

static bool next_wake(void *context, uint32_t *clock)
{
    return pr_traffic_next_wake(context, clock);
}

int main(void)
{
    static const struct pr_node_part part = {poll, next_wake, &traffic};
    struct pr_node *node = pr_node_start_with(memory, BUFFERS);
    if (pr_traffic_init(&traffic, &node->op, received, PR_SITES_MAX) != 0)
        pr_platform_end(1, "no handler is left for the traffic evaluator");
    pr_node_run_with(node, &part);
}
