/* A node with a replicated log, for sites of 128 KB: members of group 1 append to it and read it (replicated_log.h).
 * Sites join by `postroad group SITES --join 1`; site 0 leads, and the log begins with it.
 *
 *   postroad send 2 --handler 17 --data words:0,70,71     site 2 appends an entry
 *   postroad send 0-3 --handler 17 --data words:1         all of them tell how long their log is, and its check
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/node_program.h"
#include "platform/platform.h"
#include "replicated_log.h"

enum { GROUP = 1, LEADER = 0, SLOTS = 8, HOLDS = 16 };

static struct pr_groups groups;
static struct replicated_log log_of_site;
static PR_PLATFORM_NOT_CLEARED uint32_t memory[PR_GROUPS_MEMORY_WORDS(1, SLOTS, HOLDS, PR_PACKET_WORDS)]
    __attribute__((aligned(8)));

static bool poll(void *context)
{
    bool more = pr_groups_poll(context);
    replicated_log_poll(&log_of_site);
    return more;
}

static bool next_wake(void *context, uint32_t *clock)
{
    return pr_groups_next_wake(context, clock);
}

int main(void)
{
    static const struct pr_groups_size size = {1, SLOTS, HOLDS, PR_PACKET_WORDS};
    static const struct pr_node_part part = {poll, next_wake, &groups};
    struct pr_node *node = pr_node_start();
    bool founds = node->op.common.here.identity->site == LEADER;
    if (pr_groups_init(&groups, &node->op, memory, &size) != 0 ||
        replicated_log_init(&log_of_site, &node->op, &groups, GROUP, founds) != 0)
        pr_platform_end(1, "a mesh with the reliable service, expected for a replicated log");
    pr_groups_ask(&groups, pr_console_takes, &node->console);
    pr_groups_take_orders(&groups);
    pr_node_run_with(node, &part);
}
