/* The node with groups (firmware/multicast), and no application: hosts give the orders (wire/group_order.h). It
 * takes a site of 128 KB.
 *
 * SPDX-License-Identifier: ISC
 */
#include "multicast/groups.h"
#include "platform/node_program.h"
#include "platform/platform.h"

enum { GROUPS = 4, SLOTS = 8, HOLDS = 8 };

static struct pr_groups groups;
static PR_PLATFORM_NOT_CLEARED uint32_t memory[PR_GROUPS_MEMORY_WORDS(GROUPS, SLOTS, HOLDS, PR_PACKET_WORDS)];

int main(void)
{
    static const struct pr_groups_size size = {GROUPS, SLOTS, HOLDS, PR_PACKET_WORDS};
    struct pr_node *node = pr_node_start();
    bool has_groups = pr_groups_init(&groups, &node->op, memory, &size) == 0;
    for (;;) {
        bool busy = pr_node_turn(node), timed;
        uint32_t wake, own;
        if (has_groups)
            busy |= pr_groups_poll(&groups);
        timed = pr_node_next_wake(node, &wake);
        if (has_groups && pr_groups_next_wake(&groups, &own) && !(timed && pr_has_come(own, wake))) {
            wake = own;
            timed = true;
        }
        if (!busy)
            pr_node_sleep(timed, wake);
    }
}
