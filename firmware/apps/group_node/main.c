/* A node whose operator has groups (firmware/multicast), for sites of 128 KB: `postroad group`, `send --group` and
 * `listen --group` work as with native nodes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "multicast/groups.h"
#include "platform/node_program.h"
#include "platform/platform.h"

enum { GROUPS = 4, SLOTS = 8, HOLDS = 16 };

static struct pr_groups groups;
static PR_PLATFORM_NOT_CLEARED uint32_t memory[PR_GROUPS_MEMORY_WORDS(GROUPS, SLOTS, HOLDS, PR_PACKET_WORDS)]
    __attribute__((aligned(8)));

static bool poll(void *context)
{
    return pr_groups_poll(context);
}

static bool next_wake(void *context, uint32_t *clock)
{
    return pr_groups_next_wake(context, clock);
}

/* In a mesh that is none for groups the node runs without. */
int main(void)
{
    static const struct pr_groups_size size = {GROUPS, SLOTS, HOLDS, PR_PACKET_WORDS};
    static const struct pr_node_part part = {poll, next_wake, &groups};
    struct pr_node *node = pr_node_start();
    if (pr_groups_init(&groups, &node->op, memory, &size) != 0)
        pr_node_run(node);
    pr_groups_ask(&groups, pr_console_takes, &node->console);
    pr_groups_take_orders(&groups);
    pr_node_run_with(node, &part);
}
